/* Would the golden tests see it? A forward pass is made wrong in one way at a time, as
 * tests/golden/models/mutations.json lists them, and the logits of the longest prompt have to move by as much
 * as transformers' moved under the same change: each part of each architecture is there, and is what it says.
 */
#include "base/file.h"
#include "engine/backend/backend.h"
#include "engine/file/checkpoint.h"
#include "engine/model/model.h"
#include "engine/model/rotary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

static const char golden[] = "tests/golden/models/";

/* --- what is changed -------------------------------------------------------------------------------------
 */

/* A model about to be wrong: numbers before the program is built, the program after. */
struct subject {
    const char *name;
    struct hparams h;
    struct program program;
    struct step *steps;
    struct weight *weights;
    struct arena arena;
    bool within; /* phi3: as if the text were short */
};

#define HPARAMS(function, change)                                                                            \
    static void function(struct subject *s) {                                                                \
        struct hparams *h = &s->h;                                                                           \
        change;                                                                                              \
    }

static double grown(const struct hparams *h) { return 1 + 0.1 * log(h->rope.factor); }

HPARAMS(no_groups, (h->experts.how.n_groups = h->experts.how.n_groups_used = 1))
HPARAMS(no_expert_scale, h->experts.how.scale = 1)
HPARAMS(not_normalised, (h->experts.how.normalised = false, h->experts.says_norm = true))
HPARAMS(one_expert_less, h->experts.n_used--)
HPARAMS(magnitude_grown, h->rope.magnitude *= grown(h))
HPARAMS(magnitude_1, h->rope.magnitude = 1)
HPARAMS(no_mscale, h->yarn_log = 0)
HPARAMS(no_scaling, (h->rope.rule = ROTARY_LINEAR, h->rope.factor = h->rope.magnitude = 1, h->yarn_log = 0))
HPARAMS(linear_instead, (h->rope.rule = ROTARY_LINEAR, h->rope.magnitude = 1))
HPARAMS(fast_32, h->rope.fast = 32)
HPARAMS(limits_rounded, h->rope.smooth = false)
HPARAMS(theta_times_100, h->rope.base *= 100)
HPARAMS(theta_by_50, h->rope.base /= 50)
HPARAMS(theta_1e4, h->rope.base = 1e4)
HPARAMS(whole_heads_rotate, h->rope.dims = h->head_dim)
HPARAMS(eps_of_a_hundredth, h->eps = 1e-2F)
HPARAMS(keeps_all, h->indexer.n_kept = h->context)
HPARAMS(keeps_one_more, h->indexer.n_kept++)
HPARAMS(no_window, h->window = 0)
HPARAMS(wider_window, h->window++)
HPARAMS(no_score_cap, h->score_cap = 0)
HPARAMS(no_logit_cap, h->logit_cap = 0)
HPARAMS(scale_of_24, h->scale = 1 / sqrt(24))

static void pairs_of(struct subject *s, bool indexer) {
    for (int i = 0; i < s->program.n_steps; i++) {
        struct step *step = &s->steps[i];
        bool index = s->h.has & HPARAMS_INDEXER && step->op == OP_rope && step->in_at[0] == 0;
        if (step->op == OP_rope && index == indexer)
            step->pairs = step->pairs == ROPE_HALVES ? ROPE_INTERLEAVED : ROPE_HALVES;
    }
}

static void other_pairs(struct subject *s) { pairs_of(s, false); }
static void other_index_pairs(struct subject *s) { pairs_of(s, true); }

static void never_clamped(struct subject *s) {
    for (int i = 0; i < s->program.n_steps; i++) s->steps[i].limit = INFINITY;
}

static void short_factors(struct subject *s) { s->within = true; }

/* Gemma 3: every layer as those of the other kind, rotation and window. */
static void like_layer(struct subject *s, int rope, size_t window) {
    for (int i = 0; i < s->program.n_steps; i++) {
        if (s->steps[i].op == OP_rope) s->steps[i].rope = rope;
        if (s->steps[i].op == OP_attention) s->steps[i].window = window;
    }
}

