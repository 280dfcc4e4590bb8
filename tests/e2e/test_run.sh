#!/bin/sh
# fak run and fak logits as people and scripts use them, on the built-in model.
. "$(dirname "$0")/tap.sh"
stories=$root/models/fak-stories-Q8_0.gguf
llama=$root/tests/golden/models/llama/llama-F32.gguf

# --- the reply, and only that, on stdout --------------------------------------------------------------------
story='Once upon a time there was a clever child named Finn. One evening, Finn walked to a farm.'
out=$(fak run -n 23 2>"$scratch/err" </dev/null)
check_equal "the built-in model tells its story" "$out" "$story"
check_equal "the speed is one line on stderr" "$(wc -l <"$scratch/err" | tr -d ' ')" 1
check_has "it counts the tokens" "$(cat "$scratch/err")" "1 prompt token, "
check_has "and those of the reply" "$(cat "$scratch/err")" "23 reply tokens, "
check_equal "a model by its path says the same" "$(fak run "$stories" -n 23 2>/dev/null </dev/null)" "$story"
check_equal "the ref lane says the same" "$(fak run -n 23 --isa ref 2>/dev/null </dev/null)" "$story"

fak run -p 'Once upon a time' 2>/dev/null >"$scratch/whole"
check_equal "the reply continues the prompt with its blank" "$(head -c 17 "$scratch/whole")" " there was a clev"
check_equal "it ends with the text" "$(tail -c 31 "$scratch/whole")" "t was the best day of the year."
printf 'Once upon a time' | fak run 2>/dev/null >"$scratch/piped"
check "a piped prompt is the same prompt" cmp "$scratch/whole" "$scratch/piped"
echo 'Once upon a time' | fak run -p - 2>/dev/null >"$scratch/piped"
check "-p - reads it too, without the newline of echo" cmp "$scratch/whole" "$scratch/piped"
echo 'Once upon a time' >"$scratch/prompt"
fak run <"$scratch/prompt" 2>/dev/null >"$scratch/piped"
check "a file on stdin as well" cmp "$scratch/whole" "$scratch/piped"
echo 'not read' | fak run -p 'Once upon a time' 2>/dev/null >"$scratch/piped"
check "-p TEXT leaves stdin alone" cmp "$scratch/whole" "$scratch/piped"
fak run --threads 1 -p 'Once upon a time' 2>/dev/null >"$scratch/one"
check "threads change nothing" cmp "$scratch/whole" "$scratch/one"
check_equal "-n 0 says nothing" "$(fak run -n 0 -p 'Once' 2>/dev/null)" ""
out=$(fak run -p 'Once upon a time' --context 8 2>&1 >/dev/null)
check_has "a full context is said" "$out" "the context is full"

LC_ALL=C sed 's/\(add_eos_token\x07\x00\x00\x00\)\x00/\1\x01/' "$stories" >"$scratch/closing.gguf"
check_exit "a model that closes what it encodes" 1 cmp -s "$stories" "$scratch/closing.gguf"
fak run "$scratch/closing.gguf" -p 'Once upon a time' 2>/dev/null >"$scratch/closed"
check "goes on with an open text" cmp "$scratch/whole" "$scratch/closed"

# --- weights: a cache of panels beside the model, and the memory they take -----------------------------------------
kept=$scratch/kept.gguf
cp "$stories" "$kept"
check_equal "with --cache-panels it says the same" "$(fak run "$kept" --cache-panels -n 23 2>"$scratch/err" </dev/null)" "$story"
check "the cache lies beside the model" test -s "$kept.fak-panels"
check_equal "nothing is noted" "$(grep -c note: "$scratch/err")" 0
before=$(stat -c %i "$kept.fak-panels")
check_equal "the next run maps it" "$(fak run "$kept" --cache-panels -n 23 2>/dev/null </dev/null)" "$story"
check_equal "... and writes no other" "$(stat -c %i "$kept.fak-panels")" "$before"
printf x | dd of="$kept.fak-panels" bs=1 seek=70000 conv=notrunc 2>/dev/null
check_equal "a damaged one is not used" "$(fak run "$kept" --cache-panels -n 23 2>"$scratch/err" </dev/null)" "$story"
check_has "... and said so" "$(cat "$scratch/err")" "is damaged between bytes 0 and 1048576 of its panels; it is made again"
touch "$kept"
fak logits "$kept" --cache-panels --ids 1 2>"$scratch/err" >/dev/null
check_has "a model that was written since makes it anew" "$(cat "$scratch/err")" "another state of the model"
check_equal "--no-pin changes no word" "$(fak run --no-pin -n 23 2>"$scratch/err" </dev/null)" "$story"
check_equal "... and pins no thread" "$(grep -c pinned "$scratch/err")" 0
if command -v python3 >/dev/null; then
    fak bench --synth 110m:q4_0 --synth-dir "$scratch/synth" -p 1 -n 0 -r 1 --no-roof --no-warmup -q >/dev/null
    check "peak memory is at most 1.15 times the file" python3 - "$scratch/synth/110m-Q4_0.gguf" <<'PY'
