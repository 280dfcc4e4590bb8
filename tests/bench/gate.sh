#!/bin/sh
# gate: how long a hook takes when nothing that is staged matches, beside `git diff --cached --name-only` and an empty
# C program in the same rounds: on a small repository and on one of FILES files (default 100,000), one file staged,
# cached trees complete as git leaves them for its hooks. Minimum and median of RUNS runs (default 60). Fails when
# the minimum is above 0.3 x git on the large one or above 3 x the empty program on the small one.
set -eu
cd "$(dirname "$0")/../.."

fak=$PWD/${BIN:-build}/fak
runs=${RUNS:-60}
files=${FILES:-100000}
[ "$runs" -ge 60 ] || runs=60
command -v hyperfine >/dev/null || {
    echo "bench-gate: hyperfine is not installed; apt-get install hyperfine" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@localhost \
    GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@localhost
unset GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
echo 'int main(void) { return 0; }' >"$work/empty.c"
${CC:-cc} -O2 -o "$work/empty" "$work/empty.c"
echo 'a message' >"$work/message"

# make NAME FILES: that many files, 200 in a folder, all alike; then one of them is changed and staged
make_repository() {
    git init -q "$work/$1"
    blob=$(echo one | git -C "$work/$1" hash-object -w --stdin)
    awk -v n="$2" -v blob="$blob" 'BEGIN {
        for (i = 0; i < n; i++)
            printf "100644 %s 0\tsource/part%02d/module%04d/file%03d.c\n", blob, i / 200 % 25, i / 200, i % 200
    }' | git -C "$work/$1" update-index --index-info
    git -C "$work/$1" commit -q -m one
    blob=$(echo two | git -C "$work/$1" hash-object -w --stdin)
    git -C "$work/$1" update-index --cacheinfo "100644,$blob,source/part00/module0000/file007.c"
    git -C "$work/$1" write-tree >/dev/null
    (cd "$work/$1" && "$fak" gate --json | grep -q '"reader": "index"') || {
        echo "bench-gate: the index was not read by our own reader" >&2
        exit 1
    }
}
make_repository small 100
make_repository large "$files"

# Rounds, so that a busy moment does not fall on one command alone.
for round in 1 2 3; do
    for size in small large; do
        (cd "$work/$size" && hyperfine --shell=none --style=none --warmup 3 --runs $(((runs + 2) / 3)) \
            --export-json "$work/$size.$round.json" -n empty "$work/empty" \
            -n git 'git diff --cached --name-only' -n hook "$fak hooks run commit-msg $work/message" >/dev/null 2>&1)
    done
done

python3 - "$work" "$files" <<'EOF'
import json, statistics, sys

work, files = sys.argv[1], int(sys.argv[2])
slow = 0
for size, count in (("small", 100), ("large", files)):
    times = {}
    for r in (1, 2, 3):
        for row in json.load(open(f"{work}/{size}.{r}.json"))["results"]:
            times.setdefault(row["command"], []).extend(row["times"])
    least = {name: min(all) for name, all in times.items()}
    print(f"{count} files, one staged, nothing matches      minimum      median   of {len(times['hook'])} runs")
    for name, label in (("empty", "an empty C program"), ("git", "git diff --cached --name-only"),
                        ("hook", "fak hooks run commit-msg")):
        print(f"  {label:<38} {least[name] * 1e3:7.2f} ms {statistics.median(times[name]) * 1e3:8.2f} ms")
    to_git, to_empty = least["hook"] / least["git"], least["hook"] / least["empty"]
    print(f"  the hook: {to_git:.2f} x git, {to_empty:.2f} x the empty program")
    slow += to_empty > 3 if size == "small" else to_git > 0.3
print("limits: 3 x the empty program on the small one, 0.3 x git on the large one")
if slow:
    sys.exit(f"{slow} above the limit")
EOF
