# models.sh: sourced after tap.sh by the tests of the lanes. A model of every architecture and of every type that
# `fak quantize` writes, the contracts of numbers, and the hash of a model's logits under a way of running it.
# shellcheck disable=SC2154 # tap.sh makes $scratch

# lanes_models: their paths, one a line; the quantised ones are made in $scratch
lanes_models() {
    echo models/fak-stories-Q8_0.gguf
    for type in Q4_0 Q4_K_M Q5_K_M Q6_K F16; do
        fak quantize models/fak-stories-Q8_0.gguf "$scratch/stories-$type.gguf" $type >/dev/null 2>&1 &&
            echo "$scratch/stories-$type.gguf"
    done
    ls tests/golden/models/*/*.gguf
}

# lanes_contracts: what gives other logits than the default, which a table of lanes needs for each; as arguments
lanes_contracts() {
    for kv in f32 f16 bf16 q8_0; do
        for bits in 16 8; do echo "activations=$bits,kv=$kv"; done
    done | tail -n +2
}

# lanes_words CONTRACT: its arguments of lanelogits, apart
lanes_words() { echo "$1" | tr , ' '; }

# lanes_hash COMMAND...: of what it writes; what it complains about where it fails
lanes_hash() {
    if "$@" >"$scratch/logits" 2>"$scratch/why" && [ -s "$scratch/logits" ]; then sha256sum <"$scratch/logits" | cut -d' ' -f1
    else head -n 1 "$scratch/why"
    fi
}
