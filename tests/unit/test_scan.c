/* coverage/scan: the kernels of one file, form by form. Every snippet is our own wording of a form that real
 * trees hold; where a form comes from is said beside it. */
#include "coverage/scan/scan.h"

#include "base/file.h"
#include "coverage/scan/blank.h"
#include "coverage/scan/lex.h"
#include "coverage/scan/syntax.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/scanned.h"

/* --- CUDA and HIP -------------------------------------------------------------------------------- */

static void cuda_ordinary_template_and_extern_c(void **state) {
    (void)state;
    holds("a.cu", "__global__ void scale(float *x, int n) { x[0] *= 2; }\n", "scale");
    holds("a.cu", "template <int N, typename T = float>\nstatic __global__ void fold(const T *x) {}\n",
          "fold");
    holds("a.cu",
          "extern \"C\" {\n__global__ void first(int a) {}\n}\nextern \"C\" __global__ void second() {}\n",
          "first second");
    holds("a.cu",
          "namespace q { namespace {\n__global__ void hidden(void) { if (1) { } }\n} }\nvoid host() {}\n",
          "hidden");
    holds("a.cu", "template <> __global__ void only<int, 4>(int *x) {}\n", "only");
}

static void cuda_launch_bounds_wherever_they_stand(void **state) {
    (void)state;
    holds("a.cu", "__global__ void __launch_bounds__(256, 2) before(int a) {}\n", "before");
    holds("a.cu", "__launch_bounds__(8 * 32, 1) static __global__ void ahead(int a) {}\n", "ahead");
    holds("a.cu", "__global__ __launch_bounds__(N > 4 ? 128 : 64) void between(int a) {}\n", "between");
    holds("a.cu", "__global__ void __cluster_dims__(2, 1, 1) clustered(int a) {}\n", "clustered");
    holds("a.cu", "__global__ void __attribute__((annotate(\"x\"))) dressed(int a) {}\n", "dressed");
}

/* llama.cpp mmvq.cu: the bounds stand in an #if between template header and kernel. */
static void cuda_bounds_behind_conditions(void **state) {
    (void)state;
    holds("a.cu",
          "template <int n>\n#if defined(WIDE)\n__launch_bounds__(n * 2, 1)\n#else\n__launch_bounds__(n, "
          "1)\n#endif\n"
          "static __global__ void guarded(const int *x) { x++; }\n",
          "guarded");
    /* FlashInfer xqa: an export macro and nested conditions before the type */
    holds("a.cu",
          "EXPORTED __global__\n#ifdef A\n#ifdef B\n__launch_bounds__(128, 4)\n#else\n__launch_bounds__(128, "
          "2)\n#endif\n"
          "#endif\nvoid nested(int a)\n{\n}\n",
          "nested");
}

static void cuda_macro_dress(void **state) {
    (void)state;
    holds("a.cu", "#define KERNEL __global__ __launch_bounds__(64) void\nKERNEL tidy(int a) {}\n", "tidy");
    holds("a.cu",
          "#define G __global__\n#define GK(b) static G __launch_bounds__(b) void\nGK(128) twice(int a) {}\n",
          "twice");
    holds("a.cu", "CUTLASS_GLOBAL void generic(int a) {}\n", "generic");
    holds("a.cu", "#define HEAD(name) __global__ void run_##name(int a)\nHEAD(cat) { return; }\n", "run_cat");
    holds("a.cu",
          "#define MAKE(name, T) \\\n  __global__ void name##_add(T *x) { \\\n    x[0] += 1; \\\n  }\n"
          "MAKE(f32, float)\nMAKE(i8, signed char)\n",
          "f32_add i8_add");
    holds("a.cu", "__global__ void BOUNDS(256) plain(int a) {}\n#define BOUNDS(n) __launch_bounds__(n)\n",
          "plain");
}

static void cuda_references_are_no_kernels(void **state) {
    (void)state;
    holds("a.cuh", "__global__ void later(int a);\ntemplate <int N> __global__ void maybe(float *x);\n", "");
    holds("a.cuh",
          "struct s { friend __global__ void f(int); };\nextern template __global__ void g<4>(int *);\n", "");
    holds("a.cu", "#define DECLARE(n) __global__ void n(int a);\nDECLARE(one)\nvoid host(void) { one(1); }\n",
          "");
    holds("a.cu", "template __global__ void made<8>(float *x);\n", "+made");
}

