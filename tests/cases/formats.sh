#!/bin/sh
# Damaged files of $CASES as a stranger hands them to the program: GGUF and safetensors through `fak inspect`.
. "$(dirname "$0")/../e2e/tap.sh"

# measured COMMAND...: runs it; $code, $said (standard error) and $peak, the most memory it held, in KiB
measured() {
    said=$(python3 - "$@" <<'PY' 2>&1
import resource, subprocess, sys
try:
    done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=10)
    code, said = done.returncode, done.stderr.decode(errors="replace")
except subprocess.TimeoutExpired:
    code, said = 124, "still running after 10 s"
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
print(said, end="")
PY
    )
    code=${said%% *}
    peak=$(printf '%s\n' "$said" | head -n 1)
    peak=${peak#* }
    said=$(printf '%s\n' "$said" | tail -n +2)
}
# refusal NAME FILE: empty when $code and $said are a proper refusal of FILE, else what is wrong
refusal() {
    case $code in 1 | 2) ;; *) echo "exit $code"; return ;; esac
    sentences=$(printf '%s\n' "$said" | grep -vc "^Try '")
    [ "$sentences" -eq 1 ] || { echo "$sentences lines instead of one sentence"; return; }
    case $said in *"${1##*/}"*) ;; *) echo "does not name the file" ;; esac
}
result() { if [ -z "$2" ]; then tap_pass "$1"; else tap_fail "$1" "$2" "$said"; fi; }

# --- GGUF with one fault each: cases/malformed-gguf/manifest.tsv ------------------------------------------------
manifest=$CASES/cases/malformed-gguf/manifest.tsv
tab=$(printf '\t')
gguf() { # gguf FILE EXPECT
    measured fak inspect "$CASES/cases/malformed-gguf/$1"
    wrong=
    case $2 in
    error) wrong=$(refusal "$1") ;;
    load) # an empty container may still lack what makes it a model
        [ "$code" -eq 0 ] || case $said in *general.architecture*) wrong=$(refusal "$1") ;; *) wrong="exit $code" ;; esac ;;
    either) [ "$code" -eq 0 ] || wrong=$(refusal "$1") ;;
    *) wrong="the manifest says '$2'" ;;
    esac
    [ -n "$wrong" ] || [ "$peak" -le 16384 ] || wrong="held $peak KiB"
    result "malformed-gguf/$1: $2" "$wrong"
}
if [ -f "$manifest" ]; then
    while IFS=$tab read -r file expect _; do
        case $file in
        file | '') ;;
        vocab_*) # sound containers: the fault is the tokenizer's
            measured fak tokenize "$CASES/cases/malformed-gguf/$file" -p x
            result "malformed-gguf/$file: error" "$(refusal "$file")" ;;
        *) gguf "$file" "$expect" ;;
        esac
    done <"$manifest"
else
    tap_skip "malformed-gguf" "there is no $manifest"
fi

# --- block formats: those that are read are committed, and tested by test_dtype; the others are refused by name ----
# unread TYPE NUMBER BLOCKS: one tensor of 256 elements a row, made of those bytes, as a GGUF in $scratch
# shellcheck disable=SC2317 # called by check
unread() {
    python3 - "$1" "$2" "$3" "$scratch/$1.gguf" <<'PY'
import struct, sys
name, number, blocks, out = sys.argv[1], int(sys.argv[2]), open(sys.argv[3], "rb").read(), sys.argv[4]
text = lambda s: struct.pack("<Q", len(s)) + s.encode()
rows = {"iq3_xxs": 98, "iq3_s": 110, "tq1_0": 54, "tq2_0": 66}
head = b"GGUF" + struct.pack("<IQQ", 3, 1, 1) + text("general.architecture") + struct.pack("<I", 8) + text("llama")
head += text("output.weight") + struct.pack("<IQQIQ", 2, 256, len(blocks) // rows[name], number, 0)
open(out, "wb").write(head + b"\0" * (-len(head) % 32) + blocks)
PY
}
if [ -f "$CASES/kat/kquant/manifest.txt" ]; then
    while read -r type _ number _; do
        theirs=$CASES/kat/kquant/$type.blocks.bin mine=$root/tests/golden/kquant/$type.blocks.bin
        if [ -f "$mine" ]; then check "kquant/$type: tested on these bytes" cmp "$mine" "$theirs"; continue; fi
        name=$(printf '%s' "$type" | tr '[:lower:]' '[:upper:]')
        check "kquant/$type: a file is made" unread "$type" "$number" "$theirs"
        for verb in "inspect --tensor output.weight -o $scratch/row" "logits --ids 1"; do
            # shellcheck disable=SC2086 # the words of a command
            measured fak ${verb%% *} "$scratch/$type.gguf" ${verb#* }
            wrong=$(refusal "$type.gguf")
            case $said in *"$name"*) ;; *) wrong="$wrong does not name $name" ;; esac
            result "kquant/$type: ${verb%% *} refuses it by name" "$wrong"
        done
        said=$(fak inspect --verify "$scratch/$type.gguf")
        code=$? wrong=
        case $said in *FAILED*"$name"*) ;; *) wrong="does not name $name" ;; esac
        [ "$code" -eq 1 ] || wrong="$wrong exit $code"
        result "kquant/$type: inspect --verify refuses it by name" "$wrong"
    done <"$CASES/kat/kquant/manifest.txt"
else
    tap_skip "kquant" "there is no $CASES/kat/kquant"
fi

# --- safetensors with one fault each: cases/malformed-safetensors/manifest.tsv ---------------------------------------
manifest=$CASES/cases/malformed-safetensors/manifest.tsv
safetensors() { # safetensors FILE EXPECT ABOUT
    measured fak inspect "$CASES/cases/malformed-safetensors/$1"
    wrong=
    case $2 in
    error)
        wrong=$(refusal "$1")
        case $said in *byte*"$3"*) ;; *) wrong="$wrong does not speak of a byte and $3" ;; esac ;;
    load) [ "$code" -eq 0 ] || wrong="exit $code" ;;
    either) [ "$code" -eq 0 ] || wrong=$(refusal "$1") ;;
    *) wrong="the manifest says '$2'" ;;
    esac
    [ -n "$wrong" ] || [ "$peak" -le 16384 ] || wrong="held $peak KiB"
    result "malformed-safetensors/$1: $2" "$wrong"
}
if [ -f "$manifest" ]; then
    while IFS= read -r row; do
        file=$(printf '%s' "$row" | cut -f 1)
        case $file in file | '') continue ;; esac
        safetensors "$file" "$(printf '%s' "$row" | cut -f 2)" "$(printf '%s' "$row" | cut -f 3)"
    done <"$manifest"
else
    tap_skip "malformed-safetensors" "there is no $manifest"
fi
tap_end
