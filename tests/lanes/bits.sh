# bits.sh [--write]: what the portable lane gives, as hashes in tests/lanes/bits.tsv: every kernel on a tenth of checkkern's
# full list, and the logits of every committed model, of one with every contract. They are the same for every compiler and on every processor, and change only
# with the contract (engine/kernels/exact/exact.h) or the list of cases: then `make lane-bits` writes them anew.
# With RUN="qemu-aarch64-static -cpu max" and LANES=build/aarch64/tests it is another processor that is asked; with KERNELS=FILE
# what `checklanes tenth` has printed there already is not asked again.
. "$(dirname "$0")/../e2e/tap.sh"
. "$root/tests/lanes/models.sh"
cd "$root" || exit 1
table=tests/lanes/bits.tsv
lanes=${LANES:-$BIN/tests}

# kernel_bits: "kernel rms_norm 0123456789abcdef" for each op of the portable clone
kernel_bits() {
    # shellcheck disable=SC2086 # RUN may be several words
    [ -n "${KERNELS:-}" ] || ${RUN:-} "$lanes/checklanes" tenth "exact c" >"$scratch/kernels" || sed 's/^/# /' "$scratch/kernels" >&2
    sed -nE 's/^ok - ([a-z0-9_]+) exact c #.* bits ([0-9a-f]+)$/kernel\t\1\t\2/p' "${KERNELS:-$scratch/kernels}" | LC_ALL=C sort
}

model_bits() {
    for model in models/fak-stories-Q8_0.gguf tests/golden/models/*/*.gguf; do
        # shellcheck disable=SC2086
        printf 'logits\t%s\t%s\n' "$model" "$(lanes_hash ${RUN:-} "$lanes/lanelogits" "$model" isa=c)"
    done
    for contract in $(lanes_contracts); do
        # shellcheck disable=SC2046,SC2086
        printf 'logits\t%s\t%s\n' "fak-stories-Q8_0 $contract" \
            "$(lanes_hash ${RUN:-} "$lanes/lanelogits" models/fak-stories-Q8_0.gguf isa=c $(lanes_words "$contract"))"
    done
}

kernel_bits >"$scratch/bits"
model_bits >>"$scratch/bits"
if [ "${1:-}" = --write ]; then
    { printf '# What the portable lane gives; written by make lane-bits.\n'; cat "$scratch/bits"; } >$table
    exit
fi
sed 1d $table >"$scratch/want"
cut -f1,2 "$scratch/want" >"$scratch/names"
while IFS='	' read -r kind name hash; do
    check_equal "$kind $name" "$(awk -F'\t' -v k="$kind" -v n="$name" '$1 == k && $2 == n { print $3 }' "$scratch/bits")" "$hash"
done <"$scratch/want"
cut -f1,2 "$scratch/bits" | grep -vxF -f "$scratch/names" | sed 's/^/# not in the table yet: /'
tap_end
