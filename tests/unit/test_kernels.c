/* Kernels on numbers small enough to check by hand, in every lane: what checkkern's oracle itself has to
 * give, and faults that other engines had (the reports are named beside the tests). */
#include "engine/kernels/kernel.h"
#include "engine/kernels/kpanel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

static _Alignas(64) char scratch[1 << 18];

/* The lanes: ref, and the exact lane in each clone that runs here. */
static bool next_lane(const struct kernel **kernel, const char *op, size_t *i) {
    for (; *i < kernel_count; ++*i) {
        const struct kernel *k = &kernel_table[*i];
        if (strcmp(k->op, op) != 0 || !k->runs_here()) continue;
        *kernel = k;
        ++*i;
        return true;
    }
    return false;
}

static struct rows rows(float *at, size_t width) { return (struct rows){at, width, width}; }

static void near(const float *got, const float *want, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(fabsf(got[i] - want[i]) <= 1e-6F * (1 + fabsf(want[i]))))
            fail_msg("[%zu] is %.9g, not %.9g", i, (double)got[i], (double)want[i]);
}

static void rms_norm_divides_by_the_root_of_the_mean(void **state) {
    (void)state;
    const struct kernel *k;
    for (size_t i = 0; next_lane(&k, "rms_norm", &i);) {
        float in[] = {3, 4, 0, 0}, weight[] = {1, 2, 3, 4}, out[4];
        struct task task = {.n = 1, .rms_norm = {rows(in, 4), rows(out, 4), weight, 0, 1, 4}};
        k->run(&task, 0, 1, scratch);
        near(out, (float[]){1.2F, 3.2F, 0, 0}, 4);
    }
}

static void rope_turns_pairs_by_position(void **state) {
    (void)state;
    const struct kernel *k;
    int32_t position = 1;
    struct tokens tokens = {.positions = &position};
    float cosines[] = {1, 1, 0, -1}, sines[] = {0, 0, 1, 0}; /* at position 1: a quarter, then half a turn */
    for (size_t i = 0; next_lane(&k, "rope", &i);) {
        /* the fifth dim of a head does not rotate */
        float q[] = {1, 2, 3, 4, 9, 1, 2, 3, 4, 9}, key[] = {5, 6, 7, 8, 9}, wide[] = {1, 2, 3, 4, 5, 6, 7};
        struct task task = {.n = 1, .tokens = &tokens};
        task.rope = (struct rope_task){.in = rows(q, 10), .out = rows(q, 10), .n_heads = 2, .dims = 4};
        task.rope.cos[0] = task.rope.cos[1] = cosines, task.rope.sin[0] = task.rope.sin[1] = sines;
        k->run(&task, 0, 1, scratch);
        near(q, (float[]){-2, 1, -3, -4, 9, -2, 1, -3, -4, 9}, 10);
        task.rope.halves = true, task.rope.n_heads = 1;
        task.rope.in = task.rope.out = rows(key, 5);
        k->run(&task, 0, 1, scratch);
        near(key, (float[]){-7, -6, 5, -8, 9}, 5);
        /* the last four of five dims into the first four of seven */
        task.rope.halves = false;
        task.rope.in = rows((float[]){9, 1, 2, 3, 4}, 5), task.rope.out = rows(wide, 7), task.rope.in_at = 1;
        k->run(&task, 0, 1, scratch);
        near(wide, (float[]){-2, 1, -3, -4, 5, 6, 7}, 7);
    }
}

/* A sequence that is extended rotates by the second table, its neighbour by the first. */
static void rope_takes_the_table_of_its_sequence(void **state) {
    (void)state;
    const struct kernel *k;
    int32_t positions[] = {0, 0};
    bool extended[] = {false, true};
    struct tokens tokens = {.positions = positions, .extended = extended};
    float zero = 0, one = 1;
    for (size_t i = 0; next_lane(&k, "rope", &i);) {
        float x[] = {3, 4, 3, 4};
        struct task task = {.n = 2, .tokens = &tokens};
        task.rope = (struct rope_task){.in = rows(x, 2), .out = rows(x, 2), .n_heads = 1, .dims = 2};
        task.rope.cos[0] = &one, task.rope.sin[0] = &zero, task.rope.cos[1] = &zero, task.rope.sin[1] = &one;
        k->run(&task, 0, 2, scratch);
        near(x, (float[]){3, 4, -4, 3}, 4);
    }
}

