#!/bin/sh
# decode: tokens a second of `fak run` beside llama.cpp's llama-completion, on the same file, taking turns in one
# run, because a shared machine changes by a factor within minutes: only the ratio of medians means anything.
#   MODEL    a GGUF file (build/models/SmolLM2-135M-Instruct.Q4_1.gguf, which `make model` fetches)
#   PEER     llama-completion (the one in PATH); without one, our own rate is all that is shown
#   THREADS, TOKENS, RUNS    2, 64, 5
#   FLOOR    the ratio below which this fails, 0.3
#   NICE     a command put before both, for a busy machine: NICE="chrt -f 1"
set -eu
cd "$(dirname "$0")/../.."

fak=${BIN:-build}/fak
model=${MODEL:-build/models/SmolLM2-135M-Instruct.Q4_1.gguf}
peer=${PEER:-$(command -v llama-completion || true)}
threads=${THREADS:-2} tokens=${TOKENS:-64} runs=${RUNS:-5}
prompt='Once upon a time, in a small village by the sea, there lived'
[ -f "$model" ] || {
    echo "bench-decode: no model at $model; \`make model\` fetches it, MODEL= names another" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "12 prompt tokens, 700.1 tok/s; 64 reply tokens, 305.2 tok/s; ..."
ours() {
    ${NICE:-} "$fak" run "$model" -p "$prompt" -n "$tokens" --threads "$threads" 2>&1 >"$work/text" </dev/null |
        sed -n 's/.*prompt tokens, \([0-9.]*\) tok.*reply tokens, \([0-9.]*\) tok.*/\1 \2/p'
}
# "prompt eval time = ... (..., 6.76 tokens per second)" and the same for "eval time"
theirs() {
    ${NICE:-} "$peer" -m "$model" -p "$prompt" -n "$tokens" -t "$threads" --temp 0 -no-cnv 2>&1 </dev/null |
        awk '/eval time =/ { rate = $0; sub(/ tokens per second.*/, "", rate); sub(/.* /, "", rate)
                             if (/prompt eval/) prompt = rate; else print prompt, rate }'
}
median() { sort -n "$1" | awk '{ x[NR] = $1 } END { print NR ? (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 : 0 }'; }

i=0
while [ $i -lt "$runs" ]; do
    ours >>"$work/ours"
    if [ -n "$peer" ]; then theirs >>"$work/theirs"; fi
    i=$((i + 1))
done
cut -d' ' -f2 "$work/ours" >"$work/ours.decode"
us=$(median "$work/ours.decode")
[ "$us" != 0 ] || {
    echo "bench-decode: fak run said nothing about its speed" >&2
    exit 1
}
printf 'decode of %s tokens, %s thread(s), %s: median of %s\n' "$tokens" "$threads" "${model##*/}" "$runs"
printf '  %-18s %8.1f tok/s   (%s)\n' fak "$us" "$(tr '\n' ' ' <"$work/ours.decode")"
[ -n "$peer" ] || {
    echo "  no llama-completion to compare with; PEER= names one"
    exit 0
}
cut -d' ' -f2 "$work/theirs" >"$work/theirs.decode"
them=$(median "$work/theirs.decode")
printf '  %-18s %8.1f tok/s   (%s)\n' llama-completion "$them" "$(tr '\n' ' ' <"$work/theirs.decode")"
awk -v us="$us" -v them="$them" -v least="${FLOOR:-0.3}" 'BEGIN {
    if (them <= 0) { print "  llama-completion said nothing about its speed"; exit 1 }
    printf "  ratio %.2f (at least %s)\n", us / them, least
    exit us / them < least
}'
