# shellcheck shell=sh disable=SC2015,SC2016,SC2086 # $hooks is a word without blanks
# Real commits through installed hooks: one advice a commit, at the right moment, and never in the way; install and
# uninstall that leave what was there byte for byte.
. "$(dirname "$0")/tap.sh"
# libgit2 1.5 loses the memory of its regular expressions when it reads a configuration.
echo leak:libpcre2 >"$scratch/lsan"
export LSAN_OPTIONS="suppressions=$scratch/lsan:print_suppressions=0"
command -v git >/dev/null || { tap_skip "all of fak hooks" "no git"; tap_end; }
export GIT_EDITOR=true
kernel=engine/kernels/ref/attention.c
trailer="Prior-art: fused-attention"

new_repo() {
    cd "$scratch" && rm -rf repo && git init -q repo && cd repo || exit 1
    mkdir -p engine/kernels/ref
    echo 'int a;' >$kernel
    echo one >README
    git add . && git commit -qm start
}
count=0
edit() { count=$((count + 1)); echo "int e$count;" >>$kernel; }
advices() { printf '%s\n' "$1" | grep -c '^fak: this'; }
# speaks NAME COMMAND...: the commit is made and advice is printed exactly once
speaks() {
    said=$1; shift
    head=$(git rev-parse -q --verify HEAD)
    out=$("$@" 2>&1)
    check_equal "$said: exit 0" $? 0
    check_equal "$said: one advice" "$(advices "$out")" 1
    [ "$(git rev-parse HEAD)" != "$head" ] || tap_fail "$said: no commit was made" "$out"
}
# quiet NAME COMMAND...: the commit is made and we say nothing
quiet() {
    said=$1; shift
    out=$("$@" 2>&1)
    check_equal "$said: exit 0" $? 0
    check_lacks "$said: silent" "$out" "fak"
}

# --- every way to commit
new_repo && fak hooks install >/dev/null
edit && git add .
speaks "git commit -m" git commit -m x
check_has "the reference has its link" "$out" "https://github.com/"
check_has "the last line of advice stamps the commit" "$out" "git commit --amend --no-edit --trailer '$trailer"
command=$(printf '%s\n' "$out" | grep '^git commit --amend')
quiet "the printed command" sh -c "$command"
check_has "it stamped the commit" "$(git log -1 --format='%(trailers:key=Prior-art)')" "$trailer"
edit
speaks "H1: git commit -a (pre-commit#3395)" git commit -am x
edit && echo two >>README && git add README
speaks "git commit -- path" git commit -m x -- $kernel
quiet "the rest of it" git commit -m x
edit && git add .
quiet "with a trailer" git commit -m x -m "$trailer"
edit && git add .
quiet "with free text" git commit -m x -m "Prior-art: FlashInfer's merge of partial softmax states"
edit && git add .
quiet "git commit --trailer" git commit -m x --trailer "$trailer"
edit && git add .
speaks "the wrong trailer" git commit -m x -m "Prior-art: rope"
check_has "it is diagnosed" "$out" 'names `rope`'
speaks "--amend of the message alone" git commit --amend -m y
edit && git add .
speaks "--amend with more in it" git commit --amend -m z
sleep 1 # an empty commit in the same second as the last one cannot be told from --amend
quiet "--allow-empty" git commit --allow-empty -m empty
edit && git add .
quiet "--fixup" git commit --fixup HEAD
edit && git add .
quiet "--squash" git commit --squash HEAD -m x
echo three >>README
quiet "another file" git commit -am x
echo 'int n;' >engine/kernels/ref/attention_n.c && git add -N engine/kernels/ref/attention_n.c
echo four >>README && git add README
quiet "add -N" git commit -m x
git reset -q && rm engine/kernels/ref/attention_n.c
edit && git add .
quiet "--no-verify" git commit --no-verify -m x
edit && git add .
quiet "FAK_SKIP=1" env FAK_SKIP=1 git commit -m x
edit && git add .
quiet "git -c fak.priorart=false" git -c fak.priorart=false commit -m x
edit && git add .
speaks "after all that" git commit -m x