static void swiglu_gates(void **state) {
    (void)state;
    const struct kernel *k;
    for (size_t i = 0; next_lane(&k, "swiglu", &i);) {
        float gate[] = {0, 100, -200, 1}, up[] = {5, 2, 3, 2}, out[4];
        struct task task = {.n = 1,
                            .swiglu = {.gate = rows(gate, 4), .up = rows(up, 4), .out = rows(out, 4)}};
        k->run(&task, 0, 1, scratch);
        near(out, (float[]){0, 200, 0, 2 / (1 + expf(-1))}, 4);
    }
}

/* Weights as the kernel's lane wants them: `panel` holds the only one, of up to 16 rows. */
static const void *weights_for(const struct kernel *k, void *panel, enum dtype type, const void *weights,
                               size_t n_rows, size_t n_cols) {
    if (strcmp(k->lane, "ref") == 0) return weights;
    panel_pack(panel, type, weights, n_rows, n_cols, 0);
    return panel;
}

/* engine.md 17: sgl-project/sglang#9918, ggml-org/llama.cpp#7805: sums of 300 * 1 over 1024 columns leave
 * f16. */
static void sums_beyond_the_range_of_f16_stay_finite(void **state) {
    (void)state;
    enum { K = 1024 };
    static const struct {
        const char *op;
        enum dtype type;
    } cases[] = {
        {"linear", DTYPE_F16}, {"linear_f16", DTYPE_F16}, {"linear_f32", DTYPE_F32}, {"linear", DTYPE_F32}};
    static float in[K], f32[K], panel[K * LINEAR_ROWS], out;
    static uint16_t f16[K];
    for (size_t j = 0; j < K; j++) in[j] = 300, f32[j] = 1, f16[j] = 0x3C00;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct kernel *k;
        for (size_t i = 0; next_lane(&k, cases[c].op, &i);) {
            struct task task = {.n = 1};
            task.linear = (struct linear_task){.type = cases[c].type, .n_rows = 1, .n_cols = K};
            const void *weights = cases[c].type == DTYPE_F16 ? (void *)f16 : (void *)f32;
            task.linear.weights = weights_for(k, panel, cases[c].type, weights, 1, K);
            task.linear.in = rows(in, K), task.linear.out = rows(&out, 1);
            k->run(&task, 0, 1, scratch);
            assert_true(out == 307200);
        }
    }
}

enum { DIM = 2, MOST_HEADS = 96 };
static float keys[MOST_HEADS * DIM * KV_PAGE], queries[MOST_HEADS * DIM];

/* Pages of f32: keys [page][n_kv][DIM][KV_PAGE] and values [page][n_kv][KV_PAGE][DIM], put where they belong.
 * values NULL: there are none. */
static struct kv kv_of(const float *k, const float *v, size_t n_pages, size_t n_kv) {
    static _Alignas(64) char key_pages[MOST_HEADS << 8], value_pages[MOST_HEADS << 11];
    struct kv kv = {.keys = key_pages, .values = value_pages, .n_kv_heads = n_kv, .key_dim = DIM};
    kv.value_dim = v ? DIM : 0, kv.page_stride = n_kv * kv_value_bytes(KV_F32, DIM);
    for (size_t page = 0; page < n_pages; page++)
        for (size_t head = 0; head < n_kv; head++)
            for (size_t slot = 0; slot < KV_PAGE; slot++) {
                size_t at = (page * n_kv + head) * DIM * KV_PAGE;
                const float key[DIM] = {k[at + slot], k[at + KV_PAGE + slot]};
                kv_put_key(KV_F32, kv_keys(&kv, page, head), slot, key, DIM);
                if (v) kv_put_value(KV_F32, kv_values(&kv, page, head), slot, v + at + slot * DIM, DIM);
            }
    return kv;
}

