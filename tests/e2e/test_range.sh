# shellcheck shell=sh disable=SC2015,SC2016,SC2059 # patterns in single quotes, printf of prepared text
# fak gate --range: every commit of a range judged as a CI sees it, in repositories made by git itself; what cannot
# be decided is exit 2 with the mend. The repository has a matrix of its own, so that one is tried too.
. "$(dirname "$0")/tap.sh"
unset GIT_CONFIG_COUNT # the safe.directory of .ci/run is no part of these repositories
echo leak:libpcre2 >"$scratch/lsan" # libgit2 1.5 loses the memory of its regular expressions
export LSAN_OPTIONS="suppressions=$scratch/lsan:print_suppressions=0"
command -v git >/dev/null || { tap_skip "all of fak gate --range" "no git"; tap_end; }

seed() {
    mkdir -p sotadb/seed
    cat >sotadb/seed/10-two.sql <<'SQL'
INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
    ('fused-attention', 'Fused attention', 'Computes attention.', 'kernel', 'borrow', 'It is hard.', 'Two loops.', 'bandwidth', 'planned'),
    ('rope', 'Rotary embedding', 'Turns pairs.', 'kernel', 'stay-minimal', 'It is small.', 'Two loops.', 'bandwidth', 'planned');
INSERT INTO op_path (op, glob, role, planned) VALUES
    ('fused-attention', 'k/attn*.cu', 'kernel', 1),
    ('rope', 'k/rope*.cu', 'kernel', 1);
INSERT INTO reference (op, name, url, kind) VALUES
    ('fused-attention', 'FlashInfer', 'https://github.com/flashinfer-ai/flashinfer', 'primary'),
    ('rope', 'RoFormer', 'https://arxiv.org/abs/2104.09864', 'primary');
SQL
}
new_repo() {
    cd "$scratch" && rm -rf repo && git init -q -b main "$@" repo && cd repo || exit 1
    seed
    mkdir k
    printf 'int a;\nint b;\nint c;\n' >k/attn.cu
    printf 'int r;\n' >k/rope.cu
    echo one >README
    git add . && git commit -qm start && git tag start
}
n=0
# touch FILE [MESSAGE]: a commit that changes code in it
touch_it() {
    n=$((n + 1))
    echo "int x$n;" >>"$1"
    git add -A && git commit -q --cleanup=verbatim -m "${2:-change $n}"
}
gate() { fak gate --range "$@"; }
# counts NAME WANT [ARGUMENTS]: the states of start..HEAD, as "state=n ..."
states() {
    gate "${@:-start..HEAD}" --json | tr -d ' ",\n' | sed 's/.*counts:{\([^}]*\)}.*/\1/' |
        sed 's/\([a-z]\)\([a-z-]*\):\([0-9]*\)/ \1\2=\3/g' | tr ' ' '\n' | grep -v '=0$' | grep -v '^$' | tr '\n' ' '
}
expect() { check_equal "$1" "$(shift 2; states "$@" | sed 's/ $//')" "$2"; }
sums() { find .git -type f -exec sha256sum {} + | sort -k 2; }

# --- one commit after the other
new_repo
expect "an empty range" ""
touch_it README
touch_it k/attn.cu
touch_it k/attn.cu "$(printf 'stamped\n\nPrior-art: fused-attention; FlashInfer\n')"
touch_it k/attn.cu "$(printf 'free text\n\nPrior-art: the FlashInfer kernel, prefill.cuh\n')"
expect "missing, stamped and untouched commits" "untouched=1 stamped=2 missing=1"
expect "A...B is the same set" "untouched=1 stamped=2 missing=1" start...HEAD
expect "so is one revision" "untouched=1 stamped=2 missing=1" start
expect "and an open end" "untouched=1 stamped=2 missing=1" start..
before=$(sums)
out=$(gate start)
check_equal "advisory: exit 0" $? 0
check_has "the commit is told" "$out" "change 2"
check_has "with place" "$out" "k/attn.cu:4"
check_has "and reference" "$out" "FlashInfer  https://github.com/flashinfer-ai/flashinfer"
check_has "and the line to paste" "$out" "Prior-art: fused-attention; FlashInfer (flashinfer-ai/flashinfer)"
check_has "the whole in one line" "$out" "4 commits, 3 touch a kernel: 2 stamped, 1 without a trailer"
check_equal ".git is as it was" "$(sums)" "$before"
check_exit "--require: exit 1" 1 fak gate --range start --require
git reset -q --hard HEAD~2 && git commit -q --amend -m "$(printf 'now\n\nPrior-art: fused-attention')"
check_exit "--require and clean: exit 0" 0 fak gate --range start --require
check_has "one commit, A^!" "$(gate 'HEAD^!')" "1 commit, 1 touches a kernel: 1 stamped"

