/* engine/file: directories of shards with an index, and config.json in GGUF's terms. */
#include "base/file.h"
#include "engine/file/checkpoint.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LLAMA                                                                                                \
    "\"model_type\":\"llama\",\"num_hidden_layers\":1,\"hidden_size\":8,\"num_attention_heads\":2,"          \
    "\"vocab_size\":4,\"intermediate_size\":8,\"max_position_embeddings\":16"

#define DEEPSEEK                                                                                             \
    "\"num_hidden_layers\":1,\"hidden_size\":8,\"num_attention_heads\":2,\"vocab_size\":4,"                  \
    "\"intermediate_size\":8,\"moe_intermediate_size\":8,\"max_position_embeddings\":163840,"                \
    "\"q_lora_rank\":4,\"kv_lora_rank\":4,\"qk_nope_head_dim\":4,\"qk_rope_head_dim\":4,\"v_head_dim\":4,"   \
    "\"n_routed_experts\":4,\"num_experts_per_tok\":2,\"n_shared_experts\":1,\"first_k_dense_replace\":1,"   \
    "\"n_group\":2,\"topk_group\":1,\"routed_scaling_factor\":2.5,\"norm_topk_prob\":true"

/* A directory under /tmp; files are removed with it. */
struct folder {
    char path[32];
    char files[8][64]; /* one that was put twice stands twice */
    int n;
};

static void begin(struct folder *f) {
    *f = (struct folder){.path = "/tmp/fak-test-XXXXXX"};
    assert_non_null(mkdtemp(f->path));
}

static void put(struct folder *f, const char *name, const void *bytes, size_t n) {
    struct status st;
    char path[64];
    snprintf(path, sizeof path, "%.31s/%s", f->path, name);
    if (!file_replace(path, bytes, n, &st)) fail_msg("%s", st.message);
    memcpy(f->files[f->n++], path, sizeof path);
}

static void put_text(struct folder *f, const char *name, const char *text) {
    put(f, name, text, strlen(text));
}

/* A file of one F32 vector of two values. */
static void put_shard(struct folder *f, const char *name, const char *tensor, float first) {
    struct str s = {0};
    char header[160];
    const float values[2] = {first, 2};
    snprintf(header, sizeof header, "{\"%s\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
             tensor);
    uint64_t n = strlen(header);
    str_add(&s, (const char *)&n, sizeof n);
    str_puts(&s, header);
    str_add(&s, (const char *)values, sizeof values);
    put(f, name, s.at, s.n);
    str_free(&s);
}

static void end(struct folder *f) {
    for (int i = 0; i < f->n; i++) unlink(f->files[i]);
    rmdir(f->path);
}

static void refused(const struct folder *f, const char *a, const char *b) {
    struct gguf *file;
    struct status st = {0};
    assert_false(checkpoint_open(&file, f->path, &st));
    if (!strstr(st.message, a) || !strstr(st.message, b))
        fail_msg("no '%s' and '%s' in: %s", a, b, st.message);
}

static float first_value(const struct gguf *file, const char *name) {
    struct gguf_tensor t;
    struct status st;
    float row[2];
    if (!checkpoint_find(&t, file, name, &st) || !checkpoint_row(row, &t, 0, &st)) fail_msg("%s", st.message);
    return row[0];
}

static struct gguf *open_folder(const struct folder *f) {
    struct gguf *file;
    struct status st;
    if (!checkpoint_open(&file, f->path, &st)) fail_msg("%s", st.message);
    return file;
}

/* engine.md 10: vllm#54230: two shards hold x, the index names the second. */
static void the_index_says_which_shard_counts(void **state) {
    (void)state;
    struct folder f;
    begin(&f);
    put_text(&f, "config.json", "{}");
    put_shard(&f, "a.safetensors", "x", 1);
    put_shard(&f, "b.safetensors", "x", 7);
    put_shard(&f, "c.safetensors", "y", 9);
    put_text(&f, "model.safetensors.index.json", "{\"weight_map\":{\"x\":\"b.safetensors\"}}");
    struct gguf *file = open_folder(&f);
    assert_int_equal(gguf_n_tensors(file), 1);
    assert_true(first_value(file, "x") == 7.0F);
    gguf_close(file);
    end(&f);
}

