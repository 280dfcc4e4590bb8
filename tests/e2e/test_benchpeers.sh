#!/bin/sh
# tools/bench-peers --report: medians, ratios and bars from a raw log; and the tables that are committed are those that the
# committed log gives.
. "$(dirname "$0")/tap.sh"

# A tree that holds just what the report reads and writes.
mkdir -p "$scratch/tree/docs/bench" "$scratch/tree/sotadb/seed"
cp -r "$root/tools" "$root/README.md" "$scratch/tree"
report() { (cd "$scratch/tree" && LOG=docs/bench/$1 tools/bench-peers --report); }

log=$scratch/tree/docs/bench/2026-01-02-cpu.txt
{
    echo '# bench-peers, 2026-01-02 09:59, load 1.5'
    echo '# machine: Some CPU, 2 CPUs, Linux'
    echo '# fak: abc1234'
    echo '# llama.cpp: b1'
    echo '# ik_llama.cpp: def5678 of 2026-01-01'
    echo '# main 1b-Q4_K_M, 10:00:00, load 1.5'
    while read -r line; do printf '%s\n' "$line" | tr ' ' '\t'; done <<'LINES'
roof - 1 - read_bytes 10e9
roof - 1 - read_bytes 12e9
roof - 1 - int8_ops 700e9
roof - 1 - f32_ops 100e9
main 1b-Q4_K_M 1 fak pp512 100
main 1b-Q4_K_M 1 fak pp512 80
main 1b-Q4_K_M 1 fak pp512 90
fact 1b-Q4_K_M 0 - ops_per_prompt_token 2e9
fact 1b-Q4_K_M 0 - read_bytes_per_token 0.6e9
fact 1b-Q4_K_M 0 - lane avx2
main 1b-Q4_K_M 1 fak-8 pp512 190
main 1b-Q4_K_M 1 lc pp512 50
main 1b-Q4_K_M 1 ik pp512 99
main 1b-Q4_K_M 1 ik pp512 101
main 1b-Q4_K_M 1 ik-rtr pp512 70
main 1b-Q4_K_M 1 fak tg128 16
main 1b-Q4_K_M 1 fak-8 tg128 15
main 1b-Q4_K_M 1 lc tg128 14
main 1b-Q4_K_M 1 ik-rtr tg128 15
depth 1b-Q4_K_M 2 fak-f16 tg32 20
depth 1b-Q4_K_M 2 fak-f16 tg32@4096 15
depth 1b-Q4_K_M 2 fak-f16 pp512 100
depth 1b-Q4_K_M 2 fak-f16 pp512@4096 50
load 1b-Q4_K_M 2 fak seconds 0.5
load 1b-Q4_K_M 2 fak peak_bytes 1100e6
load 1b-Q4_K_M 2 lc-map seconds 0.4
load 1b-Q4_K_M 2 lc-map peak_bytes 700e6
fact 1b-Q4_K_M 0 - file_bytes 640e6
LINES
} >"$log"
page=$(report 2026-01-02-cpu.txt)
has() { check_has "$1" "$page" "$2"; }
has "median, least and most" "| Q4_K_M | 1 | pp512 | 90.0 (80.0 to 100) | 190 (190 to 190) | 50.0 (50.0 to 50.0) | 100 (99.0 to 101) | 70.0 (70.0 to 70.0) |"
has "the best peer counts, and 0.9 is enough" "| pp512 | fak to the best peer | 0.90 × | ≥ 0.9 × | met |"
has "against llama.cpp alone" "| pp512 | fak to llama.cpp | 1.80 × | ≥ 1.4 × | met |"
has "8 bits" "| pp512 | fak, 8-bit activations to the best peer | 1.90 × | ≥ 1.35 × | met |"
has "of the peak: 190 * 2e9 of 700e9" "| pp512 | fak, 8-bit activations of the dot-product peak | 54% | ≥ 55% | **missed** |"
has "decode: the ratio is missed, 80 % of reading is not" "| tg128 | fak to the best peer, or of reading | 1.07 ×, 80% | ≥ 1.15 × or 80% | met |"
has "decode: both are missed" "| tg128 | fak, 8-bit activations to the best peer, or of reading | 1.00 ×, 75% | ≥ 1.15 × or 80% | **missed** |"
has "the best of a roof" "reads 12.0 GB/s"
has "depth, decode" "| tg32 | fak, F16 KV | 20.0 | 15.0 | 25% | at most 30% | met |"
has "depth, prompt" "| pp512 | fak, F16 KV | 100 | 50.0 | 50% | at most 45% | **missed** |"
has "start and memory" "| fak | 0.50 | 1.25 × | ≤ 1.5 × | met | 1049 MiB | 1.72 × | ≤ 1.15 × + KV | **missed** |"
readme=$(cat "$scratch/tree/README.md")
check_has "README: a line for each model and number of threads" "$readme" \
    "| 1b-Q4_K_M | 1 | 90.0 (0.90 ×) | 190 (1.90 ×) | 100 ik | 16.0 (1.07 ×) | 15.0 (1.00 ×) | 15.0 ik-rtr |"
check_equal "README: what stands around it stays" "$(sed '/bench-peers: begin/,/bench-peers: end/d' "$scratch/tree/README.md" | sha256sum)" \
    "$(sed '/bench-peers: begin/,/bench-peers: end/d' "$root/README.md" | sha256sum)"
rows=$scratch/tree/sotadb/seed/91-bench-cpu.sql
check_equal "a row for each figure" "$(grep -c '^(' "$rows")" 9
check_has "with the peer of the same run" "$(cat "$rows")" "'fak', 'ik_llama.cpp: 100 tok/s in the same run', 'abc1234', 1, 'docs/bench/2026-01-02-cpu.txt'"
others=$(find "$root/sotadb/seed" -name '*.sql' ! -name 91-bench-cpu.sql | sort)
# shellcheck disable=SC2086 # a list of paths
check "the matrix takes the rows" sotac -o "$scratch/matrix.c" "$root/sotadb/schema.sql" $others "$rows"

# --- what is committed ----------------------------------------------------------------------------------------------
set -- "$root"/docs/bench/*-cpu.txt
if [ -f "$1" ]; then
    rm "$log"
    cp "$@" "$scratch/tree/docs/bench"
    report "${1##*/}" >/dev/null
    for file in README.md docs/cpu-bench.md sotadb/seed/91-bench-cpu.sql; do
        check "$file says what the logs say" cmp "$root/$file" "$scratch/tree/$file"
    done
else
    tap_skip "tables and their log" "none is committed"
fi

# --- refusals -------------------------------------------------------------------------------------------------------
said=$(cd "$root" && PEER_DIR=$scratch tools/bench-peers 2>&1)
check_has "a folder without a peer" "$said" "no llama-bench in it, in bin or in build/bin"
said=$(cd "$root" && PARTS=all tools/bench-peers 2>&1)
check_has "a part that is none" "$said" "PARTS=all is none of main, float, small, kinds, depth, load"
mkdir "$scratch/peer"
cp /bin/true "$scratch/peer/llama-bench"
said=$(cd "$root" && PEER_DIR=$scratch/peer LOG=$scratch/log tools/bench-peers 2>&1)
if ! command -v objdump >/dev/null || ! grep -q avx2 /proc/cpuinfo; then tap_skip "a peer that was built for another machine" "objdump or AVX2 is missing"
else check_has "a peer that was built for another machine" "$said" "no instruction of this machine's widest lane in it"
fi
tap_end
