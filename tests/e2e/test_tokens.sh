#!/bin/sh
# fak tokenize, detokenize and template for programs: JSON lines, every kind of file, and nothing beside the named one.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
golden=tests/golden/tokenizers
refused() { # refused NAME CODE PART COMMAND...
    name=$1 want=$2 part=$3
    shift 3
    said=$("$@" 2>&1 >/dev/null </dev/null)
    code=$?
    case $code:$(printf '%s\n' "$said" | grep -vc "^Try '"):$said in
    "$want:1:"*"$part"*) tap_pass "$name" ;;
    *) tap_fail "$name" "exit $code: $said" ;;
    esac
}

# --- every form of a tokenizer ------------------------------------------------------------------------------------
ids() { fak tokenize "$@" --json | sed 's/.*"ids":\[\([^]]*\)\].*/\1/'; }
want=$(ids $golden/gemma/vocab.gguf -p 'Hello you')
for form in tokenizer.json tokenizer.model vocab.gemma4.gguf; do
    check_equal "gemma as $form" "$(ids $golden/gemma/$form -p 'Hello you')" "$want"
done
check_equal "gemma as a directory" "$(ids $golden/gemma -p 'Hello you')" "$want"
mkdir "$scratch/alone" "$scratch/model"
cp $golden/gemma/tokenizer.json "$scratch/alone/renamed"
cp $golden/gpt2/tokenizer.json "$scratch/alone/tokenizer.json"
check_equal "a tokenizer.json is known by what is in it, and read alone" "$(ids "$scratch/alone/renamed" -p 'Hello you')" "$want"
cp $golden/gemma/tokenizer.model "$scratch/model"
check_equal "a directory with a tokenizer.model" "$(ids "$scratch/model" -p 'Hello you')" "$want"
printf '{"add_bos_token": false}' >"$scratch/model/tokenizer_config.json"
check_equal "... whose tokenizer_config.json wants no begin token" "$(ids "$scratch/model" -p 'Hello you')" "${want#2,}"
check_equal "the closing token of T5" "$(ids $golden/unigram-t5 -p a)" "$(ids $golden/unigram-t5 -p a --no-special),1"
check_equal "--add-special says the default" "$(ids $golden/gemma -p a --add-special --parse-special)" "$(ids $golden/gemma -p a)"
refused "both at once" 2 "contradict" fak tokenize $golden/gemma -p a --add-special --no-special
refused "a directory without a tokenizer" 1 "neither a tokenizer.json nor a tokenizer.model" fak tokenize tests -p a
refused "a file of another kind" 1 "no GGUF file, no tokenizer.json" fak tokenize README.md -p a
printf '{"model": {"type": "WordPiece"}}' >"$scratch/word.json"
refused "a model that does not run is named" 1 "'WordPiece' is not one of those that run: BPE, Unigram" fak tokenize "$scratch/word.json" -p a
printf '{"model": ' >"$scratch/cut.json"
refused "a cut file is no JSON" 1 "cut.json: byte 10" fak tokenize "$scratch/cut.json" -p a
printf '{"model": {"type": "BPE", "vocab": {"a": 99999999}, "merges": []}}' >"$scratch/huge.json"
refused "an id far beyond the tokens" 1 "an id is no whole number" fak tokenize "$scratch/huge.json" -p a
head -c 500 $golden/gemma/tokenizer.model >"$scratch/cut.model"
refused "a cut tokenizer.model" 1 "cut.model: byte " fak tokenize "$scratch/cut.model" -p a

# --- lines of JSON ----------------------------------------------------------------------------------------------
cat >"$scratch/in" <<'END'
{"text": "Hello", "add_special": false}

{"text_b64": "SGVsbG8="}
{"text": 3}
no JSON
{"text": "<s>a", "add_special": false, "parse_special": false}
END
fak tokenize $golden/spm-llama-legacy/tokenizer.json --batch <"$scratch/in" >"$scratch/out"
check_equal "a line for a line, blank ones left out" "$(wc -l <"$scratch/out" | tr -d ' ')" 5
line() { sed -n "$1p" "$scratch/out"; }
check_equal "ids and pieces" "$(line 1)" '{"ids":[584,1205,1213,461],"pieces_b64":["IEg=","ZQ==","bA==","bG8="]}'
check_has "bytes, and the default of the options" "$(line 2)" '{"ids":[1,584,1205,1213,461],'
check_has "a wrong line is answered in its place" "$(line 3)" '{"error":"'
check_has "... and what is no JSON" "$(line 4)" '{"error":"byte '
check_lacks "special text as plain text" "$(line 5)" '[1,'
check_equal "--no-special is the default of the lines" \
    "$(echo '{"text":"Hello"}' | fak tokenize $golden/spm-llama-legacy --batch --no-special)" "$(line 1)"
refused "--batch and -p" 2 "takes its texts from stdin" fak tokenize $golden/gemma --batch -p a

