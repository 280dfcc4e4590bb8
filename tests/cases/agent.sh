#!/bin/sh
# What `fak hooks agent` says of every row of the matrix, counted in the tokens of a real vocabulary: at most 300.
. "$(dirname "$0")/../e2e/tap.sh"
cd "$root" || exit 1
vocab=$CASES/vocab/ggml-vocab-gpt-2.gguf
if [ ! -f "$vocab" ]; then
    tap_skip "300 tokens at most" "no vocab/ggml-vocab-gpt-2.gguf"
elif ! command -v python3 >/dev/null; then
    tap_skip "300 tokens at most" "no python3"
else
    cat >"$scratch/count.py" <<'END'
import json, subprocess, sys
rows = json.loads(subprocess.check_output(["fak", "sota", "export"]))
paths = sorted({r["glob"].replace("**/", "").replace("*", "x") for r in rows["paths"]})
most = 0
for names in [[p] for p in paths] + [paths[i : i + 30] for i in range(0, len(paths), 30)]:
    event = json.dumps({"tool_input": {"files": names}})
    answer = json.loads(subprocess.run(["fak", "hooks", "agent"], input=event, capture_output=True, text=True).stdout)
    text = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    if not text: continue
    tokens = subprocess.run(["fak", "tokenize", sys.argv[1], "--json", "-p", text], capture_output=True, text=True)
    count = json.loads(tokens.stdout)["count"]
    assert count <= 300, (count, text)
    most = max(most, count)
assert most > 50, most
print(most)
END
    check "300 tokens at most" python3 "$scratch/count.py" "$vocab"
fi
tap_end
