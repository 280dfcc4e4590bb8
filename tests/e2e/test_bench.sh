#!/bin/sh
# fak bench: what it is asked, the forms of its table, and the models it makes.
. "$(dirname "$0")/tap.sh"
refused() { # refused NAME PART COMMAND...
    name=$1 part=$2
    shift 2
    said=$("$@" 2>&1 >/dev/null </dev/null)
    code=$?
    case $code:$said in
    2:*"$part"*) tap_pass "$name" ;;
    *) tap_fail "$name" "exit $code: $said" ;;
    esac
}
quick() { fak bench --no-roof -q -r 2 "$@"; }

# --- models that are made -------------------------------------------------------------------------------------------
check "--synth-dir alone writes" fak bench --synth tiny --synth-dir "$scratch/made" -p 0 -n 0
check_equal "a file or folder of each type" "$(cd "$scratch/made" && echo *)" "tiny-AWQ tiny-BF16.gguf tiny-EXL2 tiny-F16.gguf tiny-F32.gguf tiny-GPTQ tiny-IQ4_NL.gguf \
tiny-IQ4_XS.gguf tiny-MXFP4.gguf tiny-Q2_K.gguf tiny-Q3_K.gguf tiny-Q4_0.gguf tiny-Q4_1.gguf tiny-Q4_K_M.gguf tiny-Q5_0.gguf \
tiny-Q5_1.gguf tiny-Q5_K_M.gguf tiny-Q6_K.gguf tiny-Q8_0.gguf"
for file in "$scratch"/made/*; do
    case $file in
    *.gguf) check "${file##*/}: every check of loading" fak inspect "$file" --verify ;;
    *) check_has "${file##*/}: weights are numbers" "$(fak inspect "$file" --verify)" "ok      weights" ;;
    esac
    fak logits "$file" --ids 1,300,7 -o "$scratch/logits" >/dev/null
    check "${file##*/}: logits are numbers" python3 -c 'import array, math, sys
