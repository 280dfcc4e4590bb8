#!/bin/sh
# The tools that judge: run-tests, steps, check-sizes, check-rooms. Each must turn red when it should.
. "$(dirname "$0")/tap.sh"

programs=$scratch/programs
mkdir "$programs"
program() { cat >"$programs/$1"; }
# run PROGRAM...: what run-tests says of them in $said, its status in $code
run() { said=$(cd "$programs" && TEST_SECONDS=2 sh "$root/tools/run-tests" "$@" 2>&1); code=$?; last=$(printf '%s\n' "$said" | tail -n 1); }
judged() { check_equal "$1" "$last, exit $code" "$2"; }

program good.sh <<'T'
sleep 0.3; echo "ok 1 - a"; echo "ok 2 - b"
T
program bad.sh <<'T'
echo "ok 1 - a"; echo "not ok 2 - b"; echo "# because"; exit 1
T
program skip.sh <<'T'
echo "ok 1 - a # SKIP no device"
T
program crash.sh <<'T'
echo "ok 1 - a"; kill -SEGV $$
T
program silent.sh <<'T'
:
T
program hang.sh <<'T'
sleep 60 & echo $! >hang.pid; wait
T
program liar.sh <<'T'
echo "ok 1 - a"; exit 3
T
program alone.sh <<'T'
# run-tests: alone
[ -f running ] && echo "not ok 1 - something else runs" || echo "ok 1 - by itself"
T
program busy.sh <<'T'
touch running; sleep 0.5; rm running; echo "ok 1 - busy"
T

run good.sh
judged "good" "2 passed, 0 failed, 0 skipped, exit 0"
run good.sh bad.sh
judged "a failure" "3 passed, 1 failed, 0 skipped, exit 1"
check_has "a failure is shown" "$said" "# because"
check_equal "the order is the one given" "$(printf '%s\n' "$said" | grep -o '^[a-z]*\.sh' | tr '\n' ' ')" "good.sh bad.sh "
run skip.sh
judged "only skips is no success" "0 passed, 0 failed, 1 skipped, exit 1"
check_has "a skip is shown with its reason" "$said" "SKIP no device"
run crash.sh
judged "a crash" "1 passed, 1 failed, 0 skipped, exit 1"
run silent.sh
judged "silence is a failure" "0 passed, 1 failed, 0 skipped, exit 1"
run liar.sh
judged "an exit status without a failed test" "1 passed, 1 failed, 0 skipped, exit 1"
run hang.sh good.sh
judged "what hangs is ended" "2 passed, 1 failed, 0 skipped, exit 1"
sleep 0.1
check_equal "with all it started" "$(ps -o stat= -p "$(cat "$programs/hang.pid")" 2>/dev/null | grep -v Z)" ""
run alone.sh busy.sh
judged "a test that measures runs by itself" "2 passed, 0 failed, 0 skipped, exit 0"
run
judged "no program" "0 passed, 0 failed, 0 skipped, exit 1"

# steps: numbers from the last line, else one by exit status; a pipe does not hide a failure
steps() { said=$(sh -c "steps_show=$1; . $root/tools/steps.sh; $2; steps_end" 2>&1); code=$?; last=$(printf '%s\n' "$said" | tail -n 1); }
for show in all failed; do
    steps $show 'step a true; step b echo "7 passed, 0 failed, 2 skipped"'
    judged "steps ($show): adds up" "8 passed, 0 failed, 2 skipped, exit 0"
    steps $show 'step a true; step b false'
    judged "steps ($show): a failure" "1 passed, 1 failed, 0 skipped, exit 1"
    steps $show 'step a sh -c "echo 3 passed, 0 failed, 0 skipped; exit 9"'
    judged "steps ($show): good numbers, bad exit" "3 passed, 1 failed, 0 skipped, exit 1"
    steps $show 'step a true; step_skip b "no tool"'
    judged "steps ($show): a skip" "1 passed, 0 failed, 1 skipped, exit 0"
    steps $show 'step a sh -c "echo ok 1 - good; echo not ok 2 - broken; echo 1 passed, 1 failed, 0 skipped; exit 1"'
    check_has "steps ($show): what failed in it" "$said" "1 passed, 1 FAILED
    not ok 2 - broken"
    steps $show 'step a sh -c "echo it has no name; exit 1"'
    check_has "steps ($show): what was said last" "$said" "0 passed, 1 FAILED
    it has no name"
done

# The tree's own limits, in a small repository.
tree=$scratch/tree
mkdir -p "$tree/tools" "$tree/tests" "$tree/base" "$tree/git" "$tree/engine/kernels"
cp "$root/tools/check-sizes" "$root/tools/check-rooms" "$tree/tools/"
cp "$root/tests/rooms.tsv" "$tree/tests/"
git init -q "$tree"
function_of() { # function_of LINES FILE
    {
        printf '/* a */\nint f(int a,\n      int b) {\n'
        yes '    a += b;' | head -n $(($1 - 4))
        printf '    return a;\n}\n'
    } >"$tree/$2"
}
function_of 81 base/long.c
check_exit "a function of 81 lines" 1 sh "$tree/tools/check-sizes"
check_has "is named with its line" "$tap_out" "base/long.c:2: a function of 81 lines; the limit is 80"
function_of 80 base/long.c
check "a function of 80 lines" sh "$tree/tools/check-sizes"
function_of 150 engine/kernels/k.c
check "a kernel of 150 lines" sh "$tree/tools/check-sizes"
function_of 151 engine/kernels/k.c
check_exit "a kernel of 151 lines" 1 sh "$tree/tools/check-sizes"
rm "$tree/engine/kernels/k.c"
yes '/* a line */' | head -n 801 >"$tree/base/file.c"
check_exit "a file of 801 lines" 1 sh "$tree/tools/check-sizes"
yes '/* a line */' | head -n 800 >"$tree/base/file.c"
touch "$tree/base/file.h"
check "a file of 800 lines, a pair of one stem" sh "$tree/tools/check-sizes"
touch "$tree/git/file.c"
check_exit "a stem taken twice" 1 sh "$tree/tools/check-sizes"

rm "$tree/git/file.c"
mkdir "$tree/engine/kernels/ref" "$tree/engine/kernels/exact"
touch "$tree/engine/kernels/ref/rope.c" "$tree/engine/kernels/exact/rope.c"
check "an operation in two lanes" sh "$tree/tools/check-sizes"
touch "$tree/engine/rope.c"
check_exit "an operation outside the lanes" 1 sh "$tree/tools/check-sizes"

check "rooms: allowed" sh "$tree/tools/check-rooms"
echo '#include "git/file.h"' >"$tree/base/up.c"
check_exit "rooms: base may not include git" 1 sh "$tree/tools/check-rooms"
echo '#include <git2.h>' >"$tree/base/up.c"
check_exit "rooms: a library out of its room" 1 sh "$tree/tools/check-rooms"
tap_end
