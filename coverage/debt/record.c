#include "coverage/debt/record.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

/* A member more in what scan gives is a member more here. */
static_assert(sizeof(struct scan_file) == 12 * sizeof(void *),
              "record_write writes every member of scan_file");
static_assert(sizeof(struct scan_kernel) == 7 * sizeof(void *), "and of scan_kernel");

/* The scanner's sources, hashed: build/gen/scan_version.c. */
extern const char scan_version[];

const char *record_version(void) { return scan_version; }

/* --- writing: numbers seven bits a byte, texts with their length + 1 (0: NULL) ----------------------- */

static void put_number(struct str *out, uint64_t n) {
    for (; n >= 0x80; n >>= 7) str_putc(out, (char)(n | 0x80));
    str_putc(out, (char)n);
}

static void put_text(struct str *out, const char *text) {
    put_number(out, text ? strlen(text) + 1 : 0);
    if (text) str_add(out, text, strlen(text));
}

static void put_kernel(struct str *out, const struct scan_kernel *k) {
    put_text(out, k->name);
    put_number(out, k->kind);
    put_number(out, k->language);
    put_number(out, k->begin);
    put_number(out, k->end);
    put_number(out, (uint64_t)k->begin_line);
    put_number(out, (uint64_t)k->line);
    put_number(out, (uint64_t)k->end_line);
    put_text(out, k->engine);
}

void record_write(struct str *out, const struct record *record) {
    const struct scan_file *scan = &record->scan;
    uint64_t share;
    memcpy(&share, &scan->error_share, sizeof share);
    put_number(out, scan->language);
    put_text(out, scan->engine);
    put_number(out, share);
    put_number(out, (scan->generated ? 1U : 0U) | (scan->is_link ? 2U : 0U));
    put_text(out, scan->not_analysed);
    put_number(out, (uint64_t)scan->n_lines);
    put_text(out, scan->tree_note);
    put_number(out, scan->n_kernels);
    for (size_t i = 0; i < scan->n_kernels; i++) put_kernel(out, &scan->kernels[i]);
    put_number(out, scan->n_includes);
    for (size_t i = 0; i < scan->n_includes; i++) put_text(out, scan->includes[i]);
    put_number(out, record->n_suppresses);
    for (size_t i = 0; i < record->n_suppresses; i++) {
        put_text(out, record->suppresses[i].class);
        put_text(out, record->suppresses[i].detail);
        put_text(out, record->suppresses[i].reason);
        put_number(out, (uint64_t)record->suppresses[i].line);
    }
}

/* --- reading ------------------------------------------------------------------------------------------ */

struct reader {
    struct view rest;
    struct arena *arena;
    bool bad;
};

static uint64_t get_number(struct reader *r) {
    uint64_t n = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (!r->rest.n) break;
        unsigned char byte = (unsigned char)*r->rest.at;
        r->rest = (struct view){r->rest.at + 1, r->rest.n - 1};
        n |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return n;
    }
    r->bad = true;
    return 0;
}

/* At most `limit`, and as an int where it has to be one. */
static int get_int(struct reader *r, int limit) {
    uint64_t n = get_number(r);
    if (n > (uint64_t)limit) r->bad = true;
    return r->bad ? 0 : (int)n;
}

/* How many follow, each of `least` bytes or more. */
static size_t get_count(struct reader *r, size_t least) {
    uint64_t n = get_number(r);
    if (n > r->rest.n / least) r->bad = true;
    return r->bad ? 0 : (size_t)n;
}

static const char *get_text(struct reader *r) {
    uint64_t n = get_number(r);
    if (n == 0) return NULL;
    if (n - 1 > r->rest.n) r->bad = true;
    const char *text = r->bad ? NULL : arena_copy(r->arena, r->rest.at, (size_t)(n - 1), NULL);
    if (!text) r->bad = true;
    else r->rest = (struct view){r->rest.at + (n - 1), r->rest.n - (size_t)(n - 1)};
    return text;
}

/* One that may not be NULL. */
static const char *get_name(struct reader *r) {
    const char *text = get_text(r);
    if (!text) r->bad = true;
    return text ? text : "";
}

static struct scan_kernel get_kernel(struct reader *r) {
    struct scan_kernel k = {.name = get_name(r)};
    k.kind = (enum scan_kind)get_int(r, SCAN_HELPER);
    k.language = (enum scan_language)get_int(r, SCAN_LANGUAGES - 1);
    k.begin = (size_t)get_number(r);
    k.end = (size_t)get_number(r);
    k.begin_line = get_int(r, INT32_MAX);
    k.line = get_int(r, INT32_MAX);
    k.end_line = get_int(r, INT32_MAX);
    k.engine = get_name(r);
    return k;
}

static void get_kernels(struct scan_file *out, struct reader *r) {
    size_t n = get_count(r, 9);
    struct scan_kernel *kernels = arena_alloc(r->arena, n, sizeof *kernels, NULL);
    for (size_t i = 0; kernels && i < n && !r->bad; i++) kernels[i] = get_kernel(r);
    if (!kernels) r->bad = true;
    out->kernels = kernels;
    out->n_kernels = n;
}

static void get_includes(struct scan_file *out, struct reader *r) {
    size_t n = get_count(r, 1);
    const char **includes = arena_alloc(r->arena, n, sizeof *includes, NULL);
    for (size_t i = 0; includes && i < n && !r->bad; i++) includes[i] = get_name(r);
    if (!includes) r->bad = true;
    out->includes = includes;
    out->n_includes = n;
}

static void get_suppresses(struct record *out, struct reader *r) {
    size_t n = get_count(r, 4);
    struct suppress *all = arena_alloc(r->arena, n, sizeof *all, NULL);
    for (size_t i = 0; all && i < n && !r->bad; i++) {
        all[i].class = get_name(r);
        all[i].detail = get_name(r);
        all[i].reason = get_name(r);
        all[i].line = get_int(r, INT32_MAX);
    }
    if (!all) r->bad = true;
    out->suppresses = all;
    out->n_suppresses = n;
}

bool record_read(struct record *out, struct view bytes, const char *path, struct arena *arena) {
    struct reader r = {.rest = bytes, .arena = arena};
    struct scan_file *scan = &out->scan;
    *out = (struct record){.scan = {.path = path}};
    scan->language = (enum scan_language)get_int(&r, SCAN_LANGUAGES - 1);
    scan->engine = get_name(&r);
    uint64_t share = get_number(&r);
    memcpy(&scan->error_share, &share, sizeof share);
    int flags = get_int(&r, 3);
    scan->generated = flags & 1;
    scan->is_link = flags & 2;
    scan->not_analysed = get_text(&r);
    scan->n_lines = get_int(&r, INT32_MAX);
    scan->tree_note = get_text(&r);
    get_kernels(scan, &r);
    get_includes(scan, &r);
    get_suppresses(out, &r);
    bool ok = !r.bad && r.rest.n == 0;
    if (!ok) *out = (struct record){.scan = {.path = path}};
    return ok;
}
