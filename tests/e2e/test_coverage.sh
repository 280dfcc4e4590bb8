#!/bin/sh
# sota-coverage as a person and as CI meet it: scratch repositories with a matrix of their own.
. "$(dirname "$0")/tap.sh"

# repository NAME: one CUDA kernel under a shipped operation with its witness; owes nothing
repository() {
    mkdir -p "$scratch/$1/src" "$scratch/$1/tests" "$scratch/$1/sotadb/seed" && cd "$scratch/$1" || exit 1
    git init -q -b main
    printf '__global__ void scale(float *x) {\n    x[0] *= 2;\n}\n' >src/scale.cu
    echo 'int main(void) { return 0; }' >tests/scale_test.c
    seed shipped
    git add .
}
# seed STATUS [ROWS]: the matrix, and further SQL
seed() {
    cat >sotadb/seed/10-scale.sql <<SQL
-- The operations of a scratch repository.
INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status, selection, plan) VALUES
('scale', 'Scaling', 'Multiplies.', 'kernel', 'stay-minimal', 'It is small.', 'ref', 'memory', '$1', 'a faster one', 'measure it');
INSERT INTO reference (op, name, url, kind) VALUES ('scale', 'BLAS', 'https://www.netlib.org/blas/', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('scale', 'src/scale.cu', 'kernel');
INSERT INTO witness (op, device, metric, test) VALUES ('scale', 'cpu', 'max|d| = 0', 'tests/scale_test.c');
${2:-}
SQL
}
last_line() { printf '%s\n' "$1" | tail -n 1; }
valid_json() { python3 -m json.tool >"$scratch/json" 2>&1; }

# --- the scorecard ----------------------------------------------------------------------------------------
repository clean
out=$(sota-coverage)
check_equal "exits 0 with a number" "$?" 0
check_equal "the last line is the number" "$(last_line "$out")" "sota_debt=0"
check_has "the grade is the share of kernels without a gap" "$out" "100 %"
check_has "kernels by operation" "$out" "scale"
check_lacks "no colour into a pipe" "$out" "$(printf '\033')"
check_exit "--check passes" 0 sota-coverage --check
sota-coverage --json | valid_json
check_equal "JSON is valid" "$?" 0
check_equal "JSON carries the number" "$(sota-coverage --json | grep -c '"sota_debt": 0,')" 1

printf '__global__ void lonely(int *x) { }\n' >src/lonely.cu
check_equal "an untracked file does not count" "$(sota-coverage | tail -n 1)" "sota_debt=0"
git add .
out=$(sota-coverage)
check_equal "an uncovered kernel file does" "$(last_line "$out")" "sota_debt=1"
check_has "it is named" "$out" "src/lonely.cu"
check_has "with its line" "$out" "line 1"
check_has "and the row that mends it" "$out" "('OPERATION', 'src/lonely.cu', 'kernel')"
check_has "the grade falls" "$out" "50 %"
check_exit "--check fails with 1" 1 sota-coverage --check
check_exit "--max-debt above it passes" 0 sota-coverage --max-debt 1
check_exit "--max-debt below it fails" 1 sota-coverage --max-debt 0
check_equal "the number is still the last line" "$(sota-coverage --check | tail -n 1)" "sota_debt=1"
check_equal "a folder below gives the same" "$(cd src && sota-coverage)" "$out"
check_equal "and so does -C from outside" "$(cd / && sota-coverage -C "$scratch/clean/src")" "$out"

print=$(sota-coverage --json | sed -n 's/.*"fingerprint": "\(.*\)".*/\1/p')
out=$(sota-coverage --explain "$print")
check_equal "--explain knows the fingerprint" "$?" 0
check_has "says where" "$out" "src/lonely.cu:1"
check_has "says why" "$out" "no row covers"
{ printf '\n\n// moved\n' && cat src/lonely.cu; } >src/moved && mv src/moved src/lonely.cu
check_equal "--explain as JSON" "$(sota-coverage --explain "$print" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["fingerprint"])')" "$print"
check_has "a kernel that moved keeps its fingerprint" "$(sota-coverage --explain "$(printf %.6s "$print")")" "src/lonely.cu:4"
check_exit "an unknown fingerprint exits 2" 2 sota-coverage --explain 0123456789ab
git rm -qf src/lonely.cu
check_equal "the gap goes with its file" "$(sota-coverage | tail -n 1)" "sota_debt=0"

# --- rows ---------------------------------------------------------------------------------------------------
seed planned
check_has "a planned operation is one gap" "$(sota-coverage)" "Rows that are only planned: 1"
check_has "with its place in the seed" "$(sota-coverage)" "10-scale.sql:3"
seed shipped "INSERT INTO op_path (op, glob, role) VALUES ('scale', 'src/gone.cu', 'kernel'), ('scale', 'old/*.cu', 'kernel');"
out=$(sota-coverage)
check_has "a row whose file is gone" "$out" "Rows whose file is not there: 1"
check_has "a glob that matches nothing" "$out" "Globs that match no file: 1"
check_equal "each counts" "$(last_line "$out")" "sota_debt=2"