static void two_shards_with_one_name_need_an_index(void **state) {
    (void)state;
    struct folder f;
    begin(&f);
    put_text(&f, "config.json", "{}");
    put_shard(&f, "a.safetensors", "x", 1);
    put_shard(&f, "b.safetensors", "x", 7);
    refused(&f, "'x'", "model.safetensors.index.json");
    end(&f);
}

/* Mistral ships the same weights once more under other names. */
static void model_safetensors_is_enough(void **state) {
    (void)state;
    struct folder f;
    begin(&f);
    put_text(&f, "config.json", "{}");
    put_shard(&f, "consolidated.safetensors", "x", 1);
    put_shard(&f, "model.safetensors", "x", 7);
    struct gguf *file = open_folder(&f);
    assert_int_equal(gguf_n_parts(file), 1);
    assert_true(first_value(file, "x") == 7.0F);
    gguf_close(file);
    end(&f);
}

static void an_index_stays_in_its_directory(void **state) {
    (void)state;
    static const char *const names[] = {"../a.safetensors", "/etc/passwd", "", ".hidden", "a\\\\b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct folder f;
        char index[96];
        begin(&f);
        put_text(&f, "config.json", "{}");
        put_shard(&f, "a.safetensors", "x", 1);
        snprintf(index, sizeof index, "{\"weight_map\":{\"x\":\"%s\"}}", names[i]);
        put_text(&f, "model.safetensors.index.json", index);
        refused(&f, "index.json: byte 15: weight_map 'x'", "same directory");
        end(&f);
    }
}

static void an_index_is_held_against_its_shards(void **state) {
    (void)state;
    struct folder f;
    begin(&f);
    put_text(&f, "config.json", "{}");
    put_shard(&f, "a.safetensors", "x", 1);
    put_text(&f, "model.safetensors.index.json", "{\"weight_map\":{\"z\":\"a.safetensors\"}}");
    refused(&f, "weight_map 'z'", "does not hold this tensor");
    put_text(&f, "model.safetensors.index.json", "{\"weight_map\":{\"x\":\"none.safetensors\"}}");
    refused(&f, "none.safetensors", "");
    put_text(&f, "model.safetensors.index.json", "{\"weight_map\":[]}");
    refused(&f, "weight_map", "object");
    put_text(&f, "model.safetensors.index.json", "{\"weight_map\":{}}");
    refused(&f, "weight_map", "");
    end(&f);
}

/* engine.md 9: vmlx-swift#217: a shard without its last bytes is no shard. */
static void a_cut_shard_is_refused(void **state) {
    (void)state;
    struct folder f;
    struct str bytes = {0};
    struct status st;
    begin(&f);
    put_text(&f, "config.json", "{}");
    put_shard(&f, "a.safetensors", "x", 1);
    if (!file_read(&bytes, f.files[1], 1 << 10, &st)) fail_msg("%s", st.message);
    put(&f, "a.safetensors", bytes.at, bytes.n - 4);
    refused(&f, "a.safetensors: byte 9, tensor 'x'", "beyond the file's length");
    str_free(&bytes);
    end(&f);
}

/* ExLlamaV2 leaves the source model's index beside its own output. */
static void a_stale_index_beside_output_files_is_not_read(void **state) {
    (void)state;
    struct folder f;
    begin(&f);
    put_text(&f, "config.json", "{}");
    put_shard(&f, "output.safetensors", "x", 3);
    put_text(&f, "model.safetensors.index.json", "{\"weight_map\":{\"x\":\"gone.safetensors\"}}");
    struct gguf *file = open_folder(&f);
    assert_true(first_value(file, "x") == 3.0F);
    gguf_close(file);
    end(&f);
}