# --- merges
new_repo && fak hooks install >/dev/null
main=$(git symbolic-ref --short HEAD)
git checkout -q -b side && edit && git commit -qnam theirs && git checkout -q "$main"
echo two >>README && git commit -qam ours
quiet "a merge without conflict" git merge --no-edit side
git checkout -q -b other HEAD^ && edit && git commit -qnam other && git checkout -q "$main"
git merge other >/dev/null 2>&1
printf 'int merged;\n' >$kernel && git add .
speaks "a conflict resolved by hand" git commit --no-edit
git checkout -q -b third HEAD^ && edit && git commit -qnam third && git checkout -q "$main"
git merge third >/dev/null 2>&1
git checkout -q --ours $kernel && git add .
quiet "a conflict resolved as ours" git commit --no-edit

# --- the first commit, worktrees, submodules
cd "$scratch" && rm -rf first && git init -q first && cd first && fak hooks install >/dev/null
mkdir -p engine/kernels/ref && edit && git add .
speaks "the first commit" git commit -m first
speaks "--amend of the first commit" git commit --amend -m second
git worktree add -q "$scratch/tree" -b tree 2>/dev/null && cd "$scratch/tree" && edit
speaks "a linked worktree" git commit -am x
new_repo && git -c protocol.file.allow=always submodule --quiet add "$scratch/first" sub && git commit -qm sub
cd sub && fak hooks install >/dev/null && edit
speaks "a submodule" git commit -am x
cd .. && git add sub && fak hooks install >/dev/null
quiet "its new commit in the repository above" git commit -m x
rm -rf "$scratch/tree" "$scratch/first"

# --- the editor
new_repo && fak hooks install >/dev/null
cat >"$scratch/editor" <<'END'
#!/bin/sh
cp "$1" "$SEEN"
case $DO in
write) { echo subject; cat "$1"; } >"$1.new" && mv "$1.new" "$1" ;;
take) { echo subject; sed 's/^[#;] \(Prior-art: \)/\1/' "$1"; } >"$1.new" && mv "$1.new" "$1" ;;
uncomment) sed 's/^# \(Prior-art: \)/\1/' "$1" >"$1.new" && mv "$1.new" "$1" ;;
esac
END
chmod +x "$scratch/editor"
export GIT_EDITOR="$scratch/editor" SEEN="$scratch/seen" DO=take
edit && git add .
quiet "the offer is taken in the editor" git commit
check_has "it was offered as a comment" "$(cat "$SEEN")" "# $trailer"
check_has "it became a trailer" "$(git log -1 --format='%(trailers:key=Prior-art)')" "$trailer"
check_equal "the subject is alone" "$(git log -1 --format=%s)" subject
edit && git add .
quiet "taken with --verbose" git commit -v
check_has "verbose: it became a trailer" "$(git log -1 --format='%(trailers:key=Prior-art)')" "$trailer"
edit && git add .
quiet "taken with --signoff" git commit -s
check_equal "signoff: two trailers" "$(git log -1 --format='%(trailers)' | grep -c .)" 2
git config core.commentChar ';'
edit && git add .
quiet "taken with another comment character" git commit
check_has "comment character: it became a trailer" "$(git log -1 --format='%(trailers:key=Prior-art)')" "$trailer"
git config --unset core.commentChar
export DO=write
edit && git add .
speaks "the offer is left" git commit
check_equal "then one line is enough" "$(printf '%s\n' "$out" | grep -c 'fak\|Prior-art')" 1
check_lacks "nothing of ours is in the message" "$(git log -1 --format=%B)" fak
export DO=uncomment
quiet "--amend takes the offer" git commit --amend
check_has "--amend: it became a trailer" "$(git log -1 --format='%(trailers:key=Prior-art)')" "$trailer"
quiet "--amend with a trailer offers nothing" git commit --amend
check_lacks "nothing is offered" "$(cat "$SEEN")" "fak:"
export DO=write
edit && git add . && : >"$SEEN"
speaks "commit.cleanup=scissors" git -c commit.cleanup=scissors commit
check_lacks "where comments are kept, nothing is offered" "$(cat "$SEEN")" "fak:"
edit && git add .
speaks "commit.cleanup=whitespace" git -c commit.cleanup=whitespace commit
check_lacks "nor there" "$(cat "$SEEN")" "fak:"
for mode in whitespace verbatim scissors; do
    edit && git add . && : >"$SEEN"
    speaks "--cleanup=$mode" git commit --cleanup=$mode
    check_lacks "--cleanup=$mode: nothing of ours is in the message" "$(cat "$SEEN"; git log -1 --format=%B)" "fak:"
