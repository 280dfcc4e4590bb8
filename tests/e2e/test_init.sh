#!/bin/sh
# fak sota init: a first matrix that says no more than is known, and the example matrices.
. "$(dirname "$0")/tap.sh"

mkdir -p "$scratch/new/src/fa" "$scratch/new/odd" && cd "$scratch/new" && git init -q -b main || exit 1
printf '__global__ void rms_norm_f32(float *x) { }\n' >src/n.cu
printf '__global__ void fusedRoPE(float *x) { }\n__global__ void k_rmsnorm(float *x) { }\n' >src/both.cu
printf '__global__ void run(float *x) { }\n' >src/swiglu.cu
printf '// The rms_norm of Llama. rmsNorm again, and rms_norm_weight.\n__global__ void go(float *x) { }\n' >src/text.cu
printf '__global__ void mystery(float *x) { }\n' >src/other.cu
for i in a b c; do printf '__global__ void flash_attn_%s(float *x) { }\n' $i >src/fa/$i.cu; done
cp src/n.cu "odd/it's [a] *.cu"
git add .
out=$(fak sota init)
check_equal "exits 0" "$?" 0
check_has "says where it wrote" "$out" "sotadb/seed/10-proposed.sql"
check_has "for how many files" "$out" "for 8 of 9 kernel files"
seed=$(cat sotadb/seed/10-proposed.sql)
check_has "by a kernel's name" "$seed" "('rms-norm', 'src/n.cu', 'kernel'); -- REVIEW: by its kernels' names"
check_has "whatever the style of the name" "$seed" "('rope', 'src/both.cu', 'kernel')"
check_has "a file of two operations has two rows" "$seed" "('rms-norm', 'src/both.cu', 'kernel')"
check_has "and patterns that tell its kernels apart" "$seed" "('rope', '*RoPE*')"
check_has "by the file's own name" "$seed" "('swiglu', 'src/swiglu.cu', 'kernel'); -- REVIEW: by its file's name"
check_has "by what its text says often" "$seed" "('rms-norm', 'src/text.cu', 'kernel'); -- REVIEW: by its text"
check_has "a folder of one operation is one row" "$seed" "('fused-attention', 'src/fa/*.cu', 'kernel')"
check_has "what fits nothing is listed, not guessed" "$seed" "--   src/other.cu"
check_has "what is not known is a question" "$seed" "REVIEW: why this route here?"
check_lacks "an oracle is not invented" "$seed" "oracle,"
check_has "quotes and wildcards in a path are the path" "$seed" "'odd/it''s \\[a] \\*.cu'"
out=$(sota-coverage --json)
check_equal "the matrix loads, and covers what it proposes" "$(printf '%s' "$out" | python3 -c '
import json, sys
gaps = json.load(sys.stdin)["gaps"]
print(sorted({g["class"] for g in gaps}), [g["path"] for g in gaps if g["class"] == "uncovered"])')" \
    "['planned', 'uncovered'] ['src/other.cu']"
git add .
out=$(fak sota init 2>&1)
check_equal "a matrix that is there is not written over" "$?" 2
check_has "and the other ways are named" "$out" "-o -"
check_equal "-o - only shows" "$(fak sota init -o -)" "$seed"
check_exit "a file that is there is not written over" 2 fak sota init -o sotadb/seed/10-proposed.sql
git commit -qm all && git clone -q --bare . "$scratch/bare.git"
check_equal "a bare repository is read at HEAD" "$(fak sota init -C "$scratch/bare.git" | grep -c 'op_path')" "$(printf '%s\n' "$seed" | grep -c 'op_path')"
mkdir "$scratch/none" && git -C "$scratch/none" init -q
check_exit "no kernel, nothing to propose" 1 fak sota init -C "$scratch/none"
check_equal "and nothing written" "$(ls "$scratch/none")" ""

# --- the examples ------------------------------------------------------------------------------------------------
cd "$scratch/none" || exit 1
for name in ggml flashinfer; do
    check_exit "docs/examples/$name.sql loads" 0 sota-coverage --matrix "$root/docs/examples/$name.sql"
done

tap_end