static void cuda_text_is_no_kernel(void **state) {
    (void)state;
    holds("a.cu",
          "// __global__ void a() {}\n/* __global__ void b() {}\n */\nconst char *c = \"__global__ void c() "
          "{}\";\n"
          "const char *d = R\"jit(\n__global__ void d(int x) { \" }\n)jit\";\nint e = '\\'' + '\"';\n"
          "#if 0\n__global__ void f() {}\n#endif\n",
          "");
    holds("a.cu", "#if 1\n__global__ void live() {}\n#else\n__global__ void dead() {}\n#endif\n", "live");
    holds("a.cu", "#if defined(A)\n__global__ void one() {}\n#else\n__global__ void two() {}\n#endif\n",
          "one two");
}

/* llama.cpp pad.cu: comparisons that a grammar reads as template arguments. */
static void cuda_comparisons_are_no_templates(void **state) {
    (void)state;
    holds("a.cu",
          "static __global__ void pad(int a, int b, int c, int d) {\n    if (a < b && c < d && a < b * c) { "
          "a = 0; }\n}\n"
          "static void launch(int n) { pad<<<n, 1 >> 2>>>(1, 2, 3, 4); }\n__global__ void after() {}\n",
          "pad after");
}

/* llama.cpp template-instances: nothing but an include and macro calls. */
static void cuda_files_of_macro_calls_are_instances(void **state) {
    (void)state;
    const char *text =
        "// This file has been autogenerated by a script, do not edit.\n#include \"../tile.cuh\"\n\n"
        "DECL_CASE(64, 64);\nDECL_CASE(128, 128);\n";
    struct scan_file file = scan("inst.cu", text);
    assert_string_equal(listed(&file), "+DECL_CASE(64, 64) +DECL_CASE(128, 128)");
    assert_true(file.generated);
    assert_int_equal(file.n_includes, 1);
    assert_string_equal(file.includes[0], "../tile.cuh");
    assert_true(scan_is_kernel_file(&file));
    holds("host.cu", "#include \"a.h\"\nvoid f(void);\nREGISTER(x);\n", "");
}

static void cuda_in_headers_and_hip(void **state) {
    (void)state;
    struct scan_file file =
        scan("k.h", "#pragma once\ntemplate <int N> __global__ void in_header(int *x) { *x = N; }\n");
    assert_string_equal(listed(&file), "in_header");
    assert_int_equal(file.language, SCAN_CUDA);
    file = scan("k.cpp", "#include <hip/hip_runtime.h>\n__global__ void on_hip(int *x) { *x = 1; }\n"
                         "void f() { hipLaunchKernelGGL(on_hip, 1, 1, 0, 0, nullptr); }\n");
    assert_string_equal(listed(&file), "on_hip");
    assert_int_equal(file.language, SCAN_HIP);
}

/* --- Metal, OpenCL, GLSL, HLSL ------------------------------------------------------------------- */

static void metal_functions_and_host_names(void **state) {
    (void)state;
    holds("a.metal",
          "#include <metal_stdlib>\nusing namespace metal;\n"
          "kernel void add(device const float *a [[buffer(0)]], constant int &n [[buffer(1)]],\n"
          "                uint i [[thread_position_in_grid]]) { }\n"
          "template <typename T>\nkernel void cast(device T *x, threadgroup float *s) {}\n"
          "typedef decltype(cast<float>) cast_t;\n"
          "template [[host_name(\"cast_f32\")]] kernel cast_t cast<float>;\n"
          "template [[host_name(\"cast_f16\")]] kernel cast_t cast<half>;\n"
          "[[host_name(\"renamed\")]] [[max_total_threads_per_threadgroup(64)]] kernel void inner(device int "
          "*x) {}\n"
          "[[kernel]] void attribute_form(device int *x) {}\n"
          "static inline float helper(float x) { return x; }\n",
          "add cast +cast_f32 +cast_f16 renamed attribute_form");
}

