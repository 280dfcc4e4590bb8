#include "coverage/scan/assembly.h"

#include "coverage/scan/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.' || c == '@';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The next word of the line, operators and blanks passed over; false at its end or at a comment. */
static bool next_word(struct view *word, struct view *line) {
    size_t i = 0, j;
    for (; i < line->n && !is_word(line->at[i]); i++)
        if (strchr(";#", line->at[i]) || (line->at[i] == '/' && i + 1 < line->n && line->at[i + 1] == '/'))
            return false;
    for (j = i; j < line->n && is_word(line->at[j]);) j++;
    *word = (struct view){line->at + i, j - i};
    *line = (struct view){line->at + j, line->n - j};
    return word->n > 0;
}

/* xmm0 to zmm31; v0.4s, z31.d: a register letter, a number, and for Arm the lanes. */
static bool is_vector_register(struct view word) {
    bool x86 =
        word.n >= 4 && word.n <= 5 && strchr("xyz", word.at[0]) && word.at[1] == 'm' && word.at[2] == 'm';
    if (x86) return is_digit(word.at[3]);
    if (word.n < 4 || !strchr("vz", word.at[0]) || !is_digit(word.at[1])) return false;
    size_t i = is_digit(word.at[2]) ? 3 : 2;
    if (i >= word.n || word.at[i++] != '.') return false;
    while (i < word.n && is_digit(word.at[i])) i++;
    return i + 1 == word.n && strchr("bhsdq", word.at[i]);
}

static bool is_vector_code(struct view word) {
    return is_vector_register(word) || view_starts(word, "vsetvli") || view_starts(word, "vsetivli") ||
           view_is(word, ".amdhsa_kernel") || view_is(word, ".entry");
}

static bool has_vector_code(struct view text) {
    for (struct view line, word; view_line(&line, &text);)
        while (next_word(&word, &line))
            if (is_vector_code(word)) return true;
    return false;
}

/* .globl f · global f · .entry f( · cglobal f, 3, 4 · function f, export=1 · ENTRY(f) · PROC_BEGIN and kin
 * are others' macros: their files are named after themselves. */
static bool exports(struct view word) {
    static const char *const words[] = {".globl",         ".global", "global",   "GLOBAL", ".entry",
                                        ".amdhsa_kernel", "cglobal", "function", "ENTRY",  "PUBLIC"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_is(word, words[i])) return true;
    return false;
}

/* Does the exporting word itself begin the code? Else the label does, wherever it stands. */
static bool begins(struct view word) {
    return view_is(word, ".entry") || view_is(word, "cglobal") || view_is(word, "function") ||
           view_is(word, "ENTRY");
}

static bool add(struct sites *out, struct view name, size_t at, struct arena *arena, struct status *st) {
    struct site site = {.begin = at, .name_at = at, .body = SIZE_MAX, .kind = SCAN_KERNEL, .exact = true};
    site.name = arena_copy(arena, name.at, name.n, st);
    return site.name && sites_add(out, site, st);
}

struct found {
    struct names exported, added;
    struct sites *out;
    struct arena *arena;
    struct status *st;
};

static bool export(struct found *f, struct view line, bool here, size_t at) {
    for (struct view name; next_word(&name, &line);) {
        if (name.at[0] == '.' || name.at[0] == '@') continue; /* .visible, @function */
        if (!names_put(&f->exported, name, 1, f->st)) return false;
        if (!here) continue;
        return names_put(&f->added, name, 1, f->st) && add(f->out, name, at, f->arena, f->st);
    }
    return true;
}

/* First what is exported, then where the labels stand. */
static bool read_lines(struct found *f, struct view text, bool labels) {
    const char *begin = text.at;
    for (struct view line; view_line(&line, &text);) {
        size_t at = (size_t)(line.at - begin);
        struct view rest = line, word;
        while (next_word(&word, &rest)) {
            bool label = rest.n && rest.at[0] == ':';
            if (labels && label && names_get(&f->exported, word) >= 0 && names_get(&f->added, word) < 0) {
                if (!names_put(&f->added, word, 1, f->st) || !add(f->out, word, at, f->arena, f->st))
                    return false;
            }
            if (!labels && exports(word) && !export(f, rest, begins(word), at)) return false;
            if (word.at[0] != '.' || exports(word)) break; /* .visible .entry f */
        }
    }
    return true;
}

static int by_place(const void *a, const void *b) {
    const struct site *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Each kernel ends where the next one begins. */
static void set_ends(struct sites *sites, size_t from, struct view text) {
    if (sites->n > from) qsort(sites->at + from, sites->n - from, sizeof *sites->at, by_place);
    for (size_t i = from; i < sites->n; i++)
        sites->at[i].end = i + 1 < sites->n ? sites->at[i + 1].begin : text.n;
}

bool assembly_find(struct sites *out, struct view text, const char *path, struct arena *arena,
                   struct status *st) {
    if (!has_vector_code(text)) return true;
    struct found f = {.out = out, .arena = arena, .st = st};
    size_t before = out->n;
    bool ok = read_lines(&f, text, false) && read_lines(&f, text, true);
    if (ok && out->n == before) ok = add(out, site_stem(path), 0, arena, st);
    if (ok) set_ends(out, before, text);
    names_free(&f.exported);
    names_free(&f.added);
    return ok;
}