static void all_full(struct subject *s) { like_layer(s, 0, 0); }
static void all_windowed(struct subject *s) { like_layer(s, 1, s->h.window); }

/* Llama 3's rule, which a file says by divisors, with other limits; high 0: no rule. */
static void llama3(struct subject *s, double low, double high) {
    const double original = 64, factor = 8;
    struct rotary_tables *t = s->program.ropes[0].rotary[0];
    for (size_t i = 0; i < t->half; i++) {
        double f = pow(s->h.rope.base, -(double)i / (double)t->half), turns = original * f / (2 * acos(-1.0));
        double smooth = high > 0 ? fmin(fmax((turns - low) / (high - low), 0), 1) : 1;
        t->frequency[i] = (1 - smooth) * f / factor + smooth * f;
    }
}

/* SmolLM3: the layers that do not rotate do, as the first one does. */
static void rotates_everywhere(struct subject *s) {
    struct step rope = {0};
    for (int i = 0; i < s->program.n_steps; i++) {
        if (s->steps[i].op == OP_rope) rope = s->steps[i];
        if (s->steps[i].op != OP_kv_store || s->steps[i - 1].op == OP_rope) continue;
        memmove(&s->steps[i + 1], &s->steps[i], (size_t)(s->program.n_steps++ - i) * sizeof *s->steps);
        s->steps[i++] = rope;
    }
}

static void high_of_1_5(struct subject *s) { llama3(s, 1, 1.5); }
static void low_of_3(struct subject *s) { llama3(s, 3, 4); }
static void no_divisors(struct subject *s) { llama3(s, 0, 0); }

/* `model` NULL: any. Two labels are one where they mean the same. */
static const struct mutation {
    const char *label, *model;
    void (*numbers)(struct subject *), (*program)(struct subject *);
} mutations[] = {
    {"greedy instead of group", NULL, no_groups, NULL},
    {"groups off", NULL, no_groups, NULL},
    {"scale 4 -> 1", NULL, no_expert_scale, NULL},
    {"scale 2.5 -> 1", NULL, no_expert_scale, NULL},
    {"norm_topk_prob false", NULL, not_normalised, NULL},
    {"top-2 -> top-1", NULL, one_expert_less, NULL},
    {"top-3 -> top-2", NULL, one_expert_less, NULL},
    {"cos/sin factor 0.1 ln f + 1", NULL, magnitude_grown, NULL},
    {"attention_factor 1", NULL, magnitude_1, NULL},
    {"attention factor 1", NULL, magnitude_1, NULL},
    {"mscale_all_dim off", NULL, no_mscale, NULL},
    {"yarn off", NULL, no_scaling, NULL},
    {"rope scaling off", "llama-llama3rope-tied", NULL, no_divisors},
    {"rope scaling off", NULL, no_scaling, NULL},
    {"linear factor off", NULL, no_scaling, NULL},
    {"linear instead", NULL, linear_instead, NULL},
    {"high_freq_factor 4 -> 1.5", NULL, NULL, high_of_1_5},
    {"low_freq_factor 1 -> 3", NULL, NULL, low_of_3},
    {"beta_fast 4 -> 32", NULL, fast_32, NULL},
    {"truncate true", NULL, limits_rounded, NULL},
    {"rope_theta*100", NULL, theta_times_100, NULL},
    {"rope_theta/50", NULL, theta_by_50, NULL},
    {"rope_theta 1e6 -> 1e4", NULL, theta_1e4, NULL},
    {"rotary 0.5 -> 1", NULL, whole_heads_rotate, NULL},
    {"rms_norm_eps 1e-5 -> 1e-2", NULL, eps_of_a_hundredth, NULL},
    {"dense attention", NULL, keeps_all, NULL},
    {"index_topk 4 -> 5", NULL, keeps_one_more, NULL},
    {"window off", NULL, no_window, NULL},
    {"window 12 -> 13", NULL, wider_window, NULL},
    {"all full", "gemma3", NULL, all_full},
    {"all full", NULL, no_window, NULL},
    {"all windowed", NULL, NULL, all_windowed},
    {"attention softcap off", NULL, no_score_cap, NULL},
    {"final softcap off", NULL, no_logit_cap, NULL},
    {"query scale 24", NULL, scale_of_24, NULL},
    {"clamp off", NULL, NULL, never_clamped},
    {"rope everywhere", NULL, NULL, rotates_everywhere},
    {"short factors", NULL, NULL, short_factors},
    {"half-split rope", NULL, NULL, other_pairs},
    {"rope half-split", NULL, NULL, other_pairs},
    {"rope interleaved", NULL, NULL, other_pairs},
    {"MLA rope half-split", NULL, NULL, other_pairs},
    {"indexer rope half-split", NULL, NULL, other_index_pairs},
    {"indexer rope interleaved", NULL, NULL, other_index_pairs},
};