static void opencl_with_and_without_underscores(void **state) {
    (void)state;
    holds("a.cl",
          "#ifdef INTEL\n__attribute__((intel_reqd_sub_group_size(16)))\n#elif defined(ADRENO)\n"
          "__attribute__((qcom_reqd_sub_group_size(\"half\")))\n#endif\n"
          "kernel void one(global float *x, local int *y) { x[0] = y[0]; }\n"
          "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void two(__global int *x) {}\n"
          "kernel void later(global float *x);\nfloat helper(float x) { return x; }\n"
          "#define UNARY(name, op) kernel void k_##name(global float *x) { x[0] = op(x[0]); }\nUNARY(floor, "
          "floor)\n",
          "one two k_floor");
}

static void glsl_is_named_after_its_file(void **state) {
    (void)state;
    holds("shaders/mul_mat.comp",
          "#version 450\nlayout(local_size_x = 32) in;\nlayout(binding = 0) buffer X { float data_x[]; };\n"
          "float f(float x) { return x; }\nvoid main() { data_x[0] = f(1.0); }\n",
          "mul_mat");
    holds("shaders/copy_q8.comp", "#version 450\n#define Q8 1\n#include \"copy.comp\"\n", "+copy_q8");
    holds("shaders/types.glsl", "struct block { float d; };\nvoid main() { }\n", "");
}

static void hlsl_by_numthreads(void **state) {
    (void)state;
    holds("a.hlsl",
          "[numthreads(8, 8, 1)]\nvoid blur(uint3 id : SV_DispatchThreadID) { }\nfloat4 ps() : SV_Target { "
          "return 0; }\n",
          "blur");
}

/* --- Triton -------------------------------------------------------------------------------------- */

static void triton_decorators(void **state) {
    (void)state;
    holds("a.py",
          "import triton\nimport triton.language as tl\nfrom triton import jit as fast\n\n"
          "@triton.jit\ndef _fwd(x, n: tl.constexpr):\n    pass\n\n"
          "@triton.autotune(configs=[triton.Config({'B': 1})],\n                 "
          "key=['n'])\n@triton.heuristics({})\n@triton.jit\n"
          "def tuned(x):\n    return\n\n"
          "@triton.jit(do_not_specialize=['n'])\ndef called(n):\n    pass\n\n@fast\ndef aliased(x): "
          "pass\n\n"
          "def plain(x):\n    return x\n",
          "_fwd tuned called aliased");
    holds("a.py", "import triton as tr\n\n@tr.jit\ndef a(x):\n  pass\n\n@jit\ndef not_ours(x):\n  pass\n",
          "a");
}

/* tree-sitter's C library evaluates no #match?, and a query for one dialect gave them all. */
static void h12_triton_is_told_from_its_neighbours(void **state) {
    (void)state;
    holds("a.py",
          "import triton\nimport cutlass.cute as cute\nfrom triton.experimental import gluon\nfrom numba "
          "import jit\n\n"
          "@cute.jit\ndef host(x):\n    pass\n\n@cute.kernel\ndef c(x):\n    pass\n\n@gluon.jit\ndef g(x):\n "
          "   pass\n\n@jit\ndef n(x):\n    "
          "pass\n\n"
          "@triton.jit\ndef ours(x):\n    pass\n",
          "c g ours");
    assert_int_equal(held_language("c"), SCAN_CUTE);
    assert_int_equal(held_language("g"), SCAN_TRITON);
}

static void triton_helpers_and_launches(void **state) {
    (void)state;
    holds("a.py",
          "import triton\n\n@triton.jit\ndef inner(x):\n    return x\n\n@triton.jit\ndef outer(x):\n    y = "
          "inner(x)\n    return y\n\n"
          "@triton.jit\ndef both(x):\n    return x\n\n@triton.jit\ndef other(x):\n    both(x)\n\n"
          "def launch(g):\n    outer[(g, 1)](1)\n    both[lambda meta: (1,)](2)\n",
          "-inner outer both other");
    holds("a.py",
          "import triton\n\n@triton.jit\ndef inner(x): return x\n\n@triton.jit\ndef called(x): pass\n\n"
          "@triton.jit\ndef kernel(x): called(x)\n\n@triton.jit\ndef ends(x): return None\n",
          "-inner -called kernel ends");
    holds("a.py",
          "import triton\n\ndef make(x):\n    @triton.jit\n    def nested(y):\n        pass\n    return "
          "nested\n",
          "nested");
    holds("a.py", "import triton\n\ndef late(x):\n    pass\n\nrun = triton.jit(late)\n", "late");
}