import os, resource, subprocess, sys
file = sys.argv[1]
subprocess.run(["fak", "logits", file, "--ids", "1,2,3"], check=True, stdout=subprocess.DEVNULL)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print("#", peak, "bytes for", os.path.getsize(file))
sys.exit(peak > 1.15 * os.path.getsize(file))
PY
else
    tap_skip "peak memory is at most 1.15 times the file" "no python3"
fi

# --- wrong usage and wrong files ------------------------------------------------------------------------------
said() { said=$("$@" 2>&1 >/dev/null </dev/null); code=$?; lines=$(printf '%s\n' "$said" | grep -vc "^Try '"); }
refused() { # refused NAME CODE PART COMMAND...
    name=$1 want=$2 part=$3
    shift 3
    said "$@"
    case $code:$lines:$said in "$want:1:"*"$part"*) tap_pass "$name" ;; *) tap_fail "$name" "exit $code: $said" ;; esac
}
refused "no such model" 1 "there is no model file 'nothing.gguf'" fak run nothing.gguf
refused "two models" 2 "a prompt is given with -p" fak run "$stories" hello
refused "a directory without a model" 1 "there is no config.json in this directory" fak run "$root/models"
refused "no threads" 2 "--threads" fak run --threads 0
refused "a lane that is none" 2 "ref|c|avx2|avx512|neon|auto" fak run --isa fast
refused "more context than the model has" 2 "made for 512 positions" fak run --context 513
refused "--system without --chat" 2 "--system is for --chat" fak run --system x -p y
refused "--chat without a message" 2 "--chat needs a message" fak run --chat
refused "--chat with a base model" 1 "no chat template" fak run --chat -p hello
: >"$scratch/empty.gguf"
refused "an empty file" 1 "empty.gguf" fak run "$scratch/empty.gguf"
head -c 100000 "$stories" >"$scratch/cut.gguf"
for isa in ref c auto; do
    refused "a cut file, $isa" 1 "cut.gguf" fak run --isa $isa "$scratch/cut.gguf"
    refused "a cut file, $isa: logits" 1 "cut.gguf" fak logits --isa $isa "$scratch/cut.gguf" --ids 1
done
{ head -c 2000000 "$stories"; tail -c +2000001 "$stories" | tr '\000-\377' '[\377*256]'; } >"$scratch/nan.gguf"
for isa in ref auto; do
    refused "weights that are no numbers, $isa" 1 "nan.gguf: after 2 tokens the model gives no numbers" \
        fak run --isa $isa "$scratch/nan.gguf" -p Once
done
refused "a file of another kind" 1 "README.md" fak run "$root/README.md"
sed 's/general.architecture/general.architecturx/' "$stories" >"$scratch/foreign.gguf"
refused "a file without architecture" 1 "general.architecture is missing" fak run "$scratch/foreign.gguf"
sed 's/tokenizer.ggml.model/tokenizer.ggml.modex/' "$stories" >"$scratch/mute.gguf"
refused "a model without tokenizer" 1 "tokenizer" fak run "$scratch/mute.gguf"
check_exit "its logits need none" 0 fak logits "$scratch/mute.gguf" --ids 1
sed 's/blk.1.attn_q.bias/blk.1.attn_q.bXas/' "$root/tests/golden/models/llama-linear/llama-linear-F16.gguf" >"$scratch/part.gguf"
refused "no tensor is left out in silence" 1 "blk.1.attn_q.bXas" fak run "$scratch/part.gguf"
long=$(yes 'the cat sat on the mat' | head -n 200)
refused "a prompt longer than the context" 1 "the context holds 512" fak run -p "$long"
refused "no built-in model where it should be" 1 "FAK_MODEL_DIR" env FAK_MODEL_DIR="$scratch" fak run
cp "$stories" "$scratch"
check_equal "FAK_MODEL_DIR" "$(FAK_MODEL_DIR=$scratch fak run -n 4 2>/dev/null </dev/null)" "Once upon a time"
if [ -c /dev/full ]; then
    said=$(fak run -n 4 2>&1 >/dev/full </dev/null)
    check_equal "a full disk is an error" $? 1
    check_has "and said" "$said" "cannot write the reply"