/* --- vectors that say nothing ----------------------------------------------------------------------------
 */

/* transformers' module, and the tensor that it is in a GGUF. */
static const struct vector {
    const char *label, *tensor;
    float neutral;
} vectors[] = {
    {"norm.weight", "output_norm.weight", 1},
    {"input_layernorm.weight", "attn_norm.weight", 1},
    {"post_self_attn_layernorm.weight", "post_attention_norm.weight", 1},
    {"post_mlp_layernorm.weight", "post_ffw_norm.weight", 1},
    {"pre_feedforward_layernorm.weight", "ffn_norm.weight", 1},
    {"post_feedforward_layernorm.weight", "post_ffw_norm.weight", 1},
    {"self_attn.q_norm.weight", "attn_q_norm.weight", 1},
    {"self_attn.k_norm.weight", "attn_k_norm.weight", 1},
    {"self_attn.q_a_layernorm.weight", "attn_q_a_norm.weight", 1},
    {"self_attn.kv_a_layernorm.weight", "attn_kv_a_norm.weight", 1},
    {"self_attn.indexer.k_norm.weight", "indexer.k_norm.weight", 1},
    {"self_attn.indexer.k_norm.bias", "indexer.k_norm.bias", 0},
    {"self_attn.q_proj.bias", "attn_q.bias", 0},
    {"self_attn.k_proj.bias", "attn_k.bias", 0},
    {"self_attn.v_proj.bias", "attn_v.bias", 0},
    {"self_attn.o_proj.bias", "attn_output.bias", 0},
    {"self_attn.sinks", "attn_sinks.weight", -1e9F},
    {"mlp.gate_proj.bias", "ffn_gate.bias", 0},
    {"mlp.up_proj.bias", "ffn_up.bias", 0},
    {"mlp.down_proj.bias", "ffn_down.bias", 0},
    {"mlp.gate.e_score_correction_bias", "exp_probs_b.bias", 0},
    {"mlp.router.bias", "ffn_gate_inp.bias", 0},
    {"mlp.experts.gate_up_proj_bias", "ffn_gate_exps.bias", 0},
    {"mlp.experts.gate_up_proj_bias", "ffn_up_exps.bias", 0},
    {"mlp.experts.down_proj_bias", "ffn_down_exps.bias", 0},
    {"linear_attn.A_log", "ssm_a", -1}, /* -exp(0) */
    {"linear_attn.dt_bias", "ssm_dt.bias", 0},
    {"linear_attn.norm.weight", "ssm_norm.weight", 1},
};

static bool ends_with(const char *name, const char *tail) {
    size_t n = strlen(name), m = strlen(tail);
    return n >= m && strcmp(name + n - m, tail) == 0 && (n == m || name[n - m - 1] == '.');
}