static void triton_text_is_no_kernel(void **state) {
    (void)state;
    holds("a.py",
          "import triton\nsource = '''\n@triton.jit\ndef in_string(x):\n    pass\n'''\n# @triton.jit\ndef "
          "commented(x):\n"
          "    \"\"\"\n    @triton.jit\n    def in_doc(): pass\n    \"\"\"\n",
          "");
}

/* --- C and C++ ----------------------------------------------------------------------------------- */

static void c_functions_with_simd(void **state) {
    (void)state;
    holds(
        "a.c",
        "#include <immintrin.h>\nstatic inline __m256 twice(__m256 x) { return _mm256_add_ps(x, x); }\n"
        "static inline float sum(__m256 x) { return _mm256_cvtss_f32(x); }\n"
        "float dot(const float *a, int n) { __m256 s = _mm256_setzero_ps(); return sum(twice(s)) + a[n]; }\n"
        "static void tail(float *a) { _mm_storeu_ps(a, _mm_setzero_ps()); }\nint plain(int x) { return x + "
        "1; }\n",
        "-twice -sum dot tail");
    holds("a.c",
          "void neon(float *x) { vst1q_f32(x, vmulq_n_f32(vld1q_f32(x), 2)); }\nvoid vec_scale_f32(float *x) "
          "{ *x = 1; }\n",
          "neon");
    holds("a.c", "void sve(float *x) { svst1_f32(svptrue_b32(), x, svdup_n_f32(0)); }\n", "sve");
    holds("a.c", "void rvv(float *x) { __riscv_vse32_v_f32m1(x, z, 4); }\n", "rvv");
    holds("a.c", "void wait(void) { _mm_pause(); _mm_prefetch(p, 0); }\n", "");
}

static void c_attributes_and_vector_types(void **state) {
    (void)state;
    holds("a.c", "__attribute__((target_clones(\"default\", \"avx2\"))) void cloned(float *x) { *x += 1; }\n",
          "cloned");
    holds("a.cpp", "[[gnu::target(\"avx512f\")]] void wide(float *x) { *x += 1; }\n", "wide");
    holds("a.c",
          "#define WIDE __attribute__((target(\"avx2\")))\nWIDE void dressed(float *x) { *x += 1; }\nvoid "
          "aim(int target) { target++; }\n",
          "dressed");
    holds("a.c", "int target(int x) { return x + 1; }\nint use(int x) { return target(x); }\n", "");
    holds(
        "a.c",
        "typedef float lanes __attribute__((vector_size(32)));\n#define IN static inline "
        "__attribute__((always_inline))\n"
        "IN void put(float *x, lanes v) { x[0] = v[0]; }\nvoid use(float *x) { lanes v = {0}; put(x, v); }\n",
        "-put use");
}

/* ggml-quants.c: each branch of an #if chain opens a brace of its own. */
static void c_branches_that_each_open_a_brace(void **state) {
    (void)state;
    holds("a.c",
          "void first(float *x, int n) {\n#if defined(__AVX2__)\n    for (int i = 0; i < n; i++) {\n        "
          "_mm256_storeu_ps(x, y);\n"
          "#elif defined(__ARM_NEON)\n    for (int i = 0; i < n; i += 4) {\n        vst1q_f32(x, "
          "y);\n#else\n    for (;;) {\n#endif\n    }\n}\n\n"
          "void second(float *x) { _mm_storeu_ps(x, y); }\n#ifdef __cplusplus\n}\n#endif\n",
          "first second");
    holds("a.c",
          "#ifdef A\nvoid only_a(float *x) { _mm_storeu_ps(x, y); }\n#else\nvoid only_b(float *x) { "
          "_mm256_storeu_ps(x, y); }\n#endif\n",
          "only_a only_b");
}

