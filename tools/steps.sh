# steps.sh: sourced by scripts that do one thing after another and add it up. A step that ends with the plain line
# `N passed, N failed, N skipped` brings those numbers; any other counts as one, by its exit status.
# steps_show=all shows what every step says. In either case a failed one is told with what failed in it.
set -u

steps_show=${steps_show:-failed}
steps_passed=0 steps_failed=0 steps_skipped=0
steps_dir=$(mktemp -d)
trap 'rm -rf "$steps_dir"' EXIT
trap 'exit 130' HUP INT TERM

steps_run() {
    steps_code=0
    "$@" </dev/null || steps_code=$?
    echo $steps_code >"$steps_dir/status"
}

# What failed, by its name in TAP, in a compiler's words or in make's; else the end of what was said.
steps_explain() {
    grep -E '^[[:space:]]*not ok|[0-9]+ FAILED|(error|Error [0-9]+|fatal):?( |$)|: warning: ' "$1" | head -n 40 >"$steps_dir/why" || :
    if [ -s "$steps_dir/why" ]; then cat "$steps_dir/why"; else tail -n 20 "$1"; fi
}

# step NAME COMMAND...
step() {
    step_name=$1
    shift
    step_start=$(date +%s)
    if [ "$steps_show" = all ]; then
        printf '\n== %s\n' "$step_name"
        { steps_run "$@" 2>&1; } | tee "$steps_dir/log"
    else
        steps_run "$@" >"$steps_dir/log" 2>&1
    fi
    read -r step_status <"$steps_dir/status"
    step_counts=$(tail -n 3 "$steps_dir/log" | sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p')
    [ -n "$step_counts" ] || step_counts="$((step_status == 0)) 0 0"
    step_passed=${step_counts%% *} step_skipped=${step_counts##* } step_bad=${step_counts#* }
    step_bad=${step_bad%% *}
    if [ "$step_status" -ne 0 ] && [ "$step_bad" -eq 0 ]; then step_bad=1; fi
    steps_passed=$((steps_passed + step_passed)) steps_failed=$((steps_failed + step_bad))
    steps_skipped=$((steps_skipped + step_skipped))
    step_says="$step_passed passed"
    [ "$step_skipped" -eq 0 ] || step_says="$step_says, $step_skipped skipped"
    [ "$step_bad" -eq 0 ] || step_says="$step_says, $step_bad FAILED"
    printf '%-34s %5d s   %s\n' "$step_name" $(($(date +%s) - step_start)) "$step_says"
    [ "$step_bad" -eq 0 ] || steps_explain "$steps_dir/log" | sed 's/^/    /'
}

# step_skip NAME WHY
step_skip() {
    steps_skipped=$((steps_skipped + 1))
    printf '%-34s %7s   skipped: %s\n' "$1" '' "$2"
}

# The last line, and the exit status.
steps_end() {
    echo "$steps_passed passed, $steps_failed failed, $steps_skipped skipped"
    [ "$steps_failed" -eq 0 ] && [ "$steps_passed" -gt 0 ]
}
