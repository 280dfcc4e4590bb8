#!/bin/sh
# Perplexity on fak-stories ($CASES/models): the chunk rule gives llama.cpp's number, and our quantised copies are no
# worse than llama-quantize's of the same type. With LLAMA_BIN=DIR (llama-quantize, llama-perplexity) all types.
. "$(dirname "$0")/../e2e/tap.sh"
cd "$root" || exit 1
stories=$CASES/models/fak-stories
[ -f "$stories/fak-stories-F16.gguf" ] || { tap_skip "quantisation" "there is no $stories"; tap_end; exit; }
perplexity() { fak perplexity "$1" --file "$stories/eval.txt" --context 256 --json | sed 's/.*"perplexity":\([0-9.]*\).*/\1/'; }

# llama-perplexity b11434, F32 KV, no flash attention: 2.3784
check_equal "F16 as llama.cpp has it" "$(perplexity "$stories/fak-stories-F16.gguf" | xargs printf %.4f)" 2.3784
# The output matrix of Q4_0 decides between two equal copies: 2.39644 and 2.39638. That much is noise.
for type in Q8_0 Q6_K Q5_K_M Q4_K_M Q4_0; do
    theirs=$stories/fak-stories-$type.gguf
    if [ ! -f "$theirs" ] && [ -n "${LLAMA_BIN:-}" ]; then
        theirs=$scratch/theirs.gguf
        "$LLAMA_BIN/llama-quantize" "$stories/fak-stories-F16.gguf" "$theirs" $type >/dev/null 2>&1
    fi
    [ -f "$theirs" ] || { tap_skip "$type" "there is no copy of llama.cpp's; set LLAMA_BIN"; continue; }
    fak quantize "$stories/fak-stories-F16.gguf" "$scratch/ours.gguf" $type >/dev/null
    ours=$(perplexity "$scratch/ours.gguf") theirs=$(perplexity "$theirs")
    check_equal "$type is no worse: $ours, llama.cpp's $theirs" "$(awk "BEGIN { print $ours <= $theirs * 1.0001 }")" 1
done

# SmolLM2 in F32, on this tree's own prose: llama-perplexity -c 256 -ctk f32 -ctv f32 -fa off.
smol=${SMOLLM2:-build/models/SmolLM2-135M-Instruct.Q4_1.gguf}
if [ -f "$smol" ] && [ -n "${LLAMA_BIN:-}" ]; then
    cat CONTRIBUTING.md README.md >"$scratch/prose"
    fak quantize "$smol" "$scratch/smol.gguf" F32 >/dev/null
    ours=$(fak perplexity "$scratch/smol.gguf" --file "$scratch/prose" --context 256 --chunks 8 --json | sed 's/.*"perplexity":\([0-9.]*\).*/\1/')
    theirs=$("$LLAMA_BIN/llama-perplexity" -m "$scratch/smol.gguf" -f "$scratch/prose" -c 256 --chunks 8 -ctk f32 -ctv f32 -fa off 2>&1 |
        sed -n 's/.*Final estimate: PPL = \([0-9.]*\).*/\1/p')
    check_equal "SmolLM2, F32: $ours, llama.cpp's $theirs" "$(awk "BEGIN { d = $ours / $theirs - 1; print d < 1e-4 && d > -1e-4 }")" 1
else
    tap_skip "SmolLM2, F32" "it takes the model (make model) and LLAMA_BIN"
fi
tap_end
