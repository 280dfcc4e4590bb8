#!/bin/sh
# fak quantize and fak perplexity on the built-in model.
. "$(dirname "$0")/tap.sh"
stories=$root/models/fak-stories-Q8_0.gguf
refused() { # refused NAME CODE PART COMMAND...
    name=$1 want=$2 part=$3
    shift 3
    said=$("$@" 2>&1 >/dev/null </dev/null)
    code=$?
    case $code:$(printf '%s\n' "$said" | grep -vc "^Try '"):$said in
    "$want:1:"*"$part"*) tap_pass "$name" ;;
    *) tap_fail "$name" "exit $code: $said" ;;
    esac
}
fak run "$stories" --seed 3 --temp 1 -n 400 --context 512 >"$scratch/text" 2>/dev/null </dev/null
fak run "$stories" --seed 4 --temp 1 -n 400 --context 512 >>"$scratch/text" 2>/dev/null </dev/null

# --- quantize -----------------------------------------------------------------------------------------------------
totals=$(fak quantize "$stories" "$scratch/f32.gguf" F32)
check_has "the exact copy" "$totals" "F32: 13,640,704 bytes of weights, 3,630,080 before; 32.00 bits a weight"
say() { fak run "$@" -n 40 --isa ref 2>/dev/null </dev/null; }
check_equal "says what the original says" "$(say "$scratch/f32.gguf")" "$(say "$stories")"
for type in Q8_0 Q6_K Q5_K_M Q4_K_M Q4_0; do
    check_exit "$type" 0 fak quantize "$scratch/f32.gguf" "$scratch/$type.gguf" $type --threads 2
    check_exit "$type: a sound file" 0 fak inspect "$scratch/$type.gguf"
done
fak quantize "$scratch/f32.gguf" "$scratch/again.gguf" Q4_K_M --threads 1 >/dev/null
check "the same bytes whatever --threads" cmp "$scratch/Q4_K_M.gguf" "$scratch/again.gguf"
check_equal "Q8_0 of the exact copy is the original again" "$(tail -c 3630080 "$scratch/Q8_0.gguf" | sha256sum)" \
    "$(tail -c 3630080 "$stories" | sha256sum)"
plan=$(fak quantize "$stories" - Q4_K_M --dry-run)
check_has "the plan: embeddings that are the output too" "$plan" "token_embd.weight                Q8_0    -> Q6_K"
check_has "the plan: vectors stay" "$plan" "output_norm.weight               F32     -> F32"
check_exit "the plan writes nothing" 1 test -e -
refused "a type that is none" 2 "'Q3_X' is none of the types: Q8_0, Q6_K" fak quantize "$stories" "$scratch/x" Q3_X
refused "onto itself" 2 "is the file that is read" fak quantize "$stories" "$stories" Q8_0
refused "what is no GGUF" 1 "no GGUF file" fak quantize "$root/README.md" "$scratch/x" Q8_0
refused "a folder that is not there" 1 "nowhere" fak quantize "$stories" "$scratch/nowhere/x.gguf" Q8_0
refused "an importance matrix that is none" 1 "no importance matrix" fak quantize "$stories" "$scratch/x" Q4_K_M --imatrix "$root/README.md"
{ head -c 2000000 "$stories"; tail -c +2000001 "$stories" | tr '\000-\377' '[\377*256]'; } >"$scratch/nan.gguf"
refused "weights that are no numbers" 1 "it holds what is no number" fak quantize "$scratch/nan.gguf" "$scratch/x.gguf" Q4_0
check_equal "a refusal leaves nothing behind" "$(echo "$scratch"/x*)" "$scratch/x*"

# --- perplexity ---------------------------------------------------------------------------------------------------
number() { sed "s/.*\"$1\":\([0-9.e+-]*\).*/\1/"; }
base=$(fak perplexity "$scratch/f32.gguf" --file "$scratch/text" --context 64 --save-logits "$scratch/base" --json)
check_has "chunks of 64" "$base" '"context":64,'
check_equal "the second half of each chunk but its last token" "$(echo "$base" | number judged)" $(($(echo "$base" | number chunks) * 31))
check_equal "its own text is foreseen" "$(echo "$base" | number perplexity | cut -d. -f1 | awk '{ print $1 < 12 }')" 1
itself=$(fak perplexity "$scratch/f32.gguf" --against "$scratch/base" --json)
check_equal "against itself: no divergence" "$(echo "$itself" | number kl_max)" 0
check_equal "against itself: the same top token" "$(echo "$itself" | number same_top)" 1
check_equal "against itself: the same perplexity" "$(echo "$itself" | number perplexity)" "$(echo "$base" | number perplexity)"
eight=$(fak perplexity "$scratch/Q8_0.gguf" --against "$scratch/base" --json | number kl_mean)
four=$(fak perplexity "$scratch/Q4_0.gguf" --against "$scratch/base" --json | number kl_mean)
check_equal "four bits are further away than eight" "$(awk "BEGIN { print $eight < $four }")" 1
check_has "for people" "$(fak perplexity "$scratch/Q4_0.gguf" --against "$scratch/base")" "KL divergence  0.0"
check_equal "--chunks" "$(fak perplexity "$stories" --file "$scratch/text" --context 64 --chunks 2 --json | number judged)" 62
refused "a text shorter than a chunk" 1 "a chunk takes 512" fak perplexity "$stories" -p short
refused "more than the context" 1 "exceed the context of 512" fak perplexity "$stories" --file "$root/CONTRIBUTING.md" --context 1024
head -c 1000 "$scratch/base" >"$scratch/cut"
refused "saved logits that are cut" 1 "it is cut, or damaged" fak perplexity "$stories" --against "$scratch/cut"
refused "what are no saved logits" 1 "no logits" fak perplexity "$stories" --against "$root/README.md"
refused "of another model" 1 "logits of 1024 tokens" fak perplexity "$root/tests/golden/models/llama/llama-F32.gguf" --against "$scratch/base"
refused "a text beside saved logits" 2 "leave --file and -p out" fak perplexity "$stories" --against "$scratch/base" -p x
tap_end