/* One token at `position` with one page; while keys are 0 every position weighs the same. */
static void attend(const struct kernel *k, float *out, size_t n_kv, size_t group, const float *values,
                   int32_t page, int32_t position) {
    int32_t sequence = 0, pages[] = {page};
    struct tokens tokens = {
        .positions = &position, .sequences = &sequence, .pages = pages, .pages_per_sequence = 1};
    struct task task = {.n = 1, .tokens = &tokens};
    struct attention_task *t = &task.attention;
    t->q = rows(queries, n_kv * group * DIM), t->out = rows(out, n_kv * group * DIM);
    t->kv = kv_of(keys, values, 1, n_kv);
    t->n_heads = n_kv * group, t->rows_per_unit = 1, t->scale = 1;
    k->run(&task, 0, n_kv, scratch);
}

/* The same, with the last of a window's positions at 6. */
static void attend_in_window(const struct kernel *k, float *out, size_t window, const float *values) {
    int32_t position = 6, sequence = 0, page = 0;
    struct tokens tokens = {
        .positions = &position, .sequences = &sequence, .pages = &page, .pages_per_sequence = 1};
    struct task task = {.n = 1, .tokens = &tokens};
    struct attention_task *t = &task.attention;
    *t = (struct attention_task){
        .q = rows(queries, DIM), .out = rows(out, DIM), .n_heads = 1, .rows_per_unit = 1, .scale = 1};
    t->kv = kv_of(keys, values, 1, 1);
    t->window = window;
    k->run(&task, 0, 1, scratch);
}

/* engine.md 16: PSAL-POSTECH/ONNXim#34: the KV head of a query head is head / (n_heads / n_kv_heads) at every
 * ratio. */
static void every_query_head_reads_its_own_kv_head(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{8, 1}, {8, 4}, {4, 7}, {8, 12}, {1, 9}, {3, 3}};
    static float values[96 * 2 * KV_PAGE], out[96 * 2];
    const struct kernel *k;
    for (size_t i = 0; next_lane(&k, "attention", &i);)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            size_t n_kv = shapes[s][0], group = shapes[s][1];
            for (size_t j = 0, head; j < n_kv * 2 * KV_PAGE; j++)
                head = j / (2 * KV_PAGE), values[j] = (float)head;
            attend(k, out, n_kv, group, values, 0, 6);
            for (size_t h = 0; h < n_kv * group; h++) {
                size_t kv_head = h / group;
                float want = (float)kv_head;
                near(out + 2 * h, (float[]){want, want}, 2);
            }
        }
}

static void attention_ends_at_the_token_itself(void **state) {
    (void)state;
    static float values[2 * KV_PAGE], out[2];
    const struct kernel *k;
    for (size_t j = 0; j < KV_PAGE; j++) values[2 * j] = (float)j, values[2 * j + 1] = j > 6 ? NAN : 1;
    for (size_t i = 0; next_lane(&k, "attention", &i);) {
        attend(k, out, 1, 1, values, 0, 6);
        near(out, (float[]){3, 1}, 2); /* the mean of 0 .. 6 */
    }
}

/* Hugging Face's rule: position i sees j while i - j < window; llama.cpp and vLLM were off by one at times.
 */
static void a_window_counts_the_token_itself(void **state) {
    (void)state;
    static float values[2 * KV_PAGE], out[2];
    const struct kernel *k;
    for (size_t j = 0; j < KV_PAGE; j++) values[2 * j] = (float)j, values[2 * j + 1] = j < 4 ? NAN : 1;
    for (size_t i = 0; next_lane(&k, "attention", &i);) {
        attend_in_window(k, out, 3, values);
        near(out, (float[]){5, 1}, 2); /* the mean of 4, 5 and 6 */
    }
}

