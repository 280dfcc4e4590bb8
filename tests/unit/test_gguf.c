/* gguf: sound files load, every other one ends in a sentence, and no count takes memory. */
#include "engine/file/gguf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <time.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/unit/made_gguf.h"

static struct gguf *parse(const struct str *s) {
    struct gguf *file;
    struct status st = {0};
    if (!gguf_parse(&file, "made.gguf", s->at, s->n, &st)) fail_msg("%s", st.message);
    return file;
}

/* Parses and frees s; it must be refused with all of the words, the file's name and "byte" among them. */
static void refused(struct str *s, const char *word, const char *word2) {
    struct gguf *file;
    struct status st = {0};
    assert_false(gguf_parse(&file, "made.gguf", str_c(s), s->n, &st));
    assert_null(file);
    if (!strstr(st.message, word) || !strstr(st.message, word2) || !strstr(st.message, "made.gguf: byte "))
        fail_msg("wanted '%s' and '%s' in: %s", word, word2, st.message);
    str_free(s);
}

/* --- sound files -------------------------------------------------------------------------------------- */

static void every_value_type_is_read(void **state) {
    (void)state;
    struct str s = {0};
    made_header(&s, 2, 0, 13);
    made_key(&s, "u8", GGUF_U8), made_number(&s, 200, 1);
    made_key(&s, "i8", GGUF_I8), made_number(&s, 0x80, 1);
    made_key(&s, "u16", GGUF_U16), made_number(&s, 65535, 2);
    made_key(&s, "i16", GGUF_I16), made_number(&s, 0xFFFE, 2);
    made_key(&s, "u32", GGUF_U32), made_number(&s, 0xFFFFFFFF, 4);
    made_key(&s, "i32", GGUF_I32), made_number(&s, 0x80000000, 4);
    made_key(&s, "f32", GGUF_F32), made_number(&s, 0x3FC00000, 4);
    made_key(&s, "yes", GGUF_BOOL), made_number(&s, 1, 1);
    made_key(&s, "text", GGUF_STRING), made_text(&s, "hello");
    made_key(&s, "list", GGUF_ARRAY), made_number(&s, GGUF_STRING, 4), made_number(&s, 2, 8),
        made_text(&s, ""), made_text(&s, "ab");
    made_key(&s, "u64", GGUF_U64), made_number(&s, UINT64_MAX, 8);
    made_key(&s, "i64", GGUF_I64), made_number(&s, (uint64_t)-5, 8);
    made_key(&s, "f64", GGUF_F64), made_number(&s, 0xC004000000000000, 8);
    struct gguf *f = parse(&s);
    assert_int_equal(gguf_version(f), 2);
    assert_int_equal(gguf_n_values(f), 13);
    assert_int_equal(gguf_find(f, "u8")->u, 200);
    assert_int_equal(gguf_find(f, "i8")->i, -128);
    assert_int_equal(gguf_find(f, "u16")->u, 65535);
    assert_int_equal(gguf_find(f, "i16")->i, -2);
    assert_int_equal(gguf_find(f, "u32")->u, 0xFFFFFFFF);
    assert_int_equal(gguf_find(f, "i32")->i, INT32_MIN);
    assert_true(gguf_find(f, "f32")->f == 1.5);
    assert_int_equal(gguf_find(f, "yes")->u, 1);
    assert_true(view_is(gguf_find(f, "text")->string, "hello"));
    assert_int_equal(gguf_find(f, "list")->array.n, 2);
    assert_true(view_is(gguf_find(f, "list")->array.strings[1], "ab"));
    assert_true(gguf_find(f, "u64")->u == UINT64_MAX);
    assert_int_equal(gguf_find(f, "i64")->i, -5);
    assert_true(gguf_find(f, "f64")->f == -2.5);
    assert_null(gguf_find(f, "absent"));
    assert_int_equal(gguf_find(f, "u8")->offset, 24 + 8 + 2 + 4);
    gguf_close(f);
    str_free(&s);
}

