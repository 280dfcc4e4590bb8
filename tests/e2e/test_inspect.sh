#!/bin/sh
# fak tokenize and fak inspect, as people and scripts use them.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
spm=tests/golden/tokenizers/spm-llama-legacy/vocab.gguf
bpe=tests/golden/tokenizers/smollm/vocab.gguf
bad=tests/golden/malformed-gguf
escape=$(printf '\033')

# --- fak tokenize -------------------------------------------------------------------------------------------------
json=$(fak tokenize $spm -p 'Hello <s>a' --json --pieces)
check_has "JSON: ids and pieces" "$json" \
    '{"tokenizer":"SPM","count":8,"ids":[1,584,1205,1213,461,1204,1,283],"pieces":["<s>"," H","e","l","lo"," ","<s>"," a"],'
check_has "JSON: the bytes of pieces" "$json" '"pieces_b64":["PHM+","IEg=","ZQ==","bA==","bG8=","IA==","PHM+","IGE="]}'
ids() { fak tokenize "$@" --json | sed 's/.*"ids":\[\([^]]*\)\].*/\1/'; }
plain=$(ids $spm -p 'a b' --no-special)
check_equal "without the begin token" "$plain" "$(ids $spm -p 'a b' | sed 's/^1,//')"
check_lacks "special text as plain text" ",$(ids $spm -p 'a<s>b' --no-special --no-parse-special)," ",1,"
check_equal "the text on stdin, by - and by itself" \
    "$(printf 'a b' | ids $spm -p - --no-special)$(printf 'a b' | ids $spm --no-special)" "$plain$plain"
printf 'a b' >"$scratch/text"
check_equal "the text in a file" "$(ids $spm --file "$scratch/text" --no-special)" "$plain"
check_equal "an empty text" "$(ids $bpe -p '')" ""
table=$(fak tokenize $bpe -p "a$(printf '\n\001')<|ctl|>")
check_has "the table shows control characters escaped" "$table" '"\n"'
check_has "the table names kinds" "$table" '"<|ctl|>"  control'
check_has "the table adds up" "$table" "tokens of 10 bytes; byte-level BPE (smollm), 1,423 pieces"
check_lacks "a text cannot steer the terminal" "$(fak tokenize $bpe -p "${escape}]0;x")" "$escape"
check_exit "no model" 2 fak tokenize
check_exit "two texts" 2 fak tokenize $bpe -p a --file "$scratch/text"
check_exit "a missing model" 1 fak tokenize "$scratch/none.gguf" -p a
check_has "... is named" "$tap_out" none.gguf
check_exit "a missing text" 1 fak tokenize $bpe --file "$scratch/none"
check_exit "no tokenizer in the file" 1 fak tokenize $bad/ok_one_tensor.gguf -p a
check_has "... is said" "$tap_out" "has no tokenizer"
check_exit "a broken vocabulary" 1 fak tokenize $bad/vocab_scores_u8.gguf -p a
check_has "... is said" "$tap_out" "tokenizer.ggml.scores"

# --- fak inspect --------------------------------------------------------------------------------------------------
page=$(fak inspect models/fak-stories-Q8_0.gguf)
check_has "the model" "$page" '"llama", "fak-stories"'
check_has "its size" "$page" "3,410,176 at 8.52 bits"
check_has "its tokenizer" "$page" 'SPM, 1,024 tokens, begins with "<s>"'
check_has "whether it runs" "$page" "runs here   yes, on "
check_has "... on how many threads" "$(fak inspect "$root/models/fak-stories-Q8_0.gguf" --json)" " thread"
check_has "long arrays are folded" "$page" '[string]   1,024: "<unk>", "<s>" ...'
check_has "tensors" "$page" "blk.0.ffn_down.weight     Q8_0  768 x 256     514,688  208,896"
check_has "totals" "$page" "all             38         3,410,176         3,630,080 100.0 %"
check_equal "no line is wider than 80 columns" "$(printf '%s\n' "$page" | awk 'length > 80')" ""
json=$(fak inspect models/fak-stories-Q8_0.gguf --json)
check_has "JSON: facts" "$json" '"parameters": 3410176'
check_has "JSON: the lane" "$json" '"isa": "'
check_has "JSON: folded arrays" "$json" '"n": 1024'
check_has "an architecture that does not run is shown and named" "$(fak inspect tests/golden/tokenizers/qwen2/vocab.gguf)" \
    "runs here   no: "
check_exit "a sound container without a model" 0 fak inspect $bad/ok_empty.gguf
check_exit "a damaged file" 1 fak inspect $bad/t_off_gap.gguf
check_equal "... in one sentence" "$tap_out" "fak inspect: $bad/t_off_gap.gguf: byte 82, tensor 1 'b': its data has \
offset 1024, but the tensor before it ends at 128; the file is damaged or incomplete: fetch it or convert it again"
check_exit "no file" 2 fak inspect
check_exit "a directory" 1 fak inspect tests
case $BIN in
*asan* | *tsan*) tap_skip "memory of hostile files" "sanitizers take their own" ;;
*)
    # 16 MiB for everything the program writes to, libraries included
    # shellcheck disable=SC3045,SC2317 # dash and bash have ulimit -d
    limited() { (ulimit -d 16384 && exec fak inspect "$1"); }
    for file in n_kv_huge kv_arr_str_2e40 kv_arr_len_2e63 kv_string_len_huge n_tensors_overhead_wrap kv_arr_nested_deep; do
        check_exit "$file takes no memory" 1 limited "$bad/$file.gguf"
        check_has "... and is refused for what it is" "$tap_out" "$file.gguf: byte "
    done
    ;;
esac
tap_end
