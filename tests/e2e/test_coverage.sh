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

print=$(sota-coverage --json | sed -n 's/.*"fingerprint": "\(.*\)".*/\1/p' | head -n 1)
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
check_exit "an empty bare repository exits 2" 2 sota-coverage -C bare.git
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
whole=$(sota-coverage --json --no-cache | python3 -c 'import json, sys; d = json.load(sys.stdin); print(sorted(g["fingerprint"] for g in d["gaps"]))')
git sparse-checkout set nothing-here
check_equal "what a sparse checkout leaves out is read as it is staged, the matrix too: the debt is the same" \
    "$(sota-coverage --json --no-cache | python3 -c 'import json, sys; d = json.load(sys.stdin); print(sorted(g["fingerprint"] for g in d["gaps"]))')" "$whole"
check_lacks "and nothing is called absent" "$(sota-coverage)" "not in this working tree"
git sparse-checkout set --no-cone '/*' '!/*.cu' && check_equal "without cones" "$(sota-coverage | tail -n 1)" "$(sota-coverage HEAD | tail -n 1)"
git sparse-checkout disable
if [ -w /dev/full ]; then
    sota-coverage >/dev/full 2>/dev/null
    check_equal "output that cannot be written is no answer" "$?" 2
fi

# --- revisions, the index, bare repositories -----------------------------------------------------------------
repository revisions
git commit -qm one && git tag one
cp src/scale.cu src/loose.cu && git add . && git commit -qm two
check_equal "a revision has its own files" "$(sota-coverage one | tail -n 1)" "sota_debt=0"
check_equal "and HEAD has its" "$(sota-coverage HEAD | tail -n 1)" "sota_debt=1"
git rm -qf --cached src/loose.cu
check_equal "the index is what is staged" "$(sota-coverage --index | tail -n 1)" "sota_debt=0"
git reset -q
seed planned
check_equal "a revision has its own matrix" "$(sota-coverage one | tail -n 1)" "sota_debt=0"
git checkout -q .
git clone -q --bare . "$scratch/bare.git"
check_equal "a bare repository is read at HEAD" "$(sota-coverage -C "$scratch/bare.git" | tail -n 1)" "sota_debt=1"
check_equal "and at any revision" "$(cd "$scratch/bare.git" && sota-coverage one | tail -n 1)" "sota_debt=0"
check_equal "a revision, the index and the working tree agree" "$(sota-coverage --json HEAD | grep fingerprint)" \
    "$(sota-coverage --json | grep fingerprint)"
out=$(sota-coverage nowhere 2>&1)
check_equal "an unknown revision exits 2" "$?" 2
check_has "and is named" "$out" "'nowhere' names no commit"
check_exit "a revision and the index are one too many" 2 sota-coverage --index HEAD
check_exit "an index in a bare repository exits 2" 2 sota-coverage -C "$scratch/bare.git" --index
blob=$(git rev-parse HEAD:src/scale.cu)
cp -r . "$scratch/broken" && rm -f "$scratch/broken/.git/objects/$(echo "$blob" | cut -c1-2)/$(echo "$blob" | cut -c3-)"
out=$(XDG_CACHE_HOME=$scratch/none sota-coverage -C "$scratch/broken" HEAD 2>&1)
check_equal "a missing object exits 2" "$?" 2
check_has "and is named with its mend" "$out" "git fetch --refetch --no-filter"

git config uploadpack.allowFilter true
for filter in blob:none tree:0; do
    git clone -q --filter=$filter --no-checkout "file://$scratch/revisions" "$scratch/$filter" 2>/dev/null
    out=$(XDG_CACHE_HOME=$scratch/none sota-coverage -C "$scratch/$filter" --since one HEAD 2>&1)
    check_equal "a partial clone ($filter) exits 2" "$?" 2
    check_has "and fetches nothing by itself" "$out" "git fetch --refetch --no-filter"
done

