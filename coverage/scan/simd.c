#include "coverage/scan/simd.h"

#include <string.h>

static bool is_one_of(struct view name, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (view_is(name, words[i])) return true;
    return false;
}

static bool starts_with_one_of(struct view name, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (view_starts(name, words[i])) return true;
    return false;
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* x86: not every _mm_ name computes on vectors. */
static bool is_x86(struct view name) {
    static const char *const prefixes[] = {"_mm_", "_mm256_", "_mm512_", "_tile_", "__builtin_ia32_"};
    static const char *const others[] = {"_mm_pause",
                                         "_mm_prefetch",
                                         "_mm_lfence",
                                         "_mm_sfence",
                                         "_mm_mfence",
                                         "_mm_malloc",
                                         "_mm_free",
                                         "_mm_getcsr",
                                         "_mm_setcsr",
                                         "_mm_clflush",
                                         "_mm_clflushopt",
                                         "_mm_hint",
                                         "_mm_clwb",
                                         "__builtin_ia32_pause",
                                         "__builtin_ia32_rdtsc",
                                         "__builtin_ia32_ldmxcsr",
                                         "__builtin_ia32_stmxcsr"};
    return starts_with_one_of(name, prefixes, COUNT(prefixes)) && !is_one_of(name, others, COUNT(others)) &&
           !view_starts(name, "_mm_crc32_");
}

/* NEON functions begin with a mnemonic and end in an element type: vld1q_f32, vdotq_laneq_s32. */
static bool is_neon(struct view name) {
    static const char *const mnemonics[] = {
        "vab",   "vadd",  "vaes", "vand", "vbic", "vbsl", "vceq", "vcge", "vcgt", "vcl",  "vcnt",
        "vcom",  "vcop",  "vcre", "vcvt", "vdiv", "vdot", "vdup", "veor", "vext", "vfm",  "vget",
        "vhadd", "vhsub", "vld",  "vmax", "vmin", "vml",  "vmm",  "vmov", "vmul", "vmvn", "vneg",
        "vor",   "vpad",  "vpma", "vpmi", "vqa",  "vqd",  "vqm",  "vqn",  "vqr",  "vqs",  "vqt",
        "vra",   "vrec",  "vrei", "vrev", "vrh",  "vrn",  "vrs",  "vset", "vsh",  "vsl",  "vsq",
        "vsr",   "vst",   "vsub", "vsud", "vtb",  "vtrn", "vtst", "vusd", "vusm", "vuz",  "vzip"};
    size_t i = name.n;
    while (i > 0 && is_digit(name.at[i - 1])) i--;
    if (i == name.n || i < 4 || !strchr("sufp", name.at[i - 1])) return false;
    if (name.at[i - 2] != '_' && (name.at[i - 2] != 'b' || name.at[i - 3] != '_')) return false;
    struct view bits = {name.at + i, name.n - i};
    bool sized = view_is(bits, "8") || view_is(bits, "16") || view_is(bits, "32") || view_is(bits, "64");
    return sized && starts_with_one_of(name, mnemonics, COUNT(mnemonics));
}

/* SVE: svld1_f32, svmla_f32_m, svptrue_b8. */
static bool is_sve(struct view name) {
    if (name.n < 6 || !view_starts(name, "sv") || name.at[2] < 'a' || name.at[2] > 'z') return false;
    for (size_t i = 3; i + 2 < name.n; i++)
        if (name.at[i] == '_' && strchr("fsub", name.at[i + 1]) && name.at[i + 1] && is_digit(name.at[i + 2]))
            return true;
    return false;
}

static bool is_other(struct view name) {
    static const char *const prefixes[] = {
        "__riscv_v",   "__riscv_th_v",   "__lasx_xv",          "__lsx_v",        "wasm_v128_",  "wasm_i8x16_",
        "wasm_i16x8_", "wasm_i32x4_",    "wasm_i64x2_",        "wasm_u8x16_",    "wasm_u16x8_", "wasm_f32x4_",
        "wasm_f64x2_", "__builtin_vsx_", "__builtin_altivec_", "__builtin_mma_", "Q6_V",        "Q6_W",
        "Q6_Q"};
    static const char *const words[] = {"vec_xl",
                                        "vec_xst",
                                        "vec_madd",
                                        "vec_perm",
                                        "vec_splats",
                                        "vec_mule",
                                        "vec_mulo",
                                        "vec_msum",
                                        "vec_sld",
                                        "vec_extract",
                                        "vec_reve",
                                        "vec_pack",
                                        "__builtin_shufflevector",
                                        "__builtin_convertvector",
                                        "__builtin_shuffle",
                                        "target_clones",
                                        "vector_size",
                                        "ext_vector_type",
                                        "__vector"};
    if (view_starts(name, "__riscv_vset")) return false; /* asks for a length, computes nothing */
    return starts_with_one_of(name, prefixes, COUNT(prefixes)) || is_one_of(name, words, COUNT(words));
}

/* 32x4 somewhere in it: the lanes of float32x4_t. */
static bool has_lanes(struct view name) {
    for (size_t i = 1; i + 1 < name.n; i++)
        if (name.at[i] == 'x' && is_digit(name.at[i - 1]) && is_digit(name.at[i + 1])) return true;
    return false;
}

/* float32x4_t, int8x16x2_t, __m256i, svfloat32_t, vfloat32m1_t, v128_t */
static bool is_type(struct view name) {
    static const char *const words[] = {"v128_t", "svbool_t", "v4f32", "v8f32", "v4i32", "v8i32"};
    static const char *const x86[] = {"__m128", "__m256", "__m512", "__mmask"};
    static const char *const vla[] = {"svfloat", "svint", "svuint", "vfloat", "vint", "vuint", "vbool"};
    static const char *const neon[] = {"float", "int", "uint", "poly", "bfloat"};
    if (name.at[0] == '_') return starts_with_one_of(name, x86, COUNT(x86));
    if (name.at[0] == 'H') return view_starts(name, "HVX_Vector") || view_starts(name, "HVX_UVector");
    if (is_one_of(name, words, COUNT(words))) return true;
    if (name.at[name.n - 1] != 't' || name.at[name.n - 2] != '_') return false;
    if (starts_with_one_of(name, vla, COUNT(vla))) return is_digit(name.at[name.n - 3]);
    return starts_with_one_of(name, neon, COUNT(neon)) && has_lanes(name);
}

/* Every name of a C file is asked for: the first letter decides for most of them. */
int simd_mark(struct view name) {
    if (name.n < 5 || !strchr("_vstwefiupbQH", name.at[0])) return SIMD_NONE;
    bool code = false;
    switch (name.at[0]) {
    case '_': code = is_x86(name) || is_other(name); break;
    case 'v': code = is_neon(name) || is_other(name); break;
    case 's': code = is_sve(name); break;
    case 'Q': /* Hexagon HVX */
    case 't':
    case 'w':
    case 'e': code = is_other(name); break;
    default: break;
    }
    if (view_is(name, "target")) return SIMD_ATTRIBUTE;
    if (code) return SIMD_CODE;
    return is_type(name) ? SIMD_TYPE : SIMD_NONE;
}

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static bool is_other_mark(struct view name) {
    static const char *const words[] = {"__global__", "CUTLASS_GLOBAL", "host_name", "parallel_for",
                                        "single_task"};
    return name.n >= 6 && is_one_of(name, words, COUNT(words));
}

bool simd_is_likely(struct view text) {
    for (size_t i = 0; i < text.n;) {
        if (!is_name_char(text.at[i])) {
            i++;
            continue;
        }
        size_t begin = i;
        while (i < text.n && is_name_char(text.at[i])) i++;
        struct view name = {text.at + begin, i - begin};
        int mark = simd_mark(name);
        if (mark == SIMD_ATTRIBUTE) mark = i < text.n && (text.at[i] == '(' || text.at[i] == ' ');
        if (mark || (strchr("_Chps", name.at[0]) && is_other_mark(name))) return true;
    }
    return text.n && memmem(text.at, text.n, "[[kernel", 8);
}

bool simd_names_isa(const char *path) {
    static const char *const isas[] = {
        "sse",     "sse2", "sse3", "ssse3",   "sse41",      "sse42",   "avx",     "avx2", "avx512",
        "fma",     "vnni", "amx",  "neon",    "sve",        "sve2",    "sme",     "rvv",  "vsx",
        "altivec", "lsx",  "lasx", "simd128", "avx512vnni", "avxvnni", "dotprod", "i8mm", "avx512bf16"};
    const char *slash = strrchr(path, '/');
    struct view name = view_of(slash ? slash + 1 : path);
    if (!view_ends(name, ".c") && !view_ends(name, ".cpp") && !view_ends(name, ".cc")) return false;
    for (size_t i = 0, j; i < name.n; i = j + 1) { /* parts between '_', '-' and '.' */
        for (j = i; j < name.n && !strchr("_-.", name.at[j]);) j++;
        if (is_one_of((struct view){name.at + i, j - i}, isas, COUNT(isas))) return true;
    }
    return false;
}
