#!/bin/sh
# Token vectors whose vocabularies may not be committed: real ones (golden/tokenizers/real, vocab/) and SmolLM2 with the
# model that `make model` fetched (or $SMOLLM2); and the own ones again, from $CASES itself.
. "$(dirname "$0")/../e2e/tap.sh"
cd "$root" || exit 1

vectors=$BIN/tests/test_token_vectors
golden=$CASES/golden/tokenizers
[ -x "$vectors" ] || { echo "Bail out! $vectors is not built: run this through 'make test-cases'"; exit 1; }

# run NAME VOCABULARY VECTORS: skips what is not there, and a tokenizer that is refused by name
run() {
    for file in "$2" "$3"; do
        [ -f "$file" ] || { tap_skip "$1" "there is no $file"; return; }
    done
    if said=$("$vectors" "$2" "$3" 2>&1); then tap_pass "$1: $said"; return; fi
    case $said in
    *"not one of those that run"*) tap_skip "$1" "$said" ;;
    *) tap_fail "$1" "$said" ;;
    esac
}

for family in gpt-2 llama-spm starcoder falcon deepseek-llm; do
    vocab=$CASES/vocab/ggml-vocab-$family.gguf
    run "real/$family" "$vocab" "$golden/real/$family.jsonl"
    run "vocab/$family" "$vocab" "$vocab.inp"
done
for family in llama-bpe qwen2; do
    run "vocab/$family" "$CASES/vocab/ggml-vocab-$family.gguf" "$CASES/vocab/ggml-vocab-$family.gguf.inp"
done
run "smollm2-135m-instruct" "${SMOLLM2:-build/models/SmolLM2-135M-Instruct.Q4_1.gguf}" \
    "$golden/smollm2-135m-instruct/vectors.jsonl"
for folder in "$golden"/*/; do
    folder=${folder%/}
    name=${folder##*/}
    for form in vocab.gguf vocab.gemma4.gguf tokenizer.json tokenizer.model; do
        [ -f "$folder/$form" ] || continue
        # llama.cpp's form of a T5 vocabulary has no reference.
        [ "$name/$form" != unigram-t5/vocab.gguf ] || continue
        run "$name/$form/vectors" "$folder/$form" "$folder/vectors.jsonl"
        [ $form = tokenizer.model ] || run "$name/$form/stream" "$folder/$form" "$folder/stream.jsonl"
    done
done
tap_end
