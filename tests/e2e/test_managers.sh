# shellcheck shell=sh disable=SC2015,SC2016
# Hook managers, the real programs: pre-commit, prek and lefthook from build/deps/hook-tools (tools/fetch-hook-tools) or
# PATH, husky by its documented file layout. Whatever is installed, one advice a commit; what runs beside us still runs;
# uninstall leaves what the manager wrote.
. "$(dirname "$0")/tap.sh"
PATH=$root/build/deps/hook-tools/bin:$PATH
HOME=$scratch PRE_COMMIT_HOME=$scratch/pre-commit PREK_HOME=$scratch/prek
export HOME PRE_COMMIT_HOME PREK_HOME GIT_EDITOR=true
unset SKIP LEFTHOOK LEFTHOOK_EXCLUDE XDG_CACHE_HOME
kernel=engine/kernels/ref/attention.c
git config --file "$scratch/gitconfig" protocol.file.allow always
GIT_CONFIG_GLOBAL=$scratch/gitconfig

new_repo() {
    cd "$scratch" && rm -rf repo && git init -q repo && cd repo || exit 1
    mkdir -p engine/kernels/ref
    echo 'int a;' >$kernel
    echo one >README
    git add . && git commit -qm start
}
count=0
edit() { count=$((count + 1)); echo "int e$count;" >>$kernel; git add .; }
advices() { printf '%s\n' "$1" | grep -c 'fak: this'; }
# says NAME N COMMAND...: the commit is made, and N advices are printed
says() {
    said=$1 want=$2
    shift 2
    head=$(git rev-parse HEAD)
    out=$("$@" 2>&1)
    check_equal "$said: exit 0" $? 0
    check_equal "$said: advices" "$(advices "$out")" "$want"
    [ "$(git rev-parse HEAD)" != "$head" ] || tap_fail "$said: no commit was made" "$out"
}
# common NAME: what holds for every manager whose configuration calls us
common() {
    edit && says "$1: a kernel" 1 git commit -m x
    check_has "$1: with its link" "$out" "https://github.com/"
    edit && says "$1: with a trailer" 0 git commit -m x -m "Prior-art: fused-attention"
    echo two >>README && git add . && says "$1: another file" 0 git commit -m x
    edit && says "$1: SKIP=priorart" 0 env SKIP=priorart git commit -m x
    edit && says "$1: FAK_SKIP=1" 0 env FAK_SKIP=1 git commit -m x
    cp .git/hooks/commit-msg "$scratch/before"
    fak hooks install >"$scratch/log" 2>&1
    check_has "$1: install sees that it is there" "$(cat "$scratch/log")" "$1 calls fak"
    check "$1: and leaves its file alone" cmp .git/hooks/commit-msg "$scratch/before"
    edit && says "$1: installed beside it: still one" 1 git commit -m x
    check_has "$1: doctor names it" "$(fak hooks doctor --json)" "\"runner\": \"$1\""
    fak hooks uninstall >/dev/null
    check "$1: uninstall leaves it" cmp .git/hooks/commit-msg "$scratch/before"
}
# beside NAME: a manager that knows nothing of us, and our hook in front of its own; its entry writes $scratch/ran
beside() {
    cp .git/hooks/commit-msg "$scratch/before"
    fak hooks install >"$scratch/log" 2>&1
    check_has "$1 beside us: its own place is recommended" "$(cat "$scratch/log")" "$1 writes its hook files anew"
    rm -f "$scratch/ran"
    edit && says "$1 beside us: a kernel" 1 git commit -m x
    check "$1 beside us: its own entry ran" test -f "$scratch/ran"
    touch "$scratch/refuse"
    edit && git commit -qm x >/dev/null 2>&1
    check_equal "$1 beside us: its refusal stands" $? 1
    rm "$scratch/refuse"
    fak hooks uninstall >/dev/null
    check "$1 beside us: uninstall restores every byte" cmp .git/hooks/commit-msg "$scratch/before"
}
entry="touch $scratch/ran; test ! -e $scratch/refuse"

# --- pre-commit and prek: the entries of .pre-commit-hooks.yaml
git init -q "$scratch/fak" && cp "$root/.pre-commit-hooks.yaml" "$scratch/fak" && (cd "$scratch/fak" && git add . && git commit -qm x && git tag v1.0.0)
# Another hook, because prek calls it an error when SKIP leaves none.
nothing='- repo: local
  hooks: [{id: nothing, name: nothing, language: system, entry: "true", always_run: true, stages: [commit-msg, pre-commit]}]'
