#include "coverage/debt/propose.h"

#include "coverage/debt/words.h"
#include "sotadb/glob.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_NAME = 3, LEAST_IN_TEXT = 5, OFTEN = 3, TEXT_LIMIT = 256 << 10, SHOWN = 4, LISTED = 400 };

/* One way to say an operation. */
struct phrase {
    const struct op *op;
    const char *joined;
};

enum reason { BY_NOTHING, BY_NAME, BY_FILE, BY_TEXT };

struct guess { /* of one kernel file */
    const struct survey_file *file;
    enum reason reason;
    bool *ops; /* of the known matrix */
    size_t n;
};

struct symbol {
    const struct op *op;
    const char *pattern;
};

struct proposing {
    const struct matrix *known;
    struct arena arena;
    struct phrase *phrases; /* longest first */
    size_t n_phrases;
    struct guess *guesses; /* of each file of the survey */
    size_t n;
    struct symbol *symbols;
    size_t n_symbols, room_symbols;
    struct str *out;
    struct status *st;
};

/* --- phrases -----------------------------------------------------------------------------------------------
 */

static int by_length(const void *a, const void *b) {
    const struct phrase *x = a, *y = b;
    size_t m = strlen(x->joined), n = strlen(y->joined);
    if (m != n) return m > n ? -1 : 1;
    int order = strcmp(x->joined, y->joined);
    return order ? order : strcmp(x->op->slug, y->op->slug);
}

static bool add_phrase(struct proposing *p, const struct op *op, struct view name) {
    struct words words;
    struct str joined = {0};
    words_read(&words, name);
    words_join(&joined, &words, 0, words.n);
    bool ok = true;
    if (joined.n >= LEAST_NAME) {
        const char *copy = arena_copy(&p->arena, str_c(&joined), joined.n, p->st);
        ok = copy != NULL;
        if (ok) p->phrases[p->n_phrases++] = (struct phrase){op, copy};
    }
    words_free(&words);
    str_free(&joined);
    return ok;
}

static bool read_phrases(struct proposing *p) {
    size_t room = 0;
    for (size_t i = 0; i < p->known->n_ops; i++) {
        struct view alias, rest = view_of(p->known->ops[i].aliases);
        for (room += 1; matrix_next_alias(&alias, &rest);) room++;
    }
    p->phrases = arena_alloc(&p->arena, room, sizeof *p->phrases, p->st);
    bool ok = p->phrases != NULL;
    for (size_t i = 0; ok && i < p->known->n_ops; i++) {
        const struct op *op = &p->known->ops[i];
        struct view alias, rest = view_of(op->aliases);
        ok = add_phrase(p, op, view_of(op->slug));
        while (ok && matrix_next_alias(&alias, &rest)) ok = add_phrase(p, op, alias);
    }
    if (ok && p->n_phrases) qsort(p->phrases, p->n_phrases, sizeof *p->phrases, by_length);
    return ok;
}

/* The longest phrase that a name says, or NULL. */
static const struct phrase *said_by(const struct proposing *p, struct view name, size_t *from, size_t *to) {
    struct words words;
    const struct phrase *found = NULL;
    words_read(&words, name);
    for (size_t i = 0; i < p->n_phrases && !found; i++)
        if (words_say(from, to, &words, p->phrases[i].joined)) found = &p->phrases[i];
    words_free(&words);
    return found;
}

/* --- guesses -----------------------------------------------------------------------------------------------
 */

static void choose(struct guess *guess, const struct matrix *m, const struct op *op, enum reason reason) {
    bool *chosen = &guess->ops[op - m->ops];
    guess->n += !*chosen;
    guess->reason = reason;
    *chosen = true;
}

static bool has_symbol(const struct proposing *p, const struct op *op, const char *pattern) {
    for (size_t i = 0; i < p->n_symbols; i++)
        if (p->symbols[i].op == op && strcmp(p->symbols[i].pattern, pattern) == 0) return true;
    return false;
}

