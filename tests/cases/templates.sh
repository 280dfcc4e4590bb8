#!/bin/sh
# Chat templates that may not be committed: 61 real ones with 898 cases, rendered by transformers
# ($CASES/golden/templates); and the committed snippets again, from $CASES itself.
. "$(dirname "$0")/../e2e/tap.sh"
cd "$root" || exit 1

test=$BIN/tests/test_template
golden=$CASES/golden/templates
[ -x "$test" ] || { echo "Bail out! $test is not built: run this through 'make test-cases'"; exit 1; }
[ -d "$golden/cases" ] || { tap_skip "templates" "there is no $golden/cases"; tap_end; exit; }

for cases in "$golden"/cases/*.json; do
    name=${cases##*/}
    said=$("$test" "$cases" 2>&1)
    code=$?
    last=$(printf '%s\n' "$said" | tail -n 1)
    if [ $code -eq 0 ]; then tap_pass "${name%.json}: $last"; else tap_fail "${name%.json}" "$said"; fi
done
for suite in suite hostile; do
    check "the committed $suite.json is the one of \$CASES" cmp "$golden/$suite.json" "tests/golden/templates/$suite.json"
done
tap_end