static void typed_reads_check_type_and_range(void **state) {
    (void)state;
    struct str s = {0};
    made_header(&s, 3, 0, 4);
    made_key(&s, "n", GGUF_I32), made_number(&s, 0xFFFFFFFF, 4);
    made_key(&s, "m", GGUF_U16), made_number(&s, 7, 2);
    made_key(&s, "x", GGUF_F32), made_number(&s, 0, 4);
    made_key(&s, "a", GGUF_ARRAY), made_number(&s, GGUF_I8, 4), made_number(&s, 3, 8),
        made_number(&s, 0x030201, 3);
    struct gguf *f = parse(&s);
    struct status st = {0};
    uint64_t n;
    double x;
    struct gguf_array a;
    struct view text;
    bool yes;
    assert_false(gguf_u64(&n, f, "n", 10, 0, &st));
    assert_non_null(strstr(st.message, "'n' is -1 and must be 0 to 10"));
    assert_false(gguf_u64(&n, f, "m", 6, 0, &st));
    assert_true(gguf_u64(&n, f, "m", 7, 0, &st) && n == 7);
    assert_true(gguf_u64(&n, f, "absent", 7, 3, &st) && n == 3);
    assert_false(gguf_u64_required(&n, f, "absent", 7, &st));
    assert_non_null(strstr(st.message, "'absent'"));
    assert_false(gguf_u64(&n, f, "x", 7, 3, &st));
    assert_true(gguf_f64(&x, f, "x", 1, &st) && x == 0);
    assert_false(gguf_f64(&x, f, "m", 1, &st));
    assert_false(gguf_bool(&yes, f, "m", false, &st));
    assert_false(gguf_string(&text, f, "a", NULL, &st));
    assert_true(gguf_string(&text, f, "absent", "so", &st) && view_is(text, "so"));
    assert_false(gguf_array(&a, f, "a", GGUF_F32, &st));
    assert_non_null(strstr(st.message, "array of int8 and must be array of float32"));
    assert_true(gguf_array(&a, f, "a", GGUF_I8, &st) && a.n == 3 && gguf_array_item(&a, 2).i == 3);
    assert_true(gguf_array(&a, f, "absent", GGUF_I8, &st) && a.n == 0);
    gguf_close(f);
    str_free(&s);
}

static void tensors_lie_where_the_file_says(void **state) {
    (void)state;
    struct str s = {0};
    made_header(&s, 3, 2, 1);
    made_key(&s, "general.alignment", GGUF_U32), made_number(&s, 64, 4);
    made_tensor(&s, "a", 32, 3, DTYPE_Q4_0, 0);
    made_tensor(&s, "b", 5, 1, DTYPE_F16, 64);
    made_padding(&s, 64, 64 + 10);
    struct gguf *f = parse(&s);
    const struct gguf_tensor *b = gguf_find_tensor(f, "b");
    assert_int_equal(gguf_n_tensors(f), 2);
    assert_int_equal(gguf_alignment(f), 64);
    assert_int_equal(gguf_tensor_at(f, 0)->bytes, 3 * 18);
    assert_int_equal(gguf_tensor_at(f, 0)->offset, gguf_data_offset(f));
    assert_ptr_equal(b, gguf_tensor_at(f, 1));
    assert_int_equal(b->bytes, 10);
    assert_int_equal(b->dims[0], 5);
    assert_int_equal(b->dims[2], 1);
    assert_int_equal(((const uint8_t *)b->data)[0], 64);
    assert_null(gguf_find_tensor(f, "c"));
    gguf_close(f);
    str_free(&s);
}

static void a_type_that_cannot_run_is_shown_but_not_opened(void **state) {
    (void)state;
    struct str s = {0};
    made_header(&s, 3, 1, 0);
    made_tensor(&s, "w", 256, 1, 16, 0); /* IQ2_XXS */
    made_padding(&s, 32, 66);
    struct gguf *f = parse(&s);
    struct status st = {0};
    assert_string_equal(gguf_tensor_type_name(gguf_tensor_at(f, 0)->type), "IQ2_XXS");
    assert_false(gguf_runnable(f, &st));
    assert_non_null(strstr(st.message, "'w': its type IQ2_XXS"));
    assert_non_null(strstr(st.message, "Q8_0"));
    gguf_close(f);
    str_free(&s);
}

