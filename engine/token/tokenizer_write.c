#include "engine/token/tokenizer_write.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/json/jsonin.h"
#include "engine/token/chat_source.h"
#include "engine/token/tokenizer_parts.h"

#include <stdlib.h>
#include <string.h>

enum { JSON_LIMIT = 256 << 20, TOKEN_LIMIT = 1 << 24 };

/* What GGUF says of a vocabulary. */
struct vocabulary {
    struct arena arena;
    const char *path;
    struct jsonin doc;
    size_t n; /* ids */
    struct view *pieces, *merges;
    int32_t *kinds;
    float *scores; /* sentencepiece's: the earlier a merge, the higher */
    size_t n_merges;
    bool fallback; /* <0x00> to <0xFF> are bytes */
    bool unigram;  /* GGUF's "t5" */
    bool spaced;   /* sentencepiece's sign for a space: "llama", "gemma4", "t5"; else bytes: "gpt2" */
    const struct normalise_step *charsmap; /* of "t5", or NULL */
    struct status *st;
};

/* A way to write the same vocabulary, and how much it has to be the same. */
struct variant {
    const char *pre; /* tokenizer.ggml.pre of byte-level BPE */
    /* of the other kind */
    const char *scheme; /* when a space is put in front: "", or what only fak reads */
    bool space_prefix, squeeze;
    bool merges;       /* GGUF's "gemma4", which has them: some vocabularies are not merged by score alone */
    bool whole_tokens; /* the name says whether whole pieces win over merges as tokenizer.json does */
    bool composes;     /* and whether text is brought to form C first */
    bool around;       /* what is put around a text: GGUF knows one begin token, glm4 has two */
};

static bool refuse(struct vocabulary *v, enum status_code code, const char *member, const char *reason) {
    if (!v->doc.root) return status_fail(v->st, code, "%.120s: %s", v->path, reason);
    return status_fail(v->st, code, "%.120s: byte %zu: %s", v->path, jsonin_offset(&v->doc, view_of(member)),
                       reason);
}

/* --- reading tokenizer.json ------------------------------------------------------------------------------
 */

static bool put_at(struct vocabulary *v, size_t i, struct view piece, int32_t kind) {
    if (i >= v->n)
        return refuse(v, STATUS_BAD_INPUT, "vocab", "a token has an id outside the model's token table");
    v->pieces[i] = piece;
    v->kinds[i] = kind;
    return true;
}

static bool put_piece(struct vocabulary *v, const json_t *id, const char *piece, int32_t kind) {
    bool number = json_is_integer(id) && json_integer_value(id) >= 0;
    return put_at(v, number ? (size_t)json_integer_value(id) : v->n, view_of(piece), kind);
}

/* <0x00> to <0xFF> stand for bytes where there is a fallback to them. */
static int32_t kind_of(const struct vocabulary *v, const char *piece, const char *unknown) {
    if (v->fallback && vocab_byte_of(view_of(piece)) >= 0) return VOCAB_BYTE;
    return unknown && strcmp(piece, unknown) == 0 ? VOCAB_UNKNOWN : VOCAB_NORMAL;
}

/* A token that is looked for in the text itself: sentencepiece's sign for a space is a space there. */
static bool put_user_defined(struct vocabulary *v, const json_t *id, const char *piece) {
    struct str text = {0};
    if (!v->spaced || !vocab_from_metaspace(&text, view_of(piece))) {
        str_free(&text);
        return put_piece(v, id, piece, VOCAB_USER_DEFINED);
    }
    char *copy = str_ok(&text, v->st) ? arena_copy(&v->arena, str_c(&text), text.n, v->st) : NULL;
    str_free(&text);
    return copy && put_piece(v, id, copy, VOCAB_USER_DEFINED);
}

/* Unigram's: [piece, score] each, the place is the id. */
static bool read_scored(struct vocabulary *v, const json_t *vocab, const char *unknown) {
    json_t *pair;
    size_t i;
    json_array_foreach(vocab, i, pair) {
        const char *piece = json_string_value(json_array_get(pair, 0));
        if (!piece || !put_at(v, i, view_of(piece), kind_of(v, piece, unknown)))
            return piece ? false : refuse(v, STATUS_BAD_INPUT, "vocab", "a token is no piece with a score");
        v->scores[i] = (float)json_number_value(json_array_get(pair, 1));
    }
    return true;
}

