#!/bin/sh
# lookup: how long a look-up takes from start to exit, beside an empty C program. The minimum of RUNS runs counts
# (default 100, at least 60): the machine may be busy, the program is not. Fails above 5 ms or 2.5 x the empty one.
set -eu
cd "$(dirname "$0")/../.."

fak=${BIN:-build}/fak
runs=${RUNS:-100}
[ "$runs" -ge 60 ] || runs=60
command -v hyperfine >/dev/null || {
    echo "bench-lookup: hyperfine is not installed; apt-get install hyperfine" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/empty.c"
${CC:-cc} -O2 -o "$work/empty" "$work/empty.c"

# Rounds, so that a busy moment does not fall on one command alone.
for round in 1 2 3; do
    hyperfine --shell=none --style=none --warmup 5 --runs $(((runs + 2) / 3)) --export-csv "$work/$round.csv" \
        -n 'an empty C program' "$work/empty" \
        -n 'fak sota OP' "$fak sota fused-attention" \
        -n 'fak sota FILE' "$fak sota engine/kernels/ref/attention.c" \
        -n 'fak sota KERNEL' "$fak sota k_awq_gemv" \
        -n 'fak sota list' "$fak sota list" \
        -n 'fak sota milestones' "$fak sota milestones" \
        -n 'fak sota search' "$fak sota search paged attention" >/dev/null 2>&1
done

# columns: command, mean, stddev, median, user, system, min, max (seconds)
awk -F, -v runs="$runs" '
FNR == 1 { next }
NR == FNR { name[FNR] = $1; n = FNR }
!(FNR in least) || $7 < least[FNR] { least[FNR] = $7 }
END {
    for (i = 2; i <= n; i++) {
        ratio = least[i] / least[2]
        printf "%-20s %6.3f ms   %4.2f x\n", name[i], least[i] * 1000, ratio
        if (least[i] > 0.005 || ratio > 2.5) slow++
    }
    printf "minimum of %d runs; the limits are 5 ms and 2.5 x\n", runs
    if (slow) { printf "%d above the limit\n", slow; exit 1 }
}' "$work"/[123].csv
