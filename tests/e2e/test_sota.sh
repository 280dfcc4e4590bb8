#!/bin/sh
# fak sota: every look-up, as a user, a script and a hostile caller see it.
. "$(dirname "$0")/tap.sh"
unset GIT_CONFIG_COUNT # the safe.directory of .ci/run is no part of these repositories
cd "$root" || exit 1

json() { "$@" | python3 -m json.tool >/dev/null; }
escape=$(printf '\033')

# --- by slug, alias, path, kernel
op=fused-attention
out=$(fak sota $op)
check_has "an operation by its slug" "$out" "fused-attention"
check_has "it names the reference to read" "$out" "read first"
check_has "it names the route" "$out" "stay-minimal"
check_has "it names the oracle" "$out" "oracle"
check_has "it points to its ladder" "$out" "fak sota milestones attention"
check_has "it suggests the trailer" "$out" "Prior-art: fused-attention; FlashAttention (Dao-AILab/flash-attention)"
check_has "on one line, to be copied" "$(fak sota gated-delta-net)" "
  Prior-art: gated-delta-net; flash-linear-attention (fla-org/flash-linear-attention)"
check_has "the same trailer in an issue" "$(fak sota issue $op)" '`Prior-art: fused-attention; FlashAttention (Dao-AILab/flash-attention)`'
check_has "an alias says so" "$(fak sota SDPA)" "matched by the alias SDPA"
check_has "a kernel says which pattern" "$(fak sota k_awq_gemv)" "matched by the kernel name *awq_gemv* (k_awq_gemv)"
check_has "a path that does not exist yet" "$(fak sota engine/kernels/ref/attention_later.c)" "matched by the path engine/kernels/*/attention*"
check_has "the same from its folder" "$(cd engine/kernels && fak sota ./ref/../ref/attention.c)" "fused-attention"
check_has "the same, absolute" "$(cd / && fak sota "$root/engine/kernels/ref/attention.c")" "fused-attention"
check_has "the same from the root, in another folder" "$(cd engine && fak sota engine/kernels/ref/attention.c)" "fused-attention"
check_has "outside of a repository the path is taken as given" "$(cd "$scratch" && fak sota engine/kernels/ref/attention.c)" "fused-attention"
ln -s "$root/engine" "$scratch/link"
check_has "through a link to a folder" "$(fak sota "$scratch/link/kernels/ref/attention.c" 2>&1)" "fused-attention"

check_has "a folder gives the operations with files in it" "$(fak sota engine/kernels/cuda/)" "fused-attention"
check_exit "a folder without any: 1" 1 fak sota docs

# --- by the kernel at a line
mkdir -p "$scratch/repo/.git" "$scratch/repo/engine/kernels/cuda"
cat >"$scratch/repo/engine/kernels/cuda/awq.cu" <<'CU'
__device__ int helper(int x) { return x; }

template <int N>
__global__ void k_awq_gemv(const float *x, float *y) {
    y[0] = x[0];
}

__global__ void k_other(float *y) { y[1] = 0; }
CU
cp "$scratch/repo/engine/kernels/cuda/awq.cu" "$scratch/repo/x.cu"
at() { (cd "$scratch/repo" && fak sota "$@" 2>&1); }
check_has "a line names its kernel" "$(at engine/kernels/cuda/awq.cu:5)" "awq.cu:5 is in k_awq_gemv, lines 3 to 6"
check_has "and the row is found by both" "$(at engine/kernels/cuda/awq.cu:5)" "*awq_gemv* (k_awq_gemv) and the path"
check_has "file:line:column, as compilers write it" "$(at engine/kernels/cuda/awq.cu:8:12)" "is in k_other, lines 8 to 8"
check_has "a line outside of kernels" "$(at engine/kernels/cuda/awq.cu:7)" "is in no kernel"
check_has "a kernel of a file that no row covers is found by its name" "$(at x.cu:5)" "matched by the kernel name"
check_has "one that no row names is reported" "$(at x.cu:8)" "no row covers x.cu (kernel k_other, lines 8 to 8)"
check_equal "JSON has line and extent" \
    "$(at engine/kernels/cuda/awq.cu:5 --json | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["kernel"], d["line"], d["first_line"], d["last_line"])')" \
    "k_awq_gemv 5 3 6"
check_has "typed from the root, in a sub-folder" "$(cd "$scratch/repo/engine" && fak sota engine/kernels/cuda/awq.cu:5 2>&1)" "is in k_awq_gemv, lines 3 to 6"
check_has "and a folder likewise" "$(cd "$scratch/repo/engine" && fak sota engine/kernels 2>&1)" "engine/kernels is a folder"
mkdir -p "$scratch/repo/engine/engine/kernels/cuda"
echo 'int plain;' >"$scratch/repo/engine/engine/kernels/cuda/awq.cu"
check_has "but the file that is there is meant" "$(cd "$scratch/repo/engine" && fak sota engine/kernels/cuda/awq.cu 2>&1)" "no row covers engine/engine/kernels/cuda/awq.cu"
check_exit "a line past the end: 2" 2 at engine/kernels/cuda/awq.cu:9
check_has "and it says how many there are" "$(at engine/kernels/cuda/awq.cu:9)" "engine/kernels/cuda/awq.cu has 8 lines and no line 9"
check_exit "a file that is not there has no lines: 1" 1 fak sota engine/none.cu:3
check_exit "a folder has no lines: 2" 2 fak sota engine:3

