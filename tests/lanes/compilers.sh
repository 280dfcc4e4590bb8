# compilers.sh: the bits do not depend on the compiler either. The lanes built without optimisation (MODE=debug) and by clang
# (MODE=llvm) give the logits of every model that the release build gives. `make lanes-compilers` builds what it runs.
. "$(dirname "$0")/../e2e/tap.sh"
. "$root/tests/lanes/models.sh"
cd "$root" || exit 1
models=$(lanes_models)
for mode in debug llvm; do
    [ -x build/$mode/tests/lanelogits ] || { tap_skip "MODE=$mode" "not built"; continue; }
    for model in $models; do
        want=$(lanes_hash "$BIN/tests/lanelogits" "$model" isa=c)
        differ=
        for clone in $("$BIN/tests/lanelogits"); do
            got=$(lanes_hash build/$mode/tests/lanelogits "$model" isa="$clone" chunk=33)
            [ "$got" = "$want" ] || differ="$differ$clone: $got; "
        done
        check_equal "$(basename "$model"), MODE=$mode" "$differ" ""
    done
    for contract in $(lanes_contracts); do
        differ=
        # shellcheck disable=SC2046
        want=$(lanes_hash "$BIN/tests/lanelogits" models/fak-stories-Q8_0.gguf isa=c $(lanes_words "$contract"))
        for clone in $("$BIN/tests/lanelogits"); do
            # shellcheck disable=SC2046
            got=$(lanes_hash build/$mode/tests/lanelogits models/fak-stories-Q8_0.gguf isa="$clone" chunk=33 $(lanes_words "$contract"))
            [ "$got" = "$want" ] || differ="$differ$clone: $got; "
        done
        check_equal "$contract, MODE=$mode" "$differ" ""
    done
done
tap_end