static void c_kernel_places(void **state) {
    (void)state;
    const char *text = "#include \"k.h\"\nstatic float part(float x) { return x; }\nvoid ref_add(float *x) { "
                       "*x = part(*x); }\n"
                       "int table[] = {1, 2};\nstruct s { int a; };\nint later(int);\n";
    struct scan_file file = scan_as("engine/kernels/ref/add.c", text, strlen(text), true);
    assert_string_equal(listed(&file), "ref_add");
    file = scan_as("engine/kernels/ref/add.c", text, strlen(text), false);
    assert_string_equal(listed(&file), "");
}

/* Ours: the macros that dress a kernel, and make its helpers inline, come from a header. */
static void c_kernel_places_know_their_headers(void **state) {
    (void)state;
    char folder[] = "/tmp/fak-scan-XXXXXX", header[64], file_path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(header, sizeof header, "%s/lane.h", folder);
    snprintf(file_path, sizeof file_path, "%s/add.c", folder);
    const char *lane =
        "#define IN static inline\n#include \"lane.h\"\ntypedef float v8 __attribute__((vector_size(32)));\n";
    const char *text =
        "#include \"lane.h\"\n#include \"absent.h\"\nIN void part(float *x) { v8 a; *x = a[0]; }\n"
        "static void slow(v8 *x) { (void)x; }\nvoid LANE(add)(float *x, v8 y) { *x += y[0]; }\n";
    assert_true(file_replace(header, lane, strlen(lane), NULL) &&
                file_replace(file_path, text, strlen(text), NULL));
    struct scan_file file;
    struct scan_request request = {.path = "add.c", .kernel_place = true, .root = folder};
    assert_true(scan_path(&file, file_path, &request, &arena, NULL));
    assert_string_equal(listed(&file), "-part -slow add");
    unlink(header);
    unlink(file_path);
    rmdir(folder);
}

static void cpp_methods_and_host_code(void **state) {
    (void)state;
    holds("a.cpp",
          "namespace n { class tile {\n  public:\n    tile(int a) : x{a} {}\n    NOINLINE void run(float *y) "
          "const noexcept { _mm_storeu_ps(y, z); }\n"
          "    inline __m128 load(const float *y) { return _mm_loadu_ps(y); }\n    int x;\n}; }\n"
          "template <typename T = float, int N = 4> T gemm(T *x) { return _mm_cvtss_f32(_mm_loadu_ps(x)); }\n"
          "auto host = [](int a) { return a; };\nstd::vector<int> v = {1, 2};\n",
          "run -load gemm");
}

/* --- extents ------------------------------------------------------------------------------------- */

static void extents_are_lines_of_the_whole_definition(void **state) {
    (void)state;
    const char *text = "\n// note\ntemplate <int N>\n__global__ void\nspread(int *x) {\n    x[0] = "
                       "N;\n}\n\n__global__ void next() { }";
    struct scan_file file = scan("a.cu", text);
    assert_string_equal(listed(&file), "spread next");
    assert_int_equal(file.kernels[0].begin_line, 3);
    assert_int_equal(file.kernels[0].line, 5);
    assert_int_equal(file.kernels[0].end_line, 7);
    assert_int_equal(file.kernels[1].begin_line, 9);
    assert_int_equal(file.kernels[1].end_line, 9); /* no final newline */
    assert_string_equal(file.kernels[0].engine, "cuda");
    assert_string_equal(file.engine, "cuda");
    assert_ptr_equal(scan_kernel_at(&file, 6), &file.kernels[0]);
    assert_ptr_equal(scan_kernel_at(&file, 9), &file.kernels[1]);
    assert_null(scan_kernel_at(&file, 8));
    assert_null(scan_kernel_at(&file, 0));
}

static void extents_with_crlf_and_bom(void **state) {
    (void)state;
    struct scan_file file = scan(
        "a.cu", "\xef\xbb\xbf#define K \\\r\n  __global__\r\nK void win(int *x) {\r\n  *x = 1;\r\n}\r\n");
    assert_string_equal(listed(&file), "win");
    assert_int_equal(file.kernels[0].begin_line, 3);
    assert_int_equal(file.kernels[0].end_line, 5);
}

