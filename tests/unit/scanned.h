/* What tests of the scanner share: scan a snippet, list what was found. Include after cmocka.h, once. */
#ifndef TESTS_UNIT_SCANNED_H
#define TESTS_UNIT_SCANNED_H

#include "coverage/scan/scan.h"

#include <stdio.h>
#include <string.h>

static struct arena arena;
static struct scan_file last;

static struct scan_file scan_as(const char *path, const char *text, size_t n, bool place) {
    struct scan_file file;
    struct status st = {0};
    struct scan_request request = {.path = path, .kernel_place = place};
    arena_release(&arena);
    if (!scan_text(&file, (struct view){text, n}, &request, &arena, &st)) fail_msg("%s", st.message);
    last = file;
    return file;
}

static inline struct scan_file scan(const char *path, const char *text) {
    return scan_as(path, text, strlen(text), false);
}

/* "name" for kernels, "+name" for instances, "-name" for helpers, in order, joined by blanks. */
static inline const char *listed(const struct scan_file *file) {
    static char out[4096];
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; i < file->n_kernels; i++) {
        static const char *const sign[] = {"", "+", "-"};
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%s%s", i ? " " : "", sign[file->kernels[i].kind],
                              file->kernels[i].name);
    }
    return out;
}

/* Of the last file that was scanned: the language of the kernel of this name. */
static inline enum scan_language held_language(const char *name) {
    for (size_t i = 0; i < last.n_kernels; i++)
        if (strcmp(last.kernels[i].name, name) == 0) return last.kernels[i].language;
    return SCAN_NONE;
}

#define holds(path, text, want)                                                                              \
    do {                                                                                                     \
        struct scan_file held = scan(path, text);                                                            \
        assert_string_equal(listed(&held), want);                                                            \
    } while (0)

#endif
