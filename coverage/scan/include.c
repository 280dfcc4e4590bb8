#include "coverage/scan/include.h"

#include "base/file.h"
#include "coverage/scan/simd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct header {
    const char *path, *folder;
    struct view text;
};

struct follower {
    struct header headers[INCLUDE_FILES];
    size_t n;
    const char *root;
    const struct scan_headers *from; /* NULL: on disk */
    struct arena *arena;
    struct status *st;
};

static bool is_known(const struct follower *f, const char *path) {
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->headers[i].path, path) == 0) return true;
    return false;
}

/* One that is gone or unreadable is as if it were not there. */
static bool read_header(struct str *out, const struct follower *f, const char *path) {
    struct stat info;
    if (f->from) return f->from->read(f->from->context, out, path) && out->n <= INCLUDE_BYTES;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= INCLUDE_BYTES &&
           file_read(out, path, INCLUDE_BYTES, NULL);
}

static bool keep(bool *there, struct follower *f, const char *path) {
    struct str text = {0};
    *there = read_header(&text, f, path);
    if (!*there) {
        str_free(&text);
        return true;
    }
    const char *slash = strrchr(path, '/');
    struct header header = {
        .path = arena_copy(f->arena, path, strlen(path), f->st),
        .folder = arena_copy(f->arena, path, slash ? (size_t)(slash - path) : 0, f->st),
        .text = {arena_copy(f->arena, str_c(&text), text.n, f->st), text.n},
    };
    str_free(&text);
    if (!header.path || !header.folder || !header.text.at) return false;
    f->headers[f->n++] = header;
    return true;
}

static bool queue(struct follower *f, const char *folder, struct view name) {
    const char *places[] = {folder, f->root};
    for (size_t i = 0; i < 2 && f->n < INCLUDE_FILES; i++) {
        if (!places[i]) continue;
        struct str path = {0};
        str_printf(&path, "%s/%.*s", places[i], (int)name.n, name.at);
        bool ok = str_ok(&path, f->st), known = ok && is_known(f, str_c(&path));
        bool there = false;
        if (ok && !known) ok = keep(&there, f, str_c(&path));
        str_free(&path);
        if (!ok) return false;
        if (known || there) break;
    }
    return true;
}

static bool queue_all(struct follower *f, const struct lex *lex, const char *folder) {
    for (size_t i = 0; i < lex->n_directives; i++) {
        const struct lex_directive *d = &lex->directives[i];
        struct view name;
        if (d->branch == LEX_INCLUDE && lex_quoted(&name, lex, d) && name.n < 1024 && !queue(f, folder, name))
            return false;
    }
    return true;
}

static bool learn(struct macros *macros, const struct lex *lex, struct status *st) {
    struct decl_walk walk = {.lex = lex};
    struct decl decl;
    if (!macros_read(macros, lex, st)) return false;
    while (decl_next(&walk, &decl))
        if (!macros_learn_type(macros, lex, &decl, SIMD_CODE, SIMD_TYPE, st)) return false;
    return true;
}

bool include_macros(struct macros *macros, const struct lex *lex, const char *folder, const char *root,
                    const struct scan_headers *headers, struct arena *arena, struct status *st) {
    if (!folder && !root) return true;
    struct follower *f = calloc(1, sizeof *f);
    if (!f) return status_fail(st, STATUS_NO_MEMORY, "out of memory for headers");
    *f = (struct follower){.root = root, .from = headers, .arena = arena, .st = st};
    bool ok = queue_all(f, lex, folder);
    for (size_t i = 0; ok && i < f->n; i++) {
        struct lex header;
        ok = lex_text(&header, f->headers[i].text, st);
        if (!ok) break;
        ok = queue_all(f, &header, f->headers[i].folder);
        lex_free(&header);
    }
    /* What is included first is deepest: a header's macros before those of the file that includes it. */
    for (size_t i = f->n; ok && i > 0; i--) {
        struct lex header;
        ok = lex_text(&header, f->headers[i - 1].text, st);
        if (!ok) break;
        ok = learn(macros, &header, st);
        lex_free(&header);
    }
    free(f);
    return ok;
}
