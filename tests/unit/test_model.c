/* engine/model: from a checkpoint's metadata and tensors to a checked program. */
#include "engine/model/model.h"
#include "engine/model/rotary.h"
#include "tests/unit/made_gguf.h"
#include "tests/unit/patched.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char llama[] = "tests/golden/models/llama/llama-F32.gguf";
static const char llama3[] = "tests/golden/models/llama-llama3rope-tied/llama-llama3rope-tied-BF16.gguf";
static const char with_biases[] = "tests/golden/models/llama-linear/llama-linear-F16.gguf";

static bool build(struct program *out, struct arena *arena, struct hparams *h, const struct gguf *file,
                  struct status *st) {
    return model_runs(file, st) && hparams_read(h, file, st) && model_build(out, arena, file, h, st);
}

static struct gguf *opened(const char *path) {
    struct status st;
    struct gguf *file;
    if (!gguf_open_header(&file, path, &st)) fail_msg("%s", st.message);
    return file;
}

/* The bytes of p as a model: refused, with this part in the sentence. */
static void refused(struct patched *p, const char *part) {
    struct status st = {0};
    struct gguf *file = NULL;
    struct arena arena = {0};
    struct program program;
    struct hparams h;
    bool ok = gguf_parse(&file, "model.gguf", p->bytes.at, p->bytes.n, &st) &&
              build(&program, &arena, &h, file, &st);
    assert_false(ok);
    if (!strstr(st.message, part)) fail_msg("'%s' is not in: %s", part, st.message);
    assert_non_null(strstr(st.message, "model.gguf"));
    assert_true(arena.total < 4 * p->bytes.n); /* a lie costs no memory */
    arena_release(&arena);
    gguf_close(file);
    str_free(&p->bytes);
}

/* --- what is right ------------------------------------------------------------------------------------- */

static void a_llama_becomes_a_program(void **state) {
    (void)state;
    struct gguf *file = opened(llama);
    struct arena arena = {0};
    struct program p;
    struct hparams h;
    struct status st;
    if (!build(&p, &arena, &h, file, &st)) fail_msg("%s", st.message);
    assert_int_equal(p.n_caches, 2);
    assert_int_equal(p.n_vocab, 304);
    assert_int_equal(p.n_weights, 21);               /* every tensor of the file */
    assert_int_equal(p.n_steps, 1 + 2 * 12 + 2 + 2); /* embed; blocks; two selects; norm, head */
    /* The last layer after its attention, and no more, runs for the rows whose logits are asked for. */
    int n_selects = 0;
    for (int i = 0; i < p.n_steps; i++) {
        if (p.steps[i].op != OP_select) continue;
        n_selects++;
        assert_in_range(i, 1 + 12 + 5, 1 + 12 + 5 + 1);
    }
    assert_int_equal(n_selects, 2);
    assert_int_equal(p.steps[p.n_steps - 1].op, OP_linear);
    assert_int_equal(p.widths[p.logits], 304);
    assert_int_equal(hparams_kv_bytes(&h, KV_F32), 2 * 2 * (12 + 16) * sizeof(float));
    assert_int_equal(hparams_kv_bytes(&h, KV_BF16), 2 * 2 * (12 + 16) * 2);
    assert_int_equal(hparams_kv_bytes(&h, KV_Q8_0), 2 * 2 * (12 + 16 + 2 * sizeof(float)));
    arena_release(&arena);
    gguf_close(file);
}

static void without_output_the_token_table_serves_twice(void **state) {
    (void)state;
    struct gguf *file = opened(llama3);
    struct arena arena = {0};
    struct program p;
    struct hparams h;
    struct status st;
    if (!build(&p, &arena, &h, file, &st)) fail_msg("%s", st.message);
    assert_int_equal(p.steps[p.n_steps - 1].weight[0], p.steps[0].weight[0]);
    arena_release(&arena);
    gguf_close(file);
}

static double rope_factor(struct patched *p) {
    struct gguf *file;
    struct hparams h;
    struct status st;
    if (!gguf_parse(&file, "model.gguf", p->bytes.at, p->bytes.n, &st) || !hparams_read(&h, file, &st))
        fail_msg("%s", st.message);
    gguf_close(file);
    str_free(&p->bytes);
    return h.rope.factor;
}

