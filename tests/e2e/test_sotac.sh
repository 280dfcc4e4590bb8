#!/bin/sh
# sotac from outside: the same bytes wherever and however it is called, hostile texts that have to compile, and
# nothing half-written.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
schema=sotadb/schema.sql

# --- same seed, same bytes ----------------------------------------------------------------------------------
check "the seed of this tree is right" sotac $schema sotadb/seed/*.sql
LC_ALL=C sotac -o "$scratch/c.c" $schema sotadb/seed/*.sql
other=$(locale -a 2>/dev/null | grep -v -e '^C$' -e '^POSIX$' | head -1)
LC_ALL=${other:-C.UTF-8} sotac -o "$scratch/locale.c" $schema sotadb/seed/*.sql
check "the same bytes in the locale ${other:-C.UTF-8}" cmp "$scratch/c.c" "$scratch/locale.c"
backwards=$(ls sotadb/seed/*.sql | sort -r)
sotac -o "$scratch/backwards.c" $schema $backwards
check "the same bytes with the files in another order" cmp "$scratch/c.c" "$scratch/backwards.c"
(cd / && sotac -o "$scratch/elsewhere.c" --root "$root" "$root/$schema" "$root"/sotadb/seed/*.sql)
check "the same bytes from another directory" cmp "$scratch/c.c" "$scratch/elsewhere.c"
cat sotadb/seed/*.sql >"$scratch/all.sql"
sotac -o "$scratch/one.c" $schema "$scratch/all.sql"
check "the same bytes from one file" cmp "$scratch/c.c" "$scratch/one.c"
check_lacks "no path of this machine is in them" "$(cat "$scratch/c.c")" "$root"
check "what the build compiled is this" cmp "$scratch/c.c" build/gen/sota_matrix.c

# --- the pages ----------------------------------------------------------------------------------------------
mkdir "$scratch/docs"
sotac --docs "$scratch/docs" $schema sotadb/seed/*.sql
for page in sota-matrix.md ladders.md BENCHMARK-AUTHORITY.md HARDWARE-MATRIX.md; do
    check "docs/$page is what \`make docs\` writes" cmp "docs/$page" "$scratch/docs/$page"
done

# --- hostile texts ------------------------------------------------------------------------------------------
# Every byte but NUL stands before an 'a' and before a digit; quotes, trigraphs, a text longer than a C literal may be.
cat >"$scratch/hostile.awk" <<'AWK'
BEGIN {
    for (i = 1; i < 256; i++) text = text sprintf("%ca%c7", i, i)
    gsub(/'/, "''", text)
    for (i = 0; i < 500; i++) longer = longer "0123456789"
    print "INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES"
    printf "('x', '%s', '??=\"\\??/%%s /* // */', 'kernel', 'bind', '%s', 'o', 'b', 'planned');\n", text, longer text
    print "INSERT INTO reference (op, name, url, kind) VALUES ('x', 'n', 'https://a.b', 'primary');"
    print "INSERT INTO op_path (op, glob, role, planned) VALUES ('x', 'a.c', 'kernel', 1);"
}
AWK
LC_ALL=C awk -f "$scratch/hostile.awk" >"$scratch/hostile.sql"
check "H19: hostile texts are taken" sotac -o "$scratch/hostile.c" $schema "$scratch/hostile.sql"
cat >"$scratch/print.c" <<'C'
#include "sotadb/matrix.h"
#include <stdio.h>
int main(void) {
    const struct op *op = sota_matrix.ops;
    return printf("%s\n%s\n%s\n", op->title, op->summary, op->route_note) < 0;
}
C
flags="-std=c17 -I. -O1 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror"
LC_ALL=C awk 'BEGIN {
    for (i = 1; i < 256; i++) text = text sprintf("%ca%c7", i, i)
    for (i = 0; i < 500; i++) longer = longer "0123456789"
    printf "%s\n??=\"\\??/%%s /* // */\n%s%s\n", text, longer, text
}' >"$scratch/want"
for compiler in gcc clang; do # not looked for in build/, where a folder may be called clang
    if ! command -v $compiler >/dev/null; then
        tap_skip "hostile texts with $compiler" "not installed"
        continue
    fi
    check "H19: hostile texts compile with $compiler, warnings are errors" \
        env PATH="${PATH#"$BIN":}" $compiler $flags -o "$scratch/print" "$scratch/hostile.c" "$scratch/print.c"
    "$scratch/print" >"$scratch/got"
    check "and come back byte for byte" cmp "$scratch/got" "$scratch/want"
done

# --- refusals -----------------------------------------------------------------------------------------------
mkdir "$scratch/out"
echo before >"$scratch/out/matrix.c"
printf 'INSERT INTO op (slug, title)\nVALUES\n(%sx%s, 1);\n' "'" "'" >"$scratch/bad.sql"
check_exit "a bad row stops it" 1 sotac -o "$scratch/out/matrix.c" $schema "$scratch/bad.sql"
check_has "and is named by file and line" "$tap_out" "$scratch/bad.sql:3: op.summary is missing; give it a value"
check_equal "the old output is untouched" "$(cat "$scratch/out/matrix.c")" before
check_equal "and nothing lies beside it" "$(ls "$scratch/out")" matrix.c
for name in $(fak help sota | sed -n 's/^  sota \([a-z]*\) .*/\1/p'); do
    echo "INSERT INTO op_alias (op, alias) VALUES ('rope', '$name');" >"$scratch/command.sql"
    check_has "no alias is called like fak sota $name" "$(sotac $schema sotadb/seed/*.sql "$scratch/command.sql" 2>&1)" "alias '$name' is a command of"
done
check_exit "a missing seed is named" 1 sotac $schema "$scratch/none.sql"
check_has "with its path" "$tap_out" "$scratch/none.sql"
check_exit "an output that cannot be written" 1 sotac -o "$scratch/none/matrix.c" $schema sotadb/seed/*.sql
check_has "is named" "$tap_out" "$scratch/none/matrix.c"
check_exit "no arguments are wrong usage" 2 sotac
check_exit "an unknown option is wrong usage" 2 sotac --outptu x $schema sotadb/seed/*.sql
check_has "and suggests the nearest" "$tap_out" "--output"
check "help" sotac --help

tap_end