static void both_tables_of_types_agree(void **state) {
    (void)state;
#define GGML_BLOCK(id, elements, bytes)                                                                      \
    assert_non_null(dtype_ggml_name(id));                                                                    \
    assert_string_not_equal(dtype_ggml_name(id), "removed");                                                 \
    if (dtype_info(id)) {                                                                                    \
        assert_int_equal(dtype_info(id)->block_elements, elements);                                          \
        assert_int_equal(dtype_info(id)->block_bytes, bytes);                                                \
    }
#include "engine/file/ggmlblocks.inc"
#undef GGML_BLOCK
}

/* --- bad files ---------------------------------------------------------------------------------------- */

static long peak_kib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* The words the sentence must speak of, in any letters. */
static bool speaks_of(const char *message, struct view about) {
    for (const char *at = message; *at; at++)
        if (strncasecmp(at, about.at, about.n) == 0) return true;
    return about.n == 0;
}

static struct view field(struct view *rest) {
    const char *tab = memchr(rest->at, '\t', rest->n);
    size_t n = tab ? (size_t)(tab - rest->at) : rest->n;
    struct view out = {rest->at, n};
    rest->at += tab ? n + 1 : n;
    rest->n -= tab ? n + 1 : n;
    return out;
}

static void check_case(struct view row) {
    struct view name = field(&row), expect = field(&row), about = field(&row);
    char path[200];
    snprintf(path, sizeof path, "tests/golden/malformed-gguf/%.*s", (int)name.n, name.at);
    struct gguf *file;
    struct status st = {0};
    bool vocab = view_starts(name, "vocab_"); /* sound as a container; test_tokenizer opens these */
    bool ok = gguf_open(&file, path, &st);
    if (ok != (vocab || view_is(expect, "load")) && !view_is(expect, "either"))
        fail_msg("%s: %s", path, ok ? "was accepted" : st.message);
    if (!ok && (!speaks_of(st.message, about) || !strstr(st.message, path) || !strstr(st.message, "byte ")))
        fail_msg("%s: no word of '%.*s', path or byte in: %s", path, (int)about.n, about.at, st.message);
    if (ok) gguf_close(file);
}

static void the_malformed_corpus_ends_in_sentences(void **state) {
    (void)state;
    struct str manifest = {0};
    struct status st;
    if (!file_read(&manifest, "tests/golden/malformed-gguf/manifest.tsv", 1 << 20, &st))
        fail_msg("%s", st.message);
    struct view line, rest = {manifest.at, manifest.n};
    assert_true(view_line(&line, &rest));
    long before = peak_kib();
    int cases = 0;
    for (; view_line(&line, &rest); cases++) check_case(line);
    assert_int_equal(cases, 45);
    assert_in_range(peak_kib() - before, 0, 16 * 1024);
    str_free(&manifest);
}

static void every_cut_of_a_sound_file_is_refused(void **state) {
    (void)state;
    struct str s = {0};
    made_header(&s, 3, 1, 2);
    made_key(&s, "a", GGUF_ARRAY), made_number(&s, GGUF_STRING, 4), made_number(&s, 2, 8), made_text(&s, "x"),
        made_text(&s, "yz");
    made_key(&s, "general.alignment", GGUF_U32), made_number(&s, 32, 4);
    made_tensor(&s, "w", 32, 2, DTYPE_Q8_0, 0);
    made_padding(&s, 32, 68);
    gguf_close(parse(&s));
    for (size_t n = 0; n < s.n; n++) {
        struct gguf *file;
        struct status st = {0};
        char *exact = malloc(n ? n : 1); /* its own block, so that a read past the end shows */
        memcpy(exact, s.at, n);
        assert_false(gguf_parse(&file, "cut.gguf", exact, n, &st));
        assert_true(st.message[0]);
        free(exact);
    }
    str_free(&s);
}