# --- what cannot be decided is never a pass ------------------------------------------------------------------
seed shipped "INSERT INTO op_path (op, glob, role) VALUES ('nobody', 'src/x.cu', 'kernel');"
out=$(sota-coverage 2>&1)
check_equal "a bad seed row exits 2" "$?" 2
check_has "and is named with its line" "$out" "10-scale.sql:"
check_lacks "and gives no number" "$out" "sota_debt"
rm sotadb/seed/*.sql
out=$(sota-coverage --max-debt 1000 2>&1)
check_equal "no matrix exits 2" "$?" 2
check_has "and says what to write" "$out" "sotadb/seed"
mkdir rows && cd rows && mkdir -p sotadb/seed && seed shipped && mv sotadb/seed/*.sql . && cd .. || exit 1
git config fak.matrix rows
check_equal "git config fak.matrix names another folder" "$(sota-coverage | tail -n 1)" "sota_debt=0"
git config fak.matrix elsewhere
check_exit "one that is not there exits 2" 2 sota-coverage

mkdir "$scratch/plain" && cd "$scratch/plain" || exit 1
out=$(GIT_CEILING_DIRECTORIES="$scratch" sota-coverage 2>&1)
check_equal "no repository exits 2" "$?" 2
check_has "and says what to do" "$out" "git init"
git init -q --bare bare.git
check_exit "a bare repository exits 2" 2 sota-coverage -C bare.git
cd "$scratch/clean" || exit 1
program=$(command -v sota-coverage)
out=$(PATH=$scratch/plain "$program" 2>&1)
check_equal "no git exits 2" "$?" 2
check_has "and says so" "$out" "only git knows which files count: install it"
check_exit "an unknown option exits 2" 2 sota-coverage --jsn
check_exit "a stray word exits 2" 2 sota-coverage src
check_exit "help" 0 sota-coverage --help
check_exit "a bad number exits 2" 2 sota-coverage --max-debt many

# --- awkward trees ----------------------------------------------------------------------------------------------
repository awkward
name=$(printf 'src/k\303\251rnel a\tb\nc.cu')
cp src/scale.cu "$name"
latin=$(printf 'src/\351.cu')
cp src/scale.cu "$latin"
printf '\177ELF\0\0\0' >src/binary.cu
printf '\377\376_\0_\0' >src/wide.cu
ln -s loop.cu src/loop.cu
ln -s . src/self
awk 'BEGIN { printf "__global__ void deep() { int x = "; for (i = 0; i < 50000; i++) printf "("; print "; }" }' >src/deep.cu
awk 'BEGIN { printf "static const int t[] = {"; for (i = 0; i < 1000000; i++) printf "%d,", i; print "};" }' >src/table.c
printf '.ignored.cu\n' >.gitignore
cp src/scale.cu .ignored.cu
git add . && git -c protocol.file.allow=always submodule --quiet add "$scratch/clean" sub 2>/dev/null
before=$(cd .git && find . -type f -exec sha1sum {} + | sort)
out=$(sota-coverage --all)
check_equal "nothing under .git changes" "$(cd .git && find . -type f -exec sha1sum {} + | sort)" "$before"
check_equal "a tree full of traps still gets its number" "$(last_line "$out")" "sota_debt=5"
check_has "a binary is said not to be analysed" "$out" "src/binary.cu: binary"
check_has "so is UTF-16" "$out" "src/wide.cu: UTF-16 text"
check_has "so is a symbolic link" "$out" "src/loop.cu: symbolic link"
check_has "control characters are shown, not sent" "$out" 'a\x09b\x0ac.cu'
sota-coverage --json | valid_json
check_equal "JSON is valid whatever the names are" "$?" 0

# --- scan alone --------------------------------------------------------------------------------------------------
cd "$scratch/clean" || exit 1
out=$(sota-coverage scan src)
check_has "scan lists kernels with their lines" "$out" "1-3      kernel   scale"
check_equal "and counts them last" "$(last_line "$out")" "1 kernel, 0 instances, 0 helpers in 1 file"
sota-coverage scan --json src tests | valid_json
check_equal "scan --json is valid" "$?" 0
check_equal "one object a file" "$(sota-coverage scan --json src tests | grep -c '"path"')" 2
check_exit "a missing path exits 1" 1 sota-coverage scan nowhere
check_exit "a file of no such language exits 1" 1 sota-coverage scan rows/10-scale.sql
check_exit "no path exits 2" 2 sota-coverage scan
# --- a working tree that is not whole ----------------------------------------------------------------------
repository partial
git commit -qm all && rm src/scale.cu
check_has "a tracked file that is not there is told" "$(sota-coverage)" "1 tracked file is not in this working tree"
check_has "and counted in JSON" "$(sota-coverage --json)" '"files_absent": 1'
git checkout -q . && check_lacks "a whole tree says nothing of it" "$(sota-coverage)" "not in this working tree"

tap_end