static void a_config_is_checked_member_by_member(void **state) {
    (void)state;
    static const struct {
        const char *config, *a, *b;
    } cases[] = {
        {"{\"model_type\":\"llama\"}", "config.json", "'num_hidden_layers' is missing"},
        {"[1]", "config.json: byte 0", "no object"},
        {"{\"a\":1,\"a\":2}", "config.json", "duplicate"},
        {"{\"model_type\":7}", "byte 1", "'model_type' has to be a string"},
        {"{" LLAMA ",\"num_key_value_heads\":-1}", "'num_key_value_heads'", "whole number"},
        {"{" LLAMA ",\"rms_norm_eps\":\"small\"}", "'rms_norm_eps'", "a number"},
        {"{" LLAMA ",\"head_dim\":4000000000}", "'head_dim'", "no model has that"},
        {"{" LLAMA ",\"rope_scaling\":{\"type\":\"ntk\"}}", "ntk", "not supported"},
        {"{" LLAMA ",\"rope_scaling\":{\"type\":\"llama3\",\"factor\":8}}", "llama3", "out of order"},
        {"{" LLAMA ",\"head_dim\":100000}", "a head of 100000 dimensions", "no model has that"},
        {"{\"model_type\":\"smollm3\",\"num_hidden_layers\":1000000000,\"hidden_size\":8,\"num_attention_"
         "heads\":2,"
         "\"vocab_size\":4}",
         "'num_hidden_layers' is 1000000000", "1 tensors in all"},
        {"{" LLAMA ",\"quantization_config\":{\"quant_method\":\"hqq\"}}", "hqq", "not supported"},
        {"{" LLAMA ",\"quantization_config\":{\"quant_method\":\"gptq\",\"bits\":4,\"group_size\":0}}",
         "group_size", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct folder f;
        begin(&f);
        put_text(&f, "config.json", cases[i].config);
        put_shard(&f, "model.safetensors", "model.norm.weight", 1);
        refused(&f, cases[i].a, cases[i].b);
        end(&f);
    }
}

static void experts_that_cannot_be_there_cost_no_memory(void **state) {
    (void)state;
    struct folder f;
    begin(&f);
    put_text(
        &f, "config.json",
        "{\"model_type\":\"mixtral\",\"num_hidden_layers\":1,\"hidden_size\":8,\"num_attention_heads\":2,"
        "\"vocab_size\":4,\"num_local_experts\":1000000000}");
    put_shard(&f, "model.safetensors", "model.layers.0.block_sparse_moe.experts.0.w1.weight", 1);
    refused(&f, "1000000000 experts", "1 tensors");
    end(&f);
}

static void a_tensor_without_a_name_in_the_table_is_refused(void **state) {
    (void)state;
    struct folder f;
    begin(&f);
    put_text(&f, "config.json", "{" LLAMA "}");
    put_shard(&f, "model.safetensors", "model.layers.0.surprise.weight", 1);
    refused(&f, "'model.layers.0.surprise.weight'", "no part of a llama model");
    end(&f);
}

static void metadata_and_tensors_have_ggufs_names(void **state) {
    (void)state;
    struct folder f;
    struct status st;
    uint64_t n;
    begin(&f);
    put_text(&f, "config.json",
             "{" LLAMA ",\"rope_parameters\":{\"rope_theta\":500.0,\"rope_type\":\"default\"}}");
    put_shard(&f, "model.safetensors", "model.norm.weight", 5);
    struct gguf *file = open_folder(&f);
    double theta;
    assert_true(gguf_u64_required(&n, file, "llama.attention.head_count_kv", 100, &st) && n == 2);
    assert_true(gguf_f64(&theta, file, "llama.rope.freq_base", 0, &st) && theta == 500.0);
    assert_true(gguf_rope_halves(file) && gguf_is_foreign(file));
    assert_true(first_value(file, "output_norm.weight") == 5.0F);
    assert_true(first_value(file, "model.norm") == 5.0F);
    struct gguf_tensor t;
    assert_false(checkpoint_find(&t, file, "model.nothing", &st));
    assert_non_null(strstr(st.message, "'model.nothing'"));
    gguf_close(file);
    end(&f);
}

/* engine.md 23: DeepSeek's YaRN says two things: cos and sin take the quotient of both scales, the scores
 * that of mscale_all_dim alone. DeepSeek-V3 has 1 and 1, V2-Lite 0.707 twice; unequal numbers tell them
 * apart. */
static void deepseeks_two_yarn_corrections_are_kept_apart(void **state) {
    (void)state;
    static const struct {
        const char *members;
        double ratio, log;
    } cases[] = {
        {"\"mscale\":1.0,\"mscale_all_dim\":1.0", 1, 0.1},
        {"\"mscale\":0.707,\"mscale_all_dim\":0.707", 1, 0.0707},
        {"\"mscale\":2.0,\"mscale_all_dim\":0.5", 1.737775890822787 / 1.184443972705697, 0.05},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct folder f;
        struct status st;
        double ratio, log;
        char config[1024];
        begin(&f);
        snprintf(
            config, sizeof config,
            "{\"model_type\":\"deepseek_v3\"," DEEPSEEK
            ",\"rope_scaling\":{\"type\":\"yarn\",\"factor\":40,\"original_max_position_embeddings\":4096,"
            "\"beta_fast\":32,\"beta_slow\":1,%s}}",
            cases[i].members);
        put_text(&f, "config.json", config);
        put_shard(&f, "model.safetensors", "model.norm.weight", 5);
        struct gguf *file = open_folder(&f);
        assert_true(gguf_f64(&ratio, file, "deepseek2.rope.scaling.attention_factor", 0, &st) &&
                    gguf_f64(&log, file, "deepseek2.rope.scaling.yarn_log_multiplier", 0, &st));
        assert_true(fabs(ratio - cases[i].ratio) < 1e-6 && fabs(log - cases[i].log) < 1e-8);
        gguf_close(file);
        end(&f);
    }
}

/* google/gemma-3-4b gives five members; the rest are its class's. Qwen's window is off unless it is asked
 * for. */
static void what_is_left_out_is_the_familys_own(void **state) {
    (void)state;
    struct folder f;
    struct status st;
    uint64_t heads, window;
    double local;
    begin(&f);
    put_text(&f, "config.json",
             "{\"model_type\":\"gemma3\",\"text_config\":{\"hidden_size\":2560,\"intermediate_size\":10240,"
             "\"num_hidden_layers\":1,\"sliding_window\":1024}}");
    put_shard(&f, "model.safetensors", "language_model.model.norm.weight", 5);
    struct gguf *file = open_folder(&f);
    assert_true(gguf_u64_required(&heads, file, "gemma3.attention.head_count", 100, &st) && heads == 8);
    assert_true(gguf_u64(&window, file, "gemma3.attention.sliding_window", 1 << 20, 0, &st) &&
                window == 1024);
    assert_true(gguf_f64(&local, file, "gemma3.rope.freq_base_swa", 0, &st) && local == 10000.0);
    assert_true(first_value(file, "output_norm.weight") == 6.0F); /* counted from 1 */
    gguf_close(file);
    put_text(&f, "config.json",
             "{\"model_type\":\"qwen2\",\"num_hidden_layers\":1,\"hidden_size\":8,\"num_attention_heads\":2,"
             "\"vocab_size\":4,\"sliding_window\":32768}");
    put_shard(&f, "model.safetensors", "model.norm.weight", 5);
    file = open_folder(&f);
    assert_null(gguf_find(file, "qwen2.attention.sliding_window"));
    gguf_close(file);
    end(&f);
}

/* A family that no table has is shown under its own names. */
static void an_unknown_family_is_shown_as_stored(void **state) {
    (void)state;
    struct folder f;
    struct view arch;
    struct status st;
    begin(&f);
    put_text(&f, "config.json", "{\"model_type\":\"bert\"}");
    put_shard(&f, "model.safetensors", "encoder.weight", 4);
    struct gguf *file = open_folder(&f);
    assert_true(gguf_string(&arch, file, "general.architecture", "", &st) && view_is(arch, "bert"));
    assert_true(first_value(file, "encoder.weight") == 4.0F);
    gguf_close(file);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_says_which_shard_counts),
        cmocka_unit_test(two_shards_with_one_name_need_an_index),
        cmocka_unit_test(model_safetensors_is_enough),
        cmocka_unit_test(an_index_stays_in_its_directory),
        cmocka_unit_test(an_index_is_held_against_its_shards),
        cmocka_unit_test(a_cut_shard_is_refused),
        cmocka_unit_test(a_stale_index_beside_output_files_is_not_read),
        cmocka_unit_test(a_config_is_checked_member_by_member),
        cmocka_unit_test(experts_that_cannot_be_there_cost_no_memory),
        cmocka_unit_test(a_tensor_without_a_name_in_the_table_is_refused),
        cmocka_unit_test(metadata_and_tensors_have_ggufs_names),
        cmocka_unit_test(deepseeks_two_yarn_corrections_are_kept_apart),
        cmocka_unit_test(what_is_left_out_is_the_familys_own),
        cmocka_unit_test(an_unknown_family_is_shown_as_stored),
    };
    return cmocka_run_group_tests_name("hfdir", tests, NULL, NULL);
}