# --- trailers are verified, not only there
new_repo
touch_it k/attn.cu "$(printf 'wrong\n\nPrior-art: rope; RoFormer\n')"
touch_it k/attn.cu "$(printf 'slip\n\nPrior-art: fused-attn; FlashInfer\n')"
touch_it k/attn.cu "$(printf 'glued\n\nsome\nprose\nof\nfour\nlines\nPrior-art: fused-attention\n')"
touch_it k/attn.cu "$(printf 'not last\n\nPrior-art: fused-attention\n\nmore prose\n')"
touch_it k/attn.cu "$(printf 'subject\nPrior-art: fused-attention\n')"
touch_it k/attn.cu "$(printf 'empty\n\nPrior-art:\n')"
expect "six near misses" "near-miss=6"
out=$(gate start | tr -s ' \n' ' ')
check_has "a row that is not touched" "$out" 'line 3 names `rope`, which this change does not touch; it touches `fused-attention`'
check_has "a slip" "$out" 'line 3: `fused-attn` is not a row of the matrix: `fused-attention`?'
check_has "no blank line before it" "$out" "line 8 is no trailer: it shares its paragraph with other text; put a blank line before it"
check_has "not the last paragraph" "$out" "line 3 is no trailer: trailers stand in the last paragraph; move it to the end"
check_has "in the subject" "$out" "line 2 is no trailer: it belongs to the subject; put a blank line before it"
check_has "no value" "$out" "line 3: the trailer is empty"