static void linear_scaling_is_read_by_either_key(void **state) {
    (void)state;
    struct patched p;
    patched_load(&p, llama);
    assert_true(rope_factor(&p) == 1.0);
    patched_load(&p, llama);
    patched_add_f32(&p, "llama.attention.clamp_kqv", 8.0F);
    refused(&p, "llama.attention.clamp_kqv is 8");
    patched_load(&p, llama);
    patched_add(&p, "llama.attention.causal", GGUF_BOOL, "", 1);
    refused(&p, "llama.attention.causal is false");
    patched_load(&p, with_biases);
    assert_true(rope_factor(&p) == 4.0);
    patched_load(&p, llama); /* as old converters wrote it */
    patched_add_f32(&p, "llama.rope.scale_linear", 2.0F);
    assert_true(rope_factor(&p) == 2.0);
    patched_load(&p, llama);
    patched_add_f32(&p, "llama.rope.scaling.factor", 8.0F);
    patched_add_string(&p, "llama.rope.scaling.type", "none");
    assert_true(rope_factor(&p) == 1.0);
}

/* --- rotary tables ---------------------------------------------------------------------------------- */

static struct rotary_tables *tables_of(struct arena *arena, size_t context, struct rotary rotary) {
    struct rotary_tables *t;
    assert_true(rotary_open(&t, arena, context, &rotary, NULL));
    return t;
}

static struct rotary rotary(size_t dims, double factor, const float *divisors) {
    return (struct rotary){
        .dims = dims, .base = 10000.0, .factor = factor, .divisors = divisors, .magnitude = 1};
}

static void rotary_angles_are_position_times_frequency(void **state) {
    (void)state;
    struct arena arena = {0};
    struct rotary_tables *t = tables_of(&arena, 1000, rotary(8, 1.0, NULL));
    rotary_reach(t, 7);
    rotary_reach(t, 1000);
    for (size_t i = 0; i < 4; i++)
        for (size_t position = 0; position < 1000; position += 111) {
            double angle = (double)position * pow(10000.0, -(double)i / 4.0);
            assert_true(t->cos[position * 4 + i] == (float)cos(angle));
            assert_true(t->sin[position * 4 + i] == (float)sin(angle));
        }
    arena_release(&arena);
}

static void linear_scaling_and_divisors_slow_the_rotation(void **state) {
    (void)state;
    struct arena arena = {0};
    const float divisors[] = {4.0F, 4.0F, 4.0F, 4.0F};
    struct rotary_tables *plain = tables_of(&arena, 64, rotary(8, 1.0, NULL));
    struct rotary_tables *slow = tables_of(&arena, 64, rotary(8, 4.0, NULL));
    struct rotary_tables *divided = tables_of(&arena, 64, rotary(8, 1.0, divisors));
    rotary_reach(plain, 64), rotary_reach(slow, 64), rotary_reach(divided, 64);
    for (size_t i = 0; i < 16 * 4; i++) {
        size_t later = i / 4 * 16 + i % 4; /* the row of four times the position */
        assert_true(slow->cos[later] == plain->cos[i] && slow->sin[later] == plain->sin[i]);
        assert_true(divided->cos[later] == plain->cos[i] && divided->sin[later] == plain->sin[i]);
    }
    arena_release(&arena);
}

/* engine.md 23: DeepSeek-V3's own numbers, by hand: ln(4096 / 64 pi) and ln(4096 / 2 pi) put the ramp's
 * limits at pairs 10.47 and 22.51, so at 10 and 23; cos and sin do not grow. */
static void yarn_of_deepseek_v3_is_the_table_by_hand(void **state) {
    (void)state;
    struct arena arena = {0};
    struct rotary r = rotary(64, 40, NULL);
    r.rule = ROTARY_YARN, r.original = 4096, r.fast = 32, r.slow = 1;
    struct rotary_tables *t = tables_of(&arena, 5000, r);
    rotary_reach(t, 5000);
    for (size_t i = 0; i < 32; i++)
        for (size_t position = 0; position < 5000; position += 1234) {
            double slow = i <= 10 ? 0 : i >= 23 ? 1 : ((double)i - 10) / 13;
            double angle = (double)position * pow(10000, -(double)i / 32) * (1 - slow + slow / 40);
            assert_true(fabs((double)t->cos[position * 32 + i] - cos(angle)) < 1e-6);
            assert_true(fabs((double)t->sin[position * 32 + i] - sin(angle)) < 1e-6);
        }
    arena_release(&arena);
}

