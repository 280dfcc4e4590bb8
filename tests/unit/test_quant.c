/* Quantised safetensors against the formats' own packers and decoders: every element bit for bit, logits of
 * whole models, and directories with one defect each. Formats that are not read are refused by name. */
#include "base/file.h"
#include "base/json/jsonin.h"
#include "engine/engine.h"
#include "engine/file/checkpoint.h"
#include "engine/session/sample.h"
#include "tests/unit/read_panels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/quant/"

static json_t *read_json(const char *path) {
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    if (!json) fail_msg("%s: %s", path, error.text);
    return json;
}

static const char *text_of(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static size_t size_of(const json_t *object, const char *key) {
    return (size_t)json_integer_value(json_object_get(object, key));
}

static bool holds_all(const char *text, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!strstr(text, json_string_value(json_array_get(list, i)))) return false;
    return true;
}

static bool holds_any(const char *text, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strstr(text, json_string_value(json_array_get(list, i)))) return true;
    return json_array_size(list) == 0;
}

/* --- tensors -------------------------------------------------------------------------------------------- */

/* A directory with nothing but one module and the configuration of its format. */
struct folder {
    char path[32], config[64], weights[64];
};

static void make_folder(struct folder *f, const char *stored, const json_t *config) {
    char here[512], target[768];
    strcpy(f->path, "/tmp/fak-test-XXXXXX");
    assert_non_null(mkdtemp(f->path));
    snprintf(f->config, sizeof f->config, "%s/config.json", f->path);
    snprintf(f->weights, sizeof f->weights, "%s/model.safetensors", f->path);
    assert_non_null(getcwd(here, sizeof here));
    snprintf(target, sizeof target, "%s/%s", here, stored);
    assert_int_equal(symlink(target, f->weights), 0);
    json_t *root = json_pack("{sO}", "quantization_config", config);
    assert_int_equal(json_dump_file(root, f->config, 0), 0);
    json_decref(root);
}

static void remove_folder(const struct folder *f) { unlink(f->config), unlink(f->weights), rmdir(f->path); }

/* "model.layers.0.mlp.down_proj" of "...down_proj.", "....experts.gate_up_proj" of gpt-oss' blocks. */
static void module_of(char *out, size_t room, const json_t *entry) {
    const char *prefix = text_of(entry, "prefix"), *key;
    json_t *value;
    snprintf(out, room, "%.*s", (int)strlen(prefix) - 1, prefix);
    json_object_foreach(json_object_get(entry, "stored"), key, value) {
        const char *blocks = strstr(key, "_blocks");
        if (blocks) snprintf(out, room, "%s%.*s", prefix, (int)(blocks - key), key);
    }
}

static void compare_rows(const struct gguf_tensor *t, const json_t *entry, const char *path) {
    struct str want = {0};
    struct status st;
    const json_t *shape = json_object_get(entry, "w_shape");
    size_t in = size_of(entry, "in");
    size_t n_rows = size_of(entry, "out");
    if (json_array_size(shape) == 3)
        n_rows = (size_t)(json_integer_value(json_array_get(shape, 0)) *
                          json_integer_value(json_array_get(shape, 1)));
    if (!file_read(&want, path, 1 << 24, &st)) fail_msg("%s", st.message);
    assert_int_equal(want.n, n_rows * in * sizeof(float));
    assert_int_equal(t->dims[0], in);
    float *row = malloc(in * sizeof *row);
    for (size_t r = 0; r < n_rows; r++) {
        if (!checkpoint_row(row, t, r, &st)) fail_msg("%s", st.message);
        if (memcmp(row, want.at + r * in * sizeof *row, in * sizeof *row) != 0)
            fail_msg("%s: row %zu", path, r);
    }
    free(row);
    str_free(&want);
}

/* The matrix laid out as panels of codes holds the same values. */
static void compare_panels(const struct gguf_tensor *t, const char *name) {
    struct arena arena = {0};
    struct lpanel panels;
    struct status st;
    if (t->layout && lpanel_takes(t->layout)) {
        if (!lpanel_make(&panels, t->layout, t->dims[1], &arena, &st)) fail_msg("%s", st.message);
        size_t wrong = panel_differences(&panels);
        if (wrong) fail_msg("%s: %zu rows of %zu differ in their panels", name, wrong, panels.n_rows);
    }
    arena_release(&arena);
}