done
edit && git add .
speaks "-m offers nothing in a file" git commit -m x
export GIT_EDITOR=true

# --- pre-commit, for runners that have no other stage
new_repo
edit && git add .
out=$(fak hooks run pre-commit 2>&1)
check_equal "pre-commit alone: one line" "$(printf '%s\n' "$out" | wc -l)" 1
check_has "pre-commit alone: with the link and the trailer" "$out" "https://github.com/"
fak hooks install >/dev/null
printf '#!/bin/sh\nfak hooks run pre-commit\n' >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
speaks "pre-commit and commit-msg: one advice" git commit -m x

# --- install, uninstall
listing() { (cd "$1" && find . ! -type d -exec ls -ln --time-style=+ {} + && find . -type f -exec sha256sum {} + | sort -k 2); }
# round NAME: with $hooks as it is, install keeps the hook's exit code, arguments and input; uninstall restores
round() {
    before=$(listing "$hooks")
    fak hooks install >"$scratch/log" 2>&1
    check_equal "$1: install" $? 0
    fak hooks install >/dev/null 2>&1
    edit && git add .
    rm -f "$scratch/ran"
    speaks "$1: a commit" git commit -m x
    check_equal "$1: the old hook ran, with its argument" "$(cat "$scratch/ran" 2>/dev/null)" ".git/COMMIT_EDITMSG"
    echo fail >"$scratch/verdict"
    edit && git add .
    git commit -m x >/dev/null 2>&1
    check_equal "$1: the old hook still refuses" $? 1
    rm "$scratch/verdict"
    git reset -q --hard
    message=$scratch/message; echo s >"$message"
    echo input | "$hooks/commit-msg" "$message" >/dev/null 2>&1
    check_equal "$1: its input is its own" "$(cat "$scratch/input" 2>/dev/null)" input
    fak hooks uninstall >/dev/null
    check_equal "$1: uninstall restores every byte" "$(listing "$hooks")" "$before"
    quiet "$1: and we are gone" git commit --allow-empty -m x
}
body() { printf 'echo "$1" >%s/ran\n[ -t 0 ] || cat >%s/input\n[ ! -e %s/verdict ] || exit 7\n' "$scratch" "$scratch" "$scratch"; }
new_repo && hooks=.git/hooks
{ echo '#!/bin/sh'; body; } >$hooks/commit-msg && chmod 751 $hooks/commit-msg
round "a shell script"
{ echo '#!/usr/bin/env -S bash -eu'; body; printf 'true'; } >$hooks/commit-msg && chmod 755 $hooks/commit-msg
command -v bash >/dev/null && round "a bash script without a last line end"
body >$hooks/commit-msg && chmod 755 $hooks/commit-msg
round "a script without #!"
{ echo '#!/bin/sh'; body; } >"$scratch/shared" && chmod 755 "$scratch/shared" && rm $hooks/commit-msg && ln -s "$scratch/shared" $hooks/commit-msg
round "an absolute symbolic link"
mkdir -p scripts && cp "$scratch/shared" scripts/hook && rm $hooks/commit-msg && ln -s ../../scripts/hook $hooks/commit-msg && git add scripts && git commit -qm scripts
round "a relative symbolic link"
rm $hooks/commit-msg && { echo '#!/bin/sh'; echo '# fak-hooks'; body; echo 'echo "x" >/dev/null # fak-hooks'; echo '# fak hooks run commit-msg "$1"'; } >$hooks/commit-msg && chmod 755 $hooks/commit-msg
round "a script with our mark, and a call of ours that is commented out"
printf '#!/bin/sh\n' >$hooks/commit-msg && before=$(listing $hooks)
fak hooks install >/dev/null && fak hooks install >/dev/null && edit && git add .
speaks "a script of one line" git commit -m x
fak hooks uninstall >/dev/null
check_equal "a script of one line: uninstall restores it" "$(listing $hooks)" "$before"
if command -v python3 >/dev/null; then
    rm $hooks/commit-msg
    cat >$hooks/commit-msg <<END
