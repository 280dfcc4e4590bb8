# shellcheck shell=sh disable=SC2016 # patterns in single quotes
# fak mcp, in raw JSON-RPC: the handshake, every tool, every error, and input that no client would send. A real client
# library speaks to it in test_mcp_client.sh.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

# ask LINE...: the answers to these messages
ask() { printf '%s\n' "$@" | fak mcp 2>"$scratch/err"; }
request() { printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}' "$1" "$2" "$3"; }
# call TOOL ARGUMENTS: the answer to one tools/call
call() { ask "$(request 1 tools/call "{\"name\":\"$1\",\"arguments\":$2}")"; }
error() { check_has "$1: $3" "$2" "\"error\":{\"code\":$3,"; }
lines() { printf '%s' "$1" | grep -c '' || :; }

# --- the handshake
for version in 2024-11-05 2025-03-26 2025-06-18 2025-11-25; do
    check_has "version $version is spoken" "$(ask "$(request 1 initialize "{\"protocolVersion\":\"$version\"}")")" "\"protocolVersion\":\"$version\""
done
out=$(ask "$(request 1 initialize '{"protocolVersion":"1999-01-01"}')")
check_has "an unknown version is answered with ours" "$out" '"protocolVersion":"2025-11-25"'
check_has "it has tools" "$out" '"capabilities":{"tools":{"listChanged":false}}'
check_has "it has a name" "$out" '"serverInfo":{"name":"fak"'
error "initialize without a version" "$(ask "$(request 1 initialize '{}')")" -32602
out=$(ask "$(request 1 server/discover '{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}')")
check_has "without a handshake: discover" "$out" '"supportedVersions":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"]'
check_has "discover is complete" "$out" '"resultType":"complete"'
out=$(ask "$(request 1 tools/list '{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}')")
error "a request of an unknown version" "$out" -32022
check_has "the versions there are" "$out" '"requested":"2031-01-01"'
check_equal "notifications get no answer" "$(ask '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}' '{"jsonrpc":"2.0","method":"nonsense"}')" ""
check_equal "ping" "$(ask "$(request '"a"' ping '{}')")" '{"jsonrpc":"2.0","id":"a","result":{}}'
check_equal "an answer gets no answer" "$(ask '{"jsonrpc":"2.0","id":1,"result":{}}' '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}')" ""
check_equal "empty lines get no answer" "$(ask '' '   ')" ""
check_equal "the input ends without a line end" "$(printf '{"jsonrpc":"2.0","id":1,"method":"ping"}' | fak mcp)" '{"jsonrpc":"2.0","id":1,"result":{}}'
fak mcp </dev/null
check_equal "the end of the input ends it: exit 0" $? 0

# --- tools
out=$(ask "$(request 1 tools/list '{}')")
for tool in lookup rows_for_files explain milestones gaps; do check_has "tools/list has $tool" "$out" "\"name\":\"$tool\""; done
check_lacks "all of them only read" "$out" '"readOnlyHint":false'
out=$(call lookup '{"query":"fused-attention"}')
check_has "lookup: an operation" "$out" '\"op\":\"fused-attention\"'
check_has "lookup: its link" "$out" '\"url\":\"https://'
check_has "lookup: its oracle" "$out" '\"oracle_command\":\"fak witness fused-attention\"'
check_has "lookup: an alias" "$(call lookup '{"query":"flash-attention"}')" '\"op\":\"fused-attention\"'
check_has "lookup: a kernel" "$(call lookup '{"query":"k_awq_gemv"}')" '\"op\":\"awq-gemm\"'
check_has "lookup: a file" "$(call lookup '{"query":"engine/kernels/ref/rope.c"}')" '\"op\":\"rope\"'
check_has "lookup: a line of a file" "$(call lookup '{"query":"engine/kernels/ref/rope.c:15"}')" '\"op\":\"rope\"'
check_has "lookup: words" "$(call lookup '{"query":"paged attention blocks"}')" '\"hits\":['
out=$(call lookup '{"query":"fused-atention"}')
check_has "lookup: a slip of the pen" "$out" "did you mean 'fused-attention'"
out=$(call lookup '{"query":"qqqqqq"}')
check_has "lookup: nothing: the model is told, in the result" "$out" '"isError":true'
check_has "lookup: a file without a row" "$(call lookup '{"query":"README.md"}')" "no row covers 'README.md'"
out=$(call rows_for_files '{"files":["engine/kernels/ref/attention.c","README.md","tests/unit/test_base.c"]}')
check_has "rows_for_files: the row" "$out" '\"op\":\"fused-attention\"'
check_has "rows_for_files: the trailer" "$out" '\"trailer\":\"Prior-art: fused-attention; '
check_has "rows_for_files: a file without a row" "$out" '\"path\":\"README.md\",\"advised\":false,\"rows\":[]'
check_has "explain: everything" "$(call explain '{"name":"awq-gemm"}')" '\"route_note\":'
check_has "explain: why this file" "$(call explain '{"name":"engine/kernels/ref/rope.c"}')" '\"glob\":\"'
check_has "milestones: all ladders" "$(call milestones '{}')" '\"ladders\":['
check_has "milestones: one, rung by rung" "$(call milestones '{"axis":"attention"}')" '\"rungs\":['
check_has "milestones: no such ladder" "$(call milestones '{"axis":"nothing"}')" '"isError":true'
check_has "gaps" "$(call gaps '{}')" '\"n_gaps\":'
check_has "gaps of one operation" "$(call gaps '{"op":"awq-gemm"}')" '\"op\":\"awq-gemm\"'
check_has "no arguments at all" "$(ask "$(request 1 tools/call '{"name":"gaps"}')")" '\"n_gaps\":'

# --- what is refused, and how
error "no such tool" "$(call nothing '{}')" -32602
error "a tool without a name" "$(ask "$(request 1 tools/call '{}')")" -32602
error "a required argument is missing" "$(call lookup '{}')" -32602
error "an argument of the wrong type" "$(call lookup '{"query":7}')" -32602
error "a list that holds something else" "$(call rows_for_files '{"files":["a",1]}')" -32602
error "arguments that are a list" "$(call lookup '[]')" -32602
error "params that are a list" "$(ask "$(request 1 tools/list '[]')")" -32602
error "no such method" "$(ask "$(request 1 resources/list '{}')")" -32601
error "not JSON" "$(ask '{"jsonrpc":')" -32700
check_has "not JSON: the id is null" "$(ask 'x')" '"id":null'
error "not an object" "$(ask '7')" -32600
error "no version of JSON-RPC" "$(ask '{"id":1,"method":"ping"}')" -32600
error "another version of it" "$(ask '{"jsonrpc":"1.0","id":1,"method":"ping"}')" -32600
error "no method" "$(ask '{"jsonrpc":"2.0","id":1}')" -32600
error "a method that is a number" "$(ask '{"jsonrpc":"2.0","id":1,"method":1}')" -32600
error "an id that is null" "$(ask '{"jsonrpc":"2.0","id":null,"method":"ping"}')" -32600
error "an id that is a list" "$(ask '{"jsonrpc":"2.0","id":[1],"method":"ping"}')" -32600
check_has "the id comes back as it was" "$(ask "$(request 9007199254740993 ping '{}')")" '"id":9007199254740993'

# --- batches
check_equal "a batch: one answer each, none to notifications" \
    "$(ask '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":2,"method":"ping"}]')" \
    '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]'
