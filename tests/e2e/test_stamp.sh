# shellcheck shell=sh disable=SC2015,SC2016 # patterns in single quotes
# fak sota stamp and fak sota log, with real commits.
. "$(dirname "$0")/tap.sh"
echo leak:libpcre2 >"$scratch/lsan" # libgit2 1.5 loses the memory of its regular expressions
export LSAN_OPTIONS="suppressions=$scratch/lsan:print_suppressions=0"
command -v git >/dev/null || { tap_skip "all of fak sota stamp" "no git"; tap_end; }
attention=engine/kernels/ref/attention.c
rope=engine/kernels/ref/rope.c

new_repo() {
    cd "$scratch" && rm -rf repo && git init -q -b main repo && cd repo || exit 1
    mkdir -p engine/kernels/ref && echo 'int a;' >$attention && echo 'int r;' >$rope && echo one >README
    git add . && git commit -qm start
}
edit() { for file; do echo 'int more;' >>"$file" && git add "$file"; done; }

# --- the line
new_repo
check_exit "nothing staged: exit 1" 1 fak sota stamp
check_equal "and nothing on stdout" "$(fak sota stamp 2>/dev/null)" ""
check_exit "a name that is none: exit 2" 2 fak sota stamp fused-attn
edit $attention
line=$(fak sota stamp)
check_has "the operation and its reference" "$line" "Prior-art: fused-attention; FlashAttention (Dao-AILab/flash-attention)"
check "with what the witness measures now" sh -c 'printf "%s\n" "$1" | grep -Eq "; witness 1-cosine [0-9.e+-]+ error [0-9.e+-]+ in [1-9][0-9]* cases\$"' sh "$line"
worst=$(fak witness fused-attention --json | tr -d ' ,"' | awk -F: '$1=="cosine" && $2+0<=worst { worst=$2 } $1=="cosine" && worst=="" { worst=$2 } END { printf "%.1e", 1-worst }')
check_has "the figure is the worst that fak witness shows" "$line" "1-cosine $worst "
check_equal "--no-witness leaves it out" "$(fak sota stamp --no-witness)" "${line%; witness*}"
check_equal "of one operation, staged or not" "$(git stash -q && fak sota stamp --no-witness fused-attention; git stash pop -q --index)" "${line%; witness*}"
edit $rope
both=$(fak sota stamp)
check_has "two operations: every reference is named" "$both" "Prior-art: fused-attention, rope; FlashAttention (Dao-AILab/flash-attention), transformers RoPE utilities (huggingface/transformers)"
check_has "and every figure" "$both" "rope 1-cosine"
git commit -qm 'a kernel' --trailer "$(fak sota stamp)"
check_equal "git finds it" "$(git log -1 --format='%(trailers:key=Prior-art,valueonly)' | head -n 1)" "${both#Prior-art: }"
check_exit "and so does the gate" 0 fak gate --range HEAD~1 --require

# --- into a message
edit $attention
printf 'subject\n\nbody\n\n# Please enter the message\n# On branch main\n' >"$scratch/message"
fak sota stamp --message "$scratch/message" --no-witness
stamp='Prior-art: fused-attention; FlashAttention (Dao-AILab/flash-attention)'
check_equal "before the comments" "$(cat "$scratch/message")" "$(printf 'subject\n\nbody\n\n%s\n\n# Please enter the message\n# On branch main' "$stamp")"
fak sota stamp --message "$scratch/message" --no-witness
check_equal "twice is once" "$(grep -c Prior-art "$scratch/message")" 1
fak sota stamp --message "$scratch/message"
check_equal "a newer figure takes the place of the older" "$(grep -c Prior-art "$scratch/message") $(grep -c 'cases$' "$scratch/message")" "1 1"
printf 'subject\n\nSigned-off-by: A <a@b>\n; ------------------------ >8 ------------------------\n; all below is cut\ndiff --git a b\n' >"$scratch/message"
git config core.commentChar ';' && fak sota stamp --message "$scratch/message" --no-witness
check_equal "behind other trailers, above the scissors, with another comment character" "$(sed -n 4p "$scratch/message")" "$stamp"
git config --unset core.commentChar
check_exit "a message that is not there: exit 1" 1 fak sota stamp --message "$scratch/none"
cp "$scratch/message" "$scratch/before" && ln -s message "$scratch/link" && fak sota stamp --message "$scratch/link" --no-witness
check "a link stays a link" test -L "$scratch/link"
git config fak.priorart false
check_has "switched off: says so" "$(fak sota stamp 2>&1)" "fak.priorart"
git config --unset fak.priorart

