/* engine/file/safetensors: sound files, and the corpus of files with one fault each. */
#include "base/file.h"
#include "engine/file/safetensors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#define CORPUS "tests/golden/malformed-safetensors/"

static long peak_kib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* The bytes of a file with this header and n bytes of data. */
static void make(struct str *out, const char *header, size_t n) {
    uint64_t length = strlen(header);
    for (int i = 0; i < 8; i++) str_putc(out, (char)(length >> 8 * i));
    str_puts(out, header);
    for (size_t i = 0; i < n; i++) str_putc(out, (char)i);
}

static void refused(const char *header, size_t n, const char *tensor, const char *reason) {
    struct str s = {0};
    struct safetensors *file;
    struct status st = {0};
    make(&s, header, n);
    assert_false(safetensors_parse(&file, "made.safetensors", s.at, s.n, &st));
    if (!strstr(st.message, "made.safetensors: byte ") || !strstr(st.message, tensor) ||
        !strstr(st.message, reason))
        fail_msg("no '%s' and '%s' in: %s", tensor, reason, st.message);
    str_free(&s);
}

static void a_tensor_is_where_the_header_says(void **state) {
    (void)state;
    struct str s = {0};
    struct safetensors *file;
    struct status st = {0};
    make(&s,
         "{\"__metadata__\":{\"format\":\"pt\"},\"b\":{\"dtype\":\"F16\",\"shape\":[3],\"data_offsets\":[8,"
         "14]},"
         "\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}  ",
         14);
    if (!safetensors_parse(&file, "made.safetensors", s.at, s.n, &st)) fail_msg("%s", st.message);
    assert_int_equal(safetensors_n_tensors(file), 2);
    const struct safetensors_tensor *a = safetensors_at(file, 0), *b = safetensors_at(file, 1);
    assert_true(view_is(a->name, "a") && view_is(b->name, "b"));
    assert_int_equal(a->n_dims, 2);
    assert_int_equal(a->dims[1], 2);
    assert_int_equal(b->offset, safetensors_data_offset(file) + 8);
    assert_int_equal(((const uint8_t *)b->data)[0], 8);
    assert_string_equal(safetensors_type_name((int)b->type), "F16");
    safetensors_close(file);
    str_free(&s);
}

static void faults_are_named_with_byte_tensor_and_field(void **state) {
    (void)state;
    refused("{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},\"x\":{}}", 8, "", "duplicate");
    refused("{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[1,5]}}", 5, "'x'", "hole of 1 bytes");
    refused("{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "'x'",
            "shape takes 8 bytes");
    refused("{\"x\":{\"dtype\":7,\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "'x'", "dtype");
    refused("{\"x\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 4, "'x'",
            "shape");
    refused("{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", 4, "'x'", "data_offsets");
    refused("{\"x\":3}", 0, "'x'", "no object");
    refused("{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 5, "", "1 trailing bytes");
}

/* engine.md 8: lattice#752: two tensors that share bytes; mlx#3363: an end beyond the file, an end before the
 * begin. */
static void ranges_cover_the_data_once(void **state) {
    (void)state;
    refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
            "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[2,6]}}",
            6, "'b'", "overlap another tensor's by 2 bytes");
    refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 3, "'a'",
            "beyond the file's length");
    refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,0]}}", 4, "'a'", "before they begin");
    refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
            "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[3,5]}}",
            5, "'b'", "hole of 1 bytes");
}

static void every_cut_is_refused(void **state) {
    (void)state;
    struct str s = {0};
    make(&s, "{\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}", 8);
    for (size_t n = 0; n < s.n; n++) {
        struct safetensors *file;
        struct status st = {0};
        char *exact = malloc(n ? n : 1); /* its own block, so that a read past the end shows */
        memcpy(exact, s.at, n);
        assert_false(safetensors_parse(&file, "cut.safetensors", exact, n, &st));
        assert_true(st.message[0]);
        free(exact);
    }
    str_free(&s);
}

/* [[[[...: jansson recurses, so the depth is bounded before it sees the text. */
static void deep_nesting_ends_in_a_sentence(void **state) {
    (void)state;
    struct str header = {0};
    str_puts(&header, "{\"a\":");
    for (int i = 0; i < 100000; i++) str_putc(&header, '[');
    refused(str_c(&header), 0, "header", "64 deep");
    str_free(&header);
}

static void check_case(struct view line) {
    char file[64], expect[16], about[32] = "", path[128];
    struct safetensors *opened;
    struct status st = {0};
    if (sscanf(line.at, "%63[^\t]\t%15[^\t]\t%31[^\t\n]", file, expect, about) < 2)
        fail_msg("%.*s", (int)line.n, line.at);
    snprintf(path, sizeof path, CORPUS "%s", file);
    if (!file_exists(path)) return; /* deep_nesting is large, and made above */
    bool ok = safetensors_open(&opened, path, &st);
    if (strcmp(expect, "error") == 0 && ok) fail_msg("%s was read", file);
    if (strcmp(expect, "load") == 0 && !ok) fail_msg("%s", st.message);
    bool named = strstr(st.message, "byte ") && strstr(st.message, file);
    if (!ok && (!named || (strcmp(expect, "error") == 0 && !strstr(st.message, about))))
        fail_msg("%s: no '%s' in: %s", file, about, st.message);
    if (ok) safetensors_close(opened);
}

static void the_malformed_corpus_ends_in_sentences(void **state) {
    (void)state;
    struct str manifest = {0};
    struct status st;
    if (!file_read(&manifest, CORPUS "manifest.tsv", 1 << 20, &st)) fail_msg("%s", st.message);
    struct view line, rest = {manifest.at, manifest.n};
    long before = peak_kib();
    int cases = 0;
    assert_true(view_line(&line, &rest));
    for (; view_line(&line, &rest); cases++) check_case(line);
    assert_int_equal(cases, 24);
    assert_in_range(peak_kib() - before, 0, 16 * 1024);
    str_free(&manifest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tensor_is_where_the_header_says),
        cmocka_unit_test(faults_are_named_with_byte_tensor_and_field),
        cmocka_unit_test(ranges_cover_the_data_once),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(deep_nesting_ends_in_a_sentence),
        cmocka_unit_test(the_malformed_corpus_ends_in_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