check_equal "a batch of notifications" "$(ask '[{"jsonrpc":"2.0","method":"x"}]')" ""
error "an empty batch" "$(ask '[]')" -32600
check_has "a batch of nonsense" "$(ask '[1,[]]')" '[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,'
error "a batch without end" "$(ask "[$(yes '1,' | head -n 100 | tr -d '\n')1]")" -32600

# --- hostile input: an answer each, and the next message is understood
# The message comes from $message; a pipe into the function would lose its count.
message=$scratch/message
after() {
    out=$({ cat "$message"; printf '\n%s\n' "$(request 7 ping '{}')"; } | fak mcp 2>"$scratch/err")
    check_equal "$1: exit 0" $? 0
    check_has "$1: the next message is answered" "$out" '{"jsonrpc":"2.0","id":7,"result":{}}'
    check_equal "$1: nothing on stderr" "$(cat "$scratch/err")" ""
}
head -c 5000000 /dev/zero | tr '\0' 'a' >"$message"
after "a line of 5 MB"
error "a line of 5 MB is refused" "$out" -32600
yes '[' | head -n 200000 | tr -d '\n' >"$message"
after "200,000 brackets"
yes '{"a":' | head -n 50000 | tr -d '\n' >"$message"
after "50,000 objects in each other"
printf '{"jsonrpc":"2.0","id":1,"method":"\377\376"}' >"$message"
after "bytes that are no UTF-8"
error "bytes that are no UTF-8 are refused" "$out" -32700
printf '{"jsonrpc":"2.0","id":1,"method":"a\0b"}' >"$message"
after "a NUL byte"
printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lookup","arguments":{"query":"a\\u0000b"}}}' >"$message"
after "an escaped NUL"
printf '\r' >"$message"
after "a lone carriage return"
head -c 100000 /dev/urandom >"$message"
after "random bytes"
name=$(yes 'ab/' | head -n 20000 | tr -d '\n')
printf '%s' "$(request 1 tools/call "{\"name\":\"explain\",\"arguments\":{\"name\":\"$name\"}}")" >"$message"
after "a path of 60,000 bytes"
printf '%s' "$(request 1 tools/call '{"name":"lookup","arguments":{"query":""}}')" >"$message"
after "an empty query"
printf '%s' "$(request 1 tools/call "{\"name\":\"rows_for_files\",\"arguments\":{\"files\":[$(yes '"engine/kernels/ref/attention.c",' | head -n 63 | tr -d '\n')\"x\"]}}")" >"$message"
after "64 files"
check "64 files: the answer is bounded" test "$(printf '%s' "$out" | wc -c)" -lt 140000
error "65 files" "$(call rows_for_files "{\"files\":[$(yes '"x",' | head -n 64 | tr -d '\n')\"x\"]}" | sed 's/"isError":true/"error":{"code":-1,/')" -1

