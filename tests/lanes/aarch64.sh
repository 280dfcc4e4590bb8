# Another processor, under qemu: every tenth case of checkkern's full list in every clone for aarch64, every mutant,
# and the logits of every model, bit for bit those of this processor's portable lane. `make lanes-aarch64` builds
# what it runs. A CPU that has neither dot products nor i8mm chooses plain NEON and gives the same.
. "$(dirname "$0")/../e2e/tap.sh"
. "$root/tests/lanes/models.sh"
cd "$root" || exit 1
there=build/aarch64/tests
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) ||
    { tap_skip "aarch64" "qemu-user-static is not installed; 'sh tools/setup check' brings it"; tap_end; }

# on CPU PROGRAM ARGUMENT...
on() { on_cpu=$1; shift; on_program=$1; shift; "$qemu" -cpu "$on_cpu" "$there/$on_program" "$@"; }

on max checklanes tenth "${1:-}" >"$scratch/kernels"
check_has "kernels" "$(tail -n 1 "$scratch/kernels")" " 0 failed, 0 skipped"
sed 's/^/# /' "$scratch/kernels"

KERNELS=$scratch/kernels RUN="$qemu -cpu max" LANES=$there sh tests/lanes/bits.sh >"$scratch/table"
check_equal "kernels and logits: the bits of the table" "$(grep '^not ok' "$scratch/table")" ""

clones=$(on max lanelogits)
check_equal "the clones of a CPU that has everything" "$(echo "$clones" | tr "\n" " ")" "c asimd dotprod i8mm "
check_equal "of one that has little" "$(on cortex-a53 lanelogits | tr "\n" " ")" "c asimd "
models=$(lanes_models)
for model in $models; do
    want=$(lanes_hash "$BIN/tests/lanelogits" "$model" isa=c)
    differ=
    for clone in $clones; do
        got=$(lanes_hash on max lanelogits "$model" isa="$clone" threads=2 chunk=33)
        [ "$got" = "$want" ] || differ="$differ$clone: $got; "
    done
    check_equal "$(basename "$model") on aarch64" "$differ" ""
done
story=models/fak-stories-Q8_0.gguf
for contract in $(lanes_contracts); do
    words=$(lanes_words "$contract")
    # shellcheck disable=SC2086
    want=$(lanes_hash "$BIN/tests/lanelogits" $story isa=c $words)
    differ=
    for way in "max isa=neon threads=7 chunk=7 strangers=3" "max isa=dotprod threads=3" "cortex-a53 chunk=64"; do
        on_cpu=${way%% *}
        # shellcheck disable=SC2086
        got=$(lanes_hash on "$on_cpu" lanelogits $story ${way#* } $words)
        [ "$got" = "$want" ] || differ="$differ$way: $got; "
    done
    check_equal "$contract on aarch64" "$differ" ""
done
check_has "a lane that the small CPU lacks is refused" "$(lanes_hash on cortex-a53 lanelogits $story isa=dotprod)" \
    "this CPU cannot run lane 'dotprod'; it has ref, c, neon"
tap_end
