# shellcheck shell=sh disable=SC2015,SC2016 # patterns in single quotes
# What every command owes a repository: not a byte and not a time under .git changes, in repositories of every kind;
# at most one more process a hook; and when memory runs out at any allocation, exit 0 (`fak gate`: 2), at most one line,
# the whole advice or none, a message file that is whole.
. "$(dirname "$0")/tap.sh"
unset GIT_CONFIG_COUNT # the safe.directory of .ci/run is no part of these repositories
echo leak:libpcre2 >"$scratch/lsan" # libgit2 1.5, see test_gate.sh
export LSAN_OPTIONS="suppressions=$scratch/lsan:print_suppressions=0"
command -v git >/dev/null || { tap_skip "all of the readers' manners" "no git"; tap_end; }
kernel=engine/kernels/ref/attention.c
printf 'subject\n\n# Please enter the commit message.\n# Changes:\n' >"$scratch/message"

# new_repo OPTIONS...: two commits with the kernel, and a change of it that is staged, in $scratch/all/repo
new_repo() {
    cd "$scratch" && rm -rf all && mkdir all && cd all && git init -q "$@" repo && cd repo || exit 1
    mkdir -p engine/kernels/ref out/b
    echo 'int a;' >$kernel
    echo one >out/b/file
    git add . && git commit -qm start
    echo two >README && git add . && git commit -qm second
    stage_change
}
stage_change() { echo 'int b;' >>$kernel && git add $kernel && git write-tree >/dev/null; }

# --- nothing under .git changes
manners() { # where everything is, whose, how long, since when, and what is in it
    find "$scratch/all" -path '*.git*' -printf '%p %y %i %m %s %T@ %C@\n' | sort
    find "$scratch/all" -path '*.git*' -type f -exec sha256sum {} + | sort -k 2
}
each_command() {
    for command in "gate" "gate --json" "gate --message $scratch/message" "hooks status" "hooks doctor" \
        "hooks run pre-commit" "hooks run commit-msg $scratch/message" "hooks run prepare-commit-msg $scratch/copy" \
        "gate --range HEAD^..HEAD" "sota $kernel" "sota log"; do
        cp "$scratch/message" "$scratch/copy"
        # shellcheck disable=SC2086 # words on purpose
        fak $command >>"$scratch/said" 2>&1 </dev/null
    done
    echo "{\"tool_input\": {\"file_path\": \"$kernel\"}, \"cwd\": \"$PWD\"}" | fak hooks agent >>"$scratch/said" 2>&1
    sota-coverage --matrix "$root/sotadb/seed" >>"$scratch/said" 2>&1
}
# untouched NAME
untouched() {
    : >"$scratch/said"
    manners >"$scratch/before"
    each_command
    manners >"$scratch/after"
    check "$1: every command leaves .git as it is" diff "$scratch/before" "$scratch/after"
    check_has "$1: they did say something" "$(cat "$scratch/said")" "Prior-art: fused-attention"
    check_has "$1: sota-coverage too" "$(cat "$scratch/said")" sota_debt=
}
new_repo
untouched "loose objects"
git update-index --index-version 4 --split-index && git repack -qadf && git pack-refs --all && stage_change
untouched "packs, a split index of version 4"
new_repo --object-format=sha256
untouched "SHA-256"
new_repo
git commit -qm third && git sparse-checkout set --sparse-index engine && stage_change
untouched "a sparse index"
new_repo
git worktree add -q ../tree -b side && cd ../tree && stage_change
untouched "a linked worktree"
new_repo
git reset -q --hard && git config uploadpack.allowFilter true && cd .. && mv repo origin.git.d &&
    git clone -q --filter=blob:none --sparse "file://$PWD/origin.git.d" repo && cd repo &&
    git sparse-checkout set engine/kernels >/dev/null && stage_change
untouched "a partial and sparse clone"
new_repo
git replace HEAD "$(git commit-tree 'HEAD^{tree}' -p HEAD^ -m r)"
untouched "by git, where nothing else can"

# --- processes
if strace -f -o "$scratch/trace" true 2>/dev/null; then
    # started COMMAND...: programs that it starts, itself not counted
    started() {
        strace -f -qq -e trace=execve -e signal=none -o "$scratch/trace" "$@" >/dev/null 2>&1 </dev/null
        echo $(($(grep -c 'execve.* = 0' "$scratch/trace") - 1))
    }
    new_repo
    for stage in pre-commit "commit-msg $scratch/message" "prepare-commit-msg $scratch/copy"; do
        # shellcheck disable=SC2086 # words on purpose
        n=$(started fak hooks run $stage)
        [ "$n" -le 1 ] && tap_pass "advice by ${stage%% *} starts at most one program" ||
            tap_fail "advice by ${stage%% *} starts at most one program" "$n: $(cat "$scratch/trace")"
    done
    git reset -q --hard && echo 2 >README && git add README
    check_equal "silence starts none" "$(started fak hooks run commit-msg "$scratch/message")" 0
else
    tap_skip "how many programs a hook starts" "strace cannot trace here"
fi

# --- out of memory
# each_allocation NAME CODE FAIL_ON COMMAND...: for every n the n-th allocation fails (with FAIL_ON=1: and all behind
# it); the output is that of a run without, or nothing, one line on stderr and CODE.
each_allocation() {
    name=$1 code=$2 fail_on=$3 n=0 bad=
    shift 3
    cp "$scratch/message" "$scratch/copy"
    whole=$("$@" 2>/dev/null)
    cp "$scratch/copy" "$scratch/offered"
    while [ -z "$bad" ]; do
        n=$((n + 1))
        : >"$scratch/failed"
        cp "$scratch/message" "$scratch/copy"
        # shellcheck disable=SC2086 # none, or one word
        out=$(env FAIL_AT=$n $fail_on FAIL_LOG="$scratch/failed" LD_PRELOAD="$BIN/tests/failalloc.so" "$@" 2>"$scratch/err")
        got=$?
        [ -s "$scratch/failed" ] || break
        lines=$(wc -l <"$scratch/err")
        { [ $got -eq 0 ] && [ "$(field "$out")" = "$(field "$whole")" ] && [ "$lines" -le 1 ]; } ||
            { [ $got -eq "$code" ] && [ -z "$out" ] && [ "$lines" -eq 1 ]; } || bad="exit $got, $lines lines, '$out'"
        grep -q ': $' "$scratch/err" && bad="no reason given"
        cmp -s "$scratch/copy" "$scratch/message" || cmp -s "$scratch/copy" "$scratch/offered" || bad="half a message"
    done
    [ "$n" -gt 50 ] || bad="only $n allocations were met"
    [ -z "$bad" ] && tap_pass "$name: $n allocations" || tap_fail "$name" "allocation $n: $bad" "$(cat "$scratch/err")"
}
# The reader that answered may be another one.
field() { printf '%s' "$1" | grep -v '"reader"'; }
if nm -D "$BIN/fak" | grep -q asan; then
    tap_skip "memory that runs out" "the sanitizer has an allocator of its own"
else
    new_repo
    export GIT_EDITOR=vi
    manners >"$scratch/before"
    for on in "" FAIL_ON=1; do
        each_allocation "commit-msg $on" 0 "$on" fak hooks run commit-msg "$scratch/message"
        each_allocation "prepare-commit-msg $on" 0 "$on" fak hooks run prepare-commit-msg "$scratch/copy"
        each_allocation "fak gate $on" 2 "$on" fak gate
    done
    each_allocation "fak gate --json" 2 "" fak gate --json
    manners >"$scratch/after"
    check "nothing was written" diff "$scratch/before" "$scratch/after"
fi
tap_end