/* A sink takes its part of the sum and gives nothing; a cap of tanh bounds scores from both sides. */
static void sinks_take_and_caps_bound(void **state) {
    (void)state;
    float value[2 * KV_PAGE] = {6, 9}, out[2], sink = 0, q[] = {0, 0};
    const struct kernel *k;
    int32_t position = 1, sequence = 0, page = 0;
    struct tokens tokens = {
        .positions = &position, .sequences = &sequence, .pages = &page, .pages_per_sequence = 1};
    struct task task = {.n = 1, .tokens = &tokens};
    struct attention_task *t = &task.attention;
    *t = (struct attention_task){
        .q = rows(q, 2), .out = rows(out, 2), .n_heads = 1, .rows_per_unit = 1, .scale = 1, .sinks = &sink};
    t->kv = kv_of(keys, value, 1, 1);
    for (size_t i = 0; next_lane(&k, "attention", &i);) {
        k->run(&task, 0, 1, scratch);
        near(out, (float[]){2, 3}, 2); /* of two positions and a sink, a third each; the second value is 0 */
    }
    t->sinks = NULL, t->cap = 1, q[0] = 4;
    keys[0] = 100, keys[1] = -100;
    t->kv = kv_of(keys, value, 1, 1);
    for (size_t i = 0; next_lane(&k, "attention", &i);) {
        k->run(&task, 0, 1, scratch);
        near(out, (float[]){6 / (1 + expf(-2)), 9 / (1 + expf(-2))}, 2); /* scores of 1 and -1 */
    }
    keys[0] = keys[1] = 0;
}

/* With everything chosen sparse attention is dense attention, bit for bit. */
static void everything_chosen_is_dense(void **state) {
    (void)state;
    enum { N = 3 * KV_PAGE - 5, PAGES = 3 };
    static float many[PAGES * DIM * KV_PAGE], values[PAGES * DIM * KV_PAGE], chosen[N + 4], dense[DIM],
        sparse[DIM];
    int32_t position = N - 1, sequence = 0, pages[] = {2, 0, 1};
    float q[] = {0.7F, -1.3F};
    for (size_t i = 0; i < PAGES * DIM * KV_PAGE; i++)
        many[i] = sinf((float)i), values[i] = cosf((float)(i * i % 1001));
    for (size_t i = 0; i < N + 4; i++) chosen[i] = i < N ? (float)i : -1;
    struct tokens tokens = {
        .positions = &position, .sequences = &sequence, .pages = pages, .pages_per_sequence = PAGES};
    struct task task = {.n = 1, .tokens = &tokens};
    struct attention_task *t = &task.attention;
    *t = (struct attention_task){
        .q = rows(q, DIM), .out = rows(dense, DIM), .n_heads = 1, .rows_per_unit = 1, .scale = 1};
    t->kv = kv_of(many, values, PAGES, 1);
    const struct kernel *k;
    for (size_t i = 0; next_lane(&k, "dsa_attention", &i);) {
        t->out = rows(dense, DIM);
        kernel_find("attention", k->lane, k->clone)->run(&task, 0, 1, scratch);
        t->out = rows(sparse, DIM), t->chosen = rows(chosen, N + 4);
        k->run(&task, 0, 1, scratch);
        assert_memory_equal(dense, sparse, sizeof dense);
    }
}

/* Ties are common in an indexer, for relu makes zeros: the lowest positions are kept. */
static void an_indexer_keeps_the_lowest_of_equals(void **state) {
    (void)state;
    float q[] = {-1, -1}, weight = 1, out[4], index_keys[DIM * KV_PAGE];
    int32_t position = 6, sequence = 0, page = 0;
    for (size_t j = 0; j < DIM * KV_PAGE; j++) index_keys[j] = 1;
    index_keys[5] = index_keys[KV_PAGE + 5] = -1; /* the only one that scores */
    struct tokens tokens = {
        .positions = &position, .sequences = &sequence, .pages = &page, .pages_per_sequence = 1};
    struct task task = {.n = 1, .tokens = &tokens};
    task.dsa_select = (struct dsa_select_task){
        .q = rows(q, DIM), .weights = rows(&weight, 1), .n_heads = 1, .scale = 1, .out = rows(out, 4)};
    task.dsa_select.kv = kv_of(index_keys, NULL, 1, 1);
    const struct kernel *k;
    for (size_t i = 0; next_lane(&k, "dsa_select", &i);) {
        position = 6;
        k->run(&task, 0, 1, scratch);
        near(out, (float[]){0, 1, 2, 5}, 4);
        position = 2;
        k->run(&task, 0, 1, scratch);
        near(out, (float[]){0, 1, 2, -1}, 4);
    }
}

/* engine.md 21: huggingface/transformers#48647. DeepSeek-V3: a correction decides who is chosen and not with
 * what weight; groups by their two best; masked groups are out even when all biased scores are negative
 * (older code masked with 0, and chose them). */