# --- a word that only holds a kernel's name is not one
check_exit "property is no RoPE: 2" 2 fak sota property
check_lacks "to decode is not to quantise" "$(fak sota dequantize_row_q4_K)" "activation-quant"

# --- what was typed comes back shown, not sent
for name in "engine/kernels/cuda/${escape}[31m/" "engine/kernels/ref/add.${escape}[31m" "k_awq_gemv${escape}[31m" "no-such${escape}[31m"; do
    check_lacks "no escape sequence comes back" "$(fak sota "$name" 2>&1; fak sota --markdown "$name" 2>&1)" "$escape"
done

# --- what the help pages tell the user to type
for page in sota "sota milestones" "sota search" "sota bench"; do
    # shellcheck disable=SC2086 # words are meant
    fak help $page | sed -n '/^Examples/,/^[A-DF-Z]/s/^  \(fak sota .*\)$/\1/p'
done >"$scratch/examples"
check "the help pages have examples" test -s "$scratch/examples"
while read -r line; do check "the example works: $line" sh -c "$line"; done <"$scratch/examples"

# --- exit codes
check_exit "a file that no row covers: 1" 1 fak sota README.nowhere
check_has "and it says so" "$(fak sota engine/none.c 2>&1)" "no row covers engine/none.c"
check_exit "an unknown name: 2" 2 fak sota lits
check_has "H18: a misspelt command is suggested" "$(fak sota lits 2>&1)" "did you mean 'list'"
check_has "a misspelt slug is suggested" "$(fak sota fused-atention 2>&1)" "'fused-attention'"
check_has "a misspelt alias leads to its operation" "$(fak sota flash-atention 2>&1)" "'fused-attention'"
check_has "a part of a name is suggested" "$(fak sota attention-fused 2>&1; fak sota delta 2>&1)" "'gated-delta-net'"
check_exit "no argument: 2" 2 fak sota
check_exit "two arguments: 2" 2 fak sota rope rms-norm
check_exit "an unknown option: 2" 2 fak sota list --jsn
check_exit "two forms: 2" 2 fak sota list --json --markdown
check_exit "an unknown ladder: 2" 2 fak sota milestones atention
check_has "a misspelt ladder is suggested" "$(fak sota milestones atention 2>&1)" "'attention'"
check_exit "an argument too many: 2" 2 fak sota list x
check_exit "a search without a hit: 1" 1 fak sota search zzzzqq
check_exit "a search without a word: 2" 2 fak sota search
check_exit "an unknown operation for bench: 2" 2 fak sota bench nothing
check_exit "an empty name: 2" 2 fak sota ''
check_exit "line 0 of a file: 2" 2 fak sota base/str.c:0
err=$(fak sota "$(printf 'x\033[31my')" 2>&1)
check_lacks "a name cannot steer the terminal" "$err" "$escape"

# --- every command in every form
n=0
for command in list milestones "milestones attention" gaps bench "bench awq-gemm" "search attention" "issue awq-gemm" fused-attention \
    engine/kernels/ref/attention.c k_awq_gemv; do
    check "fak sota $command" fak sota $command
    check "fak sota $command --json is JSON" json fak sota $command --json
    check "fak sota $command --markdown" fak sota $command --markdown
    check_lacks "fak sota $command is plain in a pipe" "$(fak sota $command)" "$escape"
    n=$((n + 1))
done
check "fak sota export is JSON" json fak sota export
check_equal "the export as Markdown has every operation" "$(fak sota export --markdown | grep -c '^## .*(`')" "$(fak completion ops | wc -l)"
fak sota export | python3 tests/e2e/export_to_seed.py >"$scratch/seed.sql"
check "the export compiles as a seed" build/sotac -o "$scratch/matrix.c" sotadb/schema.sql "$scratch/seed.sql"
check "and gives the same matrix, byte for byte" cmp "$scratch/matrix.c" build/gen/sota_matrix.c
check_has "options may stand before the word" "$(fak sota --json list)" '"slug"'
check_has "an uncovered file in JSON has no matches" "$(fak sota engine/none.c --json 2>/dev/null)" '"matches": []'

# --- what the matrix says holds together
for slug in $(fak completion ops); do fak sota "$slug" >"$scratch/page" 2>&1 || echo "$slug"; done >"$scratch/bad"
check_equal "every operation has a page" "$(cat "$scratch/bad")" ""
for axis in $(fak completion axes); do
    slug=$(fak sota milestones "$axis" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["op"])')
    [ -z "$slug" ] || fak sota "$slug" >/dev/null 2>&1 || echo "$axis: $slug"