/* And its scores are sharper by (0.1 ln 40 + 1)^2, about 1.87, whatever layer. */
static void scores_of_deepseek_v3_are_scaled_by_mscale_twice(void **state) {
    (void)state;
    struct patched p;
    struct status st;
    struct arena arena = {0};
    struct program program;
    struct hparams h;
    struct gguf *file;
    int attentions = 0;
    patched_load(&p, "tests/golden/models/deepseek-v3/deepseek-v3-BF16.gguf");
    patched_f32(&p, "deepseek2.rope.scaling.factor", 40);
    if (!gguf_parse(&file, "model.gguf", p.bytes.at, p.bytes.n, &st) ||
        !build(&program, &arena, &h, file, &st))
        fail_msg("%s", st.message);
    assert_true(h.rope.magnitude == 1);
    for (int i = 0; i < program.n_steps; i++)
        if (program.steps[i].op == OP_attention) {
            double sharper =
                (double)program.steps[i].scale * sqrt(24); /* keys of 24 before they are absorbed */
            assert_true(fabs(sharper - 1.8738542070926262) < 1e-6);
            attentions++;
        }
    assert_true(attentions > 0);
    arena_release(&arena);
    gguf_close(file);
    str_free(&p.bytes);
}

static size_t resident_pages(void) {
    size_t all, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu %zu", &all, &resident), 2);
    fclose(file);
    return resident;
}

/* A file of a few kilobytes may claim 2^24 positions: that took seconds and gigabytes. */
static void a_long_context_costs_nothing_before_it_is_used(void **state) {
    (void)state;
    enum { CONTEXT = 1 << 20, HALF = 64 }; /* 2 tables of 256 MiB */
    struct arena arena = {0};
    size_t before = resident_pages();
    struct rotary_tables *t = tables_of(&arena, CONTEXT, rotary(2 * HALF, 1.0, NULL));
    rotary_reach(t, 100);
    assert_true(t->n == 100);
    assert_true((resident_pages() - before) * 4096 < 128 << 20); /* a sanitizer's shadow takes an eighth */
    arena_release(&arena);
}

/* --- what is refused -------------------------------------------------------------------------------- */

/* engine.md 6 among them: llama.cpp#25821, a block_count of 0, 513 and 2^32 - 1. */
static void metadata_that_lies_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *key;
        uint32_t value;
        const char *part;
    } lies[] = {
        {"llama.block_count", 0, "llama.block_count is 0"},
        {"llama.block_count", 513, "llama.block_count is 513, but the file holds 21 tensors"},
        {"llama.block_count", UINT32_MAX, "llama.block_count is 4294967295, but the file holds 21 tensors"},
        {"llama.block_count", 3, "tensor blk.2.attn_norm.weight is missing"},
        {"llama.block_count", 1, "tensor blk.1.attn_norm.weight (at byte "},
        {"llama.embedding_length", 0, "llama.embedding_length is 0"},
        {"llama.embedding_length", 64,
         "tensor token_embd.weight has shape 48 x 304, but the metadata says 64 x 304"},
        {"llama.embedding_length", UINT32_MAX, "llama.embedding_length"},
        {"llama.feed_forward_length", 0, "llama.feed_forward_length is 0"},
        {"llama.feed_forward_length", 71, "tensor blk.0.ffn_gate.weight has shape 48 x 72"},
        {"llama.context_length", 0, "llama.context_length is 0"},
        {"llama.context_length", UINT32_MAX, "llama.context_length"},
        {"llama.attention.head_count", 0, "llama.attention.head_count is 0"},
        {"llama.attention.head_count", 5, "5 attention heads cannot share 2 key-value heads"},
        {"llama.attention.head_count", 6, "tensor blk.0.attn_q.weight has shape 48 x 48"},
        {"llama.attention.head_count", 1u << 28, "more than any model has"},
        {"llama.attention.head_count_kv", 0, "llama.attention.head_count_kv is 0"},
        {"llama.attention.head_count_kv", 3, "4 attention heads cannot share 3 key-value heads"},
        {"llama.attention.head_count_kv", 4, "tensor blk.0.attn_k.weight has shape 48 x 24"},
        {"llama.attention.key_length", 0, "llama.attention.key_length is 0"},
        {"llama.attention.key_length", 16, "keys of 16 and values of 12 dimensions"},
        {"llama.rope.dimension_count", 0, "llama.rope.dimension_count is 0"},
        {"llama.rope.dimension_count", 11, "llama.rope.dimension_count is 11; it has to be even"},
        {"llama.rope.dimension_count", 14, "at most the head size 12"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct patched p;
        patched_load(&p, llama);
        patched_u32(&p, lies[i].key, lies[i].value);
        refused(&p, lies[i].part);
    }
}

