# shellcheck shell=sh disable=SC2016 # patterns in single quotes
# fak hooks agent: the events of edits as coding agents write them, in forms taken from their public references; one JSON
# object comes back, exit 0, within 300 tokens.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
git init -q repo && mkdir -p repo/engine/kernels/ref repo/sub
kernel=engine/kernels/ref/attention.c
echo 'int a;' >repo/$kernel
top=$scratch/repo

# tell JSON: $out is the answer, $code the status
tell() {
    printf '%s' "$1" >"$scratch/event"
    out=$(fak hooks agent <"$scratch/event" 2>"$scratch/err")
    code=$?
}
# speaks NAME MEMBER JSON: the answer starts with MEMBER and names row, link and oracle
speaks() {
    tell "$3"
    check_equal "$1: exit 0" $code 0
    check_has "$1: where this agent looks" "$out" "$2"
    check_has "$1: the row" "$out" "fused-attention"
    check_has "$1: the link" "$out" "https://github.com/"
    check_has "$1: the oracle" "$out" 'fak witness fused-attention'
}
# quiet NAME JSON
quiet() {
    tell "$2"
    check_equal "$1" "$out ($code)" "{} (0)"
}
claude='{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"'
event() { printf '{"session_id":"s","transcript_path":"/t","cwd":"%s","hook_event_name":"PostToolUse","tool_name":"%s","tool_input":%s,"tool_response":{"success":true}}' "$top" "$1" "$2"; }

speaks "Claude Code, Edit" "$claude" "$(event Edit "{\"file_path\":\"$top/$kernel\",\"old_string\":\"a\",\"new_string\":\"b\"}")"
speaks "Claude Code, Write" "$claude" "$(event Write "{\"file_path\":\"$top/$kernel\",\"content\":\"int a;\"}")"
speaks "Claude Code, before the edit" '{"hookSpecificOutput":{"hookEventName":"PreToolUse",' "$(event Edit "{\"file_path\":\"$top/$kernel\"}" | sed 's/PostToolUse/PreToolUse/')"
check_lacks "it decides nothing" "$out" '"permissionDecision"'
speaks "a path from the working directory" "$claude" "$(event Edit "{\"file_path\":\"$kernel\"}")"
speaks "Codex, a patch" "$claude" "$(event apply_patch "{\"command\":\"*** Begin Patch\\n*** Update File: $kernel\\n@@\\n-a\\n+b\\n*** End Patch\"}")"
speaks "Codex, a patch in an argument list" "$claude" "$(event apply_patch "{\"command\":[\"apply_patch\",\"*** Begin Patch\\n*** Add File: $kernel\\n+b\\n*** End Patch\"]}")"
speaks "Gemini CLI" '{"hookSpecificOutput":{"hookEventName":"AfterTool",' "$(event replace "{\"file_path\":\"$top/$kernel\"}" | sed 's/PostToolUse/AfterTool/')"
speaks "Cursor" '{"additional_context":"' "{\"hook_event_name\":\"afterFileEdit\",\"workspace_roots\":[\"$top\"],\"file_path\":\"$top/$kernel\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"b\"}]}"
speaks "Copilot, arguments as an object" '{"additionalContext":"' "{\"timestamp\":1,\"cwd\":\"$top\",\"toolName\":\"edit\",\"toolArgs\":{\"path\":\"$top/$kernel\"},\"toolResult\":{\"resultType\":\"success\"}}"
speaks "Copilot, arguments as a text" '{"additionalContext":"' "{\"timestamp\":1,\"cwd\":\"$top\",\"toolName\":\"edit\",\"toolArgs\":\"{\\\"path\\\":\\\"$kernel\\\"}\"}"
speaks "Cline" '{"contextModification":"' "{\"clineVersion\":\"3.36.0\",\"hookName\":\"PostToolUse\",\"workspaceRoots\":[\"$top\"],\"postToolUse\":{\"toolName\":\"write_to_file\",\"parameters\":{\"path\":\"$kernel\"},\"success\":true}}"
speaks "Windsurf" "$claude" "{\"agent_action_name\":\"post_write_code\",\"tool_info\":{\"file_path\":\"$top/$kernel\",\"edits\":[]}}"
speaks "several files" "$claude" "$(event MultiEdit "{\"edits\":[{\"file_path\":\"$top/README\"},{\"file_path\":\"$top/$kernel\"}]}")"