static void a_router_chooses_by_group_and_weighs_without_the_bias(void **state) {
    (void)state;
    float logits[] = {0, 0, 2, -9, 1, 1, 0, 0}, bias[] = {-3, -3, -3, -3, -3, -3, -3, -3}, ids[2], weights[2];
    struct task task = {.n = 1};
    task.route = (struct route_task){
        .in = rows(logits, 8), .bias = bias, .ids = rows(ids, 2), .weights = rows(weights, 2)};
    const struct kernel *k;
    for (size_t i = 0; next_lane(&k, "route", &i);) {
        task.route.how = (struct routing){true, true, 4, 1, 2, 2.5F};
        task.route.bias = bias;
        k->run(&task, 0, 1, scratch);
        near(ids, (float[]){4, 5}, 2); /* 1 + 1 in sigmoids is more than 2 and -9 */
        near(weights, (float[]){1.25F, 1.25F}, 2);
        /* V2: by the best one, no renormalisation */
        task.route.how = (struct routing){false, false, 4, 1, 1, 1};
        task.route.bias = NULL;
        k->run(&task, 0, 1, scratch);
        near(ids, (float[]){2, 3}, 2);
        assert_true(weights[0] < 0.6F && weights[1] < 1e-4F);
    }
}

/* engine.md 15: flashinfer-ai/flashinfer#4401 and its family: exp(-inf - -inf) is NaN. Nothing to attend to
 * gives 0. */
static void a_fully_masked_row_is_zero(void **state) {
    (void)state;
    static float values[2 * KV_PAGE], out[2];
    const struct kernel *k;
    for (size_t i = 0; next_lane(&k, "attention", &i);) {
        out[0] = out[1] = NAN;
        attend(k, out, 1, 1, values, -1, 6);
        assert_true(out[0] == 0 && out[1] == 0);
    }
}

/* engine.md 15: the second of three rows has no page at all, the others' first tile is masked. */
static void masked_rows_and_tiles_leave_their_neighbours_alone(void **state) {
    (void)state;
    enum { N = 3 };
    static float values[2 * KV_PAGE], out[N * DIM], q[N * DIM];
    int32_t positions[N] = {KV_PAGE + 2, KV_PAGE + 2, KV_PAGE + 4}, sequences[N] = {0, 1, 2};
    int32_t pages[2 * N] = {-1, 0, -1, -1, -1, 0};
    struct tokens tokens = {
        .positions = positions, .sequences = sequences, .pages = pages, .pages_per_sequence = 2};
    struct task task = {.n = N, .tokens = &tokens};
    task.attention = (struct attention_task){
        .q = rows(q, DIM), .out = rows(out, DIM), .n_heads = 1, .rows_per_unit = 1, .scale = 1};
    const struct kernel *k;
    for (size_t j = 0; j < KV_PAGE; j++) values[2 * j] = (float)j, values[2 * j + 1] = 1;
    task.attention.kv = kv_of(keys, values, 1, 1);
    for (size_t i = 0; next_lane(&k, "attention", &i);) {
        for (size_t j = 0; j < N * DIM; j++) out[j] = NAN;
        k->run(&task, 0, N, scratch);
        near(out, (float[]){1, 1, 0, 0, 2, 1}, N * DIM); /* the means of 0 .. 2, nothing and 0 .. 4 */
    }
}

/* engine.md 19: sgl-project/sglang#30079, vllm-project/vllm#39391: whatever the logits are, the ids are
 * distinct and in range, and what a NaN makes is no number. */
static void chooses_distinct_experts(const struct kernel *k) {
    enum { N = 8, USED = 4 };
    static const struct routing how[] = {{false, true, 1, 1, 1, 1},
                                         {true, true, 1, 1, 1, 1},
                                         {true, true, 4, 1, 2, 1},
                                         {false, false, 4, 2, 1, 1}};
    const float rest[] = {NAN, -INFINITY, 0, INFINITY}, bias[N] = {0};
    for (size_t h = 0; h < sizeof how / sizeof *how; h++)
        for (size_t r = 0; r < 4; r++)
            for (size_t odd = 0; odd <= N; odd++) { /* one expert is like no other, or none is */
                float logits[N], ids[USED], weights[USED];
                bool seen[N] = {false};
                for (size_t e = 0; e < N; e++) logits[e] = e == odd ? 1 : rest[r];
                struct task task = {.n = 1};
                task.route = (struct route_task){rows(logits, N), h % 2 ? bias : NULL, rows(ids, USED),
                                                 rows(weights, USED), how[h]};
                k->run(&task, 0, 1, scratch);
                for (size_t s = 0; s < USED; s++) {
                    assert_true(ids[s] >= 0 && ids[s] < N && ids[s] == floorf(ids[s]));
                    assert_false(seen[(size_t)ids[s]]);
                    seen[(size_t)ids[s]] = true;
                }
                if (r == 0) assert_true(isnan(weights[0]));
            }
}