/* Every count and size of every architecture, one at a time, as other numbers: refused by a sentence, or
 * built and checked. Sanitizers see what neither is. */
static void try_numbers(const char *path, const char *key, uint32_t type, size_t *refusals) {
    static const uint32_t numbers[] = {0, 1, 2, 3, 5, 7, 64, 65, 1u << 16, 1u << 24, 1u << 31, UINT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct patched p;
        struct gguf *file;
        struct arena arena = {0};
        struct program program;
        struct hparams h;
        struct status st = {0};
        patched_load(&p, path);
        if (type == GGUF_F32) patched_f32(&p, key, (float)numbers[i]);
        else patched_u32(&p, key, numbers[i]);
        assert_true(gguf_parse(&file, "model.gguf", p.bytes.at, p.bytes.n, &st));
        if (!build(&program, &arena, &h, file, &st)) {
            assert_non_null(strstr(st.message, "model.gguf"));
            ++*refusals;
        }
        arena_release(&arena);
        gguf_close(file);
        str_free(&p.bytes);
    }
}

static void any_number_is_refused_or_harmless(void **state) {
    (void)state;
    static const char *const paths[] = {"deepseek-v3/deepseek-v3-BF16.gguf",
                                        "deepseek-v32/deepseek-v32-BF16.gguf",
                                        "glm-moe-dsa/glm-moe-dsa-BF16.gguf",
                                        "qwen3-next/qwen3-next-BF16.gguf",
                                        "qwen3-5/qwen3-5-BF16.gguf",
                                        "gpt-oss/gpt-oss-BF16.gguf",
                                        "phi3-longrope/phi3-longrope-BF16.gguf",
                                        "gemma3/gemma3-BF16.gguf",
                                        "glm4-moe/glm4-moe-BF16.gguf"};
    size_t refusals = 0, keys = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char path[160], key[128];
        snprintf(path, sizeof path, "tests/golden/models/%s", paths[i]);
        struct gguf *file = opened(path);
        for (size_t v = 0; v < gguf_n_values(file); v++) {
            const struct gguf_value *value = gguf_value_at(file, v);
            if ((value->type != GGUF_U32 && value->type != GGUF_F32) || value->key.n >= sizeof key) continue;
            if (memcmp(value->key.at, "general.", 8) == 0 || memcmp(value->key.at, "tokenizer", 9) == 0)
                continue;
            memcpy(key, value->key.at, value->key.n);
            key[value->key.n] = '\0';
            try_numbers(path, key, value->type, &refusals);
            keys++;
        }
        gguf_close(file);
    }
    assert_true(keys > 150 && refusals > 5 * keys);
}

static void numbers_that_are_none_are_refused(void **state) {
    (void)state;
    static const char *const keys[] = {"llama.attention.layer_norm_rms_epsilon", "llama.rope.freq_base"};
    static const float values[] = {0.0F, -1.0F, NAN, INFINITY};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 4; i++) {
            struct patched p;
            patched_load(&p, llama);
            patched_f32(&p, keys[k], values[i]);
            refused(&p, keys[k]);
        }
}

/* 1e-60 is a number until it is a float. */
static void an_epsilon_that_vanishes_is_refused(void **state) {
    (void)state;
    static const char key[] = "llama.attention.layer_norm_rms_epsilon";
    const double tiny = 1e-60;
    struct patched p;
    patched_load(&p, llama);
    patched_rename(&p, key, "llama.attention.layer_norm_rms_epsiloX");
    patched_add(&p, key, GGUF_F64, &tiny, sizeof tiny);
    refused(&p, key);
}

