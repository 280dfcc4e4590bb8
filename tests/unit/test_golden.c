/* engine against the references: greedy ids and logits that PyTorch and transformers computed in float64. */
#include "base/file.h"
#include "base/str.h"
#include "engine/engine.h"
#include "engine/session/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

static const char stories[] = "models/fak-stories-Q8_0.gguf";
static const char golden[] = "tests/golden/models/";
static const char *const lanes[] = {"ref", "c"};
enum { N_LANES = 2 };

static struct engine_model *model_of(const char *path, const char *isa) {
    struct status st;
    struct engine_model *model;
    if (!engine_open(&model, path, &(struct engine_options){.isa = isa, .ids_only = true}, &st))
        fail_msg("%s", st.message);
    return model;
}

static struct engine_session *session_of(struct engine_model *model) {
    struct engine_session *session;
    assert_true(engine_session_open(&session, model, NULL));
    return session;
}

static void feed(struct engine_session *s, const int32_t *ids, size_t n, enum engine_logits want,
                 float *logits) {
    struct status st;
    if (!engine_feed(s, ids, n, want, logits, &st)) fail_msg("%s", st.message);
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
        struct engine_model *model = model_of(stories, lanes[lane]);
        for (size_t i = 0; i < 5; i++) {
            const json_t *one = json_array_get(cases, i);
            check_greedy(model, json_object_get(one, "prompt_ids"), json_object_get(one, "greedy"));
        }
        engine_close(model);
    }
    json_decref(root);
}

/* logits.bin of a golden folder: float32, the rows of its prompts one after the other. */
static void check_logits(struct engine_model *model, const json_t *prompt, const float *rows,
                         double tolerance) {
    size_t n, n_vocab = engine_n_vocab(model);
    int32_t *ids = ids_of(json_object_get(prompt, "ids"), &n);
    const float *want = rows + (size_t)json_integer_value(json_object_get(prompt, "first_row")) * n_vocab;
    float *logits = malloc(n * n_vocab * sizeof *logits);
    struct engine_session *s = session_of(model);
    feed(s, ids, n, ENGINE_LOGITS_ALL, logits);
    for (size_t i = 0; i < n * n_vocab; i++)
        if (!(fabs((double)logits[i] - (double)want[i]) <= tolerance))
            fail_msg("logit %zu of position %zu is %.7g, not %.7g", i % n_vocab, i / n_vocab,
                     (double)logits[i], (double)want[i]);
    engine_session_close(s);
    free(logits);
    free(ids);
}

static void check_golden(const char *name, const char *file) {
    struct str path = {0}, rows = {0};
    str_printf(&path, "%s%s/logits.bin", golden, name);
    assert_true(file_read(&rows, path.at, SIZE_MAX / 2, NULL));
    str_clear(&path);
    str_printf(&path, "%s%s/golden.json", golden, name);
    json_t *root = json_of(path.at), *prompts = json_object_get(root, "prompts");
    assert_int_equal(json_array_size(prompts), 4);
    str_clear(&path);
    str_printf(&path, "%s%s/%s", golden, name, file);
    for (int lane = 0; lane < N_LANES; lane++) {
        struct engine_model *model = model_of(path.at, lanes[lane]);
        for (size_t i = 0; i < 4; i++) {
            const json_t *prompt = json_array_get(prompts, i);
            check_logits(model, prompt, (const float *)(const void *)rows.at, 2e-4);
            check_greedy(model, json_object_get(prompt, "ids"),
                         json_object_get(json_object_get(prompt, "greedy"), "ids"));
        }
        engine_close(model);
    }
    json_decref(root);
    str_free(&path);
    str_free(&rows);
}

static void llama_has_the_logits_of_transformers(void **state) {
    (void)state;
    check_golden("llama", "llama-F32.gguf");
}

static void llama_3_with_scaled_rotation_has_them_too(void **state) {
    (void)state;
    check_golden("llama-llama3rope-tied", "llama-llama3rope-tied-BF16.gguf");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stories_continue_as_in_float64),
        cmocka_unit_test(llama_has_the_logits_of_transformers),
        cmocka_unit_test(llama_3_with_scaled_rotation_has_them_too),
    };
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