static void extents_of_python_hold_decorators(void **state) {
    (void)state;
    struct scan_file file = scan("a.py", "import triton\n\n@triton.jit\n@other\ndef k(\n    x,\n):\n    if "
                                         "x:\n        return\n\n    return x\n\n\ny = 1\n");
    assert_int_equal(file.n_kernels, 1);
    assert_int_equal(file.kernels[0].begin_line, 3);
    assert_int_equal(file.kernels[0].line, 5);
    assert_int_equal(file.kernels[0].end_line, 11);
    assert_string_equal(file.kernels[0].engine, "python");
}

static void the_innermost_kernel_of_a_line(void **state) {
    (void)state;
    struct scan_file file = scan("a.py", "import triton\n@triton.jit\ndef outer(x):\n    @triton.jit\n    "
                                         "def inner(y):\n        pass\n    return x\n");
    const struct scan_kernel *touched[1];
    assert_int_equal(scan_kernels_touched(touched, 1, &file, 6, 6), 2); /* more than there is room for */
    assert_string_equal(touched[0]->name, "outer");
    assert_int_equal(scan_kernels_touched(touched, 1, &file, 100, 200), 0);
    assert_string_equal(scan_kernel_at(&file, 6)->name, "inner");
    assert_string_equal(scan_kernel_at(&file, 7)->name, "outer");
}

/* A tree that cannot be built must not cost a kernel. */
static void a_failed_parse_loses_nothing(void **state) {
    (void)state;
    const char *text = "__global__ void kept(int *x) {\n  @@ ??? <<< ) ) }\n}\nint ((( broken;\n__global__ "
                       "void also(int *y) { }\n";
    struct scan_file file = scan("a.cu", text);
    assert_int_equal(file.n_kernels, 2);
    struct status st;
    struct scan_request request = {.path = "a.cu", .limits = {.tree_bytes = 16}};
    assert_true(scan_text(&file, view_of(text), &request, &arena, &st));
    assert_int_equal(file.n_kernels, 2);
    assert_string_equal(file.engine, "token");
    assert_non_null(strstr(file.tree_note, "16 bytes"));
}

/* --- blanking ------------------------------------------------------------------------------------ */

static void blanking_keeps_every_offset(void **state) {
    (void)state;
    const char *text = "#if A\nint a;\r\n#elif B\nint b;\n#else\nint c;\n#endif\n#define M \\\n  1\nkernel "
                       "void k() {}\n#if 0\nx\n#else\ny\n#endif\nz";
    struct lex lex;
    assert_true(lex_text(&lex, view_of(text), NULL));
    char *copy = calloc(1, strlen(text) + 1);
    blank_copy(copy, &lex, SCAN_METAL);
    assert_int_equal(strlen(copy), strlen(text));
    for (size_t i = 0; text[i]; i++) {
        if (text[i] == '\n') assert_int_equal(copy[i], '\n');
        assert_true(copy[i] == text[i] || copy[i] == ' ');
    }
    assert_non_null(strstr(copy, "int a;"));
    assert_null(strstr(copy, "int b;"));
    assert_null(strstr(copy, "int c;"));
    assert_null(strstr(copy, "#"));
    assert_null(strstr(copy, "kernel"));
    assert_ptr_equal(strstr(copy, "void k()") - copy, strstr(text, "void k()") - text);
    assert_null(strstr(copy, "x"));
    assert_non_null(strstr(copy, "y"));
    assert_non_null(strstr(copy, "z"));
    free(copy);
    lex_free(&lex);
}

/* --- hostile and broken files -------------------------------------------------------------------- */

static char *repeated(const char *head, const char *part, size_t times, const char *tail) {
    size_t n = strlen(head) + strlen(part) * times + strlen(tail) + 1;
    char *text = malloc(n), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", head);
    for (size_t i = 0; i < times; i++) at = memcpy(at, part, strlen(part)), at += strlen(part);
    memcpy(at, tail, strlen(tail) + 1);
    return text;
}

