#!/bin/sh
# fak convert: a checkpoint and the GGUF file made of it are the same model; what cannot be converted is refused and
# leaves nothing behind. fak inspect --tensor and --verify on both.
. "$(dirname "$0")/tap.sh"
quant=$root/tests/golden/quant/model

sha() { fak logits "$1" --ids 229,7,13,80,2,5 --greedy 8 --isa ref | sed 's/.*"greedy"/"greedy"/'; }

# --- every format, exactly: f32 holds what a row decodes to --------------------------------------------------------
for name in awq_gemm_g64_skip ct_w4a16_g32 exl2_mixed fp8_block128 gptq_b4_g32_v2_asym_act gptq_dynamic_v2; do
    out=$scratch/$name.gguf
    check "$name becomes f32" fak convert "$quant/$name" "$out" --type f32 --no-tokenizer
    check_equal "$name: the same logits from both" "$(sha "$out")" "$(sha "$quant/$name")"
done
check "auto takes f16 for quantised matrices" fak convert "$quant/gptq_dynamic_v2" "$scratch/auto.gguf" --no-tokenizer
check_equal "f16 is in the file" "$(fak inspect "$scratch/auto.gguf" | awk '$1 == "blk.0.ffn_down.weight" { print $2 }')" F16
check_equal "and GPTQ in the directory" "$(fak inspect "$quant/gptq_dynamic_v2" | awk '$1 == "blk.0.ffn_down.weight" { print $2 }')" GPTQ
check_has "which is no GGUF" "$(fak inspect "$quant/gptq_dynamic_v2" --json)" '"format": "safetensors"'

# --- gpt-oss' experts: MXFP4 blocks, the same values transposed in BF16, and ggml's MXFP4 ----------------------------
python3 "$root/tests/e2e/mxfp4_twins.py" "$scratch/twins"
if fak logits "$scratch/twins/bf16" --ids 1 >"$scratch/said" 2>&1; then
    ids() { fak logits "$1" --ids 1,2,3,9,4,5,33,21,7,8,60 --greedy 8 --isa "$2" | sed 's/.*"greedy"/"greedy"/'; }
    check "MXFP4 becomes GGUF" fak convert "$scratch/twins/mxfp4" "$scratch/mxfp4.gguf" --no-tokenizer
    check_equal "MXFP4 and BF16 give the same logits on ref" "$(ids "$scratch/twins/mxfp4" ref)" "$(ids "$scratch/twins/bf16" ref)"
    check_equal "MXFP4 gives the same from either file on auto" "$(ids "$scratch/twins/mxfp4" auto)" "$(ids "$scratch/mxfp4.gguf" auto)"
    check_equal "and so does the GGUF file on ref" "$(ids "$scratch/mxfp4.gguf" ref)" "$(ids "$scratch/twins/bf16" ref)"
    check_equal "MXFP4 stays MXFP4" "$(fak inspect "$scratch/mxfp4.gguf" | awk '$1 == "blk.0.ffn_up_exps.weight" { print $2 }')" MXFP4
else
    tap_skip "gpt-oss' experts" "$(cat "$scratch/said")"
fi

# --- refusals ------------------------------------------------------------------------------------------------------
refused() { # refused NAME CODE PART COMMAND...
    name=$1 want=$2 part=$3
    shift 3
    said=$("$@" 2>&1 >/dev/null)
    code=$?
    case $code:$said in "$want:"*"$part"*) tap_pass "$name" ;; *) tap_fail "$name" "exit $code: $said" ;; esac
}
refused "a GGUF file" 2 "is a GGUF file already" fak convert "$root/models/fak-stories-Q8_0.gguf" "$scratch/x.gguf"
refused "an unknown type" 2 "there is no type 'q9'" fak convert "$quant/exl2_mixed" "$scratch/x.gguf" --type q9
refused "a directory without a tokenizer" 1 "tokenizer.json" fak convert "$quant/exl2_mixed" "$scratch/x.gguf"
refused "no room on the disk" 1 "/dev/full" fak convert "$quant/exl2_mixed" /dev/full --no-tokenizer
refused "a folder that is not there" 1 "nowhere" fak convert "$quant/exl2_mixed" "$scratch/nowhere/x.gguf" --no-tokenizer
check_equal "nothing is left behind" "$(find "$scratch" -name "x.gguf*")" ""

# --- one weight, every check ---------------------------------------------------------------------------------------
check "a module by its own name" fak inspect "$quant/exl2_mixed" --tensor model.layers.0.mlp.down_proj -o "$scratch/a.f32"
check "the same by GGUF's" fak inspect "$quant/exl2_mixed" --tensor blk.0.ffn_down.weight -o "$scratch/b.f32"
check "the same from the GGUF file" fak inspect "$scratch/exl2_mixed.gguf" --tensor blk.0.ffn_down.weight -o "$scratch/c.f32"
check "equal" cmp "$scratch/a.f32" "$scratch/b.f32"
check "equal, too" cmp "$scratch/a.f32" "$scratch/c.f32"
refused "a tensor that is not there" 1 "there is no tensor 'nothing'" fak inspect "$quant/exl2_mixed" --tensor nothing -o "$scratch/d"
refused "--tensor without -o" 2 "go together" fak inspect "$quant/exl2_mixed" --tensor lm_head
check "a sound model holds" fak inspect "$root/models/fak-stories-Q8_0.gguf" --verify
check_exit "one without a tokenizer does not" 1 fak inspect "$quant/exl2_mixed" --verify
check_has "and says what holds" "$(fak inspect "$quant/exl2_mixed" --verify)" "every element decodes to a finite number"
tap_end