fi

# Ctrl-C. The ref lane is slow enough to be in the middle of the story after 300 ms.
# --foreground: else timeout sends the signal twice, to the program and to its group, and a second one ends it at once.
timeout --foreground -s INT 0.3 fak run --isa ref --threads 1 >"$scratch/out" 2>"$scratch/err" </dev/null
check_equal "Ctrl-C: exit status (124 is timeout's own word for it)" $? 124
check_has "Ctrl-C: the speed is printed" "$(cat "$scratch/err")" "stopped: Ctrl-C"
check_has "Ctrl-C: what was said stays" "$(cat "$scratch/out")" "Once upon"
timeout --foreground --preserve-status -s INT 0.3 fak run --isa ref --threads 1 >/dev/null 2>&1 </dev/null
check_equal "Ctrl-C: exit 130" $? 130

# --- drawing ----------------------------------------------------------------------------------------------------
drawn() { fak run -n 24 --seed 7 "$@" 2>/dev/null </dev/null; }
check_equal "the same seed tells the same story" "$(drawn --temp 1)" "$(drawn --temp 1 --threads 1)"
check_exit "and not the greedy one" 1 test "$(drawn --temp 1)" = "$(fak run -n 24 2>/dev/null </dev/null)"
check_exit "another seed, another story" 1 test "$(drawn --temp 1)" = "$(drawn --temp 1 --seed 8)"
greedy=$(fak run -n 24 2>/dev/null </dev/null)
check_equal "the most likely of one" "$(drawn --top-k 1)" "$greedy"
check_equal "temperature 0" "$(drawn --temp 0)" "$greedy"
check_exit "a penalty changes what is said" 1 test "$(fak run -n 60 --repeat-penalty 1.5 2>/dev/null </dev/null)" = "$(fak run -n 60 2>/dev/null </dev/null)"
check_has "the seed is told" "$(fak run -n 2 --temp 1 2>&1 >/dev/null </dev/null)" "; seed "
refused "a temperature that is none" 2 "no number from 0 to 100 for temp" fak run --temp hot
refused "a probability above 1" 2 "for top-p" fak run --top-p 1.5
refused "a k that is none" 2 "no whole number for top-k" fak run --top-k -1
json=$(fak run -n 3 --json 2>/dev/null </dev/null)
check_has "JSON: the text" "$json" '"text":"Once upon a","stopped":"length","prompt_tokens":1,"reply_tokens":3,"ids":['
check_has "JSON: the context is full" "$(fak run -p 'Once upon a time' --context 8 --json 2>/dev/null)" '"stopped":"context"'
check_has "JSON: the end of the text" "$(fak run -p 'Once upon a time' --json 2>/dev/null)" '"stopped":"end"'
check_equal "a context of one position" "$(fak run --context 1 2>/dev/null </dev/null)" "Once"
refused "and a prompt that it cannot hold" 1 "the context holds 1; shorten it" fak run --context 1 -p 'Once upon'

