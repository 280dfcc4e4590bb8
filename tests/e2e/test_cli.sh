#!/bin/sh
# The command table: help, man pages and completion for every row.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

fak help --names >"$scratch/names"
while IFS= read -r name; do
    help=$(fak help $name) || echo "fak help $name fails"
    case $help in *Usage*"fak $name"*Options*) ;; *) echo "fak help $name: no usage or options" ;; esac
    [ "$(fak $name --help)" = "$help" ] || echo "fak $name --help is another page"
    [ "$(fak $name -h 2>/dev/null)" = "$help" ] || echo "fak $name -h is another page"
    [ "$(printf '%s\n' "$help" | awk '{ if (length($0) > 80) print }' | grep -vc '^  [^ ].*  ')" -eq 0 ] || echo "fak help $name is wider than 80"
done <"$scratch/names" >"$scratch/bad" 2>&1
check_equal "every command explains itself, in three ways" "$(cat "$scratch/bad")" ""
check "there are commands" test "$(wc -l <"$scratch/names")" -ge 8

# --- man pages
if command -v mandoc >/dev/null; then
    fak help --man >"$scratch/fak.1"
    while IFS= read -r name; do fak help --man $name >"$scratch/fak-$(echo "$name" | tr ' ' '-').1"; done <"$scratch/names"
    # a page refers to others that are not installed while testing
    check_equal "mandoc has nothing to say about any page" "$(mandoc -Tlint -W warning "$scratch"/fak*.1 2>&1)" ""
    page=$(mandoc -Tascii "$scratch/fak-sota.1" | sed 's/.\x08//g')
    check_has "a page has its options" "$page" "--json"
    check_has "a page has its commands" "$page" "fak-sota-list(1)"
    check_lacks "no roff is left" "$page" "\\"
else
    tap_skip "mandoc has nothing to say about any page" "mandoc is not installed"
fi

# --- the program itself
check_has "--help lists the commands" "$(fak --help)" "sota"
check_equal "-h is --help" "$(fak -h)" "$(fak --help)"
check_equal "no argument is --help" "$(fak)" "$(fak --help)"
check_has "--version" "$(fak --version)" "fak 0."
check_exit "an unknown command: 2" 2 fak sotta
check_has "an unknown command is suggested" "$(fak sotta 2>&1)" "did you mean 'sota'"
check_exit "an unknown option of the program: 2" 2 fak --nothing
check_exit "help on an unknown command: 2" 2 fak help sotta
check_exit "the name of a command within one, as one word: 2" 2 fak "sota list"
check_has "help on a command within a command" "$(fak help sota list)" "fak sota list"
check_has "help shows what is within" "$(fak help sota)" "sota milestones"
check_exit "-- ends the options" 2 fak sota -- --help
check_exit "a full disk: 1" 1 sh -c 'fak --help >/dev/full'

# --- completion, run in the shells themselves
# complete WORD...: what bash offers for the last word
complete_bash() {
    bash -c '
        eval "$(fak completion bash)"
        COMP_WORDS=(fak "$@") COMP_CWORD=$#
        _fak
        printf "%s\n" "${COMPREPLY[@]}" | sort -u' bash "$@" 2>&1
}
check "the bash script parses" sh -c 'fak completion bash | bash -n'
check_has "bash: commands" "$(complete_bash '')" "sota"
check_equal "bash: a command's start" "$(complete_bash compl)" "completion"
check_has "bash: commands within" "$(complete_bash sota mile)" "milestones"
check_has "bash: operations" "$(complete_bash sota fused)" "fused-attention"
check_has "bash: operations of a command within" "$(complete_bash sota bench awq)" "awq-gemm"
check_equal "bash: axes" "$(complete_bash sota milestones att)" "attention"
check_has "bash: options" "$(complete_bash sota list --)" "--json"
check_has "bash: a word after an option" "$(complete_bash sota --json li)" "list"
check_has "bash: files" "$(complete_bash sota Make)" "Makefile"
check_has "bash: shells" "$(complete_bash completion '')" "zsh"
check_equal "bash: a number is not guessed" "$(complete_bash sota issue awq-gemm --post '')" ""
# zsh's own helpers print what they are given
complete_zsh() {
    zsh -f -c '
        compdef() { :; }
        compadd() { if [ "$1" = -a ]; then print -l -- ${(P)2}; else shift; print -l -- $@; fi; }
        _describe() { print -l -- ${(P)2}; }
        _files() { print FILES; }
        eval "$(fak completion zsh)"
        words=(fak "$@") CURRENT=$(($# + 1))
        _fak' zsh "$@" 2>&1
}
if command -v zsh >/dev/null; then
    check "the zsh script parses" sh -c 'fak completion zsh | zsh -n'
    check_has "zsh: commands, with what they do" "$(complete_zsh '')" "sota:look up the prior art"
    check_has "zsh: commands within" "$(complete_zsh sota '')" "milestones:show where"
    check_has "zsh: operations" "$(complete_zsh sota '')" "fused-attention"
    check_has "zsh: files" "$(complete_zsh sota '')" "FILES"
    check_has "zsh: axes" "$(complete_zsh sota milestones '')" "speculative-decoding"
    check_has "zsh: options" "$(complete_zsh sota list --)" "--json:write JSON"
    check_equal "zsh: a number is not guessed" "$(complete_zsh sota issue awq-gemm --post '')" ""
else
    tap_skip "the zsh script parses and completes" "zsh is not installed"
fi
check_exit "another shell: 2" 2 fak completion tcsh
tap_end
