#include "coverage/scan/blank.h"

#include <string.h>

enum { MAX_IFS = 256 };

static void erase(char *out, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
        if (out[i] != '\n' && out[i] != '\r') out[i] = ' ';
}

/* One #if chain: has a branch been kept, and is the one we are in kept? */
struct chain {
    bool had, kept;
};

static bool all_kept(const struct chain *chains, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (!chains[i].kept) return false;
    return true;
}

static void erase_directives(char *out, const struct lex *lex) {
    struct chain chains[MAX_IFS];
    unsigned n = 0, unknown = 0;
    size_t from = 0;
    for (size_t i = 0; i < lex->n_directives; i++) {
        const struct lex_directive *d = &lex->directives[i];
        if (!all_kept(chains, n)) erase(out, from, d->begin);
        erase(out, d->begin, d->end);
        from = d->end;
        if (d->branch == LEX_IF && n == MAX_IFS) unknown++;
        else if (d->branch == LEX_IF) chains[n++] = (struct chain){.had = !d->dead, .kept = !d->dead};
        else if (d->branch == LEX_ENDIF && unknown) unknown--;
        else if (d->branch == LEX_ENDIF && n) n--;
        else if (d->branch == LEX_ELSE && n && !unknown) {
            chains[n - 1].kept = !chains[n - 1].had && !d->dead;
            chains[n - 1].had |= chains[n - 1].kept;
        }
    }
    if (!all_kept(chains, n)) erase(out, from, lex->text.n);
}

static bool is_one_of(struct view word, const char *const *words) {
    for (; *words; words++)
        if (view_is(word, *words)) return true;
    return false;
}

static size_t end_of(const struct lex *lex, size_t token) {
    return token < lex->n_tokens ? lex->tokens[token].end : lex->text.n;
}

/* word, or word(...) */
static size_t erase_call(char *out, const struct lex *lex, size_t i) {
    size_t close = lex_is(lex, i + 1, "(") ? lex_close(lex, i + 1) : i;
    erase(out, lex->tokens[i].begin, end_of(lex, close));
    return close;
}

static void erase_words(char *out, const struct lex *lex, const char *const *words, const char *const *calls,
                        bool attributes) {
    for (size_t i = 0; i < lex->n_tokens; i++) {
        struct view word = lex_view(lex, i);
        if (lex->tokens[i].kind == LEX_NAME && is_one_of(word, words)) {
            erase(out, lex->tokens[i].begin, lex->tokens[i].end);
        } else if (lex->tokens[i].kind == LEX_NAME && is_one_of(word, calls)) {
            i = erase_call(out, lex, i);
        } else if (attributes && view_is(word, "[") && lex_is(lex, i + 1, "[")) {
            size_t close = lex_close(lex, i);
            erase(out, lex->tokens[i].begin, end_of(lex, close));
            i = close;
        }
    }
}

/* RESTRICT, GGML_UNUSED: of three letters or more, none of them small. */
static bool is_capitals(struct view word) {
    for (size_t i = 0; i < word.n; i++)
        if (word.at[i] >= 'a' && word.at[i] <= 'z') return false;
    return word.n > 2;
}

/* Macros that dress what follows: `RESTRICT x`, `LAUNCH_BOUNDS(n) void`. A type in capitals goes with them;
 * the raw text still has it. */
static void erase_dress(char *out, const struct lex *lex) {
    for (size_t i = 0; i < lex->n_tokens; i++) {
        if (lex->tokens[i].kind != LEX_NAME || !is_capitals(lex_view(lex, i))) continue;
        size_t last = lex_is(lex, i + 1, "(") ? lex_close(lex, i + 1) : i;
        if (!lex_is_name(lex, last + 1)) continue;
        erase(out, lex->tokens[i].begin, lex->tokens[last].end);
        i = last;
    }
}

void blank_copy(char *out, const struct lex *lex, enum scan_language language) {
    static const char *const none[] = {NULL};
    static const char *const cuda_calls[] = {"__launch_bounds__", "__cluster_dims__", "__block_size__",
                                             "__maxnreg__",       "__attribute__",    NULL};
    static const char *const metal[] = {"kernel",      "device",      "constant",
                                        "threadgroup", "thread",      "threadgroup_imageblock",
                                        "ray_data",    "object_data", NULL};
    static const char *const opencl[] = {"kernel",    "__kernel",   "global",      "__global",
                                         "local",     "__local",    "constant",    "__constant",
                                         "__private", "private",    "__read_only", "__write_only",
                                         "read_only", "write_only", "read_write",  NULL};
    static const char *const opencl_calls[] = {"__attribute__", NULL};
    if (lex->text.n) memcpy(out, lex->text.at, lex->text.n);
    erase_directives(out, lex);
    erase_dress(out, lex);
    if (language == SCAN_CUDA || language == SCAN_HIP) erase_words(out, lex, none, cuda_calls, false);
    if (language == SCAN_METAL) erase_words(out, lex, metal, none, true);
    if (language == SCAN_OPENCL) erase_words(out, lex, opencl, opencl_calls, false);
}

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void blank_template(char *text, size_t n) {
    for (size_t i = 0; i + 1 < n; i++) {
        if (text[i] != '{' || !(text[i + 1] == '%' || text[i + 1] == '#' || text[i + 1] == '{')) continue;
        const char end[2] = {text[i + 1] == '{' ? '}' : text[i + 1], '}'};
        const char *close = memmem(text + i + 2, n - i - 2, end, 2);
        size_t after = close ? (size_t)(close - text) + 2 : n;
        bool name = end[0] == '}';
        for (size_t k = i; k < after; k++)
            if (text[k] != '\n' && !(name && is_name_char(text[k]))) text[k] = name ? 'j' : ' ';
        i = after - 1;
    }
}
