#include "engine/kernels/kernel.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

static bool cpu_any(void) { return true; }

#if defined(__x86_64__)
/* Half-precision conversion is part of the x86-64-v3 level and has no name in __builtin_cpu_supports of the
 * compilers we build with. Leaf 1, ECX bit 29. */
static bool cpu_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & 1U << 29);
}

static bool cpu_v3(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2") && cpu_f16c();
}

static bool cpu_v4(void) {
    return cpu_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static bool cpu_vnni(void) { return cpu_v4() && __builtin_cpu_supports("avx512vnni"); }
#endif
#define cpu_base cpu_any

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

static const struct clone {
    const char *name, *text;
    bool (*runs_here)(void);
} clones[] = {
    {"base", "baseline", cpu_base},
#if defined(__x86_64__)
    {"v3", "AVX2", cpu_v3},
    {"v4", "AVX-512", cpu_v4},
    {"vnni", "AVX-512 VNNI", cpu_vnni},
#endif
};

static const struct clone *clone_of(const char *name) {
    for (size_t i = 0; i < sizeof clones / sizeof *clones; i++)
        if (strcmp(clones[i].name, name) == 0) return &clones[i];
    return NULL;
}

const char *kernel_widest_clone(void) {
    const char *widest = "base";
    for (size_t i = 0; i < sizeof clones / sizeof *clones; i++)
        if (clones[i].runs_here()) widest = clones[i].name;
    return widest;
}

const char *kernel_clone_text(const char *clone) {
    const struct clone *found = clone_of(clone);
    return found ? found->text : "";
}

/* Attention is the hungriest: a maximum, a sum and twice head_dim sums for each head of a group, in f32; ref
 * keeps one head in double. `linear` in ref keeps one decoded row; `route` two doubles for each expert;
 * dsa_select a heap of two doubles for each position it chooses. */
size_t kernel_scratch(size_t width, size_t head_dim, size_t group) {
    size_t row = width * 2 * sizeof(double), heads = group * (2 * head_dim + 64) * sizeof(float);
    return row + heads + head_dim * sizeof(double) + 64;
}
