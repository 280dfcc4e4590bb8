# shellcheck shell=sh
# Hooks in git's configuration, which git runs itself since 2.54. GIT_254=PROGRAM names such a git (bin-wrappers/git of a
# build tree will do); without it and with an older git on PATH everything here is skipped.
. "$(dirname "$0")/tap.sh"
[ -z "${GIT_254:-}" ] || PATH=$(cd "$(dirname "$GIT_254")" && pwd):$PATH
version=$(git version 2>/dev/null | sed -n 's/^git version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
# shellcheck disable=SC2086 # two numbers
set -- ${version:-0 0}
if [ "$1" -lt 2 ] || { [ "$1" -eq 2 ] && [ "$2" -lt 54 ]; }; then
    tap_skip "hooks in git's configuration" "git $1.$2; 2.54 has them (GIT_254=PROGRAM names one)"
    tap_end
fi
export GIT_EDITOR=true
kernel=engine/kernels/ref/attention.c
new_repo() {
    cd "$scratch" && rm -rf repo tree && git init -q -b main repo && cd repo || exit 1
    mkdir -p engine/kernels/ref
    echo 'int a;' >$kernel
    git add . && git commit -qm start
    cp .git/config "$scratch/config"
    before=$(hooks)
}
hooks() { find .git/hooks -type f -exec sha256sum {} + | sort -k 2; }
count=0
edit() { count=$((count + 1)); echo "int e$count;" >>$kernel && git add .; }
# says NAME N COMMAND...: the commit is made, and N advices are printed
says() {
    said=$1 want=$2
    shift 2
    out=$("$@" 2>&1)
    check_equal "$said: exit 0" $? 0
    check_equal "$said: advices" "$(printf '%s\n' "$out" | grep -c 'fak: this')" "$want"
}

new_repo
out=$(fak hooks install)
check_equal "install: exit 0" $? 0
check_has "install says where" "$out" "installed, in git's configuration"
check_equal "no hook file is touched" "$(hooks)" "$before"
edit && says "git commit" 1 git commit -m x
edit && says "with a trailer" 0 git commit -m x -m "Prior-art: fused-attention"
edit && says "commit -a" 1 git commit -am x
edit && says "FAK_SKIP=1" 0 env FAK_SKIP=1 git commit -m x
edit && says "--no-verify" 0 git commit --no-verify -m x
cat >"$scratch/editor" <<'END'
#!/bin/sh
{ echo subject; sed 's/^# \(Prior-art: \)/\1/' "$1"; } >"$1.new" && mv "$1.new" "$1"
END
chmod +x "$scratch/editor"
edit && says "the offer is taken in the editor" 0 env GIT_EDITOR="$scratch/editor" git commit
check_has "it became a trailer" "$(git log -1 --format='%(trailers:key=Prior-art)')" "Prior-art: fused-attention"
git worktree add -q ../tree -b tree && cd ../tree && edit && says "a linked worktree" 1 git commit -m x
check_exit "status there: exit 0" 0 fak hooks status
cd ../repo || exit
check_has "git lists it" "$(git hook list commit-msg)" "fak-commit-msg"
check_exit "doctor: nothing wrong" 0 fak hooks doctor
fak hooks install >/dev/null
edit && says "installed again: once" 1 git commit -m x

# --- what is there beside it
echo 'fak hooks run commit-msg "$1"; touch '"$scratch/ran" >.git/hooks/commit-msg && chmod +x .git/hooks/commit-msg
edit && says "a file that calls us too: one advice" 1 git commit -m x
check "and it ran" test -f "$scratch/ran"
printf '#!/bin/sh\nfak hooks run pre-commit\n' >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
edit && says "a pre-commit that calls us too: one advice" 1 git commit -m x
rm .git/hooks/commit-msg .git/hooks/pre-commit
git config core.hooksPath "$scratch/nowhere"
edit && says "core.hooksPath that is not there" 1 git commit -m x
git config --unset core.hooksPath
git config hook.fak-commit-msg.enabled false
edit && says "hook.fak-commit-msg.enabled=false" 0 git commit -m x
check_has "doctor says so" "$(fak hooks doctor)" "switched off"
check_exit "status: exit 1" 1 fak hooks status
git config --unset hook.fak-commit-msg.enabled
git config hook.commit-msg.enabled false
edit && says "hook.commit-msg.enabled=false" 0 git commit -m x
check_has "doctor says that too" "$(fak hooks doctor)" "this event is switched off"
git config --remove-section hook.commit-msg
fak hooks uninstall >/dev/null
check "uninstall restores the configuration byte for byte" cmp .git/config "$scratch/config"
edit && says "and we are gone" 0 git commit -m x

# --- a program that is gone, names of any kind, files instead
new_repo
mkdir -p "$scratch/it's here" && cp -r "$BIN/fak" "$BIN/lib" "$scratch/it's here/" && "$scratch/it's here/fak" hooks install >/dev/null
edit && says "a program with blank and quote in its path" 1 git commit -m x
rm -rf "$scratch/it's here"
edit && says "a program that is gone is passed over" 0 git commit -m x
fak hooks uninstall >/dev/null
new_repo
fak hooks install --files >/dev/null
check "install --files writes files" test -x .git/hooks/commit-msg
check "and no configuration" cmp .git/config "$scratch/config"
edit && says "--files: a commit" 1 git commit -m x
fak hooks install >/dev/null
check_equal "install moves it to the configuration" "$(hooks)" "$before"
edit && says "moved: a commit" 1 git commit -m x
fak hooks uninstall >/dev/null
new_repo
printf '[a]\n\tb = c' >>.git/config && cp .git/config "$scratch/config"
fak hooks install >/dev/null
edit && says "a configuration without a last line end: files" 1 git commit -m x
fak hooks uninstall >/dev/null
check "it is as it was" cmp .git/config "$scratch/config"
check_equal "and so are the hooks" "$(hooks)" "$before"
tap_end