/* So do rows that are copied. */
static void compare_copies(const struct gguf_tensor *t, const char *name) {
    enum dtype type;
    if (!t->layout || !layout_is_rows(t->layout, &type)) return;
    float *want = malloc(t->dims[0] * sizeof *want), *got = malloc(t->dims[0] * sizeof *got);
    void *copy = malloc(dtype_row_bytes(type, t->dims[0]));
    for (size_t row = 0; row < t->dims[1]; row++) {
        layout_decode(want, t->layout, row);
        layout_copy(copy, t->layout, row);
        dtype_decode(got, type, copy, t->dims[0]);
        for (size_t c = 0; c < t->dims[0]; c++)
            if (want[c] != got[c]) fail_msg("%s: row %zu, column %zu", name, row, c);
    }
    free(want), free(got), free(copy);
}

static int check_tensor(const char *format, const json_t *entry) {
    char stored[160], wanted[160], module[96];
    struct folder f;
    struct gguf *file = NULL;
    struct gguf_tensor t;
    struct status st = {0};
    const char *name = text_of(entry, "name");
    snprintf(stored, sizeof stored, GOLDEN "tensor/%s/%s.safetensors", format, name);
    snprintf(wanted, sizeof wanted, GOLDEN "tensor/%s/%s.w.f32", format, name);
    module_of(module, sizeof module, entry);
    make_folder(&f, stored, json_object_get(entry, "config"));
    bool ok = checkpoint_open(&file, f.path, &st) && checkpoint_find(&t, file, module, &st);
    if (ok) compare_rows(&t, entry, wanted), compare_panels(&t, name), compare_copies(&t, name);
    else if (file_exists(wanted) && !strstr(st.message, "q_invperm")) fail_msg("%s: %s", name, st.message);
    else if (!strstr(st.message, "not supported") && !strstr(st.message, "q_invperm"))
        fail_msg("%s is refused, but not by name: %s", name, st.message);
    gguf_close(file);
    remove_folder(&f);
    return ok;
}

static void check_format(const char *format, int wanted) {
    char path[96];
    snprintf(path, sizeof path, GOLDEN "tensor/%s/manifest.json", format);
    json_t *manifest = read_json(path);
    int decoded = 0;
    for (size_t i = 0; i < json_array_size(manifest); i++)
        decoded += check_tensor(format, json_array_get(manifest, i));
    assert_int_equal(decoded, wanted);
    json_decref(manifest);
}

/* engine.md 22, its half without tensor parallelism: b4_g32_asym_v2_act_uneven has a random g_idx, as the
 * other "act" vectors do; of whole models gptq_b4_g32_v2_asym_act below. */
static void gptq_decodes_to_the_bits_of_gptqmodel(void **state) {
    (void)state;
    check_format("gptq", 36);
}

/* engine.md 13: gemm; gemv and gemv_fast are refused by name. GPTQModel#2350: a zero point of 0 stays 0, and
 * the zero points lie in AWQ's order. */
static void awq_decodes_to_the_bits_of_autoawq(void **state) {
    (void)state;
    check_format("awq", 8);
}

/* All but the one without q_invperm, which the reference does not load either. */
static void exl2_decodes_to_the_bits_of_exllamav2(void **state) {
    (void)state;
    check_format("exl2", 13);
}

/* All but NVFP4. */
static void compressed_tensors_decode_to_their_own_bits(void **state) {
    (void)state;
    check_format("compressed-tensors", 7);
}

static void fp8_decodes_to_the_bits_of_transformers(void **state) {
    (void)state;
    check_format("fp8", 6);
}

static void mxfp4_decodes_to_the_bits_of_transformers(void **state) {
    (void)state;
    check_format("mxfp4", 2);
}

static void bitsandbytes_is_refused_by_name(void **state) {
    (void)state;
    check_format("bitsandbytes", 0);
}

/* --- models --------------------------------------------------------------------------------------------- */

static size_t read_ids(int32_t *ids, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++)
        ids[i] = (int32_t)json_integer_value(json_array_get(list, i));
    return json_array_size(list);
}

static const json_t *prompt_of(const json_t *golden, size_t n) {
    json_t *prompts = json_object_get(golden, "prompts"), *prompt;
    size_t i;
    json_array_foreach(prompts, i,
                       prompt) if (json_array_size(json_object_get(prompt, "ids")) == n) return prompt;
    fail_msg("no prompt of %zu ids", n);
    return NULL;
}

