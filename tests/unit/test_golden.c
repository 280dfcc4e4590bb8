/* engine against the references: greedy ids and logits that PyTorch and transformers computed in float64, in
 * every lane, chunking and company. */
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"
#include "engine/engine.h"
#include "engine/session/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/sessions.h"
#include <jansson.h>

static const char stories[] = "models/fak-stories-Q8_0.gguf";
static const char golden[] = "tests/golden/models/";
static const char *const lanes[] = {"ref", "auto"};
enum { N_LANES = 2 };
static const double TOLERANCE = 2e-4; /* evaluations in f32 stay below 1e-4 */

/* `chunk` 0: the engine's own. */
static struct engine_model *model_with(const char *path, const char *isa, size_t chunk) {
    return model_of(path, (struct engine_options){.isa = isa, .chunk = chunk, .threads = 1, .context = 512});
}

static json_t *json_of(const char *path) {
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root) fail_msg("%s: %s", path, error.text);
    return root;
}

/* The whole numbers of a JSON array; the caller frees them. */
static int32_t *ids_of(const json_t *array, size_t *n) {
    *n = json_array_size(array);
    int32_t *ids = calloc(*n + 1, sizeof *ids);
    for (size_t i = 0; i < *n; i++) ids[i] = (int32_t)json_integer_value(json_array_get(array, i));
    return ids;
}

/* --- what the references say ------------------------------------------------------------------------ */

/* Continues `prompt` greedily and compares with `wanted`, both JSON arrays. */
static void check_greedy(struct engine_model *model, const json_t *prompt, const json_t *wanted) {
    size_t n_prompt, n;
    int32_t *ids = ids_of(prompt, &n_prompt), *want = ids_of(wanted, &n);
    float *logits = malloc(engine_n_vocab(model) * sizeof *logits);
    struct engine_session *s = session_of(model);
    feed(s, ids, n_prompt, ENGINE_LOGITS_LAST, logits);
    for (size_t i = 0; i < n; i++) {
        int32_t id = sample_greedy(logits, engine_n_vocab(model), NULL);
        if (id != want[i]) fail_msg("id %zu is %d, not %d", i, id, want[i]);
        if (i + 1 < n) feed(s, &id, 1, ENGINE_LOGITS_LAST, logits);
    }
    engine_session_close(s);
    free(logits);
    free(ids);
    free(want);
}

static void stories_continue_as_in_float64(void **state) {
    (void)state;
    json_t *root = json_of("tests/golden/fak-stories/greedy.json"),
           *cases = json_object_get(root, "fak-stories-Q8_0.gguf");
    assert_int_equal(json_array_size(cases), 5);
    for (int lane = 0; lane < N_LANES; lane++) {
        struct engine_model *model = model_with(stories, lanes[lane], 0);
        for (size_t i = 0; i < 5; i++) {
            const json_t *one = json_array_get(cases, i);
            check_greedy(model, json_object_get(one, "prompt_ids"), json_object_get(one, "greedy"));
        }
        engine_close(model);
    }
    json_decref(root);
}

/* logits.bin of a golden folder: float32, the rows of its prompts one after the other. */
static void check_rows(const float *got, const float *want, size_t n, size_t n_vocab, const char *how) {
    for (size_t i = 0; i < n * n_vocab; i++)
        if (!(fabs((double)got[i] - (double)want[i]) <= TOLERANCE))
            fail_msg("%s: logit %zu of position %zu is %.7g, not %.7g", how, i % n_vocab, i / n_vocab,
                     (double)got[i], (double)want[i]);
}

/* A golden folder, opened. */
struct folder {
    json_t *root, *prompts;
    struct str rows, model;
};

