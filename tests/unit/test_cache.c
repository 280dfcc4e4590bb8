/* sotadb/sql/cache and what coverage keeps in it: values come back whole or not at all; a cache that is
 * damaged, locked or foreign is no reason to fail. */
#include "base/file.h"
#include "coverage/debt/record.h"
#include "coverage/debt/stamps.h"
#include "coverage/debt/words.h"
#include "sotadb/sql/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/fak-cache-XXXXXX";
static char path[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/c.sqlite", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static struct cache *fresh(void) {
    unlink(path);
    struct cache *cache = cache_open(path);
    assert_non_null(cache);
    assert_string_equal(cache_note(cache), "");
    return cache;
}

static bool takes(void *context, struct view variant) { return view_is(variant, context); }

static void check_value(struct cache *cache, const char *key, const char *want) {
    struct str value = {0};
    bool found = cache_get(&value, cache, view_of(key), NULL, NULL);
    assert_int_equal(found, want != NULL);
    if (want) assert_string_equal(str_c(&value), want);
    str_free(&value);
}

static void what_was_put_comes_back_in_the_next_run(void **state) {
    (void)state;
    struct cache *cache = fresh();
    check_value(cache, "a", NULL);
    cache_put(cache, view_of("a"), view_of(""), view_of("one"));
    check_value(cache, "a", "one");
    cache_put(cache, view_of("a"), view_of(""), view_of("two"));
    cache_put(cache, view_of("empty"), view_of(""), view_of(""));
    cache_close(cache);
    cache = cache_open(path);
    check_value(cache, "a", "two");
    check_value(cache, "empty", "");
    check_value(cache, "b", NULL);
    cache_close(cache);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 077, 0); /* nobody else's business */
}

static void variants_of_a_key_are_told_apart(void **state) {
    (void)state;
    struct cache *cache = fresh();
    struct str value = {0};
    cache_put(cache, view_of("k"), view_of("x"), view_of("of x"));
    cache_put(cache, view_of("k"), view_of("y"), view_of("of y"));
    assert_true(cache_get(&value, cache, view_of("k"), takes, (void *)(uintptr_t) "y"));
    assert_string_equal(str_c(&value), "of y");
    assert_false(cache_get(&value, cache, view_of("k"), takes, (void *)(uintptr_t) "z"));
    str_free(&value);
    cache_close(cache);
}

static void a_file_that_is_no_cache_is_replaced(void **state) {
    (void)state;
    static const char *const others[] = {
        "no database at all, but long enough to look like a file of some kind", ""};
    for (int i = 0; i < 2; i++) {
        unlink(path);
        assert_true(file_replace(path, others[i], strlen(others[i]), NULL));
        struct cache *cache = cache_open(path);
        assert_int_equal(cache_note(cache)[0] != 0, others[i][0] != 0); /* an empty file is a new one */
        cache_put(cache, view_of("a"), view_of(""), view_of("one"));
        check_value(cache, "a", "one");
        cache_close(cache);
    }
}

static void a_folder_that_is_not_there_is_worked_without(void **state) {
    (void)state;
    struct cache *cache = cache_open("/nowhere/at/all.sqlite");
    assert_non_null(strstr(cache_note(cache), "working without"));
    cache_put(cache, view_of("a"), view_of(""), view_of("one"));
    check_value(cache, "a", NULL);
    cache_close(cache);
    check_value(NULL, "a", NULL);
    cache_close(NULL);
}

/* Every byte of the file after the first page turned over, one at a time: what comes back is right or
 * nothing. */
static void damage_never_gives_a_wrong_value(void **state) {
    (void)state;
    struct cache *cache = fresh();
    for (int i = 0; i < 50; i++) {
        char key[16];
        snprintf(key, sizeof key, "key %d", i);
        cache_put(cache, view_of(key), view_of(""), view_of(key));
    }
    cache_close(cache);
    struct str whole = {0};
    assert_true(file_read(&whole, path, 1 << 20, NULL));
    for (size_t at = 4096; at < whole.n; at += 37) {
        whole.at[at] ^= 0x55;
        assert_true(file_replace(path, whole.at, whole.n, NULL));
        whole.at[at] ^= 0x55;
        cache = cache_open(path);
        for (int i = 0; i < 50; i += 7) {
            char key[16];
            struct str value = {0};
            snprintf(key, sizeof key, "key %d", i);
            if (cache_get(&value, cache, view_of(key), NULL, NULL)) assert_string_equal(str_c(&value), key);
            str_free(&value);
        }
        cache_close(cache);
    }
    str_free(&whole);
}

/* --- records --- */

static const char source[] = "// sota-coverage: suppress uncovered: a test\n"
                             "#include \"a.h\"\n#include \"b.h\"\n"
                             "__global__ void one(float *x) { }\n__global__ void two(float *x) { }\n"
                             "# sota-coverage: suppress several-ops two\n"
                             "const char *s = \"// sota-coverage: suppress uncovered: no comment\";\n";

