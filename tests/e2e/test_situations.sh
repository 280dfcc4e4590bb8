# shellcheck shell=sh disable=SC2015,SC2016
# The situations of a git repository in which a commit is made, with the hooks installed and git itself at work: what each
# has to hear. test_hooks.sh has the plain ways to commit, the editor and the installation.
. "$(dirname "$0")/tap.sh"
echo leak:libpcre2 >"$scratch/lsan"
export LSAN_OPTIONS="suppressions=$scratch/lsan:print_suppressions=0"
command -v git >/dev/null || { tap_skip "all situations" "no git"; tap_end; }
export GIT_EDITOR=true GIT_SEQUENCE_EDITOR=true
git config --file "$scratch/gitconfig" advice.detachedHead false
GIT_CONFIG_GLOBAL=$scratch/gitconfig
kernel=engine/kernels/ref/attention.c
trailer="Prior-art: fused-attention"

new_repo() {
    cd "$scratch" && rm -rf repo && git init -q -b main repo && cd repo || exit 1
    mkdir -p engine/kernels/ref sub
    printf 'int a;\nint b;\nint c;\nint d;\nint e;\n' >$kernel
    echo one >README
    git add . && git commit -qm start && fak hooks install >/dev/null
}
at=. # where the repository is
count=0
edit() { count=$((count + 1)); echo "int n$count;" >>$kernel; }
advices() { printf '%s\n' "$1" | grep -c '^fak: this'; }
# says NAME N COMMAND...: a commit is made, and N advices are printed
says() {
    said=$1 want=$2
    shift 2
    head=$(cd "$at" && git rev-parse -q --verify HEAD)
    out=$("$@" 2>&1)
    check_equal "$said: exit 0" $? 0
    check_equal "$said: advices" "$(advices "$out")" "$want"
    [ "$(cd "$at" && git rev-parse HEAD)" != "$head" ] || tap_fail "$said: no commit was made" "$out"
}

# --- where the message comes from
new_repo
printf 'subject\n\nbody\n' >"$scratch/plain"
printf 'subject\n\nbody\n\n%s\n' "$trailer" >"$scratch/stamped"
edit && git add . && says "-F without a trailer" 1 git commit -F "$scratch/plain"
edit && git add . && says "-F with one" 0 git commit -F "$scratch/stamped"
edit && git add . && says "-F - with one" 0 sh -c 'git commit -F - <"$0"' "$scratch/stamped"
edit && git add . && says "-C of a commit with one" 0 git commit -C HEAD
edit && git add . && says "-c in the editor" 0 git commit -c HEAD
edit && git add . && says "--reuse-message of a commit without" 1 git commit -C HEAD~4
printf '# a template\n' >"$scratch/template"
cat >"$scratch/editor" <<'END'
#!/bin/sh
cp "$1" "$SEEN"
{ echo subject; sed 's/^# \(Prior-art: \)/\1/' "$1"; } >"$1.new" && mv "$1.new" "$1"
END
chmod +x "$scratch/editor"
export SEEN="$scratch/seen"
edit && git add . && says "-t: the offer joins the template" 0 env GIT_EDITOR="$scratch/editor" git commit -t "$scratch/template"
check_has "-t: both were there" "$(tr '\n' ' ' <"$SEEN")" "# $trailer"
edit && git add . && says "commit.template" 0 env GIT_EDITOR="$scratch/editor" git -c commit.template="$scratch/template" commit
edit && git add . && says "commit.verbose" 0 env GIT_EDITOR="$scratch/editor" git -c commit.verbose=true commit
check_has "commit.verbose: it became a trailer" "$(git log -1 --format='%(trailers:key=Prior-art)')" "$trailer"
edit && git add . && says "-m and the editor (-e)" 1 git commit -e -m x
edit && git add . && says "-m twice, the last one the trailer" 0 git commit -m x -m "$trailer"
edit && git add . && says "--cleanup=verbatim" 0 git commit --cleanup=verbatim -m "x