x = array.array("f", open(sys.argv[1], "rb").read())
sys.exit(len(x) != 3 * 320 or not all(map(math.isfinite, x)) or max(x) == min(x))' "$scratch/logits"
done
check_equal "the same bytes everywhere" "$(sha256sum <"$scratch/made/tiny-Q4_K_M.gguf")" "40ae573fd02222e74af5040855ca0a24718910fbe3888e6ac0ccc371fede63c7  -"
touch -d 2001-01-01 "$scratch"/made/*
quick --synth tiny:q4_0 --synth-dir "$scratch/made" -p 4 -n 0 >/dev/null
check_equal "one that is there is used" "$(stat -c %y "$scratch/made/tiny-Q4_0.gguf" | cut -c1-10)" 2001-01-01
mkdir "$scratch/tmp"
TMPDIR=$scratch/tmp quick --synth tiny:q8_0,gptq -p 4 -n 0 >"$scratch/said"
check_has "temporary ones are measured" "$(cat "$scratch/said")" "| tiny-Q8_0 |"
check_has "... folders, too" "$(cat "$scratch/said")" "| tiny-GPTQ |"
check_equal "... and leave nothing behind" "$(ls -A "$scratch/tmp")" ""

quick --synth tiny-moe:q8_0,mxfp4 -p 4 -n 2 -o json >"$scratch/moe"
check "experts: a token reads those that it uses" python3 -c 'import json, sys
rows = json.load(open(sys.argv[1]))
assert len(rows) == 4
q, kv, o, router, expert = 256 * 256, 2 * 128 * 256, 256 * 256, 8 * 256, 3 * 256 * 256
for r in rows:
    assert r["ops_per_prompt_token"] == 2 * 2 * (q + kv + o + router + 2 * expert), r
    assert r["model_size"] * 0.2 < r["read_bytes_per_token"] < r["model_size"] * 0.6
' "$scratch/moe"

# --- forms ----------------------------------------------------------------------------------------------------------
model=$root/models/fak-stories-Q8_0.gguf
table=$(quick "$model" -m "$scratch/made/tiny-Q6_K.gguf" -p 8,16 -n 4 --pg 8,2 -d 0,32 -t 1,2)
check_equal "a line for each model, threads, depth and test" "$(echo "$table" | wc -l)" $((2 + 2 * 2 * 2 * 4))
for test in pp8 pp16 tg4 pp8+tg2 "pp8 @ d32" "pp16 @ d32" "tg4 @ d32" "pp8+tg2 @ d32"; do
    check_has "test $test" "$table" " $test | "
done
check_equal "columns stand below each other" "$(echo "$table" | sed 's/±/x/; s/[^|]/x/g' | sort -u | wc -l)" 1
kinds=$(quick "$scratch/made/tiny-Q4_K_M.gguf" -p 8 -n 0 -t 1 --activations 8 --activations 16)
check_has "activations of eight bits" "$kinds" ", 8 bits "
check_equal "... beside those of sixteen" "$(echo "$kinds" | wc -l)" 4
kinds=$(quick "$model" -p 8 -n 0 -t 1 --kv f16 --kv f32)
check_has "keys and values in fewer bytes" "$kinds" ", kv f16 "
check_equal "... beside those in f32" "$(echo "$kinds" | wc -l)" 4
check_has "-pg as llama-bench spells it" "$(quick "$model" -p 0 -n 0 -pg 4,2)" " pp4+tg2 |"
quick "$model" -p 8 -n 4 -t 1 -r 3 -o json >"$scratch/json"
check "JSON: figures follow from the samples" python3 - "$scratch/json" <<'PY'
import json, statistics, sys
rows = json.load(open(sys.argv[1]))
assert [r["test"] for r in rows] == ["pp8", "tg4"]
for r in rows:
    n = r["n_prompt"] + r["n_gen"]
    rates = r["samples_ts"]
    assert len(rates) == len(r["samples_ns"]) == 3
    for ns, ts in zip(r["samples_ns"], rates):
        assert abs(n / (ns / 1e9) / ts - 1) < 1e-3, (ns, ts)
    assert abs(statistics.mean(rates) / r["avg_ts"] - 1) < 1e-9
    assert abs(statistics.stdev(rates) / r["stddev_ts"] - 1) < 1e-6
    assert statistics.median(rates) == r["median_ts"]
    assert abs(statistics.mean(r["samples_ns"]) - r["avg_ns"]) <= 1
    assert r["n_threads"] == 1 and r["n_batch"] == 512 and r["n_depth"] == 0
    assert r["model_name"] == "fak-stories-Q8_0" and r["model_n_params"] > 3e6
    assert r["load_s"] > 0 and r["peak_rss_bytes"] > r["model_size"] // 2
    assert "roof_share" not in r
PY
quick "$model" "$scratch/made/tiny-F16.gguf" -p 8 -n 4 -o jsonl >"$scratch/jsonl"
check "JSON Lines: an object a line" python3 -c 'import json, sys
assert [json.loads(l)["test"] for l in open(sys.argv[1])] == ["pp8", "tg4"] * 2' "$scratch/jsonl"
quick "$model" -p 8 -n 4 -o csv >"$scratch/csv"
check "CSV: names and as many values" python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [r["test"] for r in rows] == ["pp8", "tg4"] and all(float(r["avg_ts"]) > 0 and None not in r and None not in r.values() for r in rows)
' "$scratch/csv"

# --- the roof -------------------------------------------------------------------------------------------------------
fak bench -q --synth tiny:q4_k_m,f16 -p 8 -n 4 -t 1 -r 1 -o json >"$scratch/roof"
check "shares of the roof follow from the row" python3 - "$scratch/roof" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))
assert len(rows) == 4
for r in rows:
    if r["n_prompt"]:
        roof = r["roof_int8_ops_per_s"] if "Q4_K" in r["model_name"] else r["roof_f32_ops_per_s"]
        share = r["median_ts"] * r["ops_per_prompt_token"] / roof
        # 2 layers: q 256x256, k and v 128x256, o 256x256, three of 512x256
        assert r["ops_per_prompt_token"] == 2 * 2 * (256 * 256 * 2 + 2 * 128 * 256 + 3 * 512 * 256)
    else:
        share = r["median_ts"] * (r["read_bytes_per_token"] + 1.5 * r["kv_bytes_per_position"]) / r["roof_read_bytes_per_s"]
        assert r["read_bytes_per_token"] == r["model_size"]
    assert abs(share / r["roof_share"] - 1) < 1e-9
    # without VNNI bytes take three instructions, and floats are as fast
    assert r["roof_read_bytes_per_s"] > 1e8 and r["roof_int8_ops_per_s"] > 0.5 * r["roof_f32_ops_per_s"] > 1e8
PY
check_has "without a model: the roof alone" "$(fak bench -q -t 1)" "roof, 1 thread: reads "

# --- what is refused ------------------------------------------------------------------------------------------------
refused "no such shape" "'7b' is none of the shapes: 1b, 110m" fak bench --synth 7b
refused "no such type" "'q9' is none of the types: Q8_0, Q6_K" fak bench --synth 1b:q9
refused "no type behind the colon" "no list of shapes and types" fak bench --synth 1b:
refused "no shape before it" "no list of shapes and types" fak bench --synth :q8_0
refused "a list that is none" "--n-prompt: '512,x' is no list" fak bench "$model" -p 512,x
refused "a thread less than one" "no list of whole numbers from 1" fak bench "$model" -t 0
refused "no repetition" "'--repetitions 0' is not" fak bench "$model" -r 0
refused "a pair of three" "is not two numbers" fak bench "$model" --pg 1,2,3
refused "no such form" "'yaml' is none of md|csv|json|jsonl" fak bench "$model" -o yaml
refused "a folder for nothing" "--synth-dir keeps what --synth makes" fak bench "$model" --synth-dir "$scratch"
check_exit "a model that is not there" 1 fak bench "$scratch/nowhere.gguf"
check_exit "more than the context" 1 fak bench "$model" -p 600
again=$(quick models/fak-stories-Q8_0.gguf -p 96 -n 0 --again -o jsonl)
check_has "--again: a prompt once more" "$again" '"test":"pp96 again"'
check_equal "which is faster, because it is not run" "$(printf '%s' "$again" | python3 -c 'import json, sys
first, again = [json.loads(line)["avg_ns"] for line in sys.stdin]
print(again < first / 2)')" True

tap_end