# --- since -----------------------------------------------------------------------------------------------------
git checkout -q -b change one
cp src/scale.cu src/new.cu && git add . && git commit -qm new
out=$(sota-coverage --since main)
check_equal "--since alone only tells" "$?" 0
check_has "debt is compared with the merge-base" "$out" "debt 0, then 1; 1 added, 0 removed"
check_has "what was added is shown" "$out" "src/new.cu"
check_exit "added debt fails on demand" 1 sota-coverage --since main --fail-on added
check_has "--exact compares with the revision itself" "$(sota-coverage --since main --exact)" "1 added, 1 removed"
git mv src/new.cu src/newer.cu && git commit -qm rename
check_exit "debt that was there before does not fail" 0 sota-coverage --since change --fail-on added
check_exit "debt against the rename's parent does" 1 sota-coverage --since change~1 --fail-on added --exact
check_exit "--fail-on needs --since" 2 sota-coverage --fail-on added
check_equal "JSON says the same" "$(sota-coverage --since main --json | python3 -c '
import json, sys
since = json.load(sys.stdin)["since"]
print(since["debt_added"], since["debt_removed"], len(since["added"]), since["base_has_a_matrix"])')" "1 0 1 True"
git clone -q --depth 1 -b main "file://$scratch/revisions" "$scratch/shallow" 2>/dev/null
out=$(sota-coverage -C "$scratch/shallow" --since origin/main --fail-on added 2>&1)
check_equal "H15: a clone of depth 1 cannot decide" "$?" 2
check_has "H15: and the mend is named" "$out" "fetch-depth: 0"
check_lacks "H15: there is no number to mistake for a pass" "$out" "sota_debt"
# what docs/ci/action.yml runs, in the shell that GitHub gives it
sed -n '/^      run: |$/,/^    - /{/^        /p;}' "$root/docs/ci/action.yml" >"$scratch/action.sh"
act() {
    rm -f "$scratch/out" "$scratch/summary"
    PROGRAM=sota-coverage SINCE=$1 FAIL_ON=added MAX_DEBT='' MATRIX='' SARIF=debt.sarif GITHUB_OUTPUT=$scratch/out \
        GITHUB_STEP_SUMMARY=$scratch/summary bash --noprofile --norc -eo pipefail "$scratch/action.sh" 2>&1
}
out=$(act main)
check_equal "the action fails on added debt" "$?" 1
check_has "and shows the scorecard" "$out" "1 added, 0 removed"
check_has "the annotations" "$out" "::warning file=src/newer.cu"
check_equal "its output" "$(cat "$scratch/out")" "debt=1"
check_has "and the summary" "$(cat "$scratch/summary")" "src/newer.cu"
act change >/dev/null
check_equal "it passes on debt that was there" "$?" 0
act nowhere >/dev/null
check_equal "and never where it cannot decide" "$?" 2
rm -f scorecard.txt debt.sarif
git checkout -q -b left one && git rm -qf src/scale.cu && git commit -qm left
git checkout -q -b right one && seed planned && git commit -qam right
git merge -q left -m both
check_equal "H16: two changes to the debt merge without a conflict" "$?" 0
git checkout -q one

# --- formats -----------------------------------------------------------------------------------------------------
git checkout -q main
out=$(sota-coverage --format sarif -o "$scratch/out.sarif")
check_equal "with -o the scorecard still ends in the number" "$(last_line "$out")" "sota_debt=1"
check_equal "SARIF: paths are from the root, whatever the folder (H17)" \
    "$(cd src && sota-coverage --format sarif)" "$(cat "$scratch/out.sarif")"
check_equal "SARIF: a file is found at its kernel's line (H17)" "$(python3 -c '
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
place = run["results"][0]["locations"][0]["physicalLocation"]
print(place["artifactLocation"]["uri"], place["region"]["startLine"])' "$scratch/out.sarif")" "src/loose.cu 1"
check_has "annotations" "$(sota-coverage --format github)" "::warning file=src/loose.cu"
check_has "step summary" "$(sota-coverage --format summary)" "1 of 2 kernels without a gap"
check_has "JUnit" "$(sota-coverage --format junit)" "<failure"
check_exit "an unknown format exits 2" 2 sota-coverage --format yaml
check_exit "an output that cannot be written exits 2" 2 sota-coverage --format sarif -o "$scratch/no/such"

