# tap.sh: sourced by the shell tests. Each check prints one TAP line; tap_end prints the plan and decides
# the exit status. `fak` and friends are the ones just built ($BIN, default build/).
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
BIN=${BIN:-build}
case $BIN in /*) ;; *) BIN=$root/$BIN ;; esac
PATH=$BIN:$PATH
tap_n=0 tap_bad=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Tests see neither the user's git configuration nor an enclosing repository's environment.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY
export XDG_CACHE_HOME="$scratch/cache"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=Test GIT_COMMITTER_EMAIL=test@localhost

tap_pass() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $1"; }
tap_fail() { tap_n=$((tap_n + 1)); tap_bad=$((tap_bad + 1)); echo "not ok $tap_n - $1"; shift; [ $# -gt 0 ] && printf '%s\n' "$@" | sed 's/^/# /'; return 0; }
tap_skip() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $1 # SKIP $2"; }
# check NAME COMMAND...: passes when the command succeeds
check() { tap_name=$1; shift; if tap_out=$("$@" 2>&1); then tap_pass "$tap_name"; else tap_fail "$tap_name" "exit $?: $*" "$tap_out"; fi; }
# check_exit NAME CODE COMMAND...: passes when it exits with CODE
check_exit() { tap_name=$1 tap_want=$2; shift 2; tap_out=$("$@" 2>&1); tap_got=$?; if [ $tap_got -eq "$tap_want" ]; then tap_pass "$tap_name"; else tap_fail "$tap_name" "exit $tap_got, wanted $tap_want: $*" "$tap_out"; fi; }
# check_equal NAME GOT WANT
check_equal() { if [ "$2" = "$3" ]; then tap_pass "$1"; else tap_fail "$1" "got:" "$2" "wanted:" "$3"; fi; }
# check_has NAME TEXT PART: passes when TEXT holds PART
check_has() { case $2 in *"$3"*) tap_pass "$1" ;; *) tap_fail "$1" "no '$3' in:" "$2" ;; esac; }
# check_lacks NAME TEXT PART
check_lacks() { case $2 in *"$3"*) tap_fail "$1" "found '$3' in:" "$2" ;; *) tap_pass "$1" ;; esac; }
tap_end() { echo "1..$tap_n"; [ $tap_bad -eq 0 ]; exit $?; }
