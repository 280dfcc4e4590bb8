#include "cmd/fak/engine/roof.h"

#include "engine/backend/pool.h"
#include "engine/backend/region.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

enum {
    ROUNDS = 1 << 17, /* of a loop: tens of microseconds to milliseconds */
    DOT_RUNS = 40,
    READ_RUNS = 8,
    AHEAD = 16, /* lines */
};

/* Caches of servers reach several hundred MB. */
static const size_t read_bytes = (size_t)1 << 30;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* sota-coverage: suppress uncovered: it measures the machine; no model runs it. */

/* --- reading -------------------------------------------------------------------------------------------- */

typedef uint64_t line __attribute__((vector_size(64)));

struct reading {
    const line *at;
    size_t n_lines;
    bool side_by_side;     /* four streams; else one */
    _Atomic(uint64_t) sum; /* so that the reads are not left out */
};

/* A thread's own part, once. */
static inline __attribute__((always_inline)) void read_part(void *arg, size_t thread, size_t n_threads) {
    struct reading *r = arg;
    size_t n = r->n_lines / n_threads, quarter = n / 4;
    size_t pace = r->side_by_side ? 1 : 4, gap = r->side_by_side ? quarter : 1;
    const line *at = r->at + thread * n;
    line sum = {0}; /* all of it in registers, on a CPU with sixteen of 128 bits too */
    for (size_t i = 0; i < quarter; i++, at += pace) {
        for (size_t k = 0; k < 4; k++) __builtin_prefetch(at + k * gap + AHEAD);
        sum ^= at[0] ^ at[gap] ^ at[2 * gap] ^ at[3 * gap];
    }
    r->sum += sum[0] ^ sum[7];
}

static void read_any(void *arg, size_t thread, size_t n_threads) { read_part(arg, thread, n_threads); }

#if defined(__x86_64__)
/* A line a load: a twentieth faster than four loads of a quarter. */
__attribute__((target("avx512f"))) static void read_avx512(void *arg, size_t thread, size_t n_threads) {
    read_part(arg, thread, n_threads);
}
#endif

/* Pages belong to the thread that reads them. */
static void write_part(void *arg, size_t thread, size_t n_threads) {
    struct reading *r = arg;
    size_t n = r->n_lines / n_threads;
    memset((void *)(r->at + thread * n), 1, n * sizeof(line));
}

/* --- dot products --------------------------------------------------------------------------------------- */

/* A round is 12 independent accumulators, enough for a latency of six at two a cycle. They are assembly
 * because a compiler may keep vectors on the stack, or see that nobody wants the sum. */
#define TWELVE(ONE) ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7) ONE(8) ONE(9) ONE(10) ONE(11)

#if defined(__x86_64__)
/* Registers begin as 0: what another left in them may be subnormal, which takes a hundred times as long. */
#define CLEAR_SSE(i) "xorps %%xmm" #i ", %%xmm" #i "\n"
#define CLEAR_AVX(i) "vxorps %%xmm" #i ", %%xmm" #i ", %%xmm" #i "\n"
#define SSE(body) TWELVE(CLEAR_SSE) CLEAR_SSE(14) CLEAR_SSE(15) "1:\n" TWELVE(body) "dec %0\n jnz 1b\n"
#define AVX(body)                                                                                            \
    TWELVE(CLEAR_AVX)                                                                                        \
    CLEAR_AVX(13) CLEAR_AVX(14) CLEAR_AVX(15) "1:\n" TWELVE(body) "dec %0\n jnz 1b\n vzeroupper\n"