/* Every tensor of that name; false when there is none. */
static bool neutralise(struct subject *s, const char *tensor, float value) {
    bool found = false;
    for (int i = 0; i < s->program.n_weights; i++) {
        struct weight *w = &s->weights[i];
        if (!ends_with(w->name, tensor)) continue;
        float *values = arena_alloc(&s->arena, w->n_rows * w->n_cols, sizeof *values, NULL);
        assert_non_null(values);
        for (size_t j = 0; j < w->n_rows * w->n_cols; j++) values[j] = value;
        w->data = values;
        found = true;
    }
    return found;
}

static bool neutralise_label(struct subject *s, const char *label) {
    /* Before the feed-forward or behind the attention, as the family has it. */
    static const char after[] = "post_attention_layernorm.weight neutral";
    bool found = false;
    if (strcmp(label, after) == 0 && strcmp(s->name, "glm4") != 0 &&
        neutralise(s, "post_attention_norm.weight", 1))
        return true;
    if (strcmp(label, after) == 0) return neutralise(s, "ffn_norm.weight", 1);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        size_t n = strlen(vectors[i].label);
        if (strncmp(label, vectors[i].label, n) == 0 && strcmp(label + n, " neutral") == 0)
            found |= neutralise(s, vectors[i].tensor, vectors[i].neutral);
    }
    return found;
}

/* --- running it ------------------------------------------------------------------------------------------
 */

static const struct mutation *find(const char *label, const char *model) {
    for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++)
        if (strcmp(mutations[i].label, label) == 0 &&
            (!mutations[i].model || strcmp(mutations[i].model, model) == 0))
            return &mutations[i];
    return NULL;
}

/* Steps and weights of the program, as copies that may be changed. */
static void unlock(struct subject *s) {
    size_t steps = (size_t)s->program.n_steps * sizeof *s->steps;
    size_t weights = (size_t)s->program.n_weights * sizeof *s->weights;
    s->steps = arena_alloc(&s->arena, 2, steps, NULL); /* room for more */
    s->weights = arena_alloc(&s->arena, 1, weights, NULL);
    assert_true(s->steps && s->weights);
    memcpy(s->steps, s->program.steps, steps);
    memcpy(s->weights, s->program.weights, weights);
    s->program.steps = s->steps;
    s->program.weights = s->weights;
}

enum { MOST = 128 };

static void run(float *logits, const struct subject *s, const int32_t *ids, size_t n) {
    struct status st;
    struct backend *b;
    const struct backend_options options = {
        .isa = "ref", .threads = 1, .max_batch = MOST, .n_pages = MOST / KV_PAGE};
    int32_t positions[MOST], sequences[MOST] = {0}, pages[MOST / KV_PAGE] = {2, 0, 3, 1};
    bool wants[MOST], extended[MOST];
    if (!backend_open_cpu(&b, &s->program, &options, &st) || !backend_sequences(b, 1, &st))
        fail_msg("%s", st.message);
    for (int i = 0; i < s->program.n_ropes; i++)
        for (int j = 0; j < 2; j++) rotary_reach(s->program.ropes[i].rotary[j], n);
    for (size_t i = 0; i < n; i++) positions[i] = (int32_t)i, wants[i] = true, extended[i] = !s->within;
    backend_run(b, &(struct batch){n, ids, positions, sequences, wants, pages, 1, MOST / KV_PAGE, extended},
                logits);
    backend_close(b);
}