$trailer"
edit && git add . && says "--cleanup=scissors -e" 0 git commit --cleanup=scissors -e -F "$scratch/stamped"
edit && git add . && says "a message in Latin-1" 1 git -c i18n.commitEncoding=ISO-8859-1 commit -m "$(printf 'caf\351')"
edit && git add . && before=$(git rev-parse HEAD)
out=$(git commit -m '' 2>&1)
check_equal "an empty message is refused by git: nothing is said" "$? $(advices "$out")" "1 0"
out=$(git commit 2>&1)
check_equal "nor when the editor leaves comments alone" "$? $(advices "$out")" "1 0"
says "with --allow-empty-message there is nothing to stamp" 0 git commit --allow-empty-message -m ''
edit && git add . && before=$(git rev-parse HEAD)
out=$(git commit --dry-run 2>&1)
check_equal "--dry-run: nothing is said" "$(advices "$out")" 0
check_equal "and nothing was committed" "$(git rev-parse HEAD)" "$before"

# --- what is committed
new_repo
edit && echo two >>README && git add README && says "-- another path, with a kernel edited beside it" 0 git commit -m x -- README
git add . && says "then the kernel" 1 git commit -m x
edit && git add . && echo three >>README && git add README && says "--only another file, the kernel staged" 0 git commit -m x --only README
says "the kernel that stayed staged" 1 git commit -m x
edit && echo four >>README && says "-i adds the kernel" 1 git commit -i -m x $kernel
git mv $kernel engine/kernels/ref/attention_b.c && says "a move within the row" 1 git commit -m x
git mv engine/kernels/ref/attention_b.c sub/other.c && says "a move out of the row" 1 git commit -m x
git mv sub/other.c $kernel && says "a move into the row" 1 git commit -m x
git rm -q $kernel && says "a deletion" 1 git commit -m x
git checkout -q HEAD~1 -- $kernel && says "it comes back" 1 git commit -m x
printf '// why\nint a;\n\n' >$kernel && git add . && git commit -qnm code
printf '// why not\nint  a ;\n' >$kernel && git add . && says "comments and blanks alone" 0 git commit -m x
printf '// why not\r\nint  a ;\r\n' >$kernel && git add . && says "line ends alone" 0 git -c core.autocrlf=false commit -m x
mkdir -p engine/kernels/ref/tests && echo 'int t;' >engine/kernels/ref/tests/attention.c && git add . && says "a test" 0 git commit -m x
printf '/* Code generated by gen.py. DO NOT EDIT. */\nint g;\n' >engine/kernels/ref/attention_gen.c && git add . && says "a generated file" 0 git commit -m x
chmod +x $kernel && git add . && says "the mode alone" 0 git commit -m x
echo 'int n;' >engine/kernels/ref/attention_n.c && git add -N . && echo five >>README && says "add -N beside another file, -a leaves it out of no commit" 1 git commit -am x
printf 'int k;\n' >"engine/kernels/ref/attention k.c" && git add . && says "a name with a blank" 1 git commit -m x

# --- amending
new_repo
edit && git commit -qanm x && says "--amend -m without a trailer" 1 git commit --amend -m y
says "--amend --no-edit -s" 1 git commit --amend --no-edit -s
says "--amend --trailer, as the advice says" 0 git commit --amend --no-edit --trailer "$trailer"
echo two >>README && git add . && says "--amend with another file: the commit has its trailer" 0 git commit --amend --no-edit
git commit -qnm z --allow-empty && says "--amend of an empty commit" 0 git commit --amend --allow-empty -m w
sleep 1
says "--allow-empty on top of a kernel commit" 0 git commit --allow-empty -m empty
edit && git add . && says "fixup!" 0 git commit --fixup HEAD~2
edit && git add . && says "fixup=amend:" 0 git commit --fixup=amend:HEAD~3
edit && git add . && says "squash!" 0 git commit --squash HEAD~4 -m y
git commit -qanm stamped -m "$trailer" --allow-empty
says "--fixup=reword:" 0 git commit --fixup=reword:HEAD