done >"$scratch/bad"
check_equal "every ladder's operation exists" "$(cat "$scratch/bad")" ""
for axis in $(fak sota list --json | python3 -c 'import json,sys; print(*{o["axis"] for o in json.load(sys.stdin)} - {""})'); do
    fak sota milestones "$axis" >/dev/null 2>&1 || echo "$axis"
done >"$scratch/bad"
check_equal "every operation's ladder exists" "$(cat "$scratch/bad")" ""
check_has "the seeds' selection: the AWQ witness first" "$(fak sota gaps)" "Take up first: awq-gemm"
check_equal "an issue has decision, route, oracle and plan" \
    "$(fak sota issue awq-gemm | grep -cE '^#### (Decision|Oracle|Plan)$|^Route: ')" 4

# --- widths
cat >"$scratch/on_terminal.py" <<'PY'
import os, pty, re, struct, sys, fcntl, termios
width, argv = int(sys.argv[1]), sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    os.environ["TERM"] = "xterm-256color"
    os.environ.pop("NO_COLOR", None)
    os.execv(argv[0], argv)
text = b""
while True:
    try: part = os.read(fd, 65536)
    except OSError: break
    if not part: break
    text += part
os.waitpid(pid, 0)
text = text.decode()
assert "\033[" in text, "no colour on a terminal"
text = re.sub(r"\033\]8;;[^\033]*\033\\|\033\[[0-9]*m", "", text)
copied = "  Prior-art: "
wide = [l for l in text.splitlines() if len(l) > width and " " in l.strip() and "://" not in l and not l.startswith(copied)]
assert not wide, wide[:3]
PY
if python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
    for width in 50 60 120; do
        for command in list milestones "milestones attention" gaps "$op" "search attention"; do
            python3 "$scratch/on_terminal.py" "$width" "$BIN/fak" sota $command || echo "$width: $command"
        done
    done >"$scratch/bad" 2>&1
    check_equal "output is coloured and folded on terminals of 50, 60 and 120 columns" "$(cat "$scratch/bad")" ""
    plain=$(NO_COLOR=1 TERM=xterm script -qec "$BIN/fak sota list" /dev/null 2>/dev/null) || plain=
    check_has "NO_COLOR on a terminal: the list is there" "$plain" "fused-attention"
    check_lacks "NO_COLOR switches colour off" "$plain" "${escape}["
else
    tap_skip "output on terminals" "no pseudo-terminal can be had here"
fi

# --- output that cannot be written
check_exit "a full disk: 1" 1 sh -c 'fak sota export >/dev/full'
check_equal "a full disk: one line" "$(sh -c 'fak sota list >/dev/full' 2>&1 | grep -c 'cannot write the output: No space left')" 1
check_exit "a closed stdout: 1" 1 sh -c 'fak sota list >&-'
check_equal "a reader who had enough is no error" "$( (fak sota export || :) 2>&1 | head -1)" "{"

# --- posting
mkdir "$scratch/none" "$scratch/bin"
check_exit "--post without gh: 1" 1 env PATH="$scratch/none" "$BIN/fak" sota issue awq-gemm --post 5
check_has "and it says so" "$(PATH=$scratch/none "$BIN/fak" sota issue awq-gemm --post 5 2>&1)" 'no `gh` on the PATH'
cat >"$scratch/bin/gh" <<'GH'
#!/bin/sh
case "$1 $2" in
"auth status") [ -f "$GH_LOGIN" ] ;;
"issue comment") shift 2; echo "$*" >"$GH_LOG"; cat >>"$GH_LOG"; [ ! -f "$GH_FAIL" ] ;;
esac
GH
chmod +x "$scratch/bin/gh"
export GH_LOGIN="$scratch/login" GH_LOG="$scratch/gh.log" GH_FAIL="$scratch/fail"
PATH=$scratch/bin:$PATH
check_has "a gh that is not logged in" "$(fak sota issue awq-gemm --post 5 2>&1)" "not logged in"
check_exit "a gh that is not logged in: 1" 1 fak sota issue awq-gemm --post 5
: >"$scratch/login"
check "a gh that is logged in" fak sota issue awq-gemm --post 5
check_equal "it is run without a shell, text on its input" "$(head -1 "$scratch/gh.log")" "5 --body-file -"
fak sota issue awq-gemm >"$scratch/want"
check_equal "the whole text arrives" "$(tail -n +2 "$scratch/gh.log")" "$(cat "$scratch/want")"
: >"$scratch/fail"
check_exit "a gh that fails: 1" 1 fak sota issue awq-gemm --post 5
check_exit "an issue that is no number: 2" 2 fak sota issue awq-gemm --post five
check_exit "an issue below 1: 2" 2 fak sota issue awq-gemm --post -3
tap_end