# --- the cases of public bug reports
new_repo
touch_it k/attn.cu "$(printf 'H2\n\nHeading\n-----\n\n---\ntext\n\nPrior-art: fused-attention\n')"
touch_it k/attn.cu "$(printf 'H8\n\nPrior-art: fused-attention\n# a\n# b\n# c\n# d\n# e\n# f\n# g\n# h\n# i\n# j\n')"
touch_it k/attn.cu "$(printf 'CRLF\r\n\r\nPrior-art: fused-attention;\r\n  FlashInfer\r\n')"
expect "H2 dashes in the body, H8 ten comment lines, CRLF and folding: all stamped" "stamped=3"
new_repo
name=$(printf 'k/attn k\303\251r\tn"e\nl\351.cu')
touch_it "$name" "H10"
gate start --json >"$scratch/json"
gate start --format sarif >"$scratch/sarif"
gate start --format github >"$scratch/github"
if command -v python3 >/dev/null; then
    check "H10 a name of any bytes: JSON is valid and holds it" python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert d["touching"][0]["findings"][0]["matched"][0]["path"].startswith("k/attn kér\tn\"e\nl")' "$scratch/json"
    check "H10 its URI keeps every byte" python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert d["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]=="k/attn%20k%C3%A9r%09n%22e%0Al%E9.cu"' "$scratch/sarif"
else
    tap_skip "H10" "no python3"
fi
check_equal "H10 one annotation, one line, and the result" "$(wc -l <"$scratch/github")" 2
check_has "H10 shown escaped" "$(gate start)" 'k/attn kér\x09n"e\x0al\xe9.cu'

# --- comments, generated files, modes, deletions
new_repo
echo '// why' >>k/attn.cu && git commit -qam 'a comment'
printf 'int a;\n\n\nint  b;\nint c;\n// why\n' >k/attn.cu && git commit -qam blanks
chmod +x k/attn.cu && git commit -qam mode
printf '// autogenerated by x\nint z;\n' >k/attn_gen.cu && git add . && git commit -qm generated
ln -s attn.cu k/attn_link.cu && git add . && git commit -qm link
expect "nothing of this is a change of code" "untouched=5"
git rm -q k/attn.cu && git commit -qm removed
git mv k/rope.cu k/elsewhere.cu && git commit -qm moved
expect "a deletion and a move are" "untouched=5 missing=2"

# --- merges: what the merge itself made
new_repo
git checkout -qb side && sed -i 's/int a;/int aa;/' k/attn.cu && git commit -qam "$(printf 'side\n\nPrior-art: fused-attention')"
git checkout -q main && sed -i 's/int c;/int cc;/' k/attn.cu && git commit -qam "$(printf 'main\n\nPrior-art: fused-attention')"
git merge -q --no-edit side >/dev/null 2>&1
check_equal "both sides changed the file" "$(git diff --name-only HEAD^1 HEAD) $(git diff --name-only HEAD^2 HEAD)" "k/attn.cu k/attn.cu"
expect "a merge that git made by itself" "untouched=1 stamped=2"
sed -i 's/int b;/int evil;/' k/attn.cu && git commit -qa --amend --no-edit
expect "an evil merge" "stamped=2 missing=1"
check_has "it is told as one, at its line" "$(gate start)" "k/attn.cu:2"
git commit -q --amend -m "$(printf 'merge\n\nPrior-art: fused-attention')"
expect "and may be stamped" "stamped=3"
expect "alone too" "stamped=1" 'HEAD^!'
git commit -q --amend -m "merge"
expect "--first-parent: the merge and its first parents" "stamped=1 missing=1" start --first-parent
git checkout -q side && sed -i 's/int aa;/int mine;/' k/attn.cu && git commit -qam "$(printf 'again\n\nPrior-art: fused-attention')"
git checkout -q main && sed -i 's/int aa;/int yours;/' k/attn.cu && git commit -qam "$(printf 'other\n\nPrior-art: fused-attention')"
git merge -q side >/dev/null 2>&1 || { git checkout -q --theirs k/attn.cu && git add . && git commit -qm 'one side'; }
check_has "a conflict resolved as one parent has it is nobody's work" "$(states HEAD^1..HEAD)" "untouched=1"

# --- reverts, fixups
new_repo
touch_it k/attn.cu "$(printf 'stamped\n\nPrior-art: fused-attention')"
git revert --no-edit HEAD >/dev/null
expect "a revert of what is stamped" "stamped=1 revert=1"
git revert --no-edit HEAD >/dev/null
expect "and its revert" "stamped=1 revert=2"
git tag before && echo 'int more;' >>k/rope.cu && git commit -qa --amend --no-edit
expect "one that changes more is no revert" "stamped=1 revert=1 missing=1"
git reset -q --hard start && touch_it k/attn.cu plain && git revert --no-edit HEAD >/dev/null
expect "a revert of what was not stamped" "missing=2"
git commit -q --amend -m "$(printf 'x\n\nThis reverts commit 0123456789012345678901234567890123456789.')"
expect "a revert of a commit that is not here" "missing=2"
git reset -q --hard start && touch_it k/attn.cu "$(printf 'base\n\nPrior-art: fused-attention')" && touch_it k/attn.cu 'fixup! base'
touch_it k/attn.cu 'squash! fixup! base' && touch_it k/rope.cu 'fixup! base' && touch_it k/attn.cu 'fixup! nobody'
expect "fixups of what is stamped, of the same operation" "stamped=1 fixup=2 missing=2"

# --- squash messages and the body of a pull request
new_repo
touch_it k/attn.cu one && touch_it k/attn.cu two && touch_it k/rope.cu three
printf 'Adds a kernel.\r\n\r\nPrior-art: fused-attention, rope; FlashInfer\r\n' >"$scratch/body"
expect "--message-file: the body of a pull request" "by-message=3" start --message-file "$scratch/body"
printf 'Prior-art: fused-attention\n' >"$scratch/body"
expect "its first paragraph counts; what it does not name does not" "by-message=2 near-miss=1" start --message-file "$scratch/body"
expect "--squash: one commit" "missing=1" start --squash
expect "--squash with its message" "by-message=1" start --squash --message-file "$scratch/body"
printf 'Title (#12)\n\n* one\n\nPrior-art: fused-attention\n\n* two\n\nprose\n' >"$scratch/body"
expect "the trailers within a squash message of GitHub" "by-message=2 near-miss=1" start --message-file "$scratch/body"
git checkout -q start && git merge -q --squash main >/dev/null && cp .git/SQUASH_MSG "$scratch/body" && git reset -q --hard && git checkout -q main
expect "git's SQUASH_MSG without a trailer" "missing=3" start --message-file "$scratch/body"
git commit -q --amend -m "$(printf 'three\n\nPrior-art: rope')"
git checkout -q start && git merge -q --squash main >/dev/null && cp .git/SQUASH_MSG "$scratch/body" && git reset -q --hard && git checkout -q main
expect "git's SQUASH_MSG with one" "by-message=1" start --squash --message-file "$scratch/body"
expect "a squash takes the trailers of its commits" "stamped=1" start --squash
check_exit "a message file that is not there" 2 fak gate --range start --message-file "$scratch/none"

# --- forms
new_repo
touch_it k/attn.cu "a \"quoted\" <subject> & ]]> | \`x\` %0A::error::"
touch_it k/rope.cu "$(printf 'stamped\n\nPrior-art: rope')"
mkdir sub && cd sub || exit 1
gate start --format sarif >"$scratch/below"
cd ..
gate start --format sarif -o "$scratch/sarif"
check_equal "H17 the same SARIF from a folder below, and -o writes it" "$(cat "$scratch/below")" "$(cat "$scratch/sarif")"
gate start --format junit >"$scratch/junit"
gate start --format summary >"$scratch/summary"
gate start --format github --require >"$scratch/github"
check_has "github: an error where it is required, on the changed line" "$(cat "$scratch/github")" "::error file=k/attn.cu,line=4,title=fak%3A prior-art-missing::"
check_lacks "github: the subject cannot start a command" "$(cat "$scratch/github")" "%0A::error"
check_has "summary: a table" "$(cat "$scratch/summary")" "| **warning** | \`k/attn.cu:4\` |"
if command -v python3 >/dev/null; then
    check "junit: XML with one failure and one that passed" python3 -c 'import sys,xml.etree.ElementTree as e; s=e.parse(sys.argv[1]).getroot(); assert (s.get("tests"),s.get("failures"))==("2","1"), s.attrib' "$scratch/junit"
    first=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["runs"][0]["results"][0]["partialFingerprints"]["primaryLocationLineHash"])' "$scratch/sarif")
    git rebase -q --onto "$(git commit-tree -p start -m other 'start^{tree}')" start main
    gate start --format sarif >"$scratch/sarif2"
    check "a rebase keeps the fingerprint" grep -q "$first" "$scratch/sarif2"