/* The second of two files has a tensor too many: it is the one to name. */
static void a_tensor_is_named_with_its_part(void **state) {
    (void)state;
    char folder[] = "/tmp/fak-split-XXXXXX";
    struct str first = {0}, second = {0}, part = {0};
    struct patched p;
    struct status st;
    struct arena arena = {0};
    struct program program;
    struct hparams h;
    const uint16_t count = 2;
    assert_non_null(mkdtemp(folder));
    str_printf(&first, "%s/m-00001-of-00002.gguf", folder);
    str_printf(&second, "%s/m-00002-of-00002.gguf", folder);
    patched_load(&p, llama);
    patched_add(&p, "split.count", GGUF_U16, &count, sizeof count);
    made_header(&part, 3, 1, 2);
    made_key(&part, "split.no", GGUF_U16), made_number(&part, 1, 2);
    made_key(&part, "split.count", GGUF_U16), made_number(&part, 2, 2);
    made_tensor(&part, "extra.weight", 4, 1, DTYPE_F32, 0);
    made_padding(&part, 32, 16);
    assert_true(file_replace(first.at, p.bytes.at, p.bytes.n, &st) &&
                file_replace(second.at, part.at, part.n, &st));
    struct gguf *file = opened(first.at);
    assert_false(build(&program, &arena, &h, file, &st));
    if (!strstr(st.message, "m-00002-of-00002.gguf: tensor extra.weight (at byte "))
        fail_msg("%s", st.message);
    gguf_close(file);
    arena_release(&arena);
    unlink(first.at), unlink(second.at), rmdir(folder);
    str_free(&first), str_free(&second), str_free(&part), str_free(&p.bytes);
}

static void missing_keys_and_tensors_are_named(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *part;
    } hidden[] = {
        {"general.architecture", "general.architecturX", "general.architecture is missing"},
        {"llama.context_length", "llama.context_lengtX", "'llama.context_length'"},
        {"llama.block_count", "llama.block_counX", "'llama.block_count'"},
        {"llama.attention.head_count", "llama.attention.head_counX", "'llama.attention.head_count'"},
        {"llama.attention.layer_norm_rms_epsilon", "llama.attention.layer_norm_rms_epsiloX", "epsilon is 0"},
        {"token_embd.weight", "token_embX.weight", "tensor token_embd.weight is missing"},
        {"output_norm.weight", "output_norX.weight", "tensor output_norm.weight is missing"},
        {"blk.1.ffn_down.weight", "blk.1.ffn_dowX.weight", "tensor blk.1.ffn_down.weight is missing"},
        {"output.weight", "outpuX.weight", "tensor outpuX.weight (at byte "},
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        struct patched p;
        patched_load(&p, llama);
        patched_rename(&p, hidden[i].from, hidden[i].to);
        refused(&p, hidden[i].part);
    }
}

static void shapes_that_lie_are_refused(void **state) {
    (void)state;
    static const char *const tensors[] = {"blk.0.ffn_gate.weight", "blk.1.attn_k.weight", "output.weight"};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        struct patched p;
        patched_load(&p, llama);
        patched_transpose(&p, tensors[i]);
        refused(&p, tensors[i]);
    }
}

static void what_this_build_does_not_know_is_refused_by_name(void **state) {
    (void)state;
    struct patched p;
    patched_load(&p, llama);
    patched_rename(&p, "llama", "lxama");
    refused(&p, "architecture 'lxama' is not supported; those that run: llama");
    patched_load(&p, llama);
    patched_add_string(&p, "llama.rope.scaling.type", "su");
    refused(&p, "llama.rope.scaling.type is 'su'; this build knows none, linear, yarn and longrope");
    patched_load(&p, llama);
    patched_add_f32(&p, "llama.attn_logit_softcapping", 50.0F);
    refused(
        &p,
        "llama.attn_logit_softcapping, final_logit_softcapping: this build does not support it for llama");
    patched_load(&p, llama);
    patched_add_u32(&p, "llama.ssm.conv_kernel", 4);
    refused(&p, "'llama.ssm.state_size'");
    patched_load(&p, llama);
    patched_add_u32(&p, "llama.expert_count", 8);
    refused(&p, "'llama.expert_used_count'");
    patched_load(&p, llama);
    patched_add_f32(&p, "llama.attention.clamp_kqv", 8.0F);
    refused(&p, "llama.attention.clamp_kqv is 8");
    patched_load(&p, llama);
    patched_add(&p, "llama.attention.causal", GGUF_BOOL, "", 1);
    refused(&p, "llama.attention.causal is false");
    patched_load(&p, with_biases);
    patched_rename(&p, "blk.1.attn_q.bias", "blk.1.attn_q.bXas");
    refused(&p, "blk.1.attn_q.bXas (at byte ");
}