#define LOOP(features, name, text)                                                                           \
    __attribute__((target(features), noinline)) static void name(size_t n) {                                 \
        __asm__ volatile(text                                                                                \
                         : "+r"(n)                                                                           \
                         :                                                                                   \
                         : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",     \
                           "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");                    \
    }
#define VPDPBUSD_512(i) "vpdpbusd %%zmm15, %%zmm14, %%zmm" #i "\n"
/* Without vpdpbusd: bytes to pairs, pairs to fours, added. */
#define MADDUBS(v, i)                                                                                        \
    "vpmaddubsw %%" v "15, %%" v "14, %%" v "12\n vpmaddwd %%" v "12, %%" v "13, %%" v "12\n"                \
    "vpaddd %%" v "12, %%" v #i ", %%" v #i "\n"
#define MADDUBS_512(i) MADDUBS("zmm", i)
#define MADDUBS_256(i) MADDUBS("ymm", i)
#define MADDWD_128(i) "movdqa %%xmm15, %%xmm12\n pmaddwd %%xmm14, %%xmm12\n paddd %%xmm12, %%xmm" #i "\n"
#define FMA_512(i) "vfmadd231ps %%zmm15, %%zmm14, %%zmm" #i "\n"
#define FMA_256(i) "vfmadd231ps %%ymm15, %%ymm14, %%ymm" #i "\n"
#define MULADD_128(i) "movaps %%xmm15, %%xmm12\n mulps %%xmm14, %%xmm12\n addps %%xmm12, %%xmm" #i "\n"
LOOP("avx512f,avx512vnni", int8_vnni, AVX(VPDPBUSD_512))
LOOP("avx512f,avx512bw", int8_avx512, AVX(MADDUBS_512))
LOOP("avx2", int8_avx2, AVX(MADDUBS_256))
LOOP("sse2", int8_sse2, SSE(MADDWD_128))
LOOP("avx512f", f32_avx512, AVX(FMA_512))
LOOP("avx2,fma", f32_avx2, AVX(FMA_256))
LOOP("sse2", f32_sse2, SSE(MULADD_128))
#elif defined(__aarch64__)
#define LOOP(features, name, body)                                                                           \
    __attribute__((noinline)) static void name(size_t n) {                                                   \
        __asm__ volatile(features "1:\n" TWELVE(body) "subs %0, %0, #1\n b.ne 1b\n"                          \
                         : "+r"(n)                                                                           \
                         :                                                                                   \
                         : "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",   \
                           "v12", "v14", "v15");                                                             \
    }
#define SDOT(i) "sdot v" #i ".4s, v14.16b, v15.16b\n"
#define SMULL(i) "smull v12.8h, v14.8b, v15.8b\n sadalp v" #i ".4s, v12.8h\n"
#define FMLA(i) "fmla v" #i ".4s, v14.4s, v15.4s\n"
LOOP(".arch armv8.2-a+dotprod\n", int8_dotprod, SDOT)
LOOP("", int8_neon, SMULL)
LOOP("", f32_neon, FMLA)
#endif

typedef void loop_fn(size_t rounds);

/* The first row whose word the lane's description holds. */
static const struct lane {
    const char *word;
    pool_fn *read;
    loop_fn *int8, *f32;
    double int8_ops, f32_ops; /* of one of the twelve */
    const char *int8_by, *f32_by;
} lanes[] = {
#if defined(__x86_64__)
    {"vnni", read_avx512, int8_vnni, f32_avx512, 128, 32, "vpdpbusd, 512 bits", "vfmadd, 512 bits"},
    {"avx512", read_avx512, int8_avx512, f32_avx512, 128, 32, "vpmaddubsw, 512 bits", "vfmadd, 512 bits"},
    {"avx2", read_any, int8_avx2, f32_avx2, 64, 16, "vpmaddubsw, 256 bits", "vfmadd, 256 bits"},
    {"", read_any, int8_sse2, f32_sse2, 16, 8, "pmaddwd, 128 bits", "mulps and addps, 128 bits"},
#elif defined(__aarch64__)
    {"i8mm", read_any, int8_dotprod, f32_neon, 32, 8, "sdot", "fmla"},
    {"dot", read_any, int8_dotprod, f32_neon, 32, 8, "sdot", "fmla"},
    {"", read_any, int8_neon, f32_neon, 16, 8, "smull, sadalp", "fmla"},
#endif
};

static void run_loop(void *arg, size_t thread, size_t n_threads) {
    (void)thread, (void)n_threads;
    (*(loop_fn **)arg)(ROUNDS);
}

/* Operations a second over all threads. */
static double measure_loop(struct pool *pool, loop_fn *loop, double ops) {
    double best = 0;
    for (int i = 0; i < DOT_RUNS; i++) {
        double start = now();
        pool_run(pool, run_loop, &loop);
        double rate = 12 * ops * ROUNDS * (double)pool_threads(pool) / (now() - start);
        if (rate > best) best = rate;
    }
    return best;
}

static bool measure_read(double *best, struct pool *pool, pool_fn *read, struct status *st) {
    struct region region;
    if (!region_open(&region, read_bytes, true, "memory to read", st)) return false;
    struct reading r = {.at = region.at, .n_lines = read_bytes / sizeof(line)};
    pool_run(pool, write_part, &r);
    *best = 0;
    for (int i = 0; i < READ_RUNS; i++) {
        r.side_by_side = i % 2;
        double start = now();
        pool_run(pool, read, &r);
        double rate = (double)read_bytes / (now() - start);
        if (rate > *best) *best = rate;
    }
    region_close(&region);
    return true;
}

bool roof_measure(struct roof *out, const char *lane, size_t threads, struct status *st) {
    struct pool *pool;
    const struct lane *l = lanes;
    if (!pool_open(&pool, threads, st)) return false;
    while (!strstr(lane, l->word)) l++;
    *out = (struct roof){.threads = threads, .int8_by = l->int8_by, .f32_by = l->f32_by};
    out->int8_ops = measure_loop(pool, l->int8, l->int8_ops);
    out->f32_ops = measure_loop(pool, l->f32, l->f32_ops);
    bool ok = measure_read(&out->read, pool, l->read, st);
    pool_close(pool);
    return ok;
}
