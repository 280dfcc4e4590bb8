/* Panels kept in a file: the next load maps them and gives the same bits; what is cut, damaged, old or of
 * another model is refused in a sentence and made again. */
#include "base/file.h"
#include "engine/backend/backend.h"
#include "tests/checkkern/tiny.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { VOCAB = 600, TOKENS = 3 };

static char folder[] = "/tmp/fak-panelcache-XXXXXX", path[64];

static const struct tiny_shape shape = {.vocab = VOCAB,
                                        .width = 512,
                                        .hidden = 1024,
                                        .n_layers = 2,
                                        .n_heads = 8,
                                        .n_kv_heads = 2,
                                        .head_dim = 64,
                                        .context = 64,
                                        .type = DTYPE_Q8_0};

struct trial {
    struct tiny tiny;
    const char *path, *key;
    float logits[TOKENS * VOCAB];
    char note[560];
};

/* Opens, runs, closes; `note` is what was said. */
static void run(struct trial *t) {
    static const int32_t ids[TOKENS] = {5, 1, 77}, positions[TOKENS] = {0, 1, 2}, sequences[TOKENS] = {0},
                         page = 0;
    static const bool wants[TOKENS] = {true, true, true};
    struct status st = {0};
    struct backend *b;
    const struct batch batch = {TOKENS, ids, positions, sequences, wants, &page, 1, 1, NULL};
    struct backend_options options = {.isa = "auto", .threads = 2, .max_batch = TOKENS, .n_pages = 1};
    options.cache_path = t->path;
    options.cache_key = view_of(t->key);
    if (!backend_open_cpu(&b, &t->tiny.program, &options, &st)) fail_msg("%s", st.message);
    backend_run(b, &batch, t->logits);
    snprintf(t->note, sizeof t->note, "%s", backend_note(b));
    backend_close(b);
}

static void begin(struct trial *t) {
    *t = (struct trial){.path = path, .key = "a model"};
    tiny_build(&t->tiny, &shape);
    unlink(path);
}

static long long file_number(void) {
    struct stat info;
    return stat(path, &info) == 0 ? (long long)info.st_ino : -1;
}

/* Runs twice more: the first says `text` and makes the file again, the second finds it good. */
static void expect_remade(struct trial *t, const char *text, const float *want) {
    run(t);
    if (!strstr(t->note, text) || !strstr(t->note, "made again"))
        fail_msg("'%s' instead of '%s'", t->note, text);
    assert_memory_equal(t->logits, want, sizeof t->logits);
    run(t);
    assert_string_equal(t->note, "");
    assert_memory_equal(t->logits, want, sizeof t->logits);
}

static void the_next_load_maps_it(void **state) {
    (void)state;
    static struct trial t;
    static float want[TOKENS * VOCAB];
    begin(&t);
    t.path = NULL;
    run(&t);
    memcpy(want, t.logits, sizeof want);
    assert_int_equal(file_number(), -1);
    t.path = path;
    run(&t);
    assert_string_equal(t.note, "");
    assert_memory_equal(t.logits, want, sizeof want);
    long long number = file_number();
    assert_true(number >= 0);
    run(&t);
    assert_string_equal(t.note, "");
    assert_memory_equal(t.logits, want, sizeof want);
    assert_int_equal(file_number(), number); /* not written a second time */
    tiny_release(&t.tiny);
}

static void change_byte(off_t at) {
    unsigned char byte = 0;
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0 && pread(fd, &byte, 1, at) == 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void what_is_damaged_is_made_again(void **state) {
    (void)state;
    static struct trial t;
    static float want[TOKENS * VOCAB];
    struct stat info;
    begin(&t);
    run(&t);
    memcpy(want, t.logits, sizeof want);
    assert_int_equal(stat(path, &info), 0);
    static const off_t cuts[] = {0, 1, 100, 4095, 4096, 5000};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        assert_int_equal(truncate(path, cuts[i]), 0);
        expect_remade(&t, cuts[i] < 4096 ? "is no cache" : "was cut", want);
    }
    assert_int_equal(truncate(path, info.st_size - 1), 0);
    expect_remade(&t, "was cut", want);
    assert_int_equal(truncate(path, info.st_size + 1), 0);
    expect_remade(&t, "was cut", want);
    change_byte(0);
    expect_remade(&t, "is no cache", want);
    change_byte(8);
    expect_remade(&t, "version", want);
    change_byte(40);
    expect_remade(&t, "another state", want);
    change_byte(110);
    expect_remade(&t, "header is damaged", want);
    change_byte(4000);
    expect_remade(&t, "header is damaged", want);
    for (off_t at = 4096; at < info.st_size; at += info.st_size / 5) {
        change_byte(at);
        run(&t);
        if (!strstr(t.note, "is damaged between") && !strstr(t.note, "has other panels"))
            fail_msg("%s", t.note);
        assert_memory_equal(t.logits, want, sizeof want);
    }
    change_byte(info.st_size - 1);
    run(&t);
    assert_non_null(strstr(t.note, "made again"));
    assert_memory_equal(t.logits, want, sizeof want);
    tiny_release(&t.tiny);
}

static void another_model_is_not_mistaken_for_it(void **state) {
    (void)state;
    static struct trial t, other;
    begin(&t);
    run(&t);
    other = (struct trial){.path = path, .key = "a model, changed"};
    tiny_build(&other.tiny, &shape);
    run(&other);
    assert_non_null(strstr(other.note, "another state"));
    /* The same names, sizes and key, other weights: as if a file was changed without its time. */
    tiny_release(&other.tiny);
    struct tiny_shape changed = shape;
    changed.seed = 7;
    tiny_build(&other.tiny, &changed);
    run(&other);
    assert_non_null(strstr(other.note, "has other panels of "));
    run(&other);
    assert_string_equal(other.note, "");
    tiny_release(&t.tiny);
    tiny_release(&other.tiny);
}

/* What this process may not write it does without. */
static void without_a_place_it_runs_all_the_same(void **state) {
    (void)state;
    static struct trial t;
    static float want[TOKENS * VOCAB];
    begin(&t);
    run(&t);
    memcpy(want, t.logits, sizeof want);
    t.path = "/proc/fak-panels";
    run(&t);
    assert_non_null(strstr(t.note, "no cache of panels: "));
    assert_memory_equal(t.logits, want, sizeof want);
    t.path = folder; /* a directory stands there */
    run(&t);
    assert_non_null(strstr(t.note, "a directory"));
    assert_memory_equal(t.logits, want, sizeof want);
    tiny_release(&t.tiny);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_load_maps_it),
        cmocka_unit_test(what_is_damaged_is_made_again),
        cmocka_unit_test(another_model_is_not_mistaken_for_it),
        cmocka_unit_test(without_a_place_it_runs_all_the_same),
    };
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/model.fak-panels", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    return failed;
}