static const char *unknown_of(const json_t *model) {
    const json_t *id = json_object_get(model, "unk_id"), *vocab = json_object_get(model, "vocab");
    if (!json_is_array(vocab)) return json_string_value(json_object_get(model, "unk_token"));
    bool sound = json_is_integer(id) && json_integer_value(id) >= 0;
    const json_t *pair = sound ? json_array_get(vocab, (size_t)json_integer_value(id)) : NULL;
    return json_string_value(json_array_get(pair, 0));
}

static bool read_vocab(struct vocabulary *v, const json_t *model) {
    const char *piece, *unknown = unknown_of(model);
    json_t *id, *token;
    size_t i;
    if (v->unigram && !read_scored(v, json_object_get(model, "vocab"), unknown)) return false;
    json_object_foreach(json_object_get(model, "vocab"), piece,
                        id) if (!put_piece(v, id, piece, kind_of(v, piece, unknown))) return false;
    json_array_foreach(json_object_get(v->doc.root, "added_tokens"), i, token) {
        const char *content = json_string_value(json_object_get(token, "content"));
        bool special = json_is_true(json_object_get(token, "special"));
        bool is_unknown = content && unknown && strcmp(content, unknown) == 0 && v->spaced;
        const json_t *number = json_object_get(token, "id");
        if (!content) continue;
        if (special || is_unknown ? !put_piece(v, number, content, is_unknown ? VOCAB_UNKNOWN : VOCAB_CONTROL)
                                  : !put_user_defined(v, number, content))
            return false;
    }
    return true;
}

/* "left right", or [left, right] in newer files. */
static bool read_merges(struct vocabulary *v, const json_t *model) {
    const json_t *merges = json_object_get(model, "merges");
    v->merges = arena_alloc(&v->arena, json_array_size(merges), sizeof *v->merges, v->st);
    if (!v->merges) return false;
    for (; v->n_merges < json_array_size(merges); v->n_merges++) {
        const json_t *merge = json_array_get(merges, v->n_merges);
        const char *whole = json_string_value(merge), *left = json_string_value(json_array_get(merge, 0)),
                   *right = json_string_value(json_array_get(merge, 1));
        struct str text = {0};
        if (whole) str_puts(&text, whole);
        else if (left && right) str_printf(&text, "%s %s", left, right);
        char *copy = text.n && str_ok(&text, v->st) ? arena_copy(&v->arena, text.at, text.n, v->st) : NULL;
        if (copy) v->merges[v->n_merges] = (struct view){copy, text.n};
        str_free(&text);
        if (!copy) return refuse(v, STATUS_BAD_INPUT, "merges", "a merge is no pair of tokens");
    }
    return true;
}

struct ranked {
    struct view piece;
    size_t id;
};

static int by_piece(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    size_t n = x->piece.n < y->piece.n ? x->piece.n : y->piece.n;
    int order = n ? memcmp(x->piece.at, y->piece.at, n) : 0;
    return order ? order : (x->piece.n > y->piece.n) - (x->piece.n < y->piece.n);
}

/* Sentencepiece merges the pair of the highest score: that of the earliest merge. */
static bool score_merges(struct vocabulary *v) {
    struct ranked *sorted = calloc(v->n, sizeof *sorted);
    if (!sorted) return status_fail(v->st, STATUS_NO_MEMORY, "%.120s: out of memory", v->path);
    for (size_t i = 0; i < v->n; i++) sorted[i] = (struct ranked){v->pieces[i], i};
    qsort(sorted, v->n, sizeof *sorted, by_piece);
    for (size_t i = v->n_merges; i-- > 0;) {
        char joined[512];
        struct view merge = v->merges[i];
        const char *blank = memchr(merge.at, ' ', merge.n);
        if (!blank || merge.n >= sizeof joined) continue;
        size_t left = (size_t)(blank - merge.at);
        memcpy(joined, merge.at, left);
        memcpy(joined + left, blank + 1, merge.n - left - 1);
        struct ranked key = {{joined, merge.n - 1}, 0},
                      *found = bsearch(&key, sorted, v->n, sizeof key, by_piece);
        if (found) v->scores[found->id] = -(float)(i + 1);
    }
    free(sorted);
    return true;
}

