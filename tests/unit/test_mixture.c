/* mixture, importance, ggufwrite: which type a tensor gets, which columns count, and the file that holds it.
 */
#include "engine/file/mixture.h"

#include "base/file.h"
#include "engine/file/ggufwrite.h"
#include "engine/file/importance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static enum dtype type_of(const char *mixture, const struct mixture_model *model, const char *name,
                          uint64_t n_cols) {
    const struct gguf_tensor t = {.name = view_of(name),
                                  .n_dims = n_cols ? 2 : 1,
                                  .dims = {n_cols ? n_cols : 8, 16, 1, 1},
                                  .type = DTYPE_F16};
    return (enum dtype)mixture_type(mixture_find(mixture), model, &t);
}

static void tensors_that_hurt_get_more(void **state) {
    (void)state;
    const struct mixture_model model = {.n_layers = 16};
    assert_int_equal(type_of("Q4_K_M", &model, "output.weight", 256), DTYPE_Q6_K);
    assert_int_equal(type_of("Q4_K_M", &model, "token_embd.weight", 256), DTYPE_Q4_K);
    assert_int_equal(type_of("Q4_0", &model, "output.weight", 256), DTYPE_Q6_K);
    assert_int_equal(type_of("q8_0", &model, "output.weight", 256), DTYPE_Q8_0);
    /* The first two of sixteen, the last two, and every third between. */
    static const bool more[16] = {1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1};
    for (int layer = 0; layer < 16; layer++) {
        char name[32];
        snprintf(name, sizeof name, "blk.%d.ffn_down.weight", layer);
        assert_int_equal(type_of("Q4_K_M", &model, name, 256), more[layer] ? DTYPE_Q6_K : DTYPE_Q4_K);
        snprintf(name, sizeof name, "blk.%d.attn_v.weight", layer);
        assert_int_equal(type_of("Q5_K_M", &model, name, 256), more[layer] ? DTYPE_Q6_K : DTYPE_Q5_K);
        assert_int_equal(type_of("Q4_0", &model, name, 256), DTYPE_Q4_0);
    }
    const struct mixture_model tied = {.n_layers = 16, .tied = true},
                               eight = {.n_layers = 16, .n_experts = 8};
    assert_int_equal(type_of("Q5_K_M", &tied, "token_embd.weight", 256), DTYPE_Q6_K);
    assert_int_equal(type_of("Q4_K_M", &eight, "blk.3.attn_k.weight", 256), DTYPE_Q8_0);
    assert_int_equal(type_of("Q4_K_M", &eight, "blk.3.attn_output.weight", 256), DTYPE_Q5_K);
    assert_null(mixture_find("Q4_K"));
}

static void what_steers_stays(void **state) {
    (void)state;
    const struct mixture_model model = {.n_layers = 16};
    assert_int_equal(type_of("Q4_K_M", &model, "blk.0.ffn_gate_inp.weight", 256), DTYPE_F16);
    assert_int_equal(type_of("Q4_K_M", &model, "blk.0.attn_norm.weight", 0), DTYPE_F16);
    assert_int_equal(type_of("Q4_K_M", &model, "blk.0.attn_q.bias", 256), DTYPE_F16);
    assert_int_equal(type_of("F32", &model, "blk.0.attn_norm.weight", 0), DTYPE_F32);
}

/* engine.md 14: rows that are no whole super-blocks (896 is no multiple of 256) fall back, tensor by tensor.
 */
static void case_14_rows_that_do_not_fit_fall_back(void **state) {
    (void)state;
    const struct mixture_model model = {.n_layers = 16};
    assert_int_equal(type_of("Q4_K_M", &model, "blk.3.attn_q.weight", 896), DTYPE_Q5_0);
    assert_int_equal(type_of("Q5_K_M", &model, "blk.3.attn_q.weight", 896), DTYPE_Q5_1);
    assert_int_equal(type_of("Q6_K", &model, "blk.3.attn_q.weight", 896), DTYPE_Q8_0);
    assert_int_equal(type_of("Q4_0", &model, "blk.3.attn_q.weight", 896), DTYPE_Q4_0);
    assert_int_equal(type_of("Q4_K_M", &model, "blk.3.attn_q.weight", 40), DTYPE_F16);
}

static void made_path(char path[64]) { snprintf(path, 64, "/tmp/fak-mixture-%ld", (long)getpid()); }

static void check_importance(const char *path) {
    struct importance *m;
    struct status st;
    const float *values;
    assert_true(importance_open(&m, path, &st));
    assert_int_equal(importance_count(m), 1);
    assert_true(importance_find(&values, m, view_of("w.weight"), 3, 2, &st));
    const float want[6] = {1, 2, 3, 2, 2, 2};
    assert_memory_equal(values, want, sizeof want);
    assert_true(importance_find(&values, m, view_of("other"), 3, 2, &st) && !values);
    assert_false(importance_find(&values, m, view_of("w.weight"), 4, 2, &st));
    importance_close(m);
    unlink(path);
}

static void importance_is_read_in_both_forms(void **state) {
    (void)state;
    char path[64];
    struct status st;
    struct ggufwrite *w;
    made_path(path);
    const uint64_t dims[] = {3, 2}, one[] = {1, 2};
    const float sums[6] = {2, 4, 6, 8, 8, 8}, counts[2] = {2, 4};
    assert_true(ggufwrite_open(&w, path, &st));
    ggufwrite_tensor(w, view_of("w.weight.in_sum2"), 2, dims, DTYPE_F32);
    ggufwrite_tensor(w, view_of("w.weight.counts"), 2, one, DTYPE_F32);
    ggufwrite_rows(w, sums, sizeof sums);
    ggufwrite_rows(w, counts, sizeof counts);
    assert_true(ggufwrite_end(w, &st));
    check_importance(path);
    struct str old = {0};
    const int32_t head[] = {1, 8}, tail[] = {2, 6};
    const float values[6] = {2, 4, 6, 4, 4, 4};
    str_add(&old, (const char *)head, sizeof head);
    str_puts(&old, "w.weight");
    str_add(&old, (const char *)tail, sizeof tail);
    str_add(&old, (const char *)values, sizeof values);
    assert_true(file_replace(path, old.at, old.n, &st));
    check_importance(path);
    for (size_t n = 0; n < old.n; n++) { /* cut anywhere */
        struct importance *m;
        assert_true(file_replace(path, old.at, n, &st));
        assert_false(importance_open(&m, path, &st));
    }
    float negative = -1;
    memcpy(old.at + old.n - 4, &negative, 4);
    struct importance *m;
    assert_true(file_replace(path, old.at, old.n, &st));
    assert_false(importance_open(&m, path, &st));
    unlink(path);
    str_free(&old);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_that_hurt_get_more),
        cmocka_unit_test(what_steers_stays),
        cmocka_unit_test(case_14_rows_that_do_not_fit_fall_back),
        cmocka_unit_test(importance_is_read_in_both_forms),
    };
    return cmocka_run_group_tests_name("mixture", tests, NULL, NULL);
}