/* The part of a kernel's name that says the operation, as a pattern for op_symbol. */
static bool add_symbol(struct proposing *p, const struct op *op, struct view part) {
    struct str pattern = {0};
    str_printf(&pattern, "*%.*s*", (int)part.n, part.at);
    bool ok = str_ok(&pattern, p->st);
    if (ok && !glob_name_mistake(str_c(&pattern)) && !has_symbol(p, op, str_c(&pattern))) {
        if (p->n_symbols == p->room_symbols) {
            size_t room = p->room_symbols ? p->room_symbols * 2 : 64;
            struct symbol *more = realloc(p->symbols, room * sizeof *more);
            ok = more || status_fail(p->st, STATUS_NO_MEMORY, "out of memory for %zu patterns", room);
            if (more) p->symbols = more, p->room_symbols = room;
        }
        const char *copy = ok ? arena_copy(&p->arena, str_c(&pattern), pattern.n, p->st) : NULL;
        ok = copy != NULL;
        if (ok) p->symbols[p->n_symbols++] = (struct symbol){op, copy};
    }
    str_free(&pattern);
    return ok;
}

static bool guess_by_names(struct proposing *p, struct guess *guess) {
    const struct scan_file *scan = &guess->file->scan;
    for (size_t i = 0; i < scan->n_kernels; i++) {
        size_t from, to;
        const struct scan_kernel *kernel = &scan->kernels[i];
        if (kernel->kind == SCAN_HELPER) continue;
        const struct phrase *phrase = said_by(p, view_of(kernel->name), &from, &to);
        if (!phrase) continue;
        choose(guess, p->known, phrase->op, BY_NAME);
        if (!add_symbol(p, phrase->op, (struct view){kernel->name + from, to - from})) return false;
    }
    return true;
}

static void guess_by_file(struct proposing *p, struct guess *guess) {
    const char *slash = strrchr(guess->file->scan.path, '/');
    const char *stem = slash ? slash + 1 : guess->file->scan.path, *dot = strrchr(stem, '.');
    size_t from, to;
    const struct phrase *phrase =
        said_by(p, (struct view){stem, dot ? (size_t)(dot - stem) : strlen(stem)}, &from, &to);
    if (phrase) choose(guess, p->known, phrase->op, BY_FILE);
}

static bool is_part(char c) { return c == '_' || isalnum((unsigned char)c); }

/* Counts, identifier by identifier, what the text says; short words mean too much. */
static void guess_by_text(struct proposing *p, struct guess *guess, struct view text) {
    size_t counts[256] = {0}, best = 0;
    size_t n_ops = p->known->n_ops < 256 ? p->known->n_ops : 256;
    for (size_t i = 0; i < text.n && i < TEXT_LIMIT;) {
        size_t n = 0, from, to;
        while (i + n < text.n && is_part(text.at[i + n])) n++;
        struct view name = {text.at + i, n};
        i += n ? n : 1;
        const struct phrase *phrase = n >= LEAST_IN_TEXT ? said_by(p, name, &from, &to) : NULL;
        size_t op = phrase ? (size_t)(phrase->op - p->known->ops) : n_ops;
        if (phrase && op < n_ops && strlen(phrase->joined) >= LEAST_IN_TEXT) counts[op]++;
    }
    for (size_t i = 1; i < n_ops; i++)
        if (counts[i] > counts[best]) best = i;
    if (n_ops && counts[best] >= OFTEN) choose(guess, p->known, &p->known->ops[best], BY_TEXT);
}

static bool guess_file(struct proposing *p, struct guess *guess, const struct tree *tree,
                       struct catfile *blobs) {
    if (!guess_by_names(p, guess)) return false;
    if (!guess->n) guess_by_file(p, guess);
    if (guess->n) return true;
    struct arena arena = {0};
    struct str text = {0};
    const char *refused = NULL;
    size_t at;
    bool ok = !tree_find(&at, tree, guess->file->scan.path) ||
              tree_text(&text, &refused, tree, at, HARVEST_FILE_LIMIT, blobs, &arena, p->st);
    if (ok && !refused) guess_by_text(p, guess, (struct view){str_c(&text), text.n});
    str_free(&text);
    arena_release(&arena);
    return ok;
}

/* --- writing --- */

static void put_text(struct str *out, const char *text) {
    str_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'') str_putc(out, '\'');
        str_putc(out, *text);
    }
    str_putc(out, '\'');
}

