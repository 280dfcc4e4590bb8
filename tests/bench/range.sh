#!/bin/sh
# range: how long `fak gate --range` takes over the last COMMITS commits of a real history, beside
# `git log --name-only` over the same in the same rounds. Minimum and median of RUNS runs (default 60). Fails when the
# minimum is above LIMIT milliseconds (default 150).
#   REPO      a clone with a large history, such as llama.cpp's; it is read, never written
#   COMMITS   200
# The matrix covers every file of a kernel language below any folder, so that each commit that touches one has its
# content compared too: the dearest case.
set -eu
cd "$(dirname "$0")/../.."

fak=$PWD/${BIN:-build}/fak
runs=${RUNS:-60} commits=${COMMITS:-200} limit=${LIMIT:-150}
command -v hyperfine >/dev/null || {
    echo "bench-range: hyperfine is not installed; apt-get install hyperfine" >&2
    exit 1
}
[ -n "${REPO:-}" ] || {
    echo "bench-range: name a clone with a large history: make bench-range REPO=../llama.cpp" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL="$work/gitconfig" GIT_CONFIG_NOSYSTEM=1
unset GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
printf '[safe]\n\tdirectory = *\n[fak]\n\tmatrix = %s/rows.sql\n' "$work" >"$work/gitconfig"
cat >"$work/rows.sql" <<'SQL'
INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status)
VALUES ('any', 'Any kernel', 'Computes.', 'kernel', 'borrow', 'So that all count.', 'None.', 'None.', 'planned');
INSERT INTO op_path (op, glob, role, planned) VALUES
    ('any', '**/*.cu', 'kernel', 1), ('any', '**/*.cuh', 'kernel', 1), ('any', '**/*.metal', 'kernel', 1),
    ('any', '**/*.comp', 'kernel', 1), ('any', '**/*.cl', 'kernel', 1), ('any', '**/ggml-cpu/**', 'kernel', 1);
INSERT INTO reference (op, name, url, kind) VALUES ('any', 'None', 'https://example.org/none', 'primary');
SQL
git clone -q --shared --no-checkout "$REPO" "$work/clone"
cd "$work/clone"
range=HEAD~$commits..HEAD
git rev-parse -q --verify "HEAD~$commits" >/dev/null || {
    echo "bench-range: $REPO has fewer than $commits commits" >&2
    exit 1
}

"$fak" gate --range "$range" >"$work/verdict" # the matrix is right, and everything can be read
# Rounds, so that a busy moment does not fall on one command alone.
for round in 1 2 3; do
    hyperfine --shell=none --style=none --warmup 2 --runs $(((runs + 2) / 3)) --export-json "$work/$round.json" \
        -n git "git log --name-only --format=%H $range" -n fak "$fak gate --range $range" >/dev/null 2>&1
done

python3 - "$work" "$commits" "$limit" "$(tail -n 4 "$work/verdict" | grep commits,)" <<'EOF'
import json, statistics, sys

work, commits, limit, verdict = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
times = {}
for r in (1, 2, 3):
    for row in json.load(open(f"{work}/{r}.json"))["results"]:
        times.setdefault(row["command"], []).extend(row["times"])
print(f"{verdict}           minimum      median   of {len(times['fak'])} runs")
for name, label in (("git", "git log --name-only"), ("fak", "fak gate --range")):
    print(f"  {label:<38} {min(times[name]) * 1e3:7.1f} ms {statistics.median(times[name]) * 1e3:8.1f} ms")
print(f"limit: {limit:g} ms")
if min(times["fak"]) * 1e3 > limit:
    sys.exit("above the limit")
EOF