# --- a file of two operations: the kernel whose code changes decides
cd "$scratch" && git init -q two && cd two && mkdir -p sotadb/seed k || exit 1
cat >sotadb/seed/a.sql <<'SQL'
INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
    ('alpha', 'Alpha', 'C.', 'kernel', 'borrow', 'H.', 'T.', 'b', 'planned'),
    ('beta', 'Beta', 'T.', 'kernel', 'borrow', 'I.', 'T.', 'b', 'planned');
INSERT INTO op_path (op, glob, role, planned) VALUES ('alpha', 'k/*.cu', 'kernel', 1), ('beta', 'k/*.cu', 'kernel', 1);
INSERT INTO op_symbol (op, pattern) VALUES ('alpha', 'k_alpha*'), ('beta', 'k_beta*');
INSERT INTO reference (op, name, url, kind) VALUES
    ('alpha', 'A', 'https://example.org/a', 'primary'), ('beta', 'B', 'https://example.org/b', 'primary');
SQL
printf '__global__ void k_alpha(int *a) {\n    a[0] = 1;\n}\n__global__ void k_beta(int *a) {\n    a[0] = 1;\n}\n' >k/x.cu
git add . && git commit -qm one && sed -i '2s/1/2/' k/x.cu && git add .
check_equal "it is stamped with its operation" "$(fak sota stamp)" "Prior-art: alpha; A"
check_has "as the gate says" "$(fak gate | tail -n 1)" "'Prior-art: alpha; A'"
git commit -qm two
check_has "and as the range says" "$(fak gate --range HEAD~1)" "Prior-art: alpha; A"
check_lacks "of one operation only" "$(fak gate --range HEAD~1)" "beta"

# --- the log
new_repo
edit $attention && git commit -qm "$(printf 'one\n\nPrior-art: fused-attention; FlashInfer, prefill.cuh')"
edit $rope $attention && git commit -qm "$(printf 'two\n\nPrior-art: rope, fused-attention;\n  folded\nSigned-off-by: A <a@b>')"
edit $rope && git commit -qm "$(printf 'three\n\nPrior-art: a paper of 1998')"
edit $rope && git commit -qm "$(printf 'none\n\nPrior-art: fused-attention\n\nprose behind it')"
git commit -q --allow-empty -m "$(printf 'esc\033[31m\n\nPrior-art: rope; \033]0;x')"
log=$(fak sota log)
check_equal "by operation, the newest first, free text last" "$(printf '%s\n' "$log" | grep -E '^[a-z(]|^  20' | sed -E 's/^  [0-9-]+  [0-9a-f]+  /  /; s/  .*[A-Z].*//')" \
    "$(printf 'fused-attention\n  two\n  one\n\nrope\n  esc\\x1b[31m\n  two\n\n(free text)\n  three' | grep .)"
check_has "what was read, unfolded" "$log" "    folded"
check_has "the whole in one line" "$log" "4 commits say what was read, for 2 operations, and 1 time in free text"
check_lacks "control characters are shown, not sent" "$log" "$(printf '\033')"
check_lacks "what git does not find is no trailer" "$log" "none"
check_equal "one operation" "$(fak sota log rope | grep -c '^  20')" 2
check_equal "a range" "$(fak sota log --range HEAD~2..HEAD | grep -c '^  20')" 1
check_exit "a bad range" 1 fak sota log --range nobody..HEAD
check_exit "an option for a range" 1 fak sota log --range=--all
check_exit "H18 a misspelt operation" 2 fak sota log rop
if command -v python3 >/dev/null; then
    fak sota log --json >"$scratch/json"
    check "JSON" python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert d["commits"]==4 and [e["op"] for e in d["entries"]]==["fused-attention"]*2+["rope"]*2+[None] and d["entries"][0]["line"]==3' "$scratch/json"
else
    tap_skip "JSON" "no python3"
fi
git clone -q --depth 1 "file://$PWD" ../shallow && cd ../shallow || exit 1
check_has "a shallow clone says that history is missing" "$(fak sota log 2>&1)" "git fetch --unshallow"
cd "$scratch" && git init -q empty && cd empty || exit 1
check_exit "no commit yet: exit 1" 1 fak sota log
tap_end
