# shellcheck shell=sh
# fak mcp, spoken to by the official client library, in both manners of connecting.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
python=build/deps/hook-tools/bin/python
[ -x $python ] || python=python3
if ! $python -c 'import mcp.client.stdio' 2>/dev/null; then
    tap_skip "a real client of the Model Context Protocol" "no PyPI mcp (tools/fetch-hook-tools brings it)"
    tap_end
fi
for mode in "legacy 2025-11-25" "auto 2026-07-28"; do
    # shellcheck disable=SC2086 # two words
    PYTHONDONTWRITEBYTECODE=1 $python tests/e2e/mcp_client.py $mode >"$scratch/out" 2>"$scratch/err"
    check_equal "${mode% *}: exit 0" $? 0
    while IFS= read -r line; do
        case $line in
        "ok - "*) tap_pass "${line#ok - }" ;;
        "not ok - "*) tap_fail "${line#not ok - }" ;;
        *) echo "$line" ;;
        esac
    done <"$scratch/out"
    [ -s "$scratch/out" ] || tap_fail "${mode% *}: it ran" "$(tail -n 5 "$scratch/err")"
done
tap_end