static void a_router_chooses_distinct_experts_from_any_row(void **state) {
    (void)state;
    const struct kernel *k;
    for (size_t i = 0; next_lane(&k, "route", &i);) chooses_distinct_experts(k);
}

/* Scores too small for any float leave the order of the logits. */
static void a_router_orders_experts_whose_scores_vanish(void **state) {
    (void)state;
    float logits[] = {0, -900, 1000, -800, -700}, ids[4], weights[4];
    const struct kernel *k;
    struct task task = {.n = 1};
    task.route = (struct route_task){.in = rows(logits, 5), .ids = rows(ids, 4), .weights = rows(weights, 4)};
    task.route.how = (struct routing){false, true, 1, 1, 2, 1};
    for (size_t i = 0; next_lane(&k, "route", &i);) {
        k->run(&task, 0, 1, scratch);
        near(ids, (float[]){2, 0, 4, 3}, 4);
        near(weights, (float[]){1, 0, 0, 0}, 4);
    }
}

/* The same of an indexer, which chooses too. */
static void an_indexer_chooses_distinct_positions_from_nan(void **state) {
    (void)state;
    float q[] = {NAN, 1}, weight = NAN, out[4];
    int32_t position = 6, sequence = 0, page = 0;
    struct tokens tokens = {
        .positions = &position, .sequences = &sequence, .pages = &page, .pages_per_sequence = 1};
    struct task task = {.n = 1, .tokens = &tokens};
    task.dsa_select = (struct dsa_select_task){
        .q = rows(q, DIM), .weights = rows(&weight, 1), .n_heads = 1, .scale = 1, .out = rows(out, 4)};
    task.dsa_select.kv = kv_of(keys, NULL, 1, 1);
    const struct kernel *k;
    for (size_t lane = 0; next_lane(&k, "dsa_select", &lane);) {
        k->run(&task, 0, 1, scratch);
        for (size_t i = 0; i < 4; i++)
            assert_true(out[i] >= 0 && out[i] <= 6 && (i == 0 || out[i] > out[i - 1]));
    }
}

/* What goes in as NaN must not come out as a number. */
static void a_nan_is_never_washed_away(void **state) {
    (void)state;
    const struct kernel *quantize = kernel_find("quantize", "exact", "c");
    float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < 3; b++) {
        float in[QUANT_BLOCK] = {1, 2, bad[b]}, scale, sum;
        int16_t q[QUANT_BLOCK];
        int32_t sums[2];
        for (int bits = 8; bits <= 16; bits += 8) {
            struct task task = {
                .n = 1,
                .quantize = {.in = rows(in, QUANT_BLOCK), .out = {bits, q, &scale, &sum, sums, QUANT_BLOCK}}};
            quantize->run(&task, 0, 1, scratch);
            assert_true(isnan(scale) && isnan(sum));
        }
    }
    static float values[2 * KV_PAGE], out[2];
    const struct kernel *k;
    values[4] = NAN;
    for (size_t i = 0; next_lane(&k, "attention", &i);) {
        attend(k, out, 1, 1, values, 0, 6);
        assert_true(isnan(out[0]) && out[1] == 0);
    }
    values[4] = 0;
    for (size_t which = 0; which < 3; which++) { /* a key, all keys, the query */
        for (size_t j = 0; j < DIM * KV_PAGE; j++) keys[j] = (which == 0 && j == 3) || which == 1 ? NAN : 0;
        queries[1] = which == 2 ? NAN : 1;
        for (size_t i = 0; next_lane(&k, "attention", &i);) {
            attend(k, out, 1, 1, values, 0, 6);
            assert_true(isnan(out[0]) && isnan(out[1]));
        }
    }
    memset(keys, 0, sizeof keys);
    memset(queries, 0, sizeof queries);
}