static void folder_open(struct folder *f, const char *name, const char *file) {
    struct str path = {0};
    *f = (struct folder){0};
    str_printf(&path, "%s%s/logits.bin", golden, name);
    assert_true(file_read(&f->rows, path.at, SIZE_MAX / 2, NULL));
    str_clear(&path);
    str_printf(&path, "%s%s/golden.json", golden, name);
    f->root = json_of(path.at);
    f->prompts = json_object_get(f->root, "prompts");
    assert_int_equal(json_array_size(f->prompts), 4);
    str_printf(&f->model, "%s%s/%s", golden, name, file);
    str_free(&path);
}

static void folder_close(struct folder *f) {
    json_decref(f->root);
    str_free(&f->rows);
    str_free(&f->model);
}

static const float *rows_of(const struct folder *f, const json_t *prompt, size_t n_vocab) {
    size_t first = (size_t)json_integer_value(json_object_get(prompt, "first_row"));
    return (const float *)(const void *)f->rows.at + first * n_vocab;
}

/* All prompts, alone, in batches of `chunk` at most. */
static void check_alone(const struct folder *f, const char *isa, size_t chunk) {
    struct engine_model *model = model_with(f->model.at, isa, chunk);
    size_t n_vocab = engine_n_vocab(model), n;
    for (size_t i = 0; i < 4; i++) {
        const json_t *prompt = json_array_get(f->prompts, i);
        int32_t *ids = ids_of(json_object_get(prompt, "ids"), &n);
        float *logits = malloc(n * n_vocab * sizeof *logits);
        struct engine_session *s = session_of(model);
        feed(s, ids, n, ENGINE_LOGITS_ALL, logits);
        check_rows(logits, rows_of(f, prompt, n_vocab), n, n_vocab, chunk == 1 ? "one by one" : "in chunks");
        engine_session_close(s);
        free(logits);
        free(ids);
        if (chunk == 0)
            check_greedy(model, json_object_get(prompt, "ids"),
                         json_object_get(json_object_get(prompt, "greedy"), "ids"));
    }
    engine_close(model);
}

/* All four at once, so that each has strangers in its batches, which the chunk cuts in odd places. */
static void check_together(const struct folder *f, const char *isa) {
    struct engine_model *model = model_with(f->model.at, isa, 13);
    size_t n_vocab = engine_n_vocab(model), n = 0;
    struct engine_part parts[4];
    int32_t *ids[4];
    for (size_t i = 0; i < 4; i++) {
        ids[i] = ids_of(json_object_get(json_array_get(f->prompts, i), "ids"), &parts[i].n);
        parts[i].session = session_of(model), parts[i].ids = ids[i], parts[i].want = ENGINE_LOGITS_ALL;
        n += parts[i].n;
    }
    float *logits = malloc(n * n_vocab * sizeof *logits), *at = logits;
    assert_true(engine_step(model, parts, 4, logits, NULL));
    for (size_t i = 0; i < 4; i++) {
        check_rows(at, rows_of(f, json_array_get(f->prompts, i), n_vocab), parts[i].n, n_vocab,
                   "with strangers");
        at += parts[i].n * n_vocab;
        engine_session_close(parts[i].session);
        free(ids[i]);
    }
    free(logits);
    engine_close(model);
}

/* --- the same bits -----------------------------------------------------------------------------------------
 */

/* The SHA-256 of the longest prompt's logits; sequence 1 stands before it when there are strangers. */
static void hash_of(char hex[HASH_HEX], const struct folder *f, const char *isa, int threads, size_t chunk,
                    bool strangers) {
    struct status st;
    struct engine_model *model;
    struct engine_options options = {
        .isa = isa, .ids_only = true, .threads = threads, .chunk = chunk, .context = 512};
    if (!engine_open(&model, f->model.at, &options, &st)) fail_msg("%s", st.message);
    size_t n, n_vocab = engine_n_vocab(model);
    int32_t *ids = ids_of(json_object_get(json_array_get(f->prompts, 3), "ids"), &n);
    float *logits = malloc(n * n_vocab * sizeof *logits);
    struct engine_part parts[] = {{session_of(model), ids + 9, 40, ENGINE_LOGITS_NONE},
                                  {session_of(model), ids, n, ENGINE_LOGITS_ALL}};
    assert_true(engine_step(model, parts + !strangers, 1 + strangers, logits, NULL));
    hash_sha256(hex, logits, n * n_vocab * sizeof *logits);
    engine_session_close(parts[0].session);
    engine_session_close(parts[1].session);
    free(logits);
    free(ids);
    engine_close(model);
}