/* The largest change of a logit under the mutation; negative when there is no such mutation. */
static double moved_by(const struct gguf *file, const char *name, const char *label, const int32_t *ids,
                       size_t n, const float *want) {
    struct subject s = {.name = name};
    struct status st;
    const struct mutation *mutation = find(label, name);
    double most = -1;
    if (!hparams_read(&s.h, file, &st)) fail_msg("%s", st.message);
    if (mutation && mutation->numbers) mutation->numbers(&s);
    if (!model_build(&s.program, &s.arena, file, &s.h, &st)) fail_msg("%s: %s", label, st.message);
    unlock(&s);
    if (mutation ? true : neutralise_label(&s, label)) {
        size_t floats = n * s.program.n_vocab;
        float *logits = malloc(floats * sizeof *logits);
        if (mutation && mutation->program) mutation->program(&s);
        run(logits, &s, ids, n);
        for (size_t i = 0; i < floats; i++) most = fmax(most, fabs((double)logits[i] - (double)want[i]));
        free(logits);
    }
    arena_release(&s.arena);
    return most;
}

/* --- one model, all of its mutations -----------------------------------------------------------------------
 */

static json_t *json_of(const char *path) {
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root) fail_msg("%s: %s", path, error.text);
    return root;
}

/* The longest prompt and its rows of logits.bin. */
static size_t prompt_of(int32_t *ids, const float **rows, struct str *bytes, const char *name,
                        size_t n_vocab) {
    char path[128];
    snprintf(path, sizeof path, "%s%s/logits.bin", golden, name);
    assert_true(file_read(bytes, path, SIZE_MAX / 2, NULL));
    snprintf(path, sizeof path, "%s%s/golden.json", golden, name);
    json_t *root = json_of(path), *prompt = json_array_get(json_object_get(root, "prompts"), 3);
    const json_t *list = json_object_get(prompt, "ids");
    size_t n = json_array_size(list);
    assert_true(n > 0 && n <= MOST);
    for (size_t i = 0; i < n; i++) ids[i] = (int32_t)json_integer_value(json_array_get(list, i));
    *rows = (const float *)(const void *)bytes->at +
            (size_t)json_integer_value(json_object_get(prompt, "first_row")) * n_vocab;
    json_decref(root);
    return n;
}

struct model {
    const char *name, *file;
    bool permuted; /* rows of q and k are not transformers': other pairs are wrong in another way */
};

static void every_mutation_moves_the_logits(void **state) {
    const struct model *model = *state;
    char path[128];
    struct status st;
    struct gguf *file;
    struct str bytes = {0};
    int32_t ids[MOST];
    const float *rows;
    const char *label;
    json_t *root = json_of("tests/golden/models/mutations.json"), *list = json_object_get(root, model->name),
           *value;
    snprintf(path, sizeof path, "%s%s/%s", golden, model->name, model->file);
    if (!checkpoint_open(&file, path, &st)) fail_msg("%s", st.message);
    size_t n = prompt_of(ids, &rows, &bytes, model->name,
                         (size_t)gguf_find_tensor(file, "token_embd.weight")->dims[1]);
    assert_true(json_object_size(list) > 3);
    json_object_foreach(list, label, value) {
        double want = json_number_value(value);
        double moved = moved_by(file, model->name, label, ids, n, rows);
        if (moved < 0) fail_msg("'%s' is not tried", label);
        if (model->permuted && strcmp(label, "rope interleaved") == 0) want = moved > 5 ? moved : want;
        if (!(fabs(moved - want) <= 2e-3 * want + 1e-3))
            fail_msg("'%s' moves a logit by %.4f, and transformers' by %.4f", label, moved, want);
    }
    json_decref(root);
    gguf_close(file);
    str_free(&bytes);
}

/* --- engine.md 24: 1bit-MONSTER#2418, mlx-lm#1443, mlxcel#583
 * ------------------------------------------------ The reporter's own discriminator: the layout of an
 * indexer's RoPE is invisible while all positions are kept, and shows when two of eight are. The right one is
 * what the goldens above hold. */

