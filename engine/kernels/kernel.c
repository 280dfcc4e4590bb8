#include "engine/kernels/kernel.h"

#include "engine/kernels/exact/matrices.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

static bool cpu_any(void) { return true; }
static bool cpu_none(void) { return false; }
#define cpu_c cpu_any

#if defined(__x86_64__)
/* Half-precision conversion is part of the x86-64-v3 level and has no name in __builtin_cpu_supports of the
 * compilers we build with. Leaf 1, ECX bit 29. */
static bool cpu_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & 1U << 29);
}

static bool cpu_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2") && cpu_f16c();
}

static bool cpu_avx512bw(void) {
    return cpu_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static bool cpu_avx512vnni(void) { return cpu_avx512bw() && __builtin_cpu_supports("avx512vnni"); }
#else
#define cpu_avx2 cpu_none
#define cpu_avx512bw cpu_none
#define cpu_avx512vnni cpu_none
#endif

#if defined(__aarch64__)
/* The kernel says what there is, by the bits of its asm/hwcap.h. */
static bool cpu_asimd(void) { return getauxval(AT_HWCAP) & HWCAP_ASIMD; }
static bool cpu_dotprod(void) { return cpu_asimd() && (getauxval(AT_HWCAP) & HWCAP_ASIMDDP); }
static bool cpu_i8mm(void) { return cpu_dotprod() && (getauxval(AT_HWCAP2) & HWCAP2_I8MM); }
#else
#define cpu_asimd cpu_none
#define cpu_dotprod cpu_none
#define cpu_i8mm cpu_none
#endif

const struct kernel kernel_table[] = {
#define ROW_ref(op, needs) {#op, "ref", "", "engine/kernels/ref/" #op ".c", cpu_##needs, op##_ref},
#define ROW_CLONE(op, clone)                                                                                 \
    {#op, "exact", #clone, "engine/kernels/exact/" #op ".c", cpu_##clone, op##_exact_##clone},
#define ROW_exact(op, needs) KERNEL_CLONES(ROW_CLONE, op)
#define KERNEL(op, lane, needs) ROW_##lane(op, needs)
#include "engine/kernels/kernels.inc"
#undef KERNEL
};
const size_t kernel_count = sizeof kernel_table / sizeof *kernel_table;

static const struct kernel *find_in(const char *op, const char *lane, const char *clone) {
    for (const struct kernel *k = kernel_table; k < kernel_table + kernel_count; k++)
        if (strcmp(k->op, op) == 0 && strcmp(k->lane, lane) == 0 && strcmp(k->clone, clone) == 0) return k;
    return NULL;
}

const struct kernel *kernel_find(const char *op, const char *lane, const char *clone) {
    const struct kernel *found = find_in(op, lane, clone);
    return found ? found : find_in(op, "ref", "");
}

const struct kernel *kernel_find_linear(enum dtype type, const char *lane, const char *clone) {
    char op[32];
    snprintf(op, sizeof op, "linear_%s", dtype_info(type)->name);
    for (char *c = op; *c; c++) *c = (char)tolower((unsigned char)*c);
    const struct kernel *found = find_in(op, lane, clone);
    return found ? found : find_in("linear", "ref", "");
}

/* Of all architectures, narrowest first: which of them runs here is the CPU's to say. */
static const struct clone {
    const char *name, *isa, *text;
    bool (*runs_here)(void);
} clones[] = {
    {"c", "c", "c", cpu_c},
    {"avx2", "avx2", "avx2", cpu_avx2},
    {"avx512bw", "avx512", "avx512", cpu_avx512bw},
    {"avx512vnni", "avx512", "avx512 vnni", cpu_avx512vnni},
    {"asimd", "neon", "neon", cpu_asimd},
    {"dotprod", "neon", "neon dotprod", cpu_dotprod},
    {"i8mm", "neon", "neon i8mm", cpu_i8mm},
};
enum { N_CLONES = sizeof clones / sizeof *clones };

const char *kernel_choose_clone(const char *isa, bool *exists) {
    const char *widest = NULL;
    bool any = false;
    for (const struct clone *c = clones; c < clones + N_CLONES; c++) {
        if (strcmp(isa, "auto") != 0 && strcmp(isa, c->isa) != 0 && strcmp(isa, c->name) != 0) continue;
        any = true;
        if (c->runs_here()) widest = c->name;
    }
    if (exists) *exists = any;
    return widest;
}

const char *kernel_clone_text(const char *clone) {
    for (const struct clone *c = clones; c < clones + N_CLONES; c++)
        if (strcmp(c->name, clone) == 0) return c->text;
    return "";
}

const char *kernel_isas_here(char *out, size_t size) {
    size_t used = 0;
    out[0] = '\0';
    for (const struct clone *c = clones; c < clones + N_CLONES; c++) {
        bool again = c > clones && strcmp(c[-1].isa, c->isa) == 0;
        if (again || !c->runs_here() || used >= size) continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", c->isa);
    }
    return out;
}

/* Attention is the hungriest: a page of keys and values as f32, and of each query head of a block the query,
 * two partial sums with their lanes and maxima; ref keeps sums and a key in double. `linear` in ref keeps one
 * decoded row; `route` two doubles for each expert; dsa_select a heap of two doubles for each position it
 * chooses, and a key. Products of integers keep a slab, or a few rows of activations, those of floats a block
 * of four panels in f32; those of experts also rows that stand together, and which experts were chosen;
 * delta_net 64 columns of a head's state, and 32 keys and queries; re-laying keeps sixteen rows. */
size_t kernel_scratch(size_t width, size_t head_dim) {
    size_t row = width * 2 * sizeof(double), dim = kv_value_row(head_dim);
    size_t page = 2 * KV_PAGE * dim, scores = 16 * KV_PAGE, query = 3 * dim + 2 * (16 + 2);
    size_t floats = 4 * 256 * LINEAR_ROWS * sizeof(float), delta = head_dim * (64 + 2 * 32) * sizeof(float);
    size_t most = floats + delta + row + 2 * head_dim * sizeof(double) +
                  (page + scores + KERNEL_ATTENTION_QUERIES * query) * sizeof(float) + 64;
    size_t matrices = matrices_scratch(width) + width + 64;
    return most > matrices ? most : matrices;
}
