#!/bin/sh
# The example matrices against the trees that they are written for, where those are given: REPOS (or CASES/repos)
# holds clones named ggml and flashinfer.
. "$(dirname "$0")/../e2e/tap.sh"
repos=${REPOS:-${CASES:-}/repos}

# example NAME COMMIT KERNELS DEBT: at that commit, at least so many kernels and at most that debt
example() {
    at=$repos/$1
    if ! git -C "$at" cat-file -e "$2^{commit}" 2>/dev/null; then
        tap_skip "docs/examples/$1.sql" "no clone of $1 with commit $2 under REPOS"
        return
    fi
    out=$(sota-coverage -C "$at" --matrix "$root/docs/examples/$1.sql" --json "$2")
    check_equal "docs/examples/$1.sql: every row matches something there" "$(printf '%s' "$out" | python3 -c '
import json, sys
print(sorted({g["class"] for g in json.load(sys.stdin)["gaps"]} - {"uncovered", "several-ops"}))')" "[]"
    check_equal "docs/examples/$1.sql: as many kernels and as little debt as when it was written" \
        "$(printf '%s' "$out" | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["kernels"] >= int(sys.argv[1]) and r["sota_debt"] <= int(sys.argv[2]))' "$3" "$4")" True
}
example ggml d99724f2 3000 140
example flashinfer fb28d7242 1300 30

tap_end