# --- talking ----------------------------------------------------------------------------------------------------
# The story model with a template of our own: a value in front of the metadata, 32 bytes of it or a multiple.
template='{% for m in messages %}{% if m.role == "system" and m.content == "no" %}{{ raise_exception("no system") }}{% endif %}{{ m.content }} {% endfor %}'
while [ $((${#template} % 32)) -ne 21 ]; do template="$template{##}"; [ $((${#template} % 4)) -eq 1 ] || template="$template{#-#}"; done
octal() { # octal NUMBER BYTES: little-endian
    number=$1 k=$2
    while [ "$k" -gt 0 ]; do printf '\\%03o' $((number % 256)); number=$((number / 256)) k=$((k - 1)); done
}
put() { printf '%b' "$(octal "$1" "$2" | sed 's/\\\([0-9]\)/\\0\1/g')"; }
n_values=$(od -An -tu8 -j16 -N8 "$stories" | tr -d ' ')
{ head -c 16 "$stories"; put $((n_values + 1)) 8; put 23 8; printf tokenizer.chat_template; put 8 4; put ${#template} 8; printf '%s' "$template"
    tail -c +25 "$stories"; } >"$scratch/talker.gguf"
check_equal "a message in the model's template" "$(fak run "$scratch/talker.gguf" --chat -p 'Once upon a time' -n 4 2>/dev/null)" \
    "$(fak run -p 'Once upon a time ' -n 4 2>/dev/null)"
talk() { printf '%b' "$1" | fak run "$scratch/talker.gguf" -i -n 5 2>"$scratch/err"; }
first=$(talk 'Once upon a time\n')
check_equal "one line, one reply" "$(printf '%s\n' "$first" | wc -l | tr -d ' ')" 1
check_equal "two lines, two replies" "$(talk 'Once upon a time\nThen\n' | wc -l | tr -d ' ')" 2
check_equal "/retry answers again" "$(talk 'Once upon a time\n/retry\n')" "$first
$first"
check_equal "/clear forgets" "$(talk 'Once upon a time\n/clear\nOnce upon a time\n')" "$first
$first"
check_equal "/undo takes an exchange back" "$(talk 'There\n/undo\nOnce upon a time\n' | tail -n 1)" "$first"
check_equal "/quit leaves" "$(talk '/quit\nOnce upon a time\n')" ""
check_equal "several lines are one message" "$(talk '"""Once upon\na time"""\n' | wc -l | tr -d ' ')" 1
talk '/foo\n/set temp x\n/set temp 0.5\n/show\n/help\n' >/dev/null
check_has "an unknown command" "$(cat "$scratch/err")" "no such command"
check_has "a wrong setting" "$(cat "$scratch/err")" "'x' is no number from 0 to 100 for temp"
check_has "/show" "$(cat "$scratch/err")" "temp              0.5"
check_has "/help" "$(cat "$scratch/err")" "/quit"
talk '/system no\nHi\n' >/dev/null
check_has "a template that refuses ends no talk" "$(cat "$scratch/err")" "no system"
printf 'Once upon a time there was a small cat\nHi\n' | fak run "$scratch/talker.gguf" -i -n 3 --context 8 >"$scratch/out" 2>"$scratch/err"
check_has "a conversation too long for the context is said" "$(cat "$scratch/err")" "the context holds 8, so this message was taken back"
refused "-i and -p" 2 "reads its messages line by line" fak run -i -p x

# --- a Hugging Face directory -------------------------------------------------------------------------------------
gemma=$root/tests/golden/models/gemma2
refused "a directory without a tokenizer" 1 "neither a tokenizer.json nor a tokenizer.model" fak run "$gemma" -p a
mkdir "$scratch/dir"
ln -s "$gemma"/config.json "$gemma"/model.safetensors "$gemma"/generation_config.json "$scratch/dir"
printf '{"model": {"type": "BPE", "vocab": {"a": 30, "b": 31}, "merges": []}, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}}' \
    >"$scratch/dir/tokenizer.json"
check_has "its tokenizer.json" "$(fak run "$scratch/dir" -p abb -n 2 --json 2>/dev/null)" '"prompt_tokens":3,'
check_has "the weights alone: the tokenizer beside them" "$(fak run "$scratch/dir/model.safetensors" -p abb -n 2 --json 2>/dev/null)" '"prompt_tokens":3,'
refused "no template there" 1 "no chat template" fak run "$scratch/dir" --chat -p a
printf 'bb{{ messages[0].content }}' >"$scratch/dir/chat_template.jinja"
check_has "its chat_template.jinja" "$(fak run "$scratch/dir" --chat -p aa -n 2 --json 2>/dev/null)" '"prompt_tokens":4,'

# --- logits -----------------------------------------------------------------------------------------------------
first=$(fak logits "$llama" --ids 1,2,3 --greedy 2 -o "$scratch/l.bin" --isa c)
check_has "n_pos" "$first" '"n_pos":3'
check_has "n_vocab" "$first" '"n_vocab":304'
check_has "the lane that ran" "$first" '"isa":"c"'
check_equal "the file is float32 [n_pos][n_vocab]" "$(wc -c <"$scratch/l.bin" | tr -d ' ')" $((3 * 304 * 4))
check_has "sha256 is that of the file" "$first" "\"sha256\":\"$(sha256sum "$scratch/l.bin" | cut -d' ' -f1)\""
check_has "two greedy ids and margins" "$(echo "$first" | sed 's/[0-9.e-]*,[0-9.e-]*\]/X,X]/g')" '"greedy":[X,X],"margins":[X,X]'
check_equal "auto gives the same bits" "$(fak logits "$llama" --ids 1,2,3 --greedy 2 | sed 's/.*"n_pos"/"n_pos"/')" \
    "$(echo "$first" | sed 's/.*"n_pos"/"n_pos"/')"
check_has "the ref lane is named" "$(fak logits "$llama" --ids 1 --isa ref)" '"isa":"ref"'
for more in "--threads 1" "--threads 3" "--chunk 1" "--chunk 2 --threads 2"; do
    # shellcheck disable=SC2086 # several words
    check_equal "the same bits with $more" "$(fak logits "$llama" --ids 1,2,3 --greedy 2 --isa c $more | sed 's/"ran":"[^"]*"//')" \
        "$(echo "$first" | sed 's/"ran":"[^"]*"//')"
done
sha() { sed 's/.*"sha256":"\([0-9a-f]*\)".*/\1/'; }
for kv in f16 bf16 q8_0; do
    stored=$(fak logits "$llama" --ids 1,2,3 --kv $kv --isa c | sha)
    check "keys and values in $kv are not f32" test "$stored" != "$(echo "$first" | sha)"
    check_equal "$kv: the same bits one by one" "$(fak logits "$llama" --ids 1,2,3 --kv $kv --chunk 1 --threads 3 | sha)" "$stored"
done
check_equal "f32 is what runs by default" "$(fak logits "$llama" --ids 1,2,3 --kv f32 | sha)" "$(echo "$first" | sha)"
check_has "what ran says so" "$(fak logits "$llama" --ids 1 --kv bf16)" "keys and values in bf16"
refused "a type of keys and values that is none" 2 "f32|f16|bf16|q8_0" fak logits "$llama" --ids 1 --kv q4
printf '[1,\n 2, 3]\n' >"$scratch/ids"
check_equal "ids in a file" "$(fak logits "$llama" --ids-file "$scratch/ids" --greedy 2 --isa c)" "$first"
refused "a file with more than ids" 2 "no id" fak logits "$llama" --ids-file "$root/README.md"
refused "ids twice" 2 "both name ids" fak logits "$llama" --ids 1 --ids-file "$scratch/ids"
refused "ids outside the vocabulary" 1 "id 304 (number 2) is outside the vocabulary: 0 to 303" fak logits "$llama" --ids 1,304
refused "no ids" 2 "give the ids" fak logits "$llama"
refused "an empty list" 2 "is no list of ids" fak logits "$llama" --ids ""
refused "a hole in the list" 2 "is no list of ids" fak logits "$llama" --ids 1,,2
refused "a comma at the end" 2 "is no list of ids" fak logits "$llama" --ids 1,
refused "a negative id" 2 "is no list of ids" fak logits "$llama" --ids -1
refused "words" 2 "'x' at character 3" fak logits "$llama" --ids 1,x
refused "a huge id" 2 "is no list of ids" fak logits "$llama" --ids 99999999999
refused "more than the context" 1 "exceed the context of 256" fak logits "$llama" --ids 1 --greedy 257
check_exit "the context itself" 0 fak logits "$llama" --ids 1 --greedy 256
refused "no model" 2 "one MODEL" fak logits --ids 1
mkdir "$scratch/locked"
echo kept >"$scratch/locked/l.bin"
refused "a folder that is not there" 1 "nowhere" fak logits "$llama" --ids 1 -o "$scratch/nowhere/l.bin"
fak logits "$llama" --ids 1,999 -o "$scratch/locked/l.bin" 2>/dev/null
check_equal "a refusal leaves the old file" "$(cat "$scratch/locked/"*)" kept
tap_end