config() { { printf 'repos:\n- repo: %s/fak\n  rev: v1.0.0\n  hooks:\n' "$scratch"; for id in "$@"; do printf '  - id: %s\n' "$id"; done; printf '%s\n' "$nothing"; } >.pre-commit-config.yaml; git add . && git commit -qnm config; }
for manager in pre-commit prek; do
    command -v $manager >/dev/null || { tap_skip "all of $manager" "not installed (tools/fetch-hook-tools brings it)"; continue; }
    new_repo && config priorart && $manager install -t commit-msg >"$scratch/log" 2>&1
    common $manager
    new_repo && config priorart-staged && $manager install >"$scratch/log" 2>&1
    edit && says "$manager, staged alone" 1 git commit -m x
    new_repo && config priorart priorart-staged && $manager install -t commit-msg -t pre-commit >"$scratch/log" 2>&1
    edit && says "$manager, both entries: one advice" 1 git commit -m x
    check_has "$manager, both entries: the one that sees the message" "$out" "git commit --amend"
    edit && says "$manager, both entries, a trailer" 0 git commit -m x -m "Prior-art: fused-attention"
    new_repo
    printf 'repos:\n- repo: local\n  hooks:\n  - {id: other, name: other, language: system, entry: "sh -c '\''%s'\''", stages: [commit-msg], always_run: true}\n' "$entry" >.pre-commit-config.yaml
    git add . && git commit -qnm config && $manager install -t commit-msg >"$scratch/log" 2>&1
    beside $manager
done

# --- lefthook
if command -v lefthook >/dev/null; then
    new_repo
    printf 'commit-msg:\n  commands:\n    priorart:\n      run: fak hooks run commit-msg {1}\n' >lefthook.yml
    git add . && git commit -qnm config && lefthook install >"$scratch/log" 2>&1
    common lefthook
    new_repo
    printf 'pre-commit:\n  commands:\n    priorart:\n      run: fak hooks run pre-commit\n' >lefthook.yml
    git add . && git commit -qnm config && lefthook install >"$scratch/log" 2>&1
    edit && says "lefthook, pre-commit alone" 1 git commit -m x
    printf 'commit-msg:\n  commands:\n    priorart:\n      run: fak hooks run commit-msg {1}\n' >>lefthook.yml
    git add . && git commit -qnm config && lefthook install >"$scratch/log" 2>&1
    edit && says "lefthook, both: one advice" 1 git commit -m x
    new_repo
    printf 'commit-msg:\n  commands:\n    other:\n      run: %s\n' "$entry" >lefthook.yml
    git add . && git commit -qnm config && lefthook install >"$scratch/log" 2>&1
    beside lefthook
else
    tap_skip "all of lefthook" "not installed (tools/fetch-hook-tools brings it)"
fi

# --- husky 9: core.hooksPath is .husky/_, whose files are written anew at each `npm install` and call .husky/NAME
husky() {
    mkdir -p .husky/_ && git config core.hooksPath .husky/_
    printf '#!/usr/bin/env sh\nn=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\n[ ! -f "$s" ] && exit 0\nexport PATH="node_modules/.bin:$PATH"\nsh -e "$s" "$@"\nc=$?\n[ $c != 0 ] && echo "husky - $n script failed (code $c)"\nexit $c\n' >.husky/_/h
    for hook in pre-commit commit-msg prepare-commit-msg; do
        printf '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n' >.husky/_/$hook && chmod +x .husky/_/$hook
    done
}
new_repo && husky && echo 'fak hooks run commit-msg "$1"' >.husky/commit-msg
edit && says "husky, the entry of docs/hooks.md" 1 git commit -m x
edit && says "husky, a trailer" 0 git commit -m x -m "Prior-art: fused-attention"
echo 'fak hooks run pre-commit' >.husky/pre-commit
edit && says "husky, pre-commit too: one advice" 1 git commit -m x
cp .husky/commit-msg "$scratch/before"
fak hooks install >"$scratch/log"
edit && says "husky, installed beside it: still one" 1 git commit -m x
check_has "husky: doctor names it" "$(fak hooks doctor --json)" '"husky": true'
fak hooks uninstall >/dev/null
check "husky: uninstall leaves it" cmp .husky/commit-msg "$scratch/before"
new_repo && husky && echo "$entry" >.husky/commit-msg && cp .husky/commit-msg "$scratch/before"
fak hooks install >"$scratch/log" && rm -f "$scratch/ran"
edit && says "husky beside us" 1 git commit -m x
check "husky beside us: its own entry ran" test -f "$scratch/ran"
touch "$scratch/refuse" && edit && git commit -qm x >/dev/null 2>&1
check_equal "husky beside us: its refusal stands" $? 1
rm -f "$scratch/refuse" && fak hooks uninstall >/dev/null
check "husky beside us: uninstall restores every byte" cmp .husky/commit-msg "$scratch/before"
tap_end
