#!/bin/sh
# sota-coverage history: who added, who paid, since when, on histories whose answer is known.
. "$(dirname "$0")/tap.sh"

valid_json() { python3 -m json.tool >"$scratch/json" 2>&1; }
kernel() { printf '__global__ void %s(float *x) { x[0] = 1; }\n' "$1"; }
# commit AUTHOR SUBJECT: what is there
commit() {
    clock=$((clock + 86400))
    git add -A && GIT_AUTHOR_NAME=$1 GIT_COMMITTER_DATE="@$clock +0000" git commit -q --allow-empty -m "$2"
}
# ask PYTHON: an expression over the parsed JSON h
ask() { sota-coverage history --json | python3 -c "import json, sys
h = json.load(sys.stdin)
by = {c['subject']: c for c in h['commits']}
print($1)"; }
matrix() {
    mkdir -p "${1%/*}" && cat >"$1" <<'SQL'
INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('scale', 'Scaling', 'Multiplies.', 'kernel', 'stay-minimal', 'It is small.', 'ref', 'memory', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES ('scale', 'BLAS', 'https://www.netlib.org/blas/', 'primary');
INSERT INTO op_path (op, glob, role) VALUES ('scale', 'src/scale*.cu', 'kernel');
INSERT INTO witness (op, device, metric, test) VALUES ('scale', 'cpu', 'max|d| = 0', 'test.c');
SQL
}
clock=1700000000

# --- a history that had no matrix at first ---------------------------------------------------------------------
mkdir -p "$scratch/own/src" && cd "$scratch/own" && git init -q -b main || exit 1
kernel scale >src/scale.cu && echo >test.c && commit Ann "first kernel"
kernel old >src/old.cu && commit Ann "a second one"
matrix sotadb/seed/10.sql && commit Ben "the matrix"
kernel a >src/a.cu && kernel b >src/b.cu && commit Cid "two uncovered"
git checkout -q -b side && git rm -q src/a.cu && commit Dot "one gone"
git checkout -q main && echo note >note && commit Ann "a note"
clock=$((clock + 86400))
GIT_AUTHOR_NAME=Eve GIT_COMMITTER_DATE="@$clock +0000" git merge -q --no-ff -m "a merge" side
git mv src/old.cu src/scale_old.cu && commit Ben "the old one is covered"
out=$(sota-coverage history)
check_equal "exits 0" "$?" 0
check_equal "and ends in the number" "$(printf '%s\n' "$out" | tail -n 1)" "sota_debt=1"
check_equal "which is the scorecard's" "$(sota-coverage HEAD | tail -n 1)" "sota_debt=1"
sota-coverage history --json | valid_json
check_equal "JSON is valid" "$?" 0
check_equal "debt of each commit, none before there was a matrix" \
    "$(ask "[c['sota_debt'] for c in h['commits'] if c['subject'] not in ('one gone', 'a note')]")" \
    "[None, None, 1, 3, 2, 1]"
check_equal "kernels are counted all along" "$(ask "by['a second one']['kernels'], by['two uncovered']['kernels']")" "2 4"
check_equal "coverage is the share without a gap" "$(ask "by['the matrix']['coverage']")" "0.5"
check_equal "the first matrix is a beginning: nobody is charged" \
    "$(ask "by['the matrix']['begins'], [p['name'] for p in h['people']]")" "True ['Ben', 'Dot', 'Cid']"
check_equal "who added is charged" "$(ask "len(by['two uncovered']['added']), len(by['two uncovered']['paid'])")" "2 0"
check_equal "who paid is credited" "$(ask "[(p['paid'], p['added']) for p in h['people']]")" "[(1, 0), (1, 0), (0, 2)]"
check_equal "a merge is not, for what its parents did" "$(ask "by['a merge']['added'], by['a merge']['paid']")" "[] []"
check_equal "a commit that touches no kernel has its parent's debt" \
    "$(ask "by['a note']['sota_debt'] == by['two uncovered']['sota_debt']")" "True"
check_equal "the first commit of an open gap" \
    "$(ask "[(g['path'], g['first_commit'] == by['two uncovered']['commit']) for g in h['gaps'] if g['open']]")" \
    "[('src/b.cu', True)]"
check_has "the text names who" "$out" "Cid: two uncovered"
check_has "and how much" "$out" "+2"
json=$(sota-coverage history --json)
check_equal "the same again from the cache" "$(sota-coverage history --json)" "$json"
check_equal "without a cache" "$(sota-coverage history --json --no-cache)" "$json"
check_equal "and on two threads" "$(sota-coverage history --json --no-cache -j 2)" "$json"
check_equal "an older revision" "$(sota-coverage history HEAD~2 | tail -n 1)" "sota_debt=3"
git clone -q --bare . "$scratch/own.git"
check_equal "a bare repository" "$(cd "$scratch/own.git" && sota-coverage history | tail -n 1)" "sota_debt=1"
echo "INSERT nonsense" >>sotadb/seed/10.sql && commit Ann "a broken matrix"
check_exit "a matrix that is wrong now exits 2" 2 sota-coverage history
matrix sotadb/seed/10.sql && commit Ann "mended"
check_equal "one that was wrong once is a commit without one" "$(ask "by['a broken matrix']['sota_debt']")" "None"

# --- the picture -------------------------------------------------------------------------------------------------
sota-coverage history --plot "$scratch/plot.svg" >/dev/null
check "the plot is well-formed XML" python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$scratch/plot.svg"
check_has "and says what it shows" "$(cat "$scratch/plot.svg")" "<desc"
check_exit "one that cannot be written exits 2" 2 sota-coverage history --plot "$scratch/no/such.svg"

# --- one matrix for all --------------------------------------------------------------------------------------------
mkdir -p "$scratch/other/src" && cd "$scratch/other" && git init -q -b main && echo >test.c || exit 1
kernel scale >src/scale.cu
commit Ann "first"
kernel lost >src/lost.cu && commit Ben "lost"
matrix "$scratch/m.sql"
check_exit "no matrix exits 2" 2 sota-coverage history
check_has "an extra matrix holds for every commit" "$(sota-coverage history --matrix "$scratch/m.sql")" "all held to one matrix"
check_equal "a first commit is charged then" "$(sota-coverage history --matrix "$scratch/m.sql" --json | python3 -c '
import json, sys
h = json.load(sys.stdin)
print([(p["name"], p["added"]) for p in h["people"]])')" "[('Ben', 1)]"
git clone -q --depth 1 "file://$PWD" "$scratch/cut" 2>/dev/null
check_exit "a shallow clone exits 2" 2 sota-coverage history -C "$scratch/cut" --matrix "$scratch/m.sql"
check_has "with the mend" "$(sota-coverage history -C "$scratch/cut" --matrix "$scratch/m.sql" 2>&1)" "git fetch --unshallow"

tap_end