static void products_are_checked_on_every_prefix(void **state) { /* engine.md 1: llama.cpp#18674 */
    (void)state;
    struct str s = {0};
    made_header(&s, 3, 1, 0);
    made_tensor(&s, "w", ((uint64_t)1 << 42) + 1, (uint64_t)1 << 22, DTYPE_F32, 0);
    made_padding(&s, 32, 64);
    refused(&s, "tensor 0 'w'", "dimension");
}

static void zero_dimensions_are_refused(void **state) { /* engine.md 4: llama.cpp#24263, #18586, ggml#1517 */
    (void)state;
    struct str s = {0};
    made_header(&s, 3, 1, 0);
    made_tensor(&s, "w", 32, 0, DTYPE_F32, 0);
    made_padding(&s, 32, 64);
    refused(&s, "dimension 1 is 0", "");
    made_header(&s, 3, 1, 0); /* under 100 bytes, of one dimension */
    made_text(&s, "w"), made_number(&s, 1, 4), made_number(&s, 0, 8), made_number(&s, DTYPE_F32, 4),
        made_number(&s, 0, 8);
    refused(&s, "dimension 0 is 0", "");
    made_header(&s, 3, 0, 1);
    made_key(&s, "", GGUF_U8), made_number(&s, 1, 1);
    refused(&s, "value 0", "empty");
}

/* engine.md 5: ollama#17042, CVE-2026-7482: no count and no dimension is believed beyond the bytes behind it.
 */
static void counts_take_no_memory(void **state) {
    (void)state;
    struct str s = {0};
    long before = peak_kib();
    made_header(&s, 3, 0, (uint64_t)1 << 40);
    made_padding(&s, 1, 176);
    refused(&s, "value", "");
    made_header(&s, 3, (uint64_t)1 << 40, 0);
    made_padding(&s, 1, 176);
    refused(&s, "tensor", "");
    for (enum gguf_type type = GGUF_U8; type <= GGUF_F64; type++) {
        if (type == GGUF_ARRAY) continue;
        made_header(&s, 3, 0, 1);
        made_key(&s, "a", GGUF_ARRAY), made_number(&s, type, 4), made_number(&s, (uint64_t)1 << 31, 8);
        made_padding(&s, 1, 200 - s.n);
        refused(&s, "value 0 'a'", "2147483648");
    }
    made_header(&s, 3, 1, 0);
    made_tensor(&s, "w", 1 << 20, 1 << 20, DTYPE_F32, 0);
    made_padding(&s, 32, 64);
    refused(&s, "tensor 0 'w'", "past the file's end");
    assert_in_range(peak_kib() - before, 0, 16 * 1024);
}