/* Logits of the seven ids and the greedy ids after them. */
static void check_run(const char *folder, struct engine_model *model, const json_t *golden) {
    enum { N = 7, MOST = 64 };
    const json_t *prompt = prompt_of(golden, N);
    int32_t ids[N], greedy[MOST];
    size_t n_vocab = engine_n_vocab(model);
    size_t n_greedy = read_ids(greedy, json_object_get(prompt, "greedy"));
    struct engine_session *session;
    struct status st;
    struct str want = {0};
    char path[160];
    float *logits = malloc(N * n_vocab * sizeof *logits);
    read_ids(ids, json_object_get(prompt, "ids"));
    snprintf(path, sizeof path, "%s/logits_7.f32", folder);
    if (!file_read(&want, path, 1 << 24, &st)) fail_msg("%s", st.message);
    assert_int_equal(want.n, N * n_vocab * sizeof *logits);
    if (!engine_session_open(&session, model, &st) ||
        !engine_feed(session, ids, N, ENGINE_LOGITS_ALL, logits, &st))
        fail_msg("%s", st.message);
    for (size_t i = 0; i < N * n_vocab; i++) {
        float one;
        memcpy(&one, want.at + i * sizeof one, sizeof one);
        if (!(fabsf(logits[i] - one) <= 2e-4F))
            fail_msg("%s: logit %zu is %g, not %g", folder, i, (double)logits[i], (double)one);
    }
    int32_t id = sample_greedy(logits + (N - 1) * n_vocab, n_vocab, NULL);
    for (size_t i = 0; i < n_greedy; i++) {
        assert_int_equal(id, greedy[i]);
        if (!engine_feed(session, &id, 1, ENGINE_LOGITS_LAST, logits, &st)) fail_msg("%s", st.message);
        id = sample_greedy(logits, n_vocab, NULL);
    }
    engine_session_close(session);
    free(logits);
    str_free(&want);
}

static bool open_ref(struct engine_model **out, const char *folder, struct status *st) {
    return engine_open(out, folder, &(struct engine_options){.isa = "ref", .threads = 1, .ids_only = true},
                       st);
}

static void check_model(const char *folder, const char *golden_folder) {
    struct engine_model *model;
    struct status st;
    char path[160];
    if (!open_ref(&model, folder, &st)) fail_msg("%s", st.message);
    snprintf(path, sizeof path, "%s/golden.json", golden_folder);
    json_t *golden = read_json(path);
    check_run(golden_folder, model, golden);
    json_decref(golden);
    engine_close(model);
}

static void whole_models_give_the_golden_logits(void **state) {
    (void)state;
    static const char *const models[] = {
        "awq_gemm_g64_skip",
        "ct_w4a16_g32",
        "exl2_mixed",
        "fp8_block128",
        "gptq_b3_g32_v1_sym_legacy",
        "gptq_b4_g32_v2_asym_act",
        "gptq_dynamic_v2",
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char folder[128];
        snprintf(folder, sizeof folder, GOLDEN "model/%s", models[i]);
        check_model(folder, folder);
    }
}

/* --- defects -------------------------------------------------------------------------------------------- */

static void check_defect(const json_t *row) {
    const char *name = text_of(row, "name"), *base = text_of(row, "base");
    char folder[128], base_folder[128];
    struct engine_model *model;
    struct status st = {0};
    snprintf(folder, sizeof folder, GOLDEN "malformed/%s", name);
    snprintf(base_folder, sizeof base_folder, GOLDEN "malformed/%s", base);
    if (strcmp(text_of(row, "expect"), "load") == 0) {
        check_model(folder, base_folder);
        return;
    }
    if (open_ref(&model, folder, &st)) { /* then with the logits of the base */
        engine_close(model);
        if (!json_object_get(row, "accept_also")) fail_msg("%s was opened", name);
        check_model(folder, base_folder);
        return;
    }
    if (!holds_all(st.message, json_object_get(row, "must_name_all")) ||
        !holds_any(st.message, json_object_get(row, "must_name_any")) || !strstr(st.message, "byte "))
        fail_msg("%s: %s", name, st.message);
}

static void every_defect_is_named(void **state) {
    (void)state;
    json_t *manifest = read_json(GOLDEN "malformed/manifest.json");
    for (size_t i = 0; i < json_array_size(manifest); i++) check_defect(json_array_get(manifest, i));
    assert_int_equal(json_array_size(manifest), 42);
    json_decref(manifest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gptq_decodes_to_the_bits_of_gptqmodel),
        cmocka_unit_test(awq_decodes_to_the_bits_of_autoawq),
        cmocka_unit_test(exl2_decodes_to_the_bits_of_exllamav2),
        cmocka_unit_test(compressed_tensors_decode_to_their_own_bits),
        cmocka_unit_test(fp8_decodes_to_the_bits_of_transformers),
        cmocka_unit_test(mxfp4_decodes_to_the_bits_of_transformers),
        cmocka_unit_test(bitsandbytes_is_refused_by_name),
        cmocka_unit_test(whole_models_give_the_golden_logits),
        cmocka_unit_test(every_defect_is_named),
    };
    return cmocka_run_group_tests_name("quant", tests, NULL, NULL);
}