# --- what is accepted ----------------------------------------------------------------------------------------------
explained=$(sota-coverage --explain "$(sota-coverage --json | sed -n 's/.*"fingerprint": "\(.*\)".*/\1/p' | head -n 1)")
check_has "--explain says the layer" "$explained" "kernel file (cuda)"
check_has "and how to keep the gap" "$explained" "sota-coverage: suppress uncovered: REASON"
echo '// sota-coverage: suppress uncovered: a copy for a test' >>src/loose.cu
out=$(sota-coverage)
check_equal "a gap is accepted by a comment with a reason" "$(last_line "$out")" "sota_debt=0"
check_has "and told apart" "$out" "a copy for a test"
check_has "its kernel is under no gap" "$out" "100 %"
git checkout -q . && echo '// sota-coverage: suppress uncovered' >>src/loose.cu
check_has "without a reason it is not" "$(sota-coverage)" "gives no reason"
check_equal "and counts itself" "$(sota-coverage | tail -n 1)" "sota_debt=2"
git checkout -q . && echo '// sota-coverage: suppress uncovered: long gone' >>src/scale.cu
check_has "a stale one is a gap" "$(sota-coverage)" "holds nothing back"
git checkout -q .
seed shipped "INSERT INTO suppression (class, path, reason) VALUES ('uncovered', 'src/loo*.cu', 'a test double');"
check_equal "a row does the same" "$(sota-coverage | tail -n 1)" "sota_debt=0"
seed shipped "INSERT INTO suppression (class, path, reason) VALUES ('uncovered', 'src/old*.cu', 'a test double');"
check_has "a stale row is a gap with its line" "$(sota-coverage)" "10-scale.sql:8"
seed shipped "INSERT INTO suppression (class, path, reason) VALUES ('uncovered', 'src/loo*.cu', '');"
check_exit "a row without a reason is no row" 2 sota-coverage
git checkout -q .

# --- what the matrix lacks is counted, not refused -------------------------------------------------------------------
sed -i "s/'ref', 'memory'/'', 'memory'/; /INTO reference/d; s/tests.scale_test.c/tests\/gone.c/" sotadb/seed/10-scale.sql
out=$(sota-coverage)
check_has "a row without an oracle" "$out" "Operations without an oracle: 1"
check_has "a row without a primary link" "$out" "Operations without a primary link: 1"
check_has "a witness whose test is not there" "$out" "Witnesses whose test is not there: 1"
git checkout -q .
printf '__global__ void other(float *x) { }\n' >>src/scale.cu
cat >>sotadb/seed/10-scale.sql <<'SQL'
INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('add', 'Adding', 'Adds.', 'kernel', 'stay-minimal', 'It is small.', 'ref', 'memory', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES ('add', 'BLAS', 'https://www.netlib.org/blas/', 'primary');
INSERT INTO op_path (op, glob, role) VALUES ('add', 'src/s*.cu', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES ('scale', 'scale*');
INSERT INTO witness (op, device, metric, test) VALUES ('add', 'cuda', 'cosine', 'tests/scale_test.c');
SQL
out=$(sota-coverage)
check_has "a kernel of a file of several operations" "$out" "src/scale.cu: other"
check_lacks "one whose name a pattern knows is none" "$out" "src/scale.cu: scale"
check_has "a device witness without a floor" "$out" "Device witnesses without a floor: 1"
check_has "and without an acceptance row" "$out" "Device witnesses without an acceptance script: 1"
check_has "links are stale only when a day is named" "$(sota-coverage --today 2026-11-30)" "Links not read again within 180 days of 2026-11-30 (no gap): 2"
check_lacks "and else not told of" "$out" "Links not read"
check_exit "a day that is none exits 2" 2 sota-coverage --today 2026-02-30
git checkout -q .

# --- the cache -----------------------------------------------------------------------------------------------------
out=$(sota-coverage)
check_equal "with a cache and without are the same" "$(sota-coverage --no-cache)" "$out"
check_equal "and so are one thread and three" "$(sota-coverage --no-cache -j 3)" "$(sota-coverage --no-cache -j 1)"
file=$(ls "$XDG_CACHE_HOME"/fak/coverage-*.sqlite)
check "it lies in the user's cache folder" test -s "$file"
echo garbage >"$file" && rm -f "$file"-*
err=$(sota-coverage 2>&1 >"$scratch/text")
check_equal "a damaged cache is made anew" "$(cat "$scratch/text")" "$out"
check_has "and that is said in one line" "$err" "it is made anew"
check_equal "once" "$(sota-coverage 2>&1)" "$out"
python3 - "$file" <<'PY' &
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1])
db.execute("BEGIN EXCLUSIVE")
time.sleep(3)
PY
sleep 0.5
echo '// one more line' >>src/loose.cu
check_has "a cache that another process writes is not waited for" "$(sota-coverage 2>&1)" "sota_debt=1"
wait
git checkout -q .
check_has "a cache inside the tree is not made" "$(XDG_CACHE_HOME=$PWD/cache sota-coverage 2>&1)" "would lie in the tree"
check "nor is its file" test ! -e cache/fak/coverage*.sqlite
rm -rf cache
check_exit "an unwritable cache is done without" 0 env XDG_CACHE_HOME=/proc/none sota-coverage

tap_end
