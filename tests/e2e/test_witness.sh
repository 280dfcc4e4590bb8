# fak witness: the proofs of a matrix row, run on this machine.
. "$(dirname "$0")/tap.sh"

out=$(fak witness fused-attention)
check_equal "a row whose kernels are right: 0" $? 0
check_has "it names device, lane and kernel" "$out" "cpu  ref            attention"
check_has "and every clone" "$out" "c baseline"
check_has "and the bar" "$out" "floor"
check_has "another device's lane is skipped by name" "$out" "cuda this build has no such lane"
check_has "and counted" "$out" " 1 skipped; what is skipped is not proven"
check_exit "a skip can be made fatal: 1" 1 fak witness fused-attention --no-skip
check_has "an alias does" "$(fak witness SDPA)" "fused-attention"

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