static bool fill_holes(struct vocabulary *v) {
    for (size_t i = 0; i < v->n; i++) {
        struct str name = {0};
        if (v->pieces[i].at) continue;
        str_printf(&name, "[PAD%zu]", i);
        char *copy = str_ok(&name, v->st) ? arena_copy(&v->arena, name.at, name.n, v->st) : NULL;
        v->pieces[i] = (struct view){copy, name.n};
        v->kinds[i] = VOCAB_UNUSED;
        str_free(&name);
        if (!copy) return false;
    }
    return true;
}

static bool read_json(struct vocabulary *v, struct view text) {
    if (!jsonin_open(&v->doc, v->path, text, 0, "tokenizer", v->st)) return false;
    const json_t *model = json_object_get(v->doc.root, "model");
    v->fallback = json_is_true(json_object_get(model, "byte_fallback"));
    v->spaced = v->fallback || v->unigram;
    return read_vocab(v, model) && read_merges(v, model) && fill_holes(v) &&
           (v->unigram || !v->fallback || score_merges(v));
}

/* --- reading tokenizer.model -----------------------------------------------------------------------------
 */

/* The piece as sentencepiece spells it: a space is its sign where a text reaches the piece. */
static bool put_spelled(struct vocabulary *v, const struct tokenizer *t, size_t i) {
    struct view piece = t->vocab.pieces[i];
    uint8_t kind = t->vocab.kinds[i];
    struct str text = {0};
    bool reached = t->vocab.keys[i].n > 0;
    if (kind == VOCAB_BYTE) str_printf(&text, "<0x%02X>", (unsigned)(unsigned char)piece.at[0]);
    else
        for (size_t k = 0; k < piece.n; k++) {
            if (reached && piece.at[k] == ' ') str_puts(&text, "\xE2\x96\x81");
            else str_putc(&text, piece.at[k]);
        }
    char *copy = str_ok(&text, v->st) ? arena_copy(&v->arena, str_c(&text), text.n, v->st) : NULL;
    struct view spelled = {copy, text.n};
    str_free(&text);
    v->scores[i] = (float)vocab_score(&t->vocab, (int32_t)i);
    return copy && put_at(v, i, spelled, kind);
}

static bool read_pieces(struct vocabulary *v, const struct tokenizer *t) {
    v->spaced = true;
    if (t->vocab.n > v->n)
        return refuse(v, STATUS_BAD_INPUT, "", "it has more pieces than the model's token table has rows");
    for (size_t i = 0; i < t->vocab.n; i++)
        if (!put_spelled(v, t, i)) return false;
    return fill_holes(v);
}

/* --- writing -------------------------------------------------------------------------------------------- */

