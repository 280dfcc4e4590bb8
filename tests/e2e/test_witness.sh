# fak witness: the proofs of a matrix row, run on this machine.
. "$(dirname "$0")/tap.sh"

out=$(fak witness fused-attention)
check_equal "a row whose kernels are right: 0" $? 0
check_has "it names device, lane and kernel" "$out" "cpu  ref          attention      f32 "
check_has "and every clone" "$out" "cpu  c            attention      q8_0"
check_has "and the bar" "$out" "floor"
check_has "another device's lane is skipped by name" "$out" "cuda this build has no such lane"
check_has "and counted" "$out" " $(echo "$out" | grep -c 'SKIP$') skipped; what is skipped is not proven"
check_exit "a skip can be made fatal: 1" 1 fak witness fused-attention --no-skip
check_has "an alias does" "$(fak witness SDPA)" "fused-attention"

bar() { printf '%s' "$1" | awk '$1 == "floor" { print $2 "/" $3 }' | sort -u | tr '\n' ' '; }
check_equal "each type of keys and values has a bar of its own" "$(bar "$out")" "1.0e-04/1.0e-02 1.0e-10/1.0e-05 "
check_equal "of one type alone" "$(fak witness kv-cache --kv bf16 | awk '/PASS/ { print $4 }')" bf16

out=$(fak witness cpu-kquant-gemm)
check_has "activations of sixteen bits" "$out" "linear_q4_k    i16"
check_has "and of eight are witnessed apart" "$out" "linear_q4_k    i8"
check_equal "and clear different bars" "$(bar "$out")" "1.0e-08/1.0e-04 1.0e-10/2.0e-06 "
out=$(fak witness cpu-kquant-gemm --activations 8)
check_equal "--activations 8 alone: 0" $? 0
check_lacks "without the sixteen" "$out" " i16 "
check_equal "each of the six kernels in the portable lane at least" "$(printf '%s\n' "$out" | grep -c ' c  .* i8 .* PASS')" 6
check_equal "no line is wider than 79" "$(printf '%s\n' "$out" | awk 'length > 79')" ""
check_exit "an operation without integers: 1" 1 fak witness rms-norm --activations 8
check_has "and it says so" "$(fak witness rms-norm --activations 8 2>&1)" "no kernel of rms-norm takes integers for activations"
check_exit "both at once: 2" 2 fak witness --activations 8 --kv f16
check_equal "JSON tells them apart" "$(fak witness block-quant-gemm --activations 8 --json |
    python3 -c 'import json, sys; print({x["activations"] for x in json.load(sys.stdin)})')" "{8}"

check_exit "an unknown row: 2" 2 fak witness swigl
check_has "with the nearest name" "$(fak witness swigl 2>&1)" "did you mean 'swiglu'?"
check_exit "a row without kernels here: 1, never a pass" 1 fak witness awq-gemm
check_has "and it says so" "$(fak witness awq-gemm 2>&1)" "this build has no kernel of it to try"
check_exit "two rows are one too many: 2" 2 fak witness rope swiglu

json=$(fak witness rms-norm --json)
check_equal "JSON has a verdict for each kernel" \
    "$(printf '%s' "$json" | python3 -c 'import json, sys; print({x["verdict"] for x in json.load(sys.stdin) if x["device"] == "cpu"} <= {"PASS", "SKIP"})')" True
check_equal "and figures beside their bar" \
    "$(printf '%s' "$json" | python3 -c 'import json, sys
print(all(x["cosine"] >= x["floor_cosine"] and x["error"] <= x["floor_error"] and x["argmax"] and x["same_bits"]
          for x in json.load(sys.stdin) if x["verdict"] == "PASS" and not x["oracle"]))')" True
check_lacks "no colour without a terminal" "$(fak witness swiglu)" "$(printf '\033')"

tap_end