# --- and back ---------------------------------------------------------------------------------------------------
check_equal "ids as arguments" "$(fak detokenize $golden/spm-llama-legacy 1 584 1205 1213 461)" "<s> Hello"
check_equal "as a list" "$(fak detokenize $golden/spm-llama-legacy --ids 584,1205,1213,461)" "Hello"
check_equal "on stdin" "$(echo '[584, 1205]' | fak detokenize $golden/spm-llama-legacy)" "He"
check_equal "special ones left out" "$(fak detokenize $golden/spm-llama-legacy 1 584 --skip-special)" "H"
check_equal "JSON" "$(fak detokenize $golden/gpt2 --ids "$(ids $golden/gpt2 -p 'é')" --json)" '{"text":"é","text_b64":"w6k="}'
check_equal "lines" "$(printf '{"ids":[584]}\n{"ids":[9999]}\n' | fak detokenize $golden/spm-llama-legacy --batch)" \
    '{"text":"H","text_b64":"SA=="}
{"error":"ids[0] is no whole number from 0 to 1517"}'
refused "an id outside the vocabulary" 1 "outside the vocabulary: 0 to 1517" fak detokenize $golden/spm-llama-legacy 1518
refused "what is no id" 2 "no id" fak detokenize $golden/spm-llama-legacy 1x
refused "no ids" 2 "there are no ids" fak detokenize $golden/spm-llama-legacy --ids ,

# --- templates --------------------------------------------------------------------------------------------------
printf '[{"role": "user", "content": "hi"}]' >"$scratch/chat.json"
# shellcheck disable=SC1083 # Jinja
cat >"$scratch/t.jinja" <<'END'
{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<reply {{ n }}>{% endif %}{{ tools|length if tools else '' }}
END
check_equal "a template in a file" "$(fak template "$scratch/t.jinja" --messages "$scratch/chat.json" --set n=3 --set 'unused={"a": 1}')" \
    "<user>hi<reply 3>"
check_equal "without the opening of a reply" "$(fak template "$scratch/t.jinja" --messages "$scratch/chat.json" --no-generation-prompt)" "<user>hi"
printf '[1, 2]' >"$scratch/tools.json"
check_has "tools" "$(fak template "$scratch/t.jinja" --messages - --tools "$scratch/tools.json" <"$scratch/chat.json")" ">2"
printf '{{ strftime_now("%%d %%b %%Y") }}' >"$scratch/clock"
check_equal "the clock" "$(fak template "$scratch/clock" --messages "$scratch/chat.json" --now 2024-07-26T14:30:05)" "26 Jul 2024"
mkdir "$scratch/dir"
printf '{"bos_token": {"content": "<s>"}, "chat_template": [{"name": "default", "template": "d{{ bos_token }}"}, {"name": "tool_use", "template": "t"}]}' \
    >"$scratch/dir/tokenizer_config.json"
check_equal "a directory" "$(fak template "$scratch/dir" --messages "$scratch/chat.json")" "d<s>"
check_equal "its template for tools" "$(fak template "$scratch/dir" --messages "$scratch/chat.json" --tools "$scratch/tools.json")" "t"
check_equal "tokenizer_config.json itself" "$(fak template "$scratch/dir/tokenizer_config.json" --messages "$scratch/chat.json")" "d<s>"
printf 'j{{ eos_token }}' >"$scratch/dir/chat_template.jinja"
check_equal "chat_template.jinja comes first" "$(fak template "$scratch/dir" --messages "$scratch/chat.json")" "j"
printf '{{ raise_exception("no") }}' >"$scratch/raise"
refused "a template that refuses" 1 "refuses, in line 1: no" fak template "$scratch/raise" --messages "$scratch/chat.json"
check_equal "... as JSON" "$(fak template "$scratch/raise" --messages "$scratch/chat.json" --json)" '{"error":{"kind":"raise","message":"no"}}'
refused "no messages" 2 "--messages FILE.json" fak template "$scratch/t.jinja"
refused "a variable without a value" 2 "is not KEY=JSON" fak template "$scratch/t.jinja" --messages "$scratch/chat.json" --set n
refused "a variable that is no JSON" 1 "not JSON" fak template "$scratch/t.jinja" --messages "$scratch/chat.json" --set n=x
refused "a model without a template" 1 "has no chat template" fak template models/fak-stories-Q8_0.gguf --messages "$scratch/chat.json"
refused "no such time" 2 "is no time" fak template "$scratch/t.jinja" --messages "$scratch/chat.json" --now noon
cat >"$scratch/cases" <<'END'
{"template_text": "{{ messages[0].content }}{{ big }}", "messages": [{"role": "user", "content": "hi"}], "context": {"big": 123456789012345678901234567890}}
{"template_text": "{% if %}"}
{"template_text": "{{ 1 / 0 }}"}
{"messages": []}
[1]
END
fak template --batch <"$scratch/cases" >"$scratch/out"
check_equal "cases: a text, and a number that no C type holds" "$(line 1)" '{"text":"hi123456789012345678901234567890"}'
check_has "cases: an error of syntax" "$(line 2)" '{"error":{"kind":"syntax","message":"'
check_has "cases: an error of its own" "$(line 3)" '{"error":{"kind":"zero-division","message":"'
check_has "cases: no template" "$(line 4)" '{"error":{"kind":"argument","message":"'
check_has "cases: no object" "$(line 5)" '{"error":{"kind":"argument","message":"'

# engine.md 11: a begin token in the text and one put in front are one; engine.md 12: a space after a special token.
check_equal "case 12: <s>[INST] hi" "$(ids $golden/spm-llama-nonlegacy -p 'a<s>b' --no-special)" \
    "$(grep -F '{"text":"a<s>b","add_special":false,"parse_special":true' $golden/spm-llama-nonlegacy/vectors.jsonl | sed 's/.*"ids":\[\([^]]*\)\].*/\1/;q')"
tap_end
