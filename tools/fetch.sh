# fetch.sh: sourced by the scripts that fetch. All that a fetch writes lies in one folder of its own, $work, that
# goes away whatever happens: an error, a signal, and (at the next fetch) a power cut.

# Whoever sources this says who speaks.
: "${fetch_who:?}"
fetch_say() { printf '%s: %s\n' "$fetch_who" "$*"; }
fetch_fail() { fetch_say "$*" >&2; exit 1; }

# fetch_begin FOLDER: waits for its turn, makes $work in FOLDER
fetch_begin() {
    { mkdir -p "$1" && exec 9>"$1/.lock"; } 2>/dev/null ||
        fetch_fail "cannot write to $PWD/$1: is it yours, and is there room on the disk?"
    flock -n 9 || { fetch_say "waiting for another fetch into $1"; flock 9; }
    rm -rf "$1"/.fetch.*
    work=$(mktemp -d "$1/.fetch.XXXXXX")
    fetch_child=
    trap 'rm -rf "$work"' EXIT
    trap fetch_stop HUP INT TERM
}

# shellcheck disable=SC2317 # called by the trap
fetch_stop() {
    trap '' HUP INT TERM
    [ -z "$fetch_child" ] || kill "$fetch_child" 2>/dev/null || true
    wait
    fetch_say "stopped; nothing is left behind" >&2
    exit 130
}

# In a process group of its own (timeout makes one), so that a signal to this script ends all of it at once.
fetch_run() {
    timeout 3600 "$@" >>"$work/log" 2>&1 9>&- </dev/null &
    fetch_child=$!
    fetch_status=0
    wait "$fetch_child" || fetch_status=$?
    fetch_child=
    return $fetch_status
}

# fetch_packages LIST...: downloads the packages of requirement lists (NAME==VERSION --hash=sha256:…), each list
# into a folder of its name under $work, and installs none of them. A list that says `--no-binary :all:` brings
# source packages: pip runs their set-up code to learn their names, but only after it has checked the hash.
fetch_packages() {
    TMPDIR=$(cd "$work" && pwd)
    export TMPDIR PIP_NO_CACHE_DIR=1 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1
    fetch_run python3 -m venv "$work/venv" || fetch_fail "cannot make a Python environment: $(fetch_why)"
    for fetch_list in "$@"; do
        if grep -q '^--no-binary' "$fetch_list"; then
            fetch_pip install -r tools/pip-tools.txt
        fi
        fetch_pip download -r "$fetch_list" --no-build-isolation -d "$work/$(basename "$fetch_list" .txt)"
    done
}

fetch_pip() {
    fetch_verb=$1
    shift
    fetch_run "$work/venv/bin/python" -m pip -q --retries 2 --timeout 30 "$fetch_verb" --no-deps \
        --require-hashes "$@" || fetch_fail "cannot fetch the packages of $2: $(fetch_why)"
}

fetch_why() { sh tools/why-failed "$work/log"; }
