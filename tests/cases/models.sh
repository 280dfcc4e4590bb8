#!/bin/sh
# Models that may not be committed: greedy ids and text of $CASES/models and golden logits of $CASES/golden/models.
# SmolLM2 is looked for where `make model` puts it, and in $SMOLLM2.
. "$(dirname "$0")/../e2e/tap.sh"
smollm2=${SMOLLM2:-$root/build/models/SmolLM2-135M-Instruct.Q4_1.gguf}
judge=$root/tests/cases/models.py

have() { [ -f "$1" ] || { tap_skip "$2" "there is no $1"; return 1; }; }
run() { name=$1; shift; check "$name" python3 "$judge" "$@"; }

for isa in ref auto; do
    for type in F32 F16 Q8_0 Q4_0; do
        file=$CASES/models/stories260K-$type.gguf
        have "$file" "stories260K $type on $isa" && run "stories260K $type on $isa" stories "$isa" "$file"
    done
    for type in F16 Q8_0 Q4_K_M Q6_K; do
        file=$CASES/models/fak-stories/fak-stories-$type.gguf
        have "$file" "fak-stories $type on $isa" && run "fak-stories $type on $isa" fak-stories "$isa" "$file"
    done
    have "$smollm2" "SmolLM2 on $isa" && have "$CASES/models/smollm2-greedy.json" "SmolLM2 on $isa" &&
        run "SmolLM2 on $isa" smollm2 "$isa" "$smollm2" "$CASES/models/smollm2-greedy.json"
    for folder in "$CASES"/golden/models/*/; do
        for file in "$folder" "$folder"*.gguf; do
            [ -e "$file" ] || continue
            run "golden $(basename "$file") on $isa" golden "$isa" "$file" "$folder"
        done
    done
done

# Text: karpathy's run.c at temperature 0.
file=$CASES/models/stories260K-F32.gguf
if have "$file" "text of stories260K"; then
    check_equal "stories260K tells run.c's story" "$(fak run "$file" -n 200 2>/dev/null </dev/null)" \
        "$(cat "$CASES/models/stories260K-greedy-200.txt")"
fi
if have "$file" "text after prompts" && have "$CASES/models/prompts.txt" "text after prompts"; then
    run "stories260K goes on after prompts as run.c does" prompts auto "$file" "$CASES/models"
fi
if have "$smollm2" "text of SmolLM2" && have "$CASES/models/smollm2-greedy.json" "text of SmolLM2"; then
    run "SmolLM2's text, raw and in its chat template" smollm2-text auto "$smollm2" "$CASES/models/smollm2-greedy.json"
fi
tap_end