static void an_alignment_must_be_a_power_of_two_in_uint32(void **state) { /* engine.md 3: llama.cpp#26318 */
    (void)state;
    static const struct {
        enum gguf_type type;
        uint64_t value;
        const char *word;
    } cases[] = {
        {GGUF_I32, (uint32_t)-32, "type int32"},
        {GGUF_U32, 0, "power of two"},
        {GGUF_U32, 3, "power of two"},
        {GGUF_U64, 32, "type uint64"},
        {GGUF_U32, 0x80000000, "past the file's end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str s = {0};
        made_header(&s, 3, 1, 1);
        made_key(&s, "general.alignment", cases[i].type);
        made_number(&s, cases[i].value, (int)gguf_type_bytes(cases[i].type));
        made_tensor(&s, "w", 4, 1, DTYPE_F32, 0);
        made_padding(&s, 64, 64);
        refused(&s, cases[i].word, "");
    }
}

static void a_second_key_or_tensor_of_a_name_is_refused(void **state) {
    (void)state;
    struct str s = {0};
    made_header(&s, 3, 0, 3);
    made_key(&s, "k", GGUF_U8), made_number(&s, 1, 1);
    made_key(&s, "j", GGUF_U8), made_number(&s, 1, 1);
    made_key(&s, "k", GGUF_U8), made_number(&s, 2, 1);
    refused(&s, "value 2 'k'", "given before, as value 0");
    made_header(&s, 3, 2, 0);
    made_tensor(&s, "w", 8, 1, DTYPE_F32, 0);
    made_tensor(&s, "w", 8, 1, DTYPE_F32, 32);
    made_padding(&s, 32, 64);
    refused(&s, "tensor 1 'w'", "tensor 0 has the same name");
}

/* 200,000 values would take minutes if every key were compared with every other. */
static void many_keys_take_linear_time(void **state) {
    (void)state;
    enum { N = 200000 };
    struct str s = {0};
    made_header(&s, 3, 0, N);
    char key[32];
    for (int i = 0; i < N; i++) {
        snprintf(key, sizeof key, "key.%d", i * 7919 % N);
        made_key(&s, key, GGUF_U8), made_number(&s, 0, 1);
    }
    clock_t start = clock();
    gguf_close(parse(&s));
    assert_in_range(clock() - start, 0, 4 * CLOCKS_PER_SEC);
    str_free(&s);
}

static void names_from_a_file_cannot_steer_the_terminal(void **state) {
    (void)state;
    struct str s = {0};
    made_header(&s, 3, 0, 1);
    made_key(&s, "\x1b[31mred", 77);
    refused(&s, "?[31mred", "type");
}

static void foreign_files_are_named(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
        {"PK\3\4....", "ZIP"},
        {"\x10\0\0\0\0\0\0\0{\"__metadata__\"", "safetensors"},
        {"<!DOCTYPE html>", "web page"},
        {"ELF", "no GGUF file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str s = {0};
        str_add(&s, cases[i][0], i == 2 ? 23 : strlen(cases[i][0]));
        refused(&s, "magic", cases[i][1]);
    }
}

static void a_directory_or_missing_file_is_named(void **state) {
    (void)state;
    struct gguf *file;
    struct status st = {0};
    assert_false(gguf_open(&file, "tests", &st));
    assert_non_null(strstr(st.message, "a directory"));
    assert_false(gguf_open(&file, "no/such.gguf", &st));
    assert_non_null(strstr(st.message, "no/such.gguf"));
}

/* --- split models --------------------------------------------------------------------------------------- */

struct part {
    uint16_t number, count;
    int32_t total;
    const char *tensor; /* NULL: no tensor in this part */
};

/* Writes FOLDER/m-0000I-of-0000N.gguf, for a part that says what `part` says. */
static void write_part(const char *folder, unsigned i, unsigned n, struct part part) {
    struct str s = {0}, path = {0};
    struct status st;
    made_header(&s, 3, part.tensor != NULL, 3);
    made_key(&s, "split.no", GGUF_U16), made_number(&s, part.number, 2);
    made_key(&s, "split.count", GGUF_U16), made_number(&s, part.count, 2);
    made_key(&s, "split.tensors.count", GGUF_I32), made_number(&s, (uint32_t)part.total, 4);
    if (part.tensor) {
        made_tensor(&s, part.tensor, 4, 1, DTYPE_F32, 0);
        made_padding(&s, 32, 16);
        s.at[s.n - 16] = (char)i;
    }
    str_printf(&path, "%s/m-%05u-of-%05u.gguf", folder, i + 1, n);
    if (!file_replace(path.at, s.at, s.n, &st)) fail_msg("%s", st.message);
    str_free(&s), str_free(&path);
}

static bool open_part(struct gguf **file, const char *folder, unsigned i, unsigned n, struct status *st) {
    struct str path = {0};
    str_printf(&path, "%s/m-%05u-of-%05u.gguf", folder, i + 1, n);
    bool ok = gguf_open(file, path.at, st);
    str_free(&path);
    return ok;
}

static void a_split_model_is_one_file(void **state) {
    (void)state;
    char folder[] = "/tmp/fak-split-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct gguf *f;
    struct status st = {0};
    write_part(folder, 0, 3, (struct part){0, 3, 2, NULL}); /* gguf-split --no-tensor-first-split */
    write_part(folder, 1, 3, (struct part){1, 3, 0, "a"});
    write_part(folder, 2, 3, (struct part){2, 3, 0, "b"});
    if (!open_part(&f, folder, 0, 3, &st)) fail_msg("%s", st.message);
    assert_int_equal(gguf_n_parts(f), 3);
    assert_int_equal(gguf_n_tensors(f), 2);
    assert_int_equal(((const char *)gguf_find_tensor(f, "a")->data)[0], 1);
    assert_int_equal(((const char *)gguf_find_tensor(f, "b")->data)[0], 2);
    assert_int_equal(gguf_find_tensor(f, "b")->part, 2);
    assert_true(view_ends(view_of(gguf_tensor_path(f, gguf_find_tensor(f, "b"))), "/m-00003-of-00003.gguf"));
    gguf_close(f);

    assert_false(open_part(&f, folder, 1, 3, &st));
    assert_non_null(
        strstr(st.message, "part 2 of a model split over 3 files; name the first, ...-00001-of-00003"));
    write_part(folder, 2, 3, (struct part){2, 3, 0, "a"});
    assert_false(open_part(&f, folder, 0, 3, &st));
    assert_non_null(strstr(st.message, "-00003-of-00003.gguf: byte "));
    assert_non_null(strstr(st.message, "same name"));
    write_part(folder, 2, 3, (struct part){1, 3, 0, "b"});
    assert_false(open_part(&f, folder, 0, 3, &st));
    assert_non_null(strstr(st.message, "not the part that its name says"));
    write_part(folder, 2, 3, (struct part){2, 3, 0, NULL});
    assert_false(open_part(&f, folder, 0, 3, &st));
    assert_non_null(strstr(st.message, "is 2, but the parts hold 1 tensors"));
    write_part(folder, 0, 2, (struct part){0, 3, 2, NULL});
    assert_false(open_part(&f, folder, 0, 2, &st));
    assert_non_null(strstr(st.message, "has to be called ...-00001-of-00003.gguf"));

    struct str command = {0};
    str_printf(&command, "rm %s/m-00003-of-00003.gguf", folder);
    assert_int_equal(system(command.at), 0);
    assert_false(open_part(&f, folder, 0, 3, &st));
    assert_non_null(strstr(st.message, "-00003-of-00003.gguf"));
    str_clear(&command);
    str_printf(&command, "rm -r %s", folder);
    assert_int_equal(system(command.at), 0);
    str_free(&command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_malformed_corpus_ends_in_sentences), /* first: it measures the peak */
        cmocka_unit_test(counts_take_no_memory),                  /* second: it too */
        cmocka_unit_test(every_value_type_is_read),
        cmocka_unit_test(typed_reads_check_type_and_range),
        cmocka_unit_test(tensors_lie_where_the_file_says),
        cmocka_unit_test(a_type_that_cannot_run_is_shown_but_not_opened),
        cmocka_unit_test(both_tables_of_types_agree),
        cmocka_unit_test(every_cut_of_a_sound_file_is_refused),
        cmocka_unit_test(products_are_checked_on_every_prefix),
        cmocka_unit_test(zero_dimensions_are_refused),
        cmocka_unit_test(an_alignment_must_be_a_power_of_two_in_uint32),
        cmocka_unit_test(a_second_key_or_tensor_of_a_name_is_refused),
        cmocka_unit_test(many_keys_take_linear_time),
        cmocka_unit_test(names_from_a_file_cannot_steer_the_terminal),
        cmocka_unit_test(foreign_files_are_named),
        cmocka_unit_test(a_split_model_is_one_file),
        cmocka_unit_test(a_directory_or_missing_file_is_named),
    };
    return cmocka_run_group_tests_name("gguf", tests, NULL, NULL);
}
