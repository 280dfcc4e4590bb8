#!/bin/sh
# The tree keeps its own rules: who includes whom, how long files and functions are, what they are called.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

if git rev-parse --git-dir >"$scratch/git" 2>&1; then
    check "rooms" sh tools/check-rooms
    check "sizes and names" sh tools/check-sizes
    if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then check "layout" make -s fmt-check
    else tap_skip "layout" "clang-format 14 is not installed"
    fi
    tracked=$(git ls-files build)
    check_equal "nothing that is built is committed" "$tracked" ""
    outside=$(git grep -lE 'DESIGN\.md|\.\./shared' -- ':!.ci/run' ':!tests/e2e/test_tree.sh')
    check_equal "nothing leans on a document outside of the tree" "$outside" ""
else
    tap_skip "rooms, sizes and names" "not a git checkout"
fi
check_lacks "pictures name no folder of the machine that made them" "$(cat docs/pictures/*.svg)" "$root"
check "scripts are executable" sh -c 'for file in tools/setup tools/demo .ci/run tests/cases/*.sh; do [ -x "$file" ] || exit 1; done'
tap_end
