#!/bin/sh
# Quantised checkpoints of $CASES/golden/quant and kat/gptq through the program: every element of every tensor, logits and
# greedy ids of whole models, directories with one defect each. A format that is not read has to be refused by name.
. "$(dirname "$0")/../e2e/tap.sh"
judge=$root/tests/cases/quant.py
quant=$CASES/golden/quant

for format in gptq awq exl2 compressed-tensors fp8 mxfp4 bitsandbytes; do
    manifest=$quant/tensor/$format/manifest.json
    [ -f "$manifest" ] || { tap_skip "$format tensors" "there is no $manifest"; continue; }
    for name in $(python3 "$judge" names "$manifest"); do
        check "$format/$name" python3 "$judge" tensor "$manifest" "$name"
    done
done
for folder in "$quant"/model/*/; do
    [ -f "$folder/golden.json" ] || { tap_skip "quantised models" "there is no $quant/model"; continue; }
    for isa in ref auto; do check "model $(basename "$folder") on $isa" python3 "$judge" model "$folder" "$isa"; done
done
manifest=$quant/malformed/manifest.json
if [ -f "$manifest" ]; then
    for name in $(python3 "$judge" names "$manifest"); do
        check "malformed/$name" python3 "$judge" malformed "$manifest" "$name"
    done
else
    tap_skip "malformed directories" "there is no $manifest"
fi
# FP8 in blocks on experts, latent attention and delta nets, against the same values in BF16.
for name in deepseek-v3 qwen3-moe glm4-moe qwen3-5; do
    folder=$CASES/golden/models/$name
    [ -d "$folder" ] || { tap_skip "FP8 of $name" "there is no $folder"; continue; }
    rm -rf "$scratch/twins"
    python3 "$root/tests/cases/fp8_twins.py" "$folder" "$scratch/twins"
    for isa in ref auto; do
        check "FP8 of $name gives the logits of its BF16 twin on $isa" python3 "$judge" twins "$scratch/twins" "$isa"
    done
done
for case in k256n256 k1024n1024; do
    file=$CASES/kat/gptq/$case.qweight_i32.bin
    if [ -f "$file" ]; then check "kat/gptq $case" python3 "$judge" kat "$CASES/kat/gptq" "$case"
    else tap_skip "kat/gptq $case" "there is no $file"; fi
done
tap_end