quiet "another file" "$(event Edit "{\"file_path\":\"$top/README\"}")"
quiet "a test" "$(event Edit "{\"file_path\":\"$top/tests/test_attention.c\"}")"
quiet "a tool without files" "$(event Bash '{"command":"ls -l"}')"
quiet "an empty event" '{}'
quiet "a list" '[1,2]'
quiet "no row in another place" "$(event Edit '{"file_path":"/nowhere/at/all.c"}')"
quiet "a path that is no text" "$(event Edit '{"file_path":7}')"
quiet "a very long path" "$(event Edit "{\"file_path\":\"$(yes 'ab/' | head -n 3000 | tr -d '\n')\"}")"
one_line() { check_equal "$1: one line on stderr" "$(wc -l <"$scratch/err")" 1; }
quiet "no JSON" 'x' && one_line "no JSON"
quiet "nothing" '' && one_line "nothing"
quiet "half an event" '{"tool_input":{"file_path":"eng' && one_line "half an event"
quiet "bytes that are no UTF-8" "$(printf '{"tool_input":{"file_path":"\351"}}')" && one_line "bytes that are no UTF-8"
quiet "a folder that is gone" '{"cwd":"/no/such\nfolder","tool_input":{"file_path":"a.c"}}' && one_line "a folder that is gone"
yes '[' | head -n 100000 | tr -d '\n' >"$scratch/event"
check_equal "100,000 brackets" "$(fak hooks agent <"$scratch/event" 2>/dev/null)" "{}"
check_equal "stdin is closed" "$(fak hooks agent 2>/dev/null <&-)" "{}"
fak hooks agent <"$scratch/event" >&- 2>/dev/null
check_equal "stdout is closed: exit 0" $? 0
if [ -w /dev/full ]; then
    event Edit "{\"file_path\":\"$top/$kernel\"}" >"$scratch/event"
    fak hooks agent <"$scratch/event" >/dev/full 2>/dev/null
    check_equal "a full disk behind stdout: exit 0" $? 0
fi
FAK_SKIP=1 && export FAK_SKIP
quiet "FAK_SKIP=1" "$(event Edit "{\"file_path\":\"$top/$kernel\"}")"
unset FAK_SKIP
git -C repo config fak.priorart false
quiet "git config fak.priorart false" "$(event Edit "{\"file_path\":\"$top/$kernel\"}")"
git -C repo config --unset fak.priorart

# --- at most 300 tokens: no row is told in more than 750 bytes (tests/cases/agent.sh counts tokens with a real vocabulary)
cd "$root" || exit 1
if command -v python3 >/dev/null; then
    cat >"$scratch/longest.py" <<'END'
import json, subprocess
rows = json.loads(subprocess.check_output(["fak", "sota", "export"]))
paths = {r["op"]: r["glob"].replace("**/", "").replace("*", "x") for r in rows["paths"]}
def told(names):
    event = {"tool_input": {"files": names}}
    out = subprocess.run(["fak", "hooks", "agent"], input=json.dumps(event), capture_output=True, text=True)
    return json.loads(out.stdout).get("hookSpecificOutput", {}).get("additionalContext", "")
texts = [told([p]) for p in paths.values()]
assert sum(map(bool, texts)) > 10, texts
longest = max(texts + [told(list(paths.values())[:30])], key=len)
assert len(longest.encode()) <= 750, (len(longest), longest)
END
    check "every row of the matrix stays within the bound, alone and all together" python3 "$scratch/longest.py"
else
    tap_skip "every row of the matrix stays within the bound" "no python3"
fi
tap_end