static void is_bounded(const char *path, char *text, size_t kernels) {
    uint64_t begin = syntax_now();
    struct scan_file file;
    struct scan_request request = {.path = path, .limits = {.tree_ms = 100}};
    arena_release(&arena);
    assert_true(scan_text(&file, view_of(text), &request, &arena, NULL));
    assert_int_equal(file.n_kernels, kernels);
    assert_true(syntax_now() - begin < 20000); /* sanitizers and a busy machine; quadratic would be minutes */
    free(text);
}

static void deep_and_wide_text_is_bounded(void **state) {
    (void)state;
    is_bounded("a.cu", repeated("__global__ void k() { int x = ", "(", 50000, "; }\n"), 1);
    is_bounded("a.cu", repeated("__global__ void k() { int x = ", "(", 100000, ""), 1);
    is_bounded("a.cu", repeated("__global__ void k() ", "{", 50000, ""), 1);
    is_bounded("a.cu", repeated("", "template<", 200000, "__global__ void k() {}"), 1);
    is_bounded("a.cu", repeated("", "#if A\n", 50000, "__global__ void k() {}"), 1);
    is_bounded("a.cu", repeated("void f() {", "__global__ ", 200000, "void k() {} }"), 1);
    is_bounded("a.cu", repeated("__global__ void k() {}\nint t[] = {", "0x7f,", 1000000, "0};\n"), 1);
    is_bounded("a.cu", repeated("__global__ void k() {}\nint t = f(", "{1},", 300000, "0);\n"), 1);
    is_bounded("a.cu", repeated("__global__ void k", ">(", 100000, "() {}"), 1);
    is_bounded("a.cu", repeated("", "#define A __global__\n", 50000, "A void k() {}"), 1);
    is_bounded("a.py", repeated("import triton\nx = ", "[", 200000, "\n"), 0);
    is_bounded("a.py", repeated("import triton\n", "a[b[", 200000, "\n"), 0);
    is_bounded("a.c", repeated("void f() { _mm_add_ps(", "(", 200000, ""), 1);
    is_bounded("a.cpp", repeated("/* sycl */ void f() {", "q.parallel_for(r, [=](id i) {", 2000, ""), 2000);
    is_bounded("a.cpp", repeated("/* sycl */ void f() {", "q.parallel_for<", 100000, ""), 0);
    is_bounded("a.S", repeated("vaddps %ymm0, %ymm1, %ymm0\n", ".globl x\nx:\n", 100000, ""), 1);
    is_bounded("a.cu.jinja", repeated("__global__ void f_{{", "{{", 200000, ""), 0);
}

/* Each macro uses the one before it twice: 2^40 instances, if anyone counted them out. */
static void macros_that_double_are_bounded(void **state) {
    (void)state;
    struct str text = {0};
    str_puts(&text, "#define m0(t) template [[host_name(\"c_\" #t)]] [[kernel]] void c<t>(device t *x);\n");
    for (int i = 1; i <= 40; i++) str_printf(&text, "#define m%d(t) m%d(t) m%d(t)\n", i, i - 1, i - 1);
    str_puts(&text, "m3(half)\n");
    for (int i = 0; i < 200; i++) str_puts(&text, "m40(float)\n");
    char *copy = strdup(str_c(&text));
    str_free(&text);
    is_bounded("a.metal", copy, 208); /* eight of m3; the rest is cut off, and is one instance each */
}

static void what_cannot_be_analysed_says_why(void **state) {
    (void)state;
    struct scan_file file = scan_as("a.cu",
                                    "\x7f"
                                    "ELF\0\0\1__global__ void k() {}",
                                    30, false);
    assert_string_equal(file.not_analysed, "binary");
    assert_true(scan_is_kernel_file(&file)); /* a device language: the debt does not fall */
    file = scan_as("a.cu", "\xff\xfe_\0_\0g\0", 8, false);
    assert_string_equal(file.not_analysed, "UTF-16 text");
    file = scan_as("a.cu", "_\0_\0g\0l\0o\0b\0a\0l\0_\0_\0 \0", 22, false);
    assert_string_equal(file.not_analysed, "UTF-16 text");
    file = scan_as("a.py", "\0\0\0\0", 4, false);
    assert_false(scan_is_kernel_file(&file));
    struct scan_request request = {.path = "a.cu", .limits = {.bytes = 4}};
    assert_true(scan_text(&file, view_of("12345"), &request, &arena, NULL));
    assert_string_equal(file.not_analysed, "larger than the limit");
    file = scan("a.cu", "");
    assert_null(file.not_analysed);
    assert_int_equal(file.n_kernels, 0);
    file = scan("README.md", "__global__ void k() {}");
    assert_int_equal(file.language, SCAN_NONE);
}