static void put_ends(struct ggufwrite *w, const struct tokenizer *t) {
    if (tokenizer_bos(t) >= 0) ggufwrite_u32(w, "tokenizer.ggml.bos_token_id", (uint32_t)tokenizer_bos(t));
    if (tokenizer_eos(t) >= 0) ggufwrite_u32(w, "tokenizer.ggml.eos_token_id", (uint32_t)tokenizer_eos(t));
    if (t->pad >= 0) ggufwrite_u32(w, "tokenizer.ggml.padding_token_id", (uint32_t)t->pad);
    static const char *const others[] = {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"};
    size_t n_others = 0;
    for (int i = 0; i < t->n_ends && n_others < 2; i++)
        if (t->ends[i] >= 0 && t->ends[i] != t->eos)
            ggufwrite_u32(w, others[n_others++], (uint32_t)t->ends[i]);
    ggufwrite_bool(w, "tokenizer.ggml.add_bos_token", tokenizer_adds_bos(t));
    ggufwrite_bool(w, "tokenizer.ggml.add_eos_token", t->n_back && t->back[t->n_back - 1] == t->eos);
}

/* How text is brought to the vocabulary's spelling. */
static void put_spaces(struct ggufwrite *w, const struct vocabulary *v, const struct variant *variant) {
    ggufwrite_bool(w, "tokenizer.ggml.add_space_prefix", variant->space_prefix);
    if (variant->scheme) ggufwrite_string(w, TOKENIZER_PREPEND_SCHEME, view_of(variant->scheme));
    if (!v->unigram) return;
    ggufwrite_bool(w, "tokenizer.ggml.remove_extra_whitespaces", variant->squeeze);
    ggufwrite_bool(w, "tokenizer.ggml.escape_whitespaces", true);
    if (!v->charsmap) return;
    struct view map = charsmap_bytes(&v->charsmap->charsmap);
    ggufwrite_array(w, "tokenizer.ggml.precompiled_charsmap", GGUF_U8, map.at, map.n);
    if (v->charsmap->kind == NORMALISE_CHARSMAP) ggufwrite_bool(w, TOKENIZER_BY_CLUSTER, true);
}

static void put_vocabulary(struct ggufwrite *w, const struct vocabulary *v, const struct variant *variant,
                           const struct tokenizer *t) {
    ggufwrite_string(w, "tokenizer.ggml.model",
                     view_of(v->unigram        ? "t5"
                             : !v->spaced      ? "gpt2"
                             : variant->merges ? "gemma4"
                                               : "llama"));
    ggufwrite_string(w, "tokenizer.ggml.pre", view_of(v->spaced ? "default" : variant->pre));
    ggufwrite_strings(w, "tokenizer.ggml.tokens", v->pieces, v->n);
    if (v->spaced) ggufwrite_array(w, "tokenizer.ggml.scores", GGUF_F32, v->scores, v->n);
    ggufwrite_array(w, "tokenizer.ggml.token_type", GGUF_I32, v->kinds, v->n);
    for (size_t i = 0; i < v->n; i++)
        if (v->kinds[i] == VOCAB_UNKNOWN) ggufwrite_u32(w, "tokenizer.ggml.unknown_token_id", (uint32_t)i);
    if (v->spaced) put_spaces(w, v, variant);
    if (!v->spaced || variant->merges) ggufwrite_strings(w, "tokenizer.ggml.merges", v->merges, v->n_merges);
    put_ends(w, t);
}

/* --- is it the same? -------------------------------------------------------------------------------------
 */

/* Where pre-tokenizers differ: endings, case, runs of digits, blanks and line ends, scripts, symbols with
 * letters behind them; and, last, marks that form C composes. */
static const char *const probes[] = {
    "Hello World, it's what we'LL say: I'm, you've, THEY'RE, he'd.",
    "1 12 123 1234 12345 3.14159 x2y 007 1,000,000 \xd9\xa1\xd9\xa2\xd9\xa3\xd9\xa4",
    "a  b   c \t d\n\n e \n  f\r\n\r\ng   ",
    " leading and trailing  ",
    "snake_case camelCase HTTPServer iPhone na\xc3\xafve \xc7\x84 \xc7\x86 \xc5\xbf",
    "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97\xe7\xac\xa6\xe5\x92\x8c"
    "English\xe6\xb7\xb7\xe6\x8e\x92 "
    "\xe3\x81\xb2\xe3\x82\x89\xe3\x81\x8c\xe3\x81\xaa \xed\x95\x9c\xea\xb5\xad \xe0\xb8\x84\xe0\xb9\x84 "
    "\xd7\xa2\xd7\x91\xd7\xa8\xd7\x99\xd7\xaa",
    "!hello @user #tag $x (y) [z] {w} a/b/c //path /* c */ \"q\" 'w' <br> &amp; ... --- ==",
    "\xf0\x9f\x98\x80 \xc2\xbd \xc2\xb2 \xe2\x84\x96 \xe2\x84\xa2 \xe2\x80\xa8line",
    "",
    "x",
    "cafe\xcc\x81 e\xcc\x80\xcc\x81 \xe0\xa4\xb9\xe0\xa4\xbf\xe0\xa4\xa8",
};
enum { N_PROBES = sizeof probes / sizeof *probes };

static bool same_ids(const struct tokenizer *a, const struct tokenizer *b, const char *text,
                     struct tokenizer_options options) {
    struct token_list x = {0}, y = {0};
    struct status st;
    bool ok = tokenizer_encode(&x, a, view_of(text), options, &st) &&
              tokenizer_encode(&y, b, view_of(text), options, &st) && x.n == y.n;
    ok = ok && (x.n == 0 || memcmp(x.ids, y.ids, x.n * sizeof *x.ids) == 0);
    token_list_free(&x);
    token_list_free(&y);
    return ok;
}

/* A space is put in front of the text, or of what stands behind a token, too. */
static bool same_behind(const struct vocabulary *v, const struct tokenizer *a, const struct tokenizer *b) {
    static const char *const forms[] = {"a%.*sb", "a %.*s b", "%.*s  c "};
    size_t i = 0;
    while (i < v->n && v->kinds[i] != VOCAB_CONTROL) i++;
    bool same = true;
    for (size_t k = 0; k < sizeof forms / sizeof *forms && i < v->n && same; k++) {
        struct str text = {0};
        struct status st;
        str_printf(&text, forms[k], (int)v->pieces[i].n, v->pieces[i].at);
        same = str_ok(&text, &st) && same_ids(a, b, str_c(&text), (struct tokenizer_options){false, true});
        str_free(&text);
    }
    return same;
}

static bool agrees(const struct vocabulary *v, const struct variant *variant,
                   const struct tokenizer *wanted) {
    struct ggufwrite *w;
    struct gguf *file = NULL;
    struct tokenizer *t = NULL;
    struct status st;
    char *bytes = NULL;
    size_t n = 0;
    if (!ggufwrite_open_memory(&w, &bytes, &n, &st)) return false;
    ggufwrite_string(w, "general.architecture", view_of("llama"));
    put_vocabulary(w, v, variant, wanted);
    bool ok = ggufwrite_end(w, &st) && gguf_parse(&file, "memory", bytes, n, &st) &&
              tokenizer_open_gguf(&t, file, &st);
    for (size_t i = 0; ok && i + !variant->composes < N_PROBES; i++)
        ok = same_ids(t, wanted, probes[i], (struct tokenizer_options){variant->around, true}) &&
             same_ids(t, wanted, probes[i], (struct tokenizer_options){false, false});
    ok = ok && (!v->spaced || same_behind(v, t, wanted));
    if (t) tokenizer_close(t);
    gguf_close(file);
    free(bytes);
    return ok;
}

static bool add_piece(void *context, struct view piece, struct status *st) {
    struct str *all = context;
    str_printf(all, "%zu:", piece.n);
    str_add(all, piece.at, piece.n);
    return str_ok(all, st);
}

/* Small vocabularies give the same ids however text is cut: the cuts are compared, too. */
static bool same_cuts(const struct pretokenizer *a, const struct pretokenizer *b) {
    struct status st;
    bool same = a != NULL;
    for (size_t i = 0; same && i < N_PROBES; i++) {
        struct str x = {0}, y = {0};
        same = pretokenize(a, view_of(probes[i]), true, add_piece, &x, &st) &&
               pretokenize(b, view_of(probes[i]), true, add_piece, &y, &st) && x.n == y.n &&
               (x.n == 0 || memcmp(x.at, y.at, x.n) == 0);
        str_free(&x);
        str_free(&y);
    }
    return same;
}

static bool name_fits(const struct vocabulary *v, const struct variant *variant,
                      const struct tokenizer *wanted) {
    struct pretokenize_traits traits;
    struct pretokenizer *named;
    struct status st;
    if (!pretokenize_open_named(&named, &traits, view_of(variant->pre), &st)) return false;
    bool fits = same_cuts(wanted->pre, named) &&
                (!variant->whole_tokens || traits.ignore_merges == wanted->bpe.ignore_merges);
    pretokenize_close(named);
    return fits && agrees(v, variant, wanted);
}

/* The first name of each row of pretokenizers.inc, the strictest comparison first. */
static bool find_name(struct variant *out, struct vocabulary *v, const struct tokenizer *wanted) {
    static const char *const rows[] = {
#define PRETOKENIZER(names, nfc, ignore_merges, adds_bos, ...) names,
#include "engine/token/pretokenizers.inc"
#undef PRETOKENIZER
    };
    for (int strictness = 7; strictness >= 0; strictness--)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char *pre = arena_copy(&v->arena, rows[i], strcspn(rows[i], " "), v->st);
            *out = (struct variant){.pre = pre,
                                    .whole_tokens = strictness & 1,
                                    .composes = strictness & 2,
                                    .around = strictness & 4};
            if (!pre) return false;
            if (name_fits(v, out, wanted)) return true;
        }
    return false;
}