/* engine.md 18: ggml-org/llama.cpp#18341, vllm-project/vllm#53034: an offset above 2^31 elements. Two rows,
 * far apart. */
static void rows_may_lie_further_apart_than_32_bits(void **state) {
    (void)state;
    enum { WIDTH = 32 };
    const size_t stride = ((size_t)1 << 31) + 64, bytes = (stride + WIDTH) * sizeof(float);
    float *far[2], weight[WIDTH], panel[WIDTH * LINEAR_ROWS];
    for (int i = 0; i < 2; i++) {
        far[i] =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (far[i] == MAP_FAILED) skip();
    }
    struct rows in = {far[0], WIDTH, stride}, out = {far[1], WIDTH, stride};
    for (size_t j = 0; j < WIDTH; j++) far[0][j] = 1, far[0][stride + j] = 2, weight[j] = 3;
    const struct kernel *k;
    for (size_t i = 0; next_lane(&k, "rms_norm", &i);) {
        struct task task = {.n = 2, .rms_norm = {in, out, weight, 0, 1, WIDTH}};
        far[1][stride] = 0;
        k->run(&task, 0, 2, scratch);
        near(far[1] + stride, weight, WIDTH);
    }
    for (size_t i = 0; next_lane(&k, "linear_f32", &i);) {
        struct task task = {.n = 2};
        task.linear =
            (struct linear_task){.type = DTYPE_F32, .n_rows = 1, .n_cols = WIDTH, .in = in, .out = out};
        task.linear.weights = weights_for(k, panel, DTYPE_F32, weight, 1, WIDTH);
        k->run(&task, 0, 1, scratch);
        near(far[1] + stride, (float[]){2 * 3 * WIDTH}, 1);
    }
    for (int i = 0; i < 2; i++) munmap(far[i], bytes);
}

/* Where byte `column % 4` of a quad stands. */
static size_t in_quad(size_t column) { return (size_t[]){0, 2, 1, 3}[column % 4]; }

static void panels_hold_the_columns_where_they_say(void **state) {
    (void)state;
    uint8_t q4[20] = {0}, q8[2 * 34] = {0}, block[64 + 2 * 512];
    for (size_t j = 0; j < 16; j++)
        q4[4 + j] = (uint8_t)((15 - j) << 4 | j); /* column j: j, column j + 16: 15 - j */
    for (size_t j = 0; j < 32; j++) q8[2 + j] = (uint8_t)(100 + j), q8[36 + j] = (uint8_t)-j;
    q4[0] = 0x12, q4[3] = 0x34;
    panel_pack(block, DTYPE_Q4_1, q4, 1, 32, 0);
    assert_int_equal(block[0], 0x12);
    assert_int_equal(block[32 + 1], 0x34);
    for (size_t c = 0; c < 32; c++) {
        uint8_t byte = block[64 + c / 8 * 64 + in_quad(c)];
        assert_int_equal(byte >> c % 8 / 4 * 4 & 15, c < 16 ? c : 31 - c);
    }
    q8[0] = 0x56, q8[34] = 0x78;
    panel_pack(block, DTYPE_Q8_0, q8, 1, 64, 0);
    assert_int_equal(block[0], 0x56);
    assert_int_equal(block[32], 0x78);
    for (size_t c = 0; c < 64; c++) /* codes are offset by 128 */
        assert_int_equal((uint8_t)(block[64 + c / 4 * 64 + in_quad(c)] - 128),
                         (uint8_t)(c < 32 ? 100 + c : 32 - c));
    for (size_t r = 1; r < 16; r++) assert_int_equal(block[2 * r], 0); /* rows past the last */
    assert_int_equal(panel_bytes(DTYPE_Q8_0, 96), 2 * 64 + 3 * 512);   /* the last group is short */
    assert_int_equal(panel_bytes(DTYPE_F32, 96), 96 * 64);
}