static void files_that_are_no_files(void **state) {
    (void)state;
    char folder[] = "/tmp/fak-scan-XXXXXX", path[64], other[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/loop.cu", folder);
    snprintf(other, sizeof other, "%s/pipe.cu", folder);
    assert_int_equal(symlink("loop.cu", path), 0);
    assert_int_equal(mkfifo(other, 0600), 0);
    struct scan_file file;
    struct status st;
    struct scan_request request = {.path = "x.cu"};
    assert_true(scan_path(&file, path, &request, &arena, &st));
    assert_string_equal(file.not_analysed, "symbolic link");
    assert_false(scan_is_kernel_file(&file));
    assert_true(scan_path(&file, other, &request, &arena, &st));
    assert_string_equal(file.not_analysed, "not a regular file");
    unlink(path);
    unlink(other);
    assert_true(scan_path(&file, path, &request, &arena, &st));
    assert_string_equal(file.not_analysed, "No such file or directory");
    rmdir(folder);
}

/* A language of an ABI that the runtime does not take: its first word is the version. */
static const uint32_t future_language[64] = {99};
static const void *future(void) { return future_language; }

static void h13_a_grammar_that_does_not_load_is_an_error(void **state) {
    (void)state;
    struct syntax_grammar grammar = {.name = "future", .language = future};
    struct syntax syntax;
    struct status st = {0};
    assert_false(syntax_parse(&syntax, view_of("int a;"), NULL, 0, &grammar, syntax_now() + 1000, &st));
    assert_int_equal(st.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(st.message, "grammar future has ABI 99"));
}

static int release(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuda_ordinary_template_and_extern_c),
        cmocka_unit_test(cuda_launch_bounds_wherever_they_stand),
        cmocka_unit_test(cuda_bounds_behind_conditions),
        cmocka_unit_test(cuda_macro_dress),
        cmocka_unit_test(cuda_references_are_no_kernels),
        cmocka_unit_test(cuda_text_is_no_kernel),
        cmocka_unit_test(cuda_comparisons_are_no_templates),
        cmocka_unit_test(cuda_files_of_macro_calls_are_instances),
        cmocka_unit_test(cuda_in_headers_and_hip),
        cmocka_unit_test(metal_functions_and_host_names),
        cmocka_unit_test(opencl_with_and_without_underscores),
        cmocka_unit_test(glsl_is_named_after_its_file),
        cmocka_unit_test(hlsl_by_numthreads),
        cmocka_unit_test(triton_decorators),
        cmocka_unit_test(h12_triton_is_told_from_its_neighbours),
        cmocka_unit_test(triton_helpers_and_launches),
        cmocka_unit_test(triton_text_is_no_kernel),
        cmocka_unit_test(c_functions_with_simd),
        cmocka_unit_test(c_attributes_and_vector_types),
        cmocka_unit_test(c_branches_that_each_open_a_brace),
        cmocka_unit_test(c_kernel_places),
        cmocka_unit_test(c_kernel_places_know_their_headers),
        cmocka_unit_test(cpp_methods_and_host_code),
        cmocka_unit_test(extents_are_lines_of_the_whole_definition),
        cmocka_unit_test(extents_with_crlf_and_bom),
        cmocka_unit_test(extents_of_python_hold_decorators),
        cmocka_unit_test(the_innermost_kernel_of_a_line),
        cmocka_unit_test(a_failed_parse_loses_nothing),
        cmocka_unit_test(blanking_keeps_every_offset),
        cmocka_unit_test(deep_and_wide_text_is_bounded),
        cmocka_unit_test(macros_that_double_are_bounded),
        cmocka_unit_test(what_cannot_be_analysed_says_why),
        cmocka_unit_test(files_that_are_no_files),
        cmocka_unit_test(h13_a_grammar_that_does_not_load_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