static void logits_with(float *logits, struct gguf *file, size_t n_kept, bool other_pairs_too) {
    enum { N = 8 };
    static const int32_t ids[N] = {3, 17, 4, 99, 42, 8, 64, 5};
    struct subject s = {0};
    struct status st;
    if (!hparams_read(&s.h, file, &st)) fail_msg("%s", st.message);
    s.h.indexer.n_kept = n_kept;
    if (!model_build(&s.program, &s.arena, file, &s.h, &st)) fail_msg("%s", st.message);
    unlock(&s);
    if (other_pairs_too) other_index_pairs(&s);
    run(logits, &s, ids, N);
    arena_release(&s.arena);
}

static void the_indexers_layout_shows_only_where_it_chooses(void **state) {
    (void)state;
    static const char *const paths[] = {"deepseek-v32/deepseek-v32-BF16.gguf",
                                        "glm-moe-dsa/glm-moe-dsa-BF16.gguf"};
    for (size_t m = 0; m < 2; m++) {
        char path[128];
        struct status st;
        struct gguf *file;
        snprintf(path, sizeof path, "%s%s", golden, paths[m]);
        if (!checkpoint_open(&file, path, &st)) fail_msg("%s", st.message);
        size_t bytes = 8 * (size_t)gguf_find_tensor(file, "token_embd.weight")->dims[1] * sizeof(float);
        float *as_is = malloc(bytes), *other = malloc(bytes);
        logits_with(as_is, file, 8, false), logits_with(other, file, 8, true);
        assert_memory_equal(as_is, other, bytes);
        logits_with(as_is, file, 2, false), logits_with(other, file, 2, true);
        assert_memory_not_equal(as_is, other, bytes);
        free(as_is), free(other);
        gguf_close(file);
    }
}

static const struct model models[] = {
    {"llama", "llama-F32.gguf", true},
    {"llama-linear", "llama-linear-F16.gguf", true},
    {"llama-llama3rope-tied", "llama-llama3rope-tied-BF16.gguf", true},
    {"llama-yarn", "llama-yarn-BF16.gguf", true},
    {"mistral-swa", "", false},
    {"mixtral", "mixtral-BF16.gguf", false},
    {"qwen2", "qwen2-F32.gguf", false},
    {"qwen3", "qwen3-BF16.gguf", false},
    {"qwen3-moe", "qwen3-moe-BF16.gguf", false},
    {"qwen3-next", "qwen3-next-BF16.gguf", false},
    {"qwen3-5", "qwen3-5-BF16.gguf", false},
    {"qwen3-5-moe", "qwen3-5-moe-BF16.gguf", false},
    {"smollm3", "smollm3-BF16.gguf", false},
    {"olmo2", "olmo2-F32.gguf", false},
    {"phi3-longrope", "phi3-longrope-BF16.gguf", false},
    {"gemma2", "", false},
    {"gemma3", "gemma3-BF16.gguf", false},
    {"glm4", "glm4-BF16.gguf", false},
    {"glm4-moe", "glm4-moe-BF16.gguf", false},
    {"glm-moe-dsa", "glm-moe-dsa-BF16.gguf", false},
    {"gpt-oss", "gpt-oss-BF16.gguf", false},
    {"deepseek-v2-lite", "deepseek-v2-lite-BF16.gguf", false},
    {"deepseek-v2-group", "deepseek-v2-group-BF16.gguf", false},
    {"deepseek-v3", "deepseek-v3-BF16.gguf", false},
    {"deepseek-v32", "deepseek-v32-BF16.gguf", false},
};
enum { N_MODELS = sizeof models / sizeof *models };

int main(void) {
    struct CMUnitTest tests[N_MODELS + 1];
    for (size_t i = 0; i < N_MODELS; i++)
        tests[i] = (struct CMUnitTest){models[i].name, every_mutation_moves_the_logits, NULL, NULL,
                                       (void *)(uintptr_t)&models[i]};
    tests[N_MODELS] = (struct CMUnitTest)cmocka_unit_test(the_indexers_layout_shows_only_where_it_chooses);
    return cmocka_run_group_tests_name("mutations", tests, NULL, NULL);
}
