#!/bin/sh
# How far SmolLM2's logits are from a reference: lane ref over the first 255 judged positions of tests/fidelity/prose.txt (a minute
# of CPU), and with FIDELITY_BASE=FILE (`make fidelity` keeps it as build/models/SmolLM2-float64.logits) float64 over all 8,415.
. "$(dirname "$0")/../e2e/tap.sh"
cd "$root" || exit 1
smol=${SMOLLM2:-build/models/SmolLM2-135M-Instruct.Q4_1.gguf}
base=${FIDELITY_BASE:-build/models/SmolLM2-float64.logits}
[ -f "$smol" ] || { tap_skip "fidelity" "there is no $smol; make model fetches it"; tap_end; exit; }
value() { sed "s/.*\"$1\":\([0-9.e+-]*\).*/\1/"; }
at_most() { awk "BEGIN { print ($1 <= $2) ? \"yes\" : \"$1\" }"; }

fak perplexity "$smol" --file tests/fidelity/prose.txt --chunks 1 --isa ref --save-logits "$scratch/base" >/dev/null
json=$(fak perplexity "$smol" --against "$scratch/base" --json)
check_equal "255 positions against lane ref: mean KL at most 1e-6" "$(at_most "$(printf '%s' "$json" | value kl_mean)" 1e-6)" yes
check_equal "and the same most likely token" "$(printf '%s' "$json" | value same_top)" 1
if [ -f "$base" ]; then
    json=$(fak perplexity "$smol" --against "$base" --json)
    check_equal "8,415 positions against float64" "$(printf '%s' "$json" | value judged)" 8415
    check_equal "mean KL at most 1e-6" "$(at_most "$(printf '%s' "$json" | value kl_mean)" 1e-6)" yes
    check_equal "99.9 % the same most likely token" "$(at_most 0.999 "$(printf '%s' "$json" | value same_top)")" yes
else
    tap_skip "8,415 positions against float64" "there is no $base; make fidelity writes it"
fi
tap_end
