/* Models with random weights, in files and folders: every type decodes to weights of the size they should
 * have, every file opens.
 */
#include "engine/file/checkpoint.h"
#include "engine/file/randomdir.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const enum dtype types[] = {
#define DTYPE(name, id, elements, bytes) DTYPE_##name,
#include "engine/tensor/dtypes.inc"
#undef DTYPE
};

/* And no bias that would add up over a row; nibbles from -8 to 7 have a small one. */
static void each_type_keeps_the_size_of_a_product(void **state) {
    (void)state;
    enum { N_ROWS = 64, N_COLS = 1024 };
    float *values = malloc(N_COLS * sizeof *values);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t row_bytes = dtype_row_bytes(types[i], N_COLS);
        uint8_t *rows = malloc(N_ROWS * row_bytes);
        uint64_t seed = 1;
        double sum = 0, squares = 0;
        randommodel_rows(rows, types[i], N_ROWS, N_COLS, &seed);
        for (size_t r = 0; r < N_ROWS; r++) {
            dtype_decode(values, types[i], rows + r * row_bytes, N_COLS);
            for (size_t k = 0; k < N_COLS; k++) {
                sum += (double)values[k];
                squares += (double)values[k] * (double)values[k];
            }
        }
        double n = (double)N_ROWS * N_COLS, size = sqrt(squares / n) * sqrt(N_COLS);
        if (!(size > 0.5 && size < 1.5)) fail_msg("%s: size %g", dtype_info(types[i])->name, size);
        if (!(fabs(sum / n) * sqrt(N_COLS) < 0.15))
            fail_msg("%s: mean %g", dtype_info(types[i])->name, sum / n * sqrt(N_COLS));
        free(rows);
    }
    free(values);
}

/* The same seed gives the same rows, another one others. */
static void a_seed_gives_the_same_rows(void **state) {
    (void)state;
    uint8_t rows[3][144];
    uint64_t seeds[3] = {7, 7, 8};
    for (int i = 0; i < 3; i++) randommodel_rows(rows[i], DTYPE_Q4_K, 1, 256, &seeds[i]);
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
    assert_memory_not_equal(rows[0], rows[2], sizeof rows[0]);
    assert_int_equal(seeds[0], seeds[1]);
}

static void names_in_any_case(void **state) {
    (void)state;
    assert_string_equal(randommodel_type("q4_k_m"), "Q4_K_M");
    assert_string_equal(randommodel_type("Mxfp4"), "MXFP4");
    assert_null(randommodel_type("Q4_K"));
    assert_null(randommodel_type(""));
    assert_string_equal(randommodel_shape("1B")->name, "1b");
    assert_null(randommodel_shape("7b"));
}

static void every_file_opens(void **state) {
    (void)state;
    char path[] = "/tmp/fak-randommodel-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; randommodel_type_at(i); i++) {
        struct status st;
        struct gguf *file = NULL;
        if (!randommodel_write(path, randommodel_shape("tiny"), randommodel_type_at(i), &st) ||
            !checkpoint_open(&file, path, &st))
            fail_msg("%s: %s", randommodel_type_at(i), st.message);
        assert_int_equal(gguf_n_tensors(file), 2 + 2 * 9);
        gguf_close(file);
    }
    unlink(path);
}

/* What a matrix of four bits in groups decodes to keeps the size, too. */
static void every_folder_opens(void **state) {
    (void)state;
    enum { N_COLS = 256 };
    for (size_t i = 0; randomdir_type_at(i); i++) {
        char path[] = "/tmp/fak-randomdir-XXXXXX", file_name[64];
        struct status st;
        struct gguf *file;
        float row[N_COLS];
        double squares = 0;
        assert_non_null(mkdtemp(path));
        if (!randomdir_write(path, randommodel_shape("tiny"), randomdir_type_at(i), &st) ||
            !checkpoint_open(&file, path, &st))
            fail_msg("%s: %s", randomdir_type_at(i), st.message);
        assert_int_equal(gguf_n_tensors(file), 2 + 2 * 9);
        const struct gguf_tensor *t = gguf_find_tensor(file, "blk.1.ffn_up.weight");
        assert_true(t && t->layout && t->dims[0] == N_COLS && t->dims[1] == 512);
        for (size_t r = 0; r < 512; r++) {
            layout_decode(row, t->layout, r);
            for (size_t k = 0; k < N_COLS; k++) squares += (double)row[k] * (double)row[k];
        }
        double size = sqrt(squares / 512);
        if (!(size > 0.5 && size < 1.5)) fail_msg("%s: size %g", randomdir_type_at(i), size);
        gguf_close(file);
        snprintf(file_name, sizeof file_name, "%s/config.json", path), unlink(file_name);
        snprintf(file_name, sizeof file_name, "%s/model.safetensors", path), unlink(file_name);
        assert_int_equal(rmdir(path), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_keeps_the_size_of_a_product),
        cmocka_unit_test(a_seed_gives_the_same_rows),
        cmocka_unit_test(names_in_any_case),
        cmocka_unit_test(every_file_opens),
        cmocka_unit_test(every_folder_opens),
    };
    return cmocka_run_group_tests_name("randommodel", tests, NULL, NULL);
}
