# How far the lane that runs by default is from lane ref: the bars of docs/fidelity.md, on the built-in model and a committed text.
# (On SmolLM2, against float64: make fidelity.)
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
model=models/fak-stories-Q8_0.gguf
value() { sed "s/.*\"$1\":\([0-9.e+-]*\).*/\1/"; }
at_most() { awk "BEGIN { print ($1 <= $2) ? \"yes\" : \"$1\" }"; }

ask="fak perplexity $model --file tests/fidelity/prose.txt --context 256 --chunks 4"
$ask --isa ref --save-logits "$scratch/base" >/dev/null
json=$(fak perplexity $model --against "$scratch/base" --json)
check_equal "it is the text's" "$(printf '%s' "$json" | value judged)" 508
check_equal "mean KL divergence at most 1e-6" "$(at_most "$(printf '%s' "$json" | value kl_mean)" 1e-6)" yes
check_equal "99.9 % the same most likely token" "$(at_most 0.999 "$(printf '%s' "$json" | value same_top)")" yes
check_equal "lane ref is itself" "$(fak perplexity $model --against "$scratch/base" --isa ref --chunks 1 --json | value kl_max)" 0
check_equal "--chunks takes the first of the saved ones" \
    "$(fak perplexity $model --against "$scratch/base" --chunks 2 --json | value judged)" 254
check_has "small figures keep their digits" "$(fak perplexity $model --against "$scratch/base" --chunks 2)" "e-0"
tap_end