static void check_bits(const struct folder *f) {
    char want[HASH_HEX], got[HASH_HEX];
    for (int lane = 0; lane < N_LANES; lane++) {
        hash_of(want, f, lanes[lane], 1, 1, false);
        hash_of(got, f, lanes[lane], 3, 7, false);
        assert_string_equal(got, want);
        hash_of(got, f, lanes[lane], 2, 17, true);
        assert_string_equal(got, want);
    }
}

/* --- one folder, one architecture --- */

static const struct model {
    const char *name, *file;
} models[] = {
    {"llama", "llama-F32.gguf"},
    {"llama-linear", "llama-linear-F16.gguf"},
    {"llama-llama3rope-tied", "llama-llama3rope-tied-BF16.gguf"},
    {"llama-yarn", "llama-yarn-BF16.gguf"},
    {"mistral-swa", ""}, /* a GGUF has no key for its window: the directory */
    {"mixtral", "mixtral-BF16.gguf"},
    {"qwen2", "qwen2-F32.gguf"},
    {"qwen3", "qwen3-BF16.gguf"},
    {"qwen3-moe", "qwen3-moe-BF16.gguf"},
    {"qwen3-next", "qwen3-next-BF16.gguf"},
    {"qwen3-5", "qwen3-5-BF16.gguf"},
    {"qwen3-5-moe", "qwen3-5-moe-BF16.gguf"},
    {"smollm3", "smollm3-BF16.gguf"},
    {"olmo2", "olmo2-F32.gguf"},
    {"phi3-longrope", "phi3-longrope-BF16.gguf"},
    {"gemma2", ""}, /* nor for its query_pre_attn_scalar */
    {"gemma3", "gemma3-BF16.gguf"},
    {"glm4", "glm4-BF16.gguf"},
    {"glm4-moe", "glm4-moe-BF16.gguf"},
    {"glm-moe-dsa", "glm-moe-dsa-BF16.gguf"},
    {"gpt-oss", "gpt-oss-BF16.gguf"},
    {"deepseek-v2-lite", "deepseek-v2-lite-BF16.gguf"},
    {"deepseek-v2-group", "deepseek-v2-group-BF16.gguf"},
    {"deepseek-v3", "deepseek-v3-BF16.gguf"},
    {"deepseek-v32", "deepseek-v32-BF16.gguf"},
};
enum { N_MODELS = sizeof models / sizeof *models };

/* engine.md 24: deepseek-v32 and glm-moe-dsa differ in the layout of the indexer's RoPE; both keep 4
 * positions, of prompts of 1, 7, 33 and 70. engine.md 23: deepseek-v3 has YaRN with mscale_all_dim. */
static void has_the_logits_of_transformers(void **state) {
    const struct model *model = *state;
    struct folder f;
    folder_open(&f, model->name, model->file);
    for (int lane = 0; lane < N_LANES; lane++) {
        check_alone(&f, lanes[lane], 0);
        check_alone(&f, lanes[lane], 7);
        check_alone(&f, lanes[lane], 1);
        check_together(&f, lanes[lane]);
    }
    check_bits(&f);
    folder_close(&f);
}

int main(void) {
    struct CMUnitTest tests[1 + N_MODELS] = {cmocka_unit_test(stories_continue_as_in_float64)};
    for (size_t i = 0; i < N_MODELS; i++)
        tests[1 + i] = (struct CMUnitTest){models[i].name, has_the_logits_of_transformers, NULL, NULL,
                                           (void *)(uintptr_t)&models[i]};
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
