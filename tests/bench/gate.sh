#!/bin/sh
# gate: how long a hook takes, beside `git diff --cached --name-only` (where advice is printed: `git diff --cached`) and
# an empty C program in the same rounds. Nothing matches: on a small repository and on one of FILES files (default
# 100,000), one file staged, cached trees complete as git leaves them for its hooks. Something matches: a kernel file of
# 20 kB on the large one, and on a small one with 100 commits and with 10,000. Minimum and median of RUNS runs (default
# 60). NICE="chrt -f 1" measures in the quiet of a real-time class. Fails when a minimum is above its limit:
# nothing matches, 0.3 x git on the large one and 3 x the empty program on the small one; a match, 2 x git on the large
# one; 10,000 commits, 1.5 x 100 (a hundred times as many; what differs is noise).
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
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@localhost \
    GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@localhost GIT_PAGER=cat
unset GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
echo 'int main(void) { return 0; }' >"$work/empty.c"
${CC:-cc} -O2 -o "$work/empty" "$work/empty.c"
echo 'a message' >"$work/message"

# kernel K: a source of 20 kB; K changes one line in its middle
kernel() {
    awk -v k="$1" 'BEGIN {
        print "#include <cuda_fp16.h>\n"
        for (i = 0; i < 50; i++) {
            printf "__global__ void mul_mat_q4_0_part%d(const void *w, const float *x, float *y, int n) {\n", i
            print "    const int row = blockIdx.x * blockDim.y + threadIdx.y;"
            print "    float sum = 0.0f; /* one lane each */"
            print "    for (int j = threadIdx.x; j < n; j += blockDim.x) {"
            printf "        sum += %s * x[j] * ((const float *)w)[row * n + j];\n", i == 25 ? k : "1"
            print "    }"
            print "    for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, m);"
            print "    if (threadIdx.x == 0) y[row] = sum;\n}\n"
        }
    }'
}

# make_repository NAME FILES COMMITS: that many files, 200 in a folder, and a kernel; then one file is changed and staged
make_repository() {
    git init -q "$work/$1"
    cd "$work/$1"
    blob=$(echo one | git hash-object -w --stdin)
    awk -v n="$2" -v blob="$blob" 'BEGIN {
        for (i = 0; i < n; i++)
            printf "100644 %s 0\tsource/part%02d/module%04d/file%03d.c\n", blob, i / 200 % 25, i / 200, i % 200
    }' | git update-index --index-info
    mkdir -p engine/kernels/cuda
    kernel 1 >engine/kernels/cuda/linear_q4_0.cu
    git add engine
    git commit -q -m one
    awk -v n="$3" 'BEGIN {
        print "reset refs/heads/master\nfrom refs/heads/master^0\n"
        for (i = 2; i <= n; i++)
            printf "commit refs/heads/master\ncommitter T <t@localhost> %d +0000\ndata 2\nn\nM 644 inline log\n" \
                "data <<E\n%d\nE\n\n", 1600000000 + i, i
    }' | git fast-import --quiet --force
    git branch -q -M master
    git reset -q --mixed
    git update-index --index-version 2
    blob=$(echo two | git hash-object -w --stdin)
    git update-index --cacheinfo "100644,$blob,source/part00/module0000/file007.c"
    git write-tree >/dev/null
    "$fak" gate --json | grep -q '"reader": "index"' || {
        echo "bench-gate: the index was not read by our own reader" >&2
        exit 1
    }
    cd - >/dev/null
}

# stage_kernel NAME
stage_kernel() {
    (
        cd "$work/$1"
        kernel 2 >engine/kernels/cuda/linear_q4_0.cu
        git update-index engine/kernels/cuda/linear_q4_0.cu
        git write-tree >/dev/null
        "$fak" hooks run commit-msg "$work/message" | grep -q Prior-art || {
            echo "bench-gate: there was no advice" >&2
            exit 1
        }
    )
}

# measure NAME LABEL GIT-COMMAND
measure() {
    (cd "$work/$1" && ${NICE:-} hyperfine --shell=none --style=none --warmup 3 --runs $(((runs + 2) / 3)) \
        --export-json "$work/$2.$round.json" -n empty "$work/empty" -n git "$3" \
        -n hook "$fak hooks run commit-msg $work/message" >/dev/null 2>&1)
}

for row in "small 100 100" "large $files 100" "deep 100 10000"; do
    # shellcheck disable=SC2086 # words on purpose
    make_repository $row
done
# Rounds, so that a busy moment does not fall on one command alone.
for round in 1 2 3; do
    for size in small large; do measure "$size" "quiet-$size" 'git diff --cached --name-only'; done
done
for size in small large deep; do stage_kernel "$size"; done
for round in 1 2 3; do
    for size in small large deep; do measure "$size" "match-$size" 'git diff --cached'; done
done

python3 - "$work" "$files" <<'PYTHON'
import json, statistics, sys

work, files = sys.argv[1], int(sys.argv[2])
slow, least = 0, {}
for kind, size, title in (
    ("quiet", "small", "100 files, nothing matches"),
    ("quiet", "large", f"{files} files, nothing matches"),
    ("match", "large", f"{files} files, advice on a kernel of 20 kB"),
    ("match", "small", "100 files, 100 commits, advice"),
    ("match", "deep", "100 files, 10,000 commits, advice"),
):
    times = {}
    for r in (1, 2, 3):
        for row in json.load(open(f"{work}/{kind}-{size}.{r}.json"))["results"]:
            times.setdefault(row["command"], []).extend(row["times"])
    low = least[kind, size] = {name: min(all) for name, all in times.items()}
    print(f"{title:<44} minimum      median   of {len(times['hook'])} runs")
    git = "git diff --cached" + (" --name-only" if kind == "quiet" else "")
    for name, label in (("empty", "an empty C program"), ("git", git), ("hook", "fak hooks run commit-msg")):
        print(f"  {label:<38} {low[name] * 1e3:7.2f} ms {statistics.median(times[name]) * 1e3:8.2f} ms")
    print(f"  the hook: {low['hook'] / low['git']:.2f} x git, {low['hook'] / low['empty']:.2f} x the empty program")

def limit(what, ratio, bound):
    global slow
    slow += ratio > bound
    print(f"{what}: {ratio:.2f} x (limit {bound} x){' ABOVE' if ratio > bound else ''}")

limit("nothing matches, large, to git", least["quiet", "large"]["hook"] / least["quiet", "large"]["git"], 0.3)
limit("nothing matches, small, to the empty program", least["quiet", "small"]["hook"] / least["quiet", "small"]["empty"], 3)
limit("a match, large, to git", least["match", "large"]["hook"] / least["match", "large"]["git"], 2)
limit("10,000 commits to 100", least["match", "deep"]["hook"] / least["match", "small"]["hook"], 1.5)
sys.exit(f"{slow} above the limit" if slow else 0)
PYTHON