else
    tap_skip "junit, fingerprints" "no python3"
fi
check_exit "an unknown form" 2 fak gate --range start --format xml
check_exit "a form without a range" 2 fak gate --format sarif
check_exit "--require without a range" 2 fak gate --require
check_exit "H18 a misspelt option" 2 fak gate --rnage start

# --- what cannot be decided
out=$(gate nobody..HEAD 2>&1)
check_equal "a bad range: exit 2" $? 2
check_has "and it is named as it was typed" "$out" "'nobody'"
check_exit "a range of three" 2 fak gate --range a..b..c
check_exit "an option for a range" 2 fak gate --range --all
out=$(gate 0000000000000000000000000000000000000000..HEAD 2>&1)
check_equal "a push of a new branch: exit 2" $? 2
check_has "and the mend" "$out" "--range origin/main.."
touch_it k/attn.cu && touch_it k/attn.cu
git clone -q --depth 1 "file://$PWD" ../shallow && cd ../shallow || exit 1
out=$(gate HEAD~1..HEAD 2>&1)
check_equal "H15 a shallow clone: exit 2" $? 2
check_has "H15 the mend" "$out" "fetch-depth: 0"
git -C ../repo branch base HEAD~2 && git fetch -q --depth 1 origin base:base
out=$(gate base..HEAD 2>&1)
check_equal "H15 two tips without what is between: exit 2" $? 2
check_has "H15 the mend" "$out" "git fetch --unshallow"
git fetch -q --unshallow && check_exit "unshallowed, it decides" 0 fak gate --range base..HEAD
cd ../repo && git config uploadpack.allowFilter true && git config uploadpack.allowAnySHA1InWant true
git clone -q --no-checkout --filter=blob:none "file://$PWD" ../blobless && cd ../blobless || exit 1
mkdir -p sotadb/seed && cp ../repo/sotadb/seed/* sotadb/seed/
objects=$(find .git/objects -type f | sort)
out=$(gate HEAD~2..HEAD 2>&1)
check_equal "H5 a clone without blobs: exit 2" $? 2
check_has "H5 and the mend" "$out" "git log -p"
check_equal "H5 nothing was fetched" "$(find .git/objects -type f | sort)" "$objects"
git log -p HEAD~2..HEAD >/dev/null
check_exit "H5 the mend mends it" 0 fak gate --range HEAD~2..HEAD
cd ../repo && git clone -q --no-checkout --filter=tree:0 "file://$PWD" ../treeless && cd ../treeless || exit 1
mkdir -p sotadb/seed && cp ../repo/sotadb/seed/* sotadb/seed/
out=$(gate HEAD~2..HEAD 2>&1)
check_equal "a clone without trees: exit 2" $? 2
check_has "and the mend" "$out" "partial clone"
cd "$scratch" && mkdir plain && cd plain || exit 1
GIT_CEILING_DIRECTORIES=$scratch check_exit "no repository: exit 2" 2 fak gate --range HEAD~1

# --- repositories of every kind, and whose matrix
for kind in sha1 sha256; do
    new_repo --object-format=$kind 2>/dev/null || { tap_skip "$kind" "this git has none"; continue; }
    touch_it k/attn.cu && touch_it README && git gc -q
    expect "$kind, packed" "untouched=1 missing=1"
    git update-ref "refs/replace/$(git rev-parse HEAD~1)" "$(git commit-tree -p start -m "$(printf 'r\n\nPrior-art: fused-attention')" 'HEAD~1^{tree}')"
    expect "$kind, a replaced commit is what git says it is" "untouched=1 stamped=1"
done
new_repo && touch_it k/attn.cu && git clone -q --bare . ../bare.git && cd ../bare.git || exit 1
check_exit "a bare repository, with the built-in matrix" 0 fak gate --range HEAD~1
git config fak.matrix "$scratch/repo/sotadb/seed"
check_has "a bare repository, with the matrix of its configuration" "$(states HEAD~1)" "missing=1"
cd "$scratch/repo" && git worktree add -q ../linked && cd ../linked || exit 1
check_has "a linked worktree" "$(states start..HEAD)" "missing=1"
cd "$scratch/repo" && mkdir rows && git mv sotadb/seed/10-two.sql rows/ && rm -rf sotadb
check "without a seed the built-in matrix" test "$(fak sota list --json | grep -c '"slug"')" -gt 10
git config fak.matrix rows
check_equal "git config fak.matrix: look-ups" "$(fak sota list --json | grep -c '"slug"')" 2
check_has "git config fak.matrix: range" "$(states start..HEAD)" "missing=1"
echo 'int s;' >>k/attn.cu && git add k
check_has "git config fak.matrix: gate" "$(fak gate)" "Prior-art: fused-attention; FlashInfer"
printf 's\n' >"$scratch/message"
echo '{"tool_name":"Edit","tool_input":{"file_path":"k/attn.cu"}}' >"$scratch/event"
check_has "git config fak.matrix: agents" "$(fak hooks agent <"$scratch/event")" "FlashInfer"
check_has "git config fak.matrix: hook" "$(fak hooks run commit-msg "$scratch/message")" "fused-attention"
git config --unset fak.matrix
printf '[fak]\n\tmatrix = %s\n' "$PWD/rows" >"$scratch/included" && printf '[include]\n\tpath = included\n' >"$scratch/global"
check_equal "set for the user, in an included file" "$(GIT_CONFIG_GLOBAL=$scratch/global fak sota list --json | grep -c '"slug"')" 2
check_equal "set for one command" "$(git -c fak.matrix=rows -c alias.look='!fak sota list --json' look | grep -c '"slug"')" 2
git config fak.matrix nowhere
check_exit "H18 a matrix that is not there: exit 2 in CI" 2 fak gate --range start
fak hooks run commit-msg "$scratch/message" >"$scratch/out" 2>"$scratch/err"
check_equal "H18 the hook exits 0" $? 0
check_equal "H18 with one line" "$(wc -l <"$scratch/err") $(wc -c <"$scratch/out")" "1 0"
check_has "H18 that says why" "$(cat "$scratch/err")" "fak.matrix"
git config fak.matrix rows
check_exit "H18 fak sota lits" 2 fak sota lits
echo 'garbage' >>rows/10-two.sql
check_has "a row that is not right is told with file and line" "$(fak sota list 2>&1)" "rows/10-two.sql:10:"

# --- another owner (convco#86)
if [ "$(id -u)" = 0 ]; then
    new_repo && touch_it k/attn.cu && chown -R 12345 "$scratch/repo"
    out=$(gate start 2>&1)
    check_equal "H20 another owner: exit 2" $? 2
    check_has "H20 and the mend" "$out" "safe.directory"
    printf '[safe]\n\tdirectory = *\n' >"$scratch/global"
    check_has "H20 safe.directory=* is honoured" "$(GIT_CONFIG_GLOBAL=$scratch/global states start)" "missing=1"
    chown -R 0 "$scratch/repo"
else
    tap_skip "H20 another owner" "needs root"
fi
tap_end