/* A path as a glob that matches it alone. */
static void put_glob(struct str *out, const char *path) {
    struct str glob = {0};
    for (; *path; path++) {
        if (strchr("*?[\\", *path)) str_putc(&glob, '\\');
        str_putc(&glob, *path);
    }
    put_text(out, str_c(&glob));
    str_free(&glob);
}

static void put_op(struct proposing *p, const struct op *op) {
    struct str *out = p->out;
    str_puts(out,
             "INSERT INTO op (slug, title, summary, kind, route, route_note, bottleneck, status) VALUES\n(");
    put_text(out, op->slug);
    str_puts(out, ", ");
    put_text(out, op->title);
    str_puts(out, ",\n ");
    put_text(out, op->summary);
    str_puts(out, ",\n ");
    put_text(out, op_kind_name(op->kind));
    str_puts(out, ", ");
    put_text(out, route_name(op->route));
    str_puts(out, ", 'REVIEW: why this route here?', 'REVIEW: what limits it here?', 'planned');\n");
}

static void put_references(struct proposing *p, const struct op *op) {
    for (unsigned i = 0; i < op->references.n; i++) {
        const struct reference *r = &p->known->references[op->references.first + i];
        str_puts(p->out, "INSERT INTO reference (op, name, url, kind) VALUES (");
        const char *const cells[] = {op->slug, r->name, r->url, reference_kind_name(r->kind)};
        for (int k = 0; k < 4; k++) {
            if (k) str_puts(p->out, ", ");
            put_text(p->out, cells[k]);
        }
        str_puts(p->out, ");\n");
    }
    for (unsigned i = 0; i < op->papers.n; i++) {
        const struct paper *paper = &p->known->papers[op->papers.first + i];
        str_puts(p->out, "INSERT INTO paper (op, title, id, url, year) VALUES (");
        const char *const cells[] = {op->slug, paper->title, paper->id, paper->url};
        for (int k = 0; k < 4; k++) {
            put_text(p->out, cells[k]);
            str_puts(p->out, ", ");
        }
        str_printf(p->out, "%d);\n", paper->year);
    }
}

static struct view folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return (struct view){path, slash ? (size_t)(slash - path) : 0};
}

static const char *ending_of(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot : "";
}

/* Are all kernel files of this folder and ending this one operation's, and more than two? */
static bool owns_folder(const struct proposing *p, const struct guess *guess, const struct op *op) {
    const char *path = guess->file->scan.path;
    size_t n = 0;
    if (!folder_of(path).n) return false;
    for (size_t i = 0; i < p->n; i++) {
        const char *other = p->guesses[i].file->scan.path;
        if (!view_equal(folder_of(path), folder_of(other)) || strcmp(ending_of(path), ending_of(other)) != 0)
            continue;
        if (p->guesses[i].n != 1 || !p->guesses[i].ops[op - p->known->ops]) return false;
        n++;
    }
    return n > 2;
}

/* The first file of its folder and ending writes the row for all. */
static bool is_first(const struct proposing *p, size_t at) {
    const char *path = p->guesses[at].file->scan.path;
    for (size_t i = 0; i < at; i++) {
        const char *other = p->guesses[i].file->scan.path;
        if (view_equal(folder_of(path), folder_of(other)) && strcmp(ending_of(path), ending_of(other)) == 0)
            return false;
    }
    return true;
}

static void put_paths(struct proposing *p, const struct op *op) {
    static const char *const why[] = {"", "its kernels' names", "its file's name", "its text"};
    for (size_t i = 0; i < p->n; i++) {
        const struct guess *g = &p->guesses[i];
        if (!g->ops[op - p->known->ops]) continue;
        bool folder = owns_folder(p, g, op);
        if (folder && !is_first(p, i)) continue;
        str_puts(p->out, "INSERT INTO op_path (op, glob, role) VALUES (");
        put_text(p->out, op->slug);
        str_puts(p->out, ", ");
        if (folder) {
            struct view in = folder_of(g->file->scan.path);
            struct str glob = {0};
            str_printf(&glob, "%.*s/*%s", (int)in.n, in.at, ending_of(g->file->scan.path));
            put_text(p->out, str_c(&glob));
            str_free(&glob);
        } else {
            put_glob(p->out, g->file->scan.path);
        }
        str_printf(p->out, ", 'kernel'); -- REVIEW: by %s\n", why[g->reason]);
    }
}