# --- streams
yes "$(request 1 ping '{}')" | head -n 5000 | fak mcp 2>"$scratch/err" | head -n 1 >/dev/null
check_equal "who reads us leaves: nothing is said" "$(cat "$scratch/err")" ""
if [ -w /dev/full ]; then
    request 1 ping '{}' | fak mcp >/dev/full 2>"$scratch/err"
    check_equal "a full disk behind stdout: exit 1" $? 1
    check_equal "a full disk: one line" "$(lines "$(cat "$scratch/err")")" 1
fi
check_exit "an argument that means nothing: exit 2" 2 fak mcp x
if command -v python3 >/dev/null; then
    ask "$(request 1 initialize '{"protocolVersion":"2025-06-18"}')" "$(request 2 tools/list '{}')" "$(request 3 tools/call '{"name":"explain","arguments":{"name":"kv-cache"}}')" '7' >"$scratch/out"
    check "every answer is JSON, and so is the text of a tool" python3 -c '
import json, sys
answers = [json.loads(line) for line in open(sys.argv[1])]
assert [a["id"] for a in answers] == [1, 2, 3, None], answers
assert all(t["inputSchema"]["type"] == "object" for t in answers[1]["result"]["tools"])
row = json.loads(answers[2]["result"]["content"][0]["text"])["rows"][0]["row"]
assert row["slug"] == "kv-cache", row' "$scratch/out"
else
    tap_skip "every answer is JSON" "no python3"
fi
tap_end