static void zero_experts_are_no_experts(void **state) {
    (void)state;
    struct patched p;
    patched_load(&p, llama);
    patched_add_u32(&p, "llama.expert_count", 0);
    assert_true(rope_factor(&p) == 1.0);
}

/* --- program_check ---------------------------------------------------------------------------------- */

/* A right program, as a copy whose steps may be spoiled. */
struct spoiled {
    struct gguf *file;
    struct arena arena;
    struct program program;
    struct step *steps;
};

static void spoil_begin(struct spoiled *s) {
    struct hparams h;
    struct status st;
    *s = (struct spoiled){.file = opened(llama)};
    if (!build(&s->program, &s->arena, &h, s->file, &st)) fail_msg("%s", st.message);
    size_t bytes = (size_t)s->program.n_steps * sizeof *s->steps;
    s->steps = arena_alloc(&s->arena, 1, bytes, &st);
    memcpy(s->steps, s->program.steps, bytes);
    s->program.steps = s->steps;
    assert_true(program_check(&s->program, NULL));
}

static void spoil_end(struct spoiled *s, const char *part) {
    struct status st = {0};
    assert_false(program_check(&s->program, &st));
    if (!strstr(st.message, part)) fail_msg("'%s' is not in: %s", part, st.message);
    arena_release(&s->arena);
    gguf_close(s->file);
}

static void program_check_finds_what_is_wrong(void **state) {
    (void)state;
    struct spoiled s;
    spoil_begin(&s);
    s.steps[1].in[0] = 99;
    spoil_end(&s, "step 1 (rms_norm)");
    spoil_begin(&s);
    s.steps[1].weight[0] = s.steps[0].weight[0];
    spoil_end(&s, "is 304 x 48, not 1 x 48");
    spoil_begin(&s);
    s.steps[2].in[0] = s.steps[5].out[0]; /* the attention's result, before it is there */
    spoil_end(&s, "is read before it is written");
    spoil_begin(&s);
    s.steps[2].out[1] = s.steps[2].out[2];
    spoil_end(&s, "two projections into buffer");
    spoil_begin(&s);
    s.steps[4].cache = 2;
    spoil_end(&s, "cache 2 of 2");
    spoil_begin(&s);
    s.steps[5].out[0] = s.steps[5].in[0];
    spoil_end(&s, "overwrite its queries");
    spoil_begin(&s);
    s.steps[s.program.n_steps - 2].in[0] = s.steps[0].out[0]; /* past select: rows of the batch */
    spoil_end(&s, "leaves no logits");
    spoil_begin(&s);
    s.program.n_steps--;
    spoil_end(&s, "leaves no logits");
    spoil_begin(&s);
    s.steps[3].op = OP_COUNT;
    spoil_end(&s, "step 3 (unknown)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_llama_becomes_a_program),
        cmocka_unit_test(without_output_the_token_table_serves_twice),
        cmocka_unit_test(linear_scaling_is_read_by_either_key),
        cmocka_unit_test(rotary_angles_are_position_times_frequency),
        cmocka_unit_test(linear_scaling_and_divisors_slow_the_rotation),
        cmocka_unit_test(yarn_of_deepseek_v3_is_the_table_by_hand),
        cmocka_unit_test(scores_of_deepseek_v3_are_scaled_by_mscale_twice),
        cmocka_unit_test(a_long_context_costs_nothing_before_it_is_used),
        cmocka_unit_test(metadata_that_lies_is_refused),
        cmocka_unit_test(any_number_is_refused_or_harmless),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(an_epsilon_that_vanishes_is_refused),
        cmocka_unit_test(a_tensor_is_named_with_its_part),
        cmocka_unit_test(missing_keys_and_tensors_are_named),
        cmocka_unit_test(shapes_that_lie_are_refused),
        cmocka_unit_test(what_this_build_does_not_know_is_refused_by_name),
        cmocka_unit_test(zero_experts_are_no_experts),
        cmocka_unit_test(program_check_finds_what_is_wrong),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
