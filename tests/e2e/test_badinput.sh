# shellcheck shell=sh disable=SC2015,SC2016
# What a hook does when everything else is broken: exit 0, at most one line on stderr, nothing on stdout, the message and
# .git as they were. `fak gate`, which is asked by CI too, exits 2 and says why.
. "$(dirname "$0")/tap.sh"
unset GIT_CONFIG_COUNT # the safe.directory of .ci/run is no part of these repositories
echo leak:libpcre2 >"$scratch/lsan"
export LSAN_OPTIONS="suppressions=$scratch/lsan:print_suppressions=0"
command -v git >/dev/null || { tap_skip "all bad input" "no git"; tap_end; }
export GIT_CEILING_DIRECTORIES="$scratch"
kernel=engine/kernels/ref/attention.c
message=$scratch/message

new_repo() {
    cd "$scratch" && rm -rf repo && git init -q -b main repo && cd repo || exit 1
    mkdir -p engine/kernels/ref
    echo 'int a;' >$kernel
    git add . && git commit -qm start && echo 'int b;' >>$kernel && git add .
    printf 'subject\n# comment\n' >"$message"
}
sums() { { find .git ! -type d ! -type p -exec ls -ln --time-style=full-iso {} + && find .git -type f -exec sha256sum {} +; } 2>/dev/null | sort; }
words() { [ ! -f "$message" ] || cksum <"$message"; }
# hook NAME STAGE SPOKEN: runs one stage on $message; SPOKEN is how many advices are right ("any": either)
hook() {
    timeout 20 fak hooks run "$2" "$message" >"$scratch/out" 2>"$scratch/err"
    check_equal "$1, $2: exit 0" $? 0
    check "$1, $2: at most one line on stderr" test "$(wc -l <"$scratch/err")" -le 1
    [ "$3" = any ] || check_equal "$1, $2: advices" "$(grep -c '^fak: this' "$scratch/out")" "$3"
}
# survives NAME [SPOKEN]: every stage does, and leaves everything alone
survives() {
    before=$(sums) text=$(words)
    for stage in commit-msg pre-commit prepare-commit-msg; do
        spoken=${2:-0}
        [ $stage != prepare-commit-msg ] || spoken=0
        hook "$1" $stage "$spoken"
        [ "$stage${2:-0}" != prepare-commit-msg0 ] || check_equal "$1: the message is as it was" "$(words)" "$text"
    done
    check_equal "$1: .git is as it was" "$(sums)" "$before"
}
# gate_says NAME PART: `fak gate` exits 2 and says PART
gate_says() {
    timeout 20 fak gate >"$scratch/out" 2>"$scratch/err"
    check_equal "$1: fak gate exits 2" $? 2
    check_has "$1: fak gate says why" "$(cat "$scratch/err")" "$2"
    check_equal "$1: fak gate says nothing else" "$(wc -l <"$scratch/err")$(cat "$scratch/out")" 1
}

# --- the index
new_repo && : >.git/index && survives "an empty index" && gate_says "an empty index" index
new_repo && printf 'garbage' >.git/index && survives "a garbled index" && gate_says "a garbled index" index
new_repo && size=$(wc -c <.git/index)
for cut in 11 12 13 40 75 100 150; do
    [ "$cut" -lt "$size" ] || continue
    new_repo && truncate -s $cut .git/index && survives "an index of $cut bytes, which git reads as it can" any
done
new_repo && rm .git/index && mkdir .git/index && survives "a folder for an index" && gate_says "a folder for an index" index
new_repo && touch .git/index.lock && survives "a locked index" 1
# Root may read everything, so it asks somebody else.
someone=
[ "$(id -u)" -ne 0 ] || someone="setpriv --reuid=65534 --regid=65534 --clear-groups"
# unreadable WHAT: .git/WHAT may not be read by who commits
unreadable() {
    new_repo && chmod 755 "$scratch" && chmod 000 ".git/$1"
    [ -z "$someone" ] || chown -R 65534:65534 "$scratch/repo" "$message"
    for stage in commit-msg pre-commit prepare-commit-msg; do
        $someone fak hooks run $stage "$message" >"$scratch/out" 2>"$scratch/err"
        check_equal "an unreadable $1, $stage: exit 0" $? 0
        check_equal "an unreadable $1, $stage: one line" "$(wc -l <"$scratch/err")$(cat "$scratch/out")" 1
    done
    $someone fak gate >"$scratch/out" 2>"$scratch/err"
    check_equal "an unreadable $1: fak gate exits 2" $? 2
}
if $someone fak --version >/dev/null 2>&1; then
    unreadable index
    unreadable config
    unreadable HEAD