static void a_record_reads_back_as_it_was(void **state) {
    (void)state;
    struct arena arena = {0};
    struct record record = {0}, back;
    struct str bytes = {0}, again = {0};
    struct scan_request request = {.path = "k.cu"};
    assert_true(scan_text(&record.scan, view_of(source), &request, &arena, NULL));
    assert_true(suppress_find(&record.suppresses, &record.n_suppresses, view_of(source), &arena, NULL));
    assert_int_equal(record.n_suppresses, 2); /* a string is no comment */
    assert_string_equal(record.suppresses[0].reason, "a test");
    assert_string_equal(record.suppresses[1].detail, "two");
    assert_string_equal(record.suppresses[1].reason, "");
    assert_int_equal(record.suppresses[1].line, 6);
    record_write(&bytes, &record);
    assert_true(record_read(&back, (struct view){bytes.at, bytes.n}, "k.cu", &arena));
    assert_int_equal(back.scan.n_kernels, 2);
    assert_string_equal(back.scan.kernels[1].name, "two");
    assert_int_equal(back.scan.kernels[1].line, 5);
    assert_int_equal(back.scan.n_includes, 2);
    assert_null(back.scan.not_analysed);
    record_write(&again, &back);
    assert_int_equal(again.n, bytes.n);
    assert_memory_equal(again.at, bytes.at, bytes.n);
    str_free(&bytes);
    str_free(&again);
    arena_release(&arena);
}

static void bytes_that_are_no_record_are_refused(void **state) {
    (void)state;
    struct arena arena = {0};
    struct record record = {0}, back;
    struct str bytes = {0};
    struct scan_request request = {.path = "k.cu"};
    assert_true(scan_text(&record.scan, view_of(source), &request, &arena, NULL));
    record_write(&bytes, &record);
    for (size_t n = 0; n < bytes.n; n++)
        assert_false(record_read(&back, (struct view){bytes.at, n}, "k.cu", &arena));
    for (size_t i = 0; i < bytes.n; i++) { /* whatever a byte says, nothing is read past the end */
        char was = bytes.at[i];
        bytes.at[i] = (char)0xff;
        (void)record_read(&back, (struct view){bytes.at, bytes.n}, "k.cu", &arena);
        bytes.at[i] = was;
    }
    str_free(&bytes);
    arena_release(&arena);
}

/* --- stamps --- */

static void a_stamp_holds_while_nothing_about_the_file_moved(void **state) {
    (void)state;
    struct cache *cache = fresh();
    struct stat info = {
        .st_mode = S_IFREG, .st_size = 10, .st_ino = 7, .st_mtim = {100, 5}, .st_ctim = {100, 5}};
    const int64_t later = (int64_t)200 * 1000000000, soon = (int64_t)101 * 1000000000;
    struct stamp stamp;
    struct stamps stamps;
    assert_false(stamp_take(&stamp, "a.cu", &info, soon)); /* it could still change without showing it */
    assert_true(stamp_take(&stamp, "a.cu", &info, later));
    strcpy(stamp.oid, "0123");
    stamps_save(cache, "/root", &stamp, 1);
    stamps_load(&stamps, cache, "/root");
    assert_true(stamp_take(&stamp, "a.cu", &info, later));
    assert_true(stamps_find(&stamp, &stamps));
    assert_string_equal(stamp.oid, "0123");
    info.st_mtim.tv_nsec = 6;
    assert_true(stamp_take(&stamp, "a.cu", &info, later));
    assert_false(stamps_find(&stamp, &stamps));
    stamps_free(&stamps);
    stamps_load(&stamps, cache, "/elsewhere");
    assert_int_equal(stamps.n, 0);
    stamps_free(&stamps);
    cache_close(cache);
}

/* --- words --- */

static bool says(const char *name, const char *joined) {
    struct words words;
    size_t from, to;
    words_read(&words, view_of(name));
    bool found = words_say(&from, &to, &words, joined);
    words_free(&words);
    return found;
}

static void names_are_read_as_people_read_them(void **state) {
    (void)state;
    assert_true(says("rms_norm_f32", "rmsnorm"));
    assert_true(says("RMSNormKernel", "rmsnorm"));
    assert_true(says("fusedRoPE", "rope") || says("fused_rope", "rope"));
    assert_true(says("flash_attn_ext_f16", "flashattn"));
    assert_true(says("k_q4_k_gemm", "q4k"));
    assert_false(says("normalise", "norm")); /* a word, not a part of one */
    assert_false(says("", "norm"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_comes_back_in_the_next_run),
        cmocka_unit_test(variants_of_a_key_are_told_apart),
        cmocka_unit_test(a_file_that_is_no_cache_is_replaced),
        cmocka_unit_test(a_folder_that_is_not_there_is_worked_without),
        cmocka_unit_test(damage_never_gives_a_wrong_value),
        cmocka_unit_test(a_record_reads_back_as_it_was),
        cmocka_unit_test(bytes_that_are_no_record_are_refused),
        cmocka_unit_test(a_stamp_holds_while_nothing_about_the_file_moved),
        cmocka_unit_test(names_are_read_as_people_read_them),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