/* What llama.cpp reads alike comes first. */
static bool find_spacing(struct variant *out, const struct vocabulary *v, const struct tokenizer *wanted) {
    static const struct {
        bool prefix;
        const char *scheme;
    } ways[] = {{true, NULL}, {false, NULL}, {true, "first"}, {true, "always"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        out->space_prefix = ways[i].prefix;
        out->scheme = ways[i].scheme;
        if (agrees(v, out, wanted)) return true;
    }
    return false;
}

static bool find_variant(struct variant *out, struct vocabulary *v, const struct tokenizer *wanted) {
    if (!v->spaced) return find_name(out, v, wanted);
    for (int way = 7; way >= 0; way--) {
        *out =
            (struct variant){.around = way & 4, .merges = !(way & 2), .squeeze = way & 1, .composes = true};
        if ((out->merges && !v->n_merges) || (out->squeeze && !v->unigram)) continue;
        if (!out->around && v->unigram) continue;
        if (find_spacing(out, v, wanted)) return true;
    }
    return false;
}

/* --- the whole ------------------------------------------------------------------------------------------ */

static bool write_template(struct ggufwrite *w, const char *dir, struct status *st) {
    struct chat_source source;
    if (!chat_source_read(&source, dir, NULL, st)) return false;
    if (source.text.n)
        ggufwrite_string(w, "tokenizer.chat_template", (struct view){source.text.at, source.text.n});
    chat_source_free(&source);
    return true;
}

/* What GGUF has no word for. */
static bool can_be_said(struct vocabulary *v, const struct tokenizer *t) {
    const char *why = NULL;
    if (v->unigram && t->unigram.byte_fallback) why = "GGUF's Unigram has no byte fallback";
    if (!v->unigram && v->charsmap) why = "GGUF has a charsmap only for Unigram, and this is BPE";
    if (v->n >= TOKEN_LIMIT) why = "too many tokens";
    return !why || status_fail(v->st, STATUS_UNSUPPORTED, "%.120s: %s; use --no-tokenizer", v->path, why);
}

static bool begin(struct vocabulary *v, const struct tokenizer *t) {
    v->unigram = t->model == TOKENIZER_UNIGRAM;
    v->charsmap = normalise_charsmap(t->normaliser);
    if (!can_be_said(v, t)) return false;
    v->pieces = arena_alloc(&v->arena, v->n, sizeof *v->pieces, v->st);
    v->kinds = arena_alloc(&v->arena, v->n, sizeof *v->kinds, v->st);
    v->scores = arena_alloc(&v->arena, v->n, sizeof *v->scores, v->st);
    for (size_t i = 0; v->scores && i < v->n; i++) v->scores[i] = -1e6F;
    return v->pieces && v->kinds && v->scores;
}

static bool write_vocabulary(struct ggufwrite *w, struct vocabulary *v, const struct tokenizer *wanted) {
    struct variant variant = {0};
    if (find_variant(&variant, v, wanted)) {
        put_vocabulary(w, v, &variant, wanted);
        return true;
    }
    return status_fail(v->st, STATUS_UNSUPPORTED, "%.120s: %s; use --no-tokenizer", v->path,
                       v->spaced ? "nothing that GGUF can say of spaces, merges and end tokens gives the ids "
                                   "that this file gives"
                                 : "none of the pre-tokenizers that GGUF has a name for cuts text as this "
                                   "file does");
}

static bool read_file(struct vocabulary *v, struct str *text, bool json, const struct tokenizer *wanted) {
    if (!json) return read_pieces(v, wanted);
    return file_read(text, v->path, JSON_LIMIT, v->st) && read_json(v, (struct view){text->at, text->n});
}

bool tokenizer_write(struct ggufwrite *w, const char *dir, size_t n_vocab, struct status *st) {
    struct str path = {0}, text = {0};
    struct vocabulary v = {.n = n_vocab, .st = st};
    struct tokenizer *wanted = NULL;
    str_printf(&path, "%s/tokenizer.json", dir);
    bool json = file_exists(str_c(&path));
    if (!json) str_clear(&path), str_printf(&path, "%s/tokenizer.model", dir);
    v.path = str_c(&path);
    bool ok = str_ok(&path, st) && tokenizer_open(&wanted, dir, st) && begin(&v, wanted) &&
              read_file(&v, &text, json, wanted) && write_vocabulary(w, &v, wanted) &&
              write_template(w, dir, st);
    if (wanted) tokenizer_close(wanted);
    jsonin_close(&v.doc);
    arena_release(&v.arena);
    str_free(&text);
    str_free(&path);
    return ok;
}