else
    tap_skip "files that may not be read" "root may read everything, and nobody else can run this build"
fi

# --- the configuration, HEAD, objects
new_repo && printf '[core\n' >>.git/config && survives "a broken configuration" && gate_says "a broken configuration" config
new_repo && rm .git/config && mkdir .git/config && survives "a folder for a configuration, over which git stumbles" any
new_repo && printf '[core]\n\trepositoryformatversion = 9\n' >.git/config && survives "a format of tomorrow" && gate_says "a format of tomorrow" "version"
new_repo && printf '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunheardof = true\n' >.git/config && survives "an extension of tomorrow" && gate_says "an extension of tomorrow" extension
new_repo && printf 'nonsense\n' >.git/HEAD && survives "a garbled HEAD" && gate_says "a garbled HEAD" "git"
new_repo && rm .git/HEAD && survives "no HEAD"
new_repo && printf 'ref: refs/heads/main\n' >.git/HEAD && printf 'zzzz\n' >.git/refs/heads/main && survives "a garbled branch, which git takes for none" any
new_repo && printf '0123456789012345678901234567890123456789\n' >.git/refs/heads/main && survives "a branch whose commit is missing" && gate_says "a branch whose commit is missing" 0123456
object() { echo ".git/objects/$(git rev-parse "$1" | sed 's,^..,&/,')"; }
new_repo && rm -f "$(object 'HEAD^{tree}')" && survives "HEAD's tree is missing"
new_repo && rm -f "$(object ":$kernel")" && survives "the staged blob is missing: the change counts" 1
new_repo && rm -f "$(object "HEAD:$kernel")" && survives "the old blob is missing: the change counts" 1
new_repo && blob=$(object ":$kernel") && chmod +w "$blob" && printf 'garbage' >"$blob" && survives "the staged blob is garbled: the change counts" 1
new_repo && git gc -q && for pack in .git/objects/pack/*.pack .git/objects/pack/*.idx; do chmod +w "$pack" && truncate -s 100 "$pack"; done && survives "a pack that was cut"
new_repo && git rev-parse HEAD >.git/MERGE_HEAD && printf 'zz\n' >>.git/MERGE_HEAD && survives "a garbled MERGE_HEAD" any
new_repo && mv .git ../elsewhere.git && printf 'gitdir: %s/nowhere\n' "$scratch" >.git && survives "a .git that points nowhere" && gate_says "a .git that points nowhere" "nowhere"
rm -rf "$scratch/elsewhere.git"
new_repo && mkdir gone && cd gone && rmdir ../gone && survives "a working directory that is gone"
cd "$scratch" && mkdir -p nothing && cd nothing && survives "no repository" && gate_says "no repository" "not a git repository"

new_repo
for stage in '' pre-push commit-mgs; do
    check_equal "H18: there is no stage '$stage'" "$(fak hooks run "$stage" 2>&1) $?" \
        "fak: prior art was not checked: there is no stage '$stage': commit-msg, prepare-commit-msg, pre-commit 0"
done
new_repo && git config fak.matrix "$scratch/no-such-matrix" && survives "H18: a matrix that is not there" && gate_says "H18: a matrix that is not there" no-such-matrix
check_equal "H18: a hook says so" "$(fak hooks run commit-msg "$message" 2>&1 | grep -c 'no-such-matrix')" 1

# --- the message
new_repo && rm "$message" && survives "no message file" any
mkdir "$message" && survives "a folder for a message" any && rmdir "$message"
mkfifo "$message" && survives "a pipe for a message" any && rm "$message"
: >"$message" && before=$(sums) && hook "an empty message" commit-msg 0
head -c 200000 /dev/urandom >"$message" && hook "a message of random bytes" commit-msg any
head -c 20000000 /dev/zero | tr '\0' 'a' >"$message" && hook "a message of 20 MB" commit-msg any
printf 'subject\0\n\nPrior-art: fused-attention\n' >"$message" && hook "a message with a NUL" commit-msg any
printf 'caf\351\n' >"$message" && hook "a message that is no UTF-8" commit-msg 1
{ echo s; echo; yes 'Key: value' | head -n 100000; } >"$message" && hook "a message of 100,000 trailers" commit-msg 1
check_equal "messages: .git is as it was" "$(sums)" "$before"
name=$(printf 'engine/kernels/ref/attention\351\n\033[31m.c')
new_repo && echo 'int q;' >"$name" && git add . && survives "a path of stray bytes" 1
fak hooks run commit-msg "$message" >"$scratch/out" 2>&1
check_lacks "a path of stray bytes: no escape reaches the terminal" "$(cat "$scratch/out")" "$(printf '\033')"

# --- what is around us
new_repo && before=$(sums)
limited() { # limited NAME LIMIT...: under this limit, the message survives and nothing dies
    for stage in commit-msg prepare-commit-msg; do
        text=$(cksum <"$message")
        (shift; ulimit "$@" 2>/dev/null && exec fak hooks run $stage "$message") >"$scratch/out" 2>"$scratch/err"
        check_equal "$1, $stage: exit 0" $? 0
        check "$1, $stage: at most one line" test "$(wc -l <"$scratch/err")" -le 1
    done
}
limited "files may not grow" -f 0
check_equal "files may not grow: the message is whole" "$(cksum <"$message")" "$text"
check_equal "files may not grow: nothing lies beside it" "$(find "$scratch" -name 'message.*')" ""
limited "ten open files" -n 10
for stage in commit-msg prepare-commit-msg pre-commit; do
    PATH=$BIN HOME='' fak hooks run $stage "$message" >"$scratch/out" 2>"$scratch/err"
    check_equal "no git on PATH, $stage: exit 0" $? 0
    check "no git on PATH, $stage: at most one line" test "$(wc -l <"$scratch/err")" -le 1
    (exec 1>&-; fak hooks run $stage "$message") 2>/dev/null
    check_equal "stdout is closed, $stage: exit 0" $? 0
    (exec 2>&-; fak hooks run $stage "$message") >/dev/null
    check_equal "stderr is closed, $stage: exit 0" $? 0
    (exec 0<&- 1>&- 2>&-; fak hooks run $stage "$message")
    check_equal "all are closed, $stage: exit 0" $? 0
    if [ -w /dev/full ]; then
        fak hooks run $stage "$message" >/dev/full 2>"$scratch/err"
        check_equal "a full disk behind stdout, $stage: exit 0" $? 0
        check "a full disk behind stdout, $stage: at most one line" test "$(wc -l <"$scratch/err")" -le 1
    fi
done
check_equal "around us: .git is as it was" "$(sums)" "$before"
mkdir "$scratch/alone" && cp "$BIN/fak" "$scratch/alone/"
"$scratch/alone/fak" hooks run commit-msg "$message" >"$scratch/out" 2>"$scratch/err"
check_equal "without its modules: exit 0" $? 0
check_equal "without its modules: one line" "$(wc -l <"$scratch/err")$(cat "$scratch/out")" 1
"$scratch/alone/fak" hooks agent </dev/null >"$scratch/out" 2>"$scratch/err"
check_equal "an agent without its module: exit 0" $? 0
mkdir "$scratch/alone/lib" && cp "$BIN/lib/fak-hooks.so" "$scratch/alone/lib/"
"$scratch/alone/fak" hooks run commit-msg "$message" >"$scratch/out" 2>"$scratch/err"
check_equal "without the scanner's module: exit 0" $? 0
check_equal "without the scanner's module: the advice is there, without kernels" "$(grep -c '^fak: this' "$scratch/out") $(cat "$scratch/err")" "1 "

# --- a full disk for real: prepare-commit-msg rewrites the message
if [ "$(id -u)" -eq 0 ] && mkdir "$scratch/small" && mount -t tmpfs -o size=16k none "$scratch/small" 2>/dev/null; then
    printf 'subject\n# comment\n' >"$scratch/small/message"
    head -c 20000 /dev/zero >"$scratch/small/rest" 2>/dev/null
    text=$(cksum <"$scratch/small/message")
    fak hooks run prepare-commit-msg "$scratch/small/message" >"$scratch/out" 2>"$scratch/err"
    check_equal "a full disk: exit 0" $? 0
    check_equal "a full disk: the message is whole" "$(cksum <"$scratch/small/message")" "$text"
    check_equal "a full disk: one line" "$(wc -l <"$scratch/err")" 1
    umount "$scratch/small"
else
    tap_skip "a full disk" "no small file system can be mounted here"
fi
tap_end
