#!/bin/sh
# make install: what lands below DESTDIR and PREFIX works from there, and make uninstall takes all of it away.
. "$(dirname "$0")/tap.sh"
to=$scratch/root
install_into() { (cd "$root" && BIN=$BIN DESTDIR=$to PREFIX=/usr sh tools/install "$@"); }

check "install" install_into
check "install over an installation" install_into
PATH=$to/usr/bin:/usr/bin:/bin
cd "$scratch" || exit 1
check_equal "it is the installed one" "$(command -v fak)" "$to/usr/bin/fak"
check "a look-up" fak sota rope
check "a module, and the model that comes with it" fak run -n 4
check_has "sota-coverage" "$(sota-coverage --help 2>&1)" "sota-coverage"
for page in fak.1 fak-run.1 fak-sota-list.1; do
    check "man page $page" grep -q '^\.Dd' "$to/usr/share/man/man1/$page"
done
check "bash completion" bash -n "$to/usr/share/bash-completion/completions/fak"
check "zsh completion" test -s "$to/usr/share/zsh/site-functions/_fak"
check "no file of the build tree is referred to" sh -c "! grep -rlF '$root/' '$to/usr/bin' '$to/usr/share'"

check "uninstall" install_into --remove
check_equal "uninstall leaves no file" "$(find "$to" ! -type d)" ""
tap_end