/* The value of column c of a row, read out of a super-block as kpanel.h says. d is 1 and dmin 0.5. */
static float panel_value(const uint8_t *panel, enum panel_form form, size_t row, size_t c) {
    const struct panel_shape shape = panel_shape(form);
    const size_t quad = c % 32 / 4, byte = 4 * row + in_quad(c);
    const uint8_t *sub = panel + shape.header_bytes + c / 32 * shape.lines * PANEL_LINE;
    const uint8_t *high = sub + KPANEL_NIBBLES * PANEL_LINE;
    const uint8_t *scales = panel + KPANEL_SCALES + c / 64 * PANEL_LINE + 4 * row + c / 32 % 2 * 2;
    int q = sub[quad / 2 * PANEL_LINE + byte] >> quad % 2 * 4 & 15;
    if (form == PANEL_Q6_K) {
        q |= (high[quad / 4 * PANEL_LINE + byte] >> quad % 4 * 2 & 3) << 4;
        return (float)(int8_t)scales[c % 32 / 16] * (float)(q - 32);
    }
    if (form == PANEL_Q5_K) q |= (high[byte] >> quad & 1) << 4;
    return (float)(scales[0] * q) - 0.5F * (float)scales[1];
}

static void panels_of_k_quants_hold_what_the_file_says(void **state) {
    (void)state;
    static const enum dtype types[] = {DTYPE_Q4_K, DTYPE_Q5_K, DTYPE_Q6_K};
    static const uint16_t halves[] = {0x3C00, 0x3800}; /* 1 and 0.5 */
    enum { K = 256, ROWS = 2, MOST = 210 };
    for (size_t t = 0; t < 3; t++) {
        const bool six = types[t] == DTYPE_Q6_K;
        const size_t bytes = dtype_info(types[t])->block_bytes;
        uint8_t file[ROWS * MOST], panel[5 * PANEL_LINE + 8 * 6 * PANEL_LINE];
        for (size_t i = 0; i < sizeof file; i++) file[i] = (uint8_t)(i * i * 37 + i * 11 + 5);
        for (size_t r = 0; r < ROWS; r++) memcpy(file + r * bytes + (six ? 208 : 0), halves, six ? 2 : 4);
        panel_pack(panel, types[t], file, ROWS, K, 0);
        for (size_t r = 0; r < ROWS; r++) {
            float want[K];
            dtype_decode(want, types[t], file + r * bytes, K);
            for (size_t c = 0; c < K; c++)
                assert_true(panel_value(panel, panel_form_of(types[t]), r, c) == want[c]);
        }
        for (size_t r = 0; r < 16; r++) { /* rows past the last are zeros */
            assert_int_equal(panel[2 * r + 1], r < ROWS ? 0x3C : 0);
            assert_int_equal(panel[32 + 2 * r + 1], r < ROWS && !six ? 0x38 : 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rms_norm_divides_by_the_root_of_the_mean),
        cmocka_unit_test(rope_turns_pairs_by_position),
        cmocka_unit_test(rope_takes_the_table_of_its_sequence),
        cmocka_unit_test(swiglu_gates),
        cmocka_unit_test(sums_beyond_the_range_of_f16_stay_finite),
        cmocka_unit_test(every_query_head_reads_its_own_kv_head),
        cmocka_unit_test(attention_ends_at_the_token_itself),
        cmocka_unit_test(a_window_counts_the_token_itself),
        cmocka_unit_test(sinks_take_and_caps_bound),
        cmocka_unit_test(everything_chosen_is_dense),
        cmocka_unit_test(an_indexer_keeps_the_lowest_of_equals),
        cmocka_unit_test(a_router_chooses_by_group_and_weighs_without_the_bias),
        cmocka_unit_test(a_fully_masked_row_is_zero),
        cmocka_unit_test(masked_rows_and_tiles_leave_their_neighbours_alone),
        cmocka_unit_test(a_router_chooses_distinct_experts_from_any_row),
        cmocka_unit_test(a_router_orders_experts_whose_scores_vanish),
        cmocka_unit_test(an_indexer_chooses_distinct_positions_from_nan),
        cmocka_unit_test(a_nan_is_never_washed_away),
        cmocka_unit_test(rows_may_lie_further_apart_than_32_bits),
        cmocka_unit_test(panels_hold_the_columns_where_they_say),
        cmocka_unit_test(panels_of_k_quants_hold_what_the_file_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