# --- merging
new_repo
git checkout -q -b side && sed -i 's/int a;/int A;/' $kernel && git commit -qanm theirs
git checkout -q main && sed -i 's/int e;/int E;/' $kernel && git commit -qanm ours
says "a merge of two kernel edits, without conflict" 1 git merge --no-edit side
git reset -q --hard HEAD~1
says "a merge that only takes theirs" 0 sh -c 'git reset -q --hard HEAD~1; echo two >README; git commit -qanm r; git merge --no-edit side'
git checkout -q -b clash HEAD~2 2>/dev/null || git checkout -q -b clash "$(git rev-list --max-parents=0 HEAD)"
sed -i 's/int a;/int Z;/' $kernel && git commit -qanm clash
git merge side >/dev/null 2>&1
printf 'int both;\nint b;\nint c;\nint d;\nint e;\n' >$kernel && git add . && says "a conflict resolved by hand" 1 git commit --no-edit
says "--amend of that merge" 1 git commit --amend -m merged
says "--amend of it with the trailer" 0 git commit --amend -m merged -m "$trailer"
git checkout -q -b squash main~1 2>/dev/null || git checkout -q -b squash "$(git rev-list --max-parents=0 HEAD)"
git merge --squash side >/dev/null 2>&1 && says "merge --squash, then commit" 1 git commit --no-edit
for branch in o1 o2; do git checkout -q -b $branch squash && echo $branch >$branch && git add . && git commit -qnm $branch; done
git checkout -q -b o3 squash && edit && git commit -qanm o3 && git checkout -q squash && echo x >x && git add . && git commit -qnm x
says "an octopus" 0 git merge --no-edit o1 o2 o3
git checkout -q main && git merge --no-commit --no-ff o3 >/dev/null 2>&1
edit && git add . && says "a merge with a kernel edited in it" 1 git commit --no-edit

# --- history that is written again: git runs no commit-msg there, but where it opens an editor or stops
new_repo
git checkout -q -b side && edit && git commit -qanm "kernel" && edit && git commit -qanm "stamped" -m "$trailer" && git checkout -q main
echo two >>README && git commit -qanm readme
says "cherry-pick" 0 git cherry-pick side~1
says "revert of a commit without a trailer" 0 git revert --no-edit HEAD
git cherry-pick side~1 side >/dev/null 2>&1
git checkout -q side && says "rebase" 0 git rebase main~1
out=$(GIT_SEQUENCE_EDITOR='sed -i 1s/pick/reword/' git rebase -i HEAD~2 2>&1)
check_equal "rebase -i with a reword: the message is being written" "$? $(printf '%s' "$out" | grep -c 'fak: this')" "0 1"
git checkout -q -b am main~1 2>/dev/null && git format-patch -q -1 --stdout side >"$scratch/patch"
out=$(git am "$scratch/patch" 2>&1)
check_equal "am" "$(advices "$out")" 0
git am --abort 2>/dev/null

# --- where the repository lies
new_repo
cd sub && edit() { count=$((count + 1)); echo "int n$count;" >>"$scratch/repo/$kernel"; }
edit && says "from a folder below" 1 git commit -am x
at=$scratch/repo && cd / && edit && says "git -C" 1 git -C "$scratch/repo" commit -am x
edit && says "GIT_DIR and GIT_WORK_TREE" 1 env GIT_DIR="$scratch/repo/.git" GIT_WORK_TREE="$scratch/repo" git commit -am x
at=. && cd "$scratch/repo" && cp .git/index "$scratch/index" && edit
says "GIT_INDEX_FILE" 1 sh -c 'GIT_INDEX_FILE=$0 git add . && GIT_INDEX_FILE=$0 git commit -m x' "$scratch/index"
git reset -q && git checkout -q --detach && edit && says "a detached HEAD" 1 git commit -am x
git checkout -q --orphan fresh && says "an orphan branch" 1 git commit -m x
git checkout -q main
git clone -q --depth 1 "file://$scratch/repo" "$scratch/shallow" 2>/dev/null && cd "$scratch/shallow" && fak hooks install >/dev/null
echo 'int s;' >>$kernel && says "a shallow clone" 1 git commit -am x
says "--amend at the edge of it" 1 git commit --amend -m y
cd "$scratch/repo" && git update-index --split-index && edit && says "a split index" 1 git commit -am x
git update-index --no-split-index && git config core.fsmonitor false && git config core.untrackedCache true && git update-index --untracked-cache 2>/dev/null
edit && says "an untracked cache" 1 git commit -am x
git update-index --index-version 4 && edit && says "an index of version 4" 1 git commit -am x
git gc -q 2>/dev/null; edit && says "everything packed" 1 git commit -am x
rm -f .git/index.lock && edit && git add . && touch "$scratch/lock" && says "a lock of someone else's elsewhere" 1 git commit -m x
tap_end