#!/usr/bin/env python3
import os, sys
open("$scratch/ran", "w").write(sys.argv[1] + "\n")
if not sys.stdin.isatty(): open("$scratch/input", "w").write(sys.stdin.read())
sys.exit(7 if os.path.exists("$scratch/verdict") else 0)
END
    chmod 755 $hooks/commit-msg
    round "a Python script"
fi
rm -f $hooks/commit-msg && { echo '#!/bin/sh'; echo 'exit 1'; } >$hooks/commit-msg && chmod 644 $hooks/commit-msg
before=$(listing $hooks)
fak hooks install >/dev/null && edit && git add .
speaks "a hook that may not run does not run now either" git commit -m x
fak hooks uninstall >/dev/null
check_equal "and is as it was" "$(listing $hooks)" "$before"

# --- where hooks live
new_repo && mkdir "$scratch/global" && git config core.hooksPath "$scratch/global" && hooks=$scratch/global
{ echo '#!/bin/sh'; body; } >"$hooks/commit-msg" && chmod 755 "$hooks/commit-msg"
round "H6: core.hooksPath (husky#391)"
new_repo && git config --file "$scratch/gitconfig" core.hooksPath "$scratch/global"
check_has "a global core.hooksPath is named as such" "$(GIT_CONFIG_GLOBAL=$scratch/gitconfig fak hooks status)" "hooks of all your repositories (core.hooksPath): $scratch/global"
check_has "an ordinary place too" "$(fak hooks status)" "hooks of this repository: $scratch/repo/.git/hooks"
new_repo && git worktree add -q "$scratch/tree" -b tree 2>/dev/null && cd "$scratch/tree" && fak hooks install >/dev/null && edit
speaks "H7: installed from a linked worktree (lefthook#901)" git commit -am x
cd "$scratch/repo" && git config extensions.worktreeConfig true && cd "$scratch/tree" && git config --worktree core.hooksPath "$scratch/missing/hooks"
fak hooks install --files >/dev/null && edit
speaks "H7: core.hooksPath of a worktree that is not there" git commit -am x
check "it was made there" test -x "$scratch/missing/hooks/commit-msg"
new_repo && rm -rf .git/hooks && fak hooks install >/dev/null && edit
speaks "without a hooks folder" git commit -am x
new_repo && mkdir -p .husky/_ && git config core.hooksPath .husky/_
printf '#!/bin/sh\nn=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\n[ ! -f "$s" ] && exit 0\nsh -e "$s" "$@"\n' >.husky/_/h
printf '#!/bin/sh\n. "$(dirname "$0")/h"\n' >.husky/_/commit-msg && chmod +x .husky/_/commit-msg
before=$(listing .husky)
fak hooks install --files >/dev/null && edit
speaks "H6: husky" git commit -am x
check "husky: in the user's folder" test -f .husky/commit-msg
fak hooks uninstall >/dev/null
check_equal "husky: uninstall restores" "$(listing .husky)" "$before"
new_repo && mkdir .githooks build && cp "$root"/.githooks/* .githooks/ && git config core.hooksPath .githooks
edit
quiet "our own .githooks before make" git commit -am x
rm -rf build && ln -s "$BIN" build && edit
speaks "our own .githooks" git commit -am x
check_has "fak hooks status knows them" "$(fak hooks status)" "the hook that is there calls fak"
before=$(listing .githooks)
fak hooks install >/dev/null && edit
speaks "installed over them: still one advice" git commit -am x
check_equal "and they are as they were" "$(listing .githooks)" "$before"
new_repo && mkdir "$scratch/moved" && cp -r "$BIN/fak" "$BIN/lib" "$scratch/moved/" && "$scratch/moved/fak" hooks install >/dev/null && rm -r "$scratch/moved" && edit && git add .
check_has "pre-commit speaks where commit-msg calls a program that is gone" "$(fak hooks run pre-commit 2>&1)" "fak"
new_repo
check_exit "status: exit 1 where nothing fires" 1 fak hooks status
fak hooks install >/dev/null
check_exit "status: exit 0 where it does" 0 fak hooks status
check_exit "no command: exit 2" 2 fak hooks
cd "$scratch" && mkdir -p nothing && cd nothing && GIT_CEILING_DIRECTORIES=$scratch && export GIT_CEILING_DIRECTORIES
check_exit "no repository: exit 1" 1 fak hooks install
tap_end