static void put_symbols(struct proposing *p, const struct op *op) {
    for (size_t i = 0; i < p->n_symbols; i++) {
        if (p->symbols[i].op != op) continue;
        str_puts(p->out, "INSERT INTO op_symbol (op, pattern) VALUES (");
        put_text(p->out, op->slug);
        str_puts(p->out, ", ");
        put_text(p->out, p->symbols[i].pattern);
        str_puts(p->out, ");\n");
    }
}

static size_t count_files(const struct proposing *p, const struct op *op) {
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) n += p->guesses[i].ops[op - p->known->ops];
    return n;
}

/* A path in a comment: no line of it may end the comment. */
static void put_comment(struct str *out, const char *text) {
    for (; *text; text++) str_putc(out, (unsigned char)*text < ' ' ? '?' : *text);
}

static void put_rest(struct proposing *p, const struct proposal *proposal) {
    size_t n = 0;
    if (proposal->n_covered == proposal->n_files) return;
    str_printf(p->out,
               "\n-- No operation that is known fits the names or texts of these %zu files. Give them to one "
               "above, or\n"
               "-- write an operation of your own.\n",
               proposal->n_files - proposal->n_covered);
    for (size_t i = 0; i < p->n; i++) {
        if (p->guesses[i].n) continue;
        if (++n > LISTED) break;
        str_puts(p->out, "--   ");
        put_comment(p->out, p->guesses[i].file->scan.path);
        str_putc(p->out, '\n');
    }
    if (n > LISTED) str_puts(p->out, "--   ...\n");
}

static void put_seed(struct proposing *p, struct proposal *proposal) {
    str_printf(p->out,
               "-- A first matrix, proposed by `fak sota init` from the %zu kernels in %zu files of this "
               "repository. Nobody has\n"
               "-- reviewed it: what it says about an operation is what is known of it elsewhere, and that "
               "these kernels perform\n"
               "-- it is a guess. Each REVIEW is a question; delete it with the answer. An operation is "
               "'planned' until it has an\n"
               "-- oracle and a witness (sotadb/schema.sql tells what each column means).\n",
               proposal->n_kernels, proposal->n_files);
    for (size_t i = 0; i < p->known->n_ops; i++) {
        const struct op *op = &p->known->ops[i];
        size_t n = count_files(p, op);
        if (!n) continue;
        proposal->n_ops++;
        str_printf(p->out, "\n-- REVIEW: %s: %zu file%s\n", op->slug, n, n == 1 ? "" : "s");
        put_op(p, op);
        put_references(p, op);
        put_paths(p, op);
        put_symbols(p, op);
    }
    put_rest(p, proposal);
}

bool propose_seed(struct str *out, struct proposal *proposal, const struct survey *survey,
                  const struct tree *tree, const struct matrix *known, struct catfile *blobs,
                  struct status *st) {
    struct proposing p = {.known = known, .n = survey->n_files, .out = out, .st = st};
    *proposal = (struct proposal){.n_files = survey->n_files};
    p.guesses = arena_alloc(&p.arena, p.n, sizeof *p.guesses, st);
    bool ok = p.guesses && read_phrases(&p);
    for (size_t i = 0; ok && i < p.n; i++) {
        const struct survey_file *file = &survey->files[i];
        p.guesses[i] = (struct guess){.file = file};
        p.guesses[i].ops = arena_alloc(&p.arena, known->n_ops, sizeof(bool), st);
        ok = p.guesses[i].ops && guess_file(&p, &p.guesses[i], tree, blobs);
        proposal->n_covered += ok && p.guesses[i].n > 0;
        for (size_t k = 0; k < file->scan.n_kernels; k++)
            proposal->n_kernels += file->scan.kernels[k].kind != SCAN_HELPER;
    }
    if (ok) put_seed(&p, proposal);
    free(p.symbols);
    arena_release(&p.arena);
    return ok && str_ok(out, st);
}
