/* tokenizer_json: a tokenizer from a tokenizer.json (Hugging Face tokenizers,
 * src/tokenizer/serialization.rs). */
#include "engine/token/tokenizer_json.h"

#include <stdio.h>
#include <string.h>

/* --- refusing ------------------------------------------------------------------------------------------ */

bool tokenizer_json_refuse(const struct tokenizer_json *l, enum status_code code, const char *field,
                           const char *why) {
    return status_fail(l->st, code, "%.120s: field '%s': %s", l->name, field, why);
}

static bool refuse(const struct tokenizer_json *l, const char *field, const char *why) {
    return tokenizer_json_refuse(l, STATUS_BAD_INPUT, field, why);
}

bool tokenizer_json_unknown(const struct tokenizer_json *l, const char *field, const char *type,
                            const char *known) {
    char shown[VIEW_SHOWN];
    return status_fail(l->st, STATUS_UNSUPPORTED, "%.120s: field '%s': '%s' is not one of those that run: %s",
                       l->name, field, view_shown(shown, view_of(type)), known);
}

/* --- reading ------------------------------------------------------------------------------------------- */

const char *tokenizer_json_type(const json_t *object) {
    const char *type = json_string_value(json_object_get(object, "type"));
    return type ? type : "";
}

struct view tokenizer_json_text(const json_t *string) {
    if (!json_is_string(string)) return (struct view){0};
    return (struct view){json_string_value(string), json_string_length(string)};
}

bool tokenizer_json_keep(struct view *out, const struct tokenizer_json *l, struct view text) {
    *out = (struct view){arena_copy(&l->t->arena, text.at, text.n, l->st), text.n};
    return out->at != NULL;
}

/* --- tokens -------------------------------------------------------------------------------------------- */

/* Ids number a table, so a small file may not name a huge one. */
static bool check_id(size_t *n, const struct tokenizer_json *l, const json_t *id, size_t n_tokens,
                     const char *field) {
    json_int_t value = json_is_integer(id) ? json_integer_value(id) : -1;
    size_t limit = 65536 + 8 * n_tokens;
    if (value < 0 || (size_t)value >= limit)
        return status_fail(
            l->st, STATUS_BAD_INPUT,
            "%.120s: field '%s': an id is no whole number from 0 to %zu, which %zu tokens allow", l->name,
            field, limit - 1, n_tokens);
    if ((size_t)value >= *n) *n = (size_t)value + 1;
    return true;
}

/* How many ids there are; also checks every one of them. */
static bool count_ids(size_t *n, const struct tokenizer_json *l) {
    const json_t *vocab = json_object_get(l->model, "vocab"), *token, *id;
    const char *key;
    size_t i, n_tokens = json_object_size(vocab) + json_array_size(vocab) + json_array_size(l->added);
    *n = json_array_size(vocab);
    json_object_foreach((json_t *)(uintptr_t)vocab, key, id) {
        if (!check_id(n, l, id, n_tokens, "model.vocab")) return false;
    }
    json_array_foreach(l->added, i, token) {
        if (!check_id(n, l, json_object_get(token, "id"), n_tokens, "added_tokens[].id")) return false;
        if (!json_is_string(json_object_get(token, "content")))
            return refuse(l, "added_tokens[].content", "it is no text");
    }
    return *n > 0 || refuse(l, "model.vocab", "it is empty");
}

/* *out = the bytes that a token stands for, in the arena. */
static bool decoded(struct view *out, struct tokenizer_json *l, struct view text) {
    str_clear(&l->scratch);
    const char *at = text.at;
    while (l->space.n && text.n) {
        const char *mark = memmem(at, text.n, l->space.at, l->space.n);
        size_t plain = mark ? (size_t)(mark - at) : text.n;
        str_add(&l->scratch, at, plain);
        if (mark) str_putc(&l->scratch, ' ');
        at += plain + (mark ? l->space.n : 0);
        text.n -= plain + (mark ? l->space.n : 0);
    }
    if (!l->space.n) str_add(&l->scratch, at, text.n);
    return str_ok(&l->scratch, l->st) &&
           tokenizer_json_keep(out, l, (struct view){str_c(&l->scratch), l->scratch.n});
}

static bool put_byte(struct tokenizer_json *l, int32_t id, int byte) {
    struct view piece;
    char c = (char)byte;
    if (!tokenizer_json_keep(&piece, l, (struct view){&c, 1})) return false;
    vocab_put(&l->t->vocab, id, VOCAB_BYTE, piece, (struct view){0});
    l->t->vocab.bytes[byte] = id;
    return true;
}

/* One token of the model: its key is what it says, or the bytes that this stands for in the alphabet. */
static bool put_token(struct tokenizer_json *l, int32_t id, struct view text) {
    struct vocab *v = &l->t->vocab;
    struct view piece, key;
    int byte = l->byte_fallback ? vocab_byte_of(text) : -1;
    if (byte >= 0) return put_byte(l, id, byte);
    if (!l->byte_level) {
        if (!tokenizer_json_keep(&key, l, text) || !decoded(&piece, l, text)) return false;
        vocab_put(v, id, VOCAB_NORMAL, piece, key);
        return true;
    }
    str_clear(&l->scratch);
    bool ours = vocab_from_alphabet(&l->scratch, text);
    struct view bytes = ours ? (struct view){str_c(&l->scratch), l->scratch.n} : text;
    if (!str_ok(&l->scratch, l->st) || !tokenizer_json_keep(&piece, l, bytes)) return false;
    vocab_put(v, id, VOCAB_NORMAL, piece, ours ? piece : (struct view){0});
    if (ours && piece.n == 1) v->bytes[(unsigned char)piece.at[0]] = id;
    return true;
}

static bool put_scored(struct tokenizer_json *l, const json_t *vocab) {
    const json_t *pair;
    size_t i;
    json_array_foreach(vocab, i, pair) {
        const json_t *text = json_array_get(pair, 0), *score = json_array_get(pair, 1);
        if (!json_is_string(text) || !json_is_number(score))
            return refuse(l, "model.vocab[]", "it is no pair of a text and a score");
        if (!put_token(l, (int32_t)i, tokenizer_json_text(text))) return false;
        l->t->vocab.scores[i] = json_number_value(score);
    }
    return true;
}

static bool put_named(struct tokenizer_json *l, const json_t *vocab) {
    const char *key;
    json_t *id;
    json_object_foreach((json_t *)(uintptr_t)vocab, key, id) {
        if (!put_token(l, (int32_t)json_integer_value(id), view_of(key))) return false;
    }
    return true;
}

/* --- added tokens -------------------------------------------------------------------------------------- */

/* A token that is `normalized` is looked for as the normaliser leaves it. */
static bool normalised_text(struct view *out, struct tokenizer_json *l, struct view text) {
    struct normalise_work work = {0};
    struct marked_view seen;
    bool ok = normalise(&seen, l->t->normaliser, (struct marked_view){text, NULL}, &work, l->st) &&
              tokenizer_json_keep(out, l, seen.text);
    normalise_work_free(&work);
    return ok;
}

/* In the vocabulary it stands for its own text; plain text reaches it by merging only when it is no special
 * one. */
static bool put_added(struct tokenizer_json *l, const json_t *json) {
    struct tokenizer *t = l->t;
    int32_t id = (int32_t)json_integer_value(json_object_get(json, "id"));
    bool normalised = json_is_true(json_object_get(json, "normalized"));
    struct added_token token = {
        .id = id,
        .special = json_is_true(json_object_get(json, "special")),
        .lstrip = json_is_true(json_object_get(json, "lstrip")),
        .rstrip = json_is_true(json_object_get(json, "rstrip")),
        .single_word = json_is_true(json_object_get(json, "single_word")),
    };
    struct view text = tokenizer_json_text(json_object_get(json, "content")), piece;
    if (normalised ? !normalised_text(&token.text, l, text) : !tokenizer_json_keep(&token.text, l, text))
        return false;
    if (!(l->byte_level ? tokenizer_json_keep(&piece, l, text) : decoded(&piece, l, token.text)))
        return false;
    enum vocab_kind kind = id == t->unknown ? VOCAB_UNKNOWN
                           : token.special  ? VOCAB_CONTROL
                                            : VOCAB_USER_DEFINED;
    if (token.special) vocab_hide(&t->vocab, id, kind, piece);
    else vocab_put(&t->vocab, id, kind, piece, t->vocab.keys[id]);
    added_put(normalised ? &t->normalised : &t->raw, &token);
    return true;
}

static bool read_added(struct tokenizer_json *l) {
    struct tokenizer *t = l->t;
    size_t i, n = json_array_size(l->added);
    const json_t *token;
    if (!added_begin(&t->raw, n, &t->arena, l->st) || !added_begin(&t->normalised, n, &t->arena, l->st))
        return false;
    json_array_foreach(l->added, i, token) {
        if (!put_added(l, token)) return false;
    }
    added_sort(&t->raw);
    added_sort(&t->normalised);
    return true;
}

/* --- models -------------------------------------------------------------------------------------------- */

/* The halves of a merge: "left right" or ["left", "right"]. */
static bool halves(struct view *left, struct view *right, const json_t *merge) {
    if (json_is_array(merge)) {
        *left = tokenizer_json_text(json_array_get(merge, 0));
        *right = tokenizer_json_text(json_array_get(merge, 1));
        return json_array_size(merge) == 2 && left->n && right->n;
    }
    struct view line = tokenizer_json_text(merge);
    const char *space = line.n ? memchr(line.at, ' ', line.n) : NULL;
    if (!space) return false;
    *left = (struct view){line.at, (size_t)(space - line.at)};
    *right = (struct view){space + 1, line.n - left->n - 1};
    return left->n && right->n;
}

static bool merge_fails(const struct tokenizer_json *l, size_t i, const char *why) {
    return status_fail(l->st, STATUS_BAD_INPUT, "%.120s: field 'model.merges', merge %zu: %s", l->name, i,
                       why);
}

/* As keys. A merge that makes a special token, or is made of one, is left out: no text may reach those. */
static bool put_merge(struct tokenizer_json *l, size_t i, struct view left, struct view right) {
    struct str *a = &l->left, *b = &l->right;
    str_clear(a), str_clear(b);
    if (l->byte_level && (!vocab_from_alphabet(a, left) || !vocab_from_alphabet(b, right)))
        return merge_fails(l, i, "it holds characters that stand for no byte");
    if (!l->byte_level) str_add(a, left.at, left.n), str_add(b, right.at, right.n);
    bool put = bpe_put(&l->t->bpe, (struct view){str_c(a), a->n}, (struct view){str_c(b), b->n}, &l->scratch);
    if (!str_ok(a, l->st) || !str_ok(b, l->st) || !str_ok(&l->scratch, l->st)) return false;
    if (put) return true;
    const json_t *vocab = json_object_get(l->model, "vocab");
    str_clear(a);
    str_add(a, left.at, left.n), str_add(a, right.at, right.n);
    str_clear(b);
    str_add(b, right.at, right.n);
    bool known = json_object_get(vocab, str_c(a)) && json_object_get(vocab, str_c(b));
    str_clear(a);
    str_add(a, left.at, left.n);
    known = known && json_object_get(vocab, str_c(a));
    return known || merge_fails(l, i, "its halves or the whole are no tokens");
}

static bool read_merges(struct tokenizer_json *l) {
    const json_t *merges = json_object_get(l->model, "merges"), *merge;
    struct view left, right;
    size_t i;
    if (!json_is_array(merges)) return refuse(l, "model.merges", "it is no array");
    if (!bpe_begin(&l->t->bpe, &l->t->vocab, json_array_size(merges), &l->t->arena, l->st)) return false;
    json_array_foreach(merges, i, merge) {
        if (!halves(&left, &right, merge)) return merge_fails(l, i, "it is not two tokens");
        if (!put_merge(l, i, left, right)) return false;
    }
    struct bpe *b = &l->t->bpe;
    b->ignore_merges = json_is_true(json_object_get(l->model, "ignore_merges"));
    b->by_character = !l->byte_level;
    b->byte_fallback = l->byte_fallback;
    b->fuses = json_is_true(json_object_get(l->model, "fuse_unk"));
    b->unknown = l->byte_level ? -1 : l->t->unknown;
    return true;
}

/* What changes the ids and what we do not do has to be off. */
static bool check_bpe(const struct tokenizer_json *l) {
    static const char *const affixes[] = {"continuing_subword_prefix", "end_of_word_suffix"};
    for (size_t i = 0; i < 2; i++)
        if (tokenizer_json_text(json_object_get(l->model, affixes[i])).n)
            return status_fail(l->st, STATUS_UNSUPPORTED,
                               "%.120s: field 'model.%s': tokens with an affix do not run here", l->name,
                               affixes[i]);
    if (json_number_value(json_object_get(l->model, "dropout")) > 0)
        return tokenizer_json_refuse(l, STATUS_UNSUPPORTED, "model.dropout",
                                     "merging by chance does not run here");
    return json_is_object(json_object_get(l->model, "vocab")) || refuse(l, "model.vocab", "it is no object");
}

static bool read_unknown(struct tokenizer_json *l, size_t n_vocab) {
    const json_t *id = json_object_get(l->model, "unk_id"), *name = json_object_get(l->model, "unk_token");
    if (l->unigram && json_is_integer(id)) {
        json_int_t value = json_integer_value(id);
        if (value < 0 || (size_t)value >= json_array_size(json_object_get(l->model, "vocab")))
            return refuse(l, "model.unk_id", "it is no id of model.vocab");
        l->t->unknown = (int32_t)value;
    }
    if (!l->unigram && json_is_string(name)) {
        const json_t *found = json_object_get(json_object_get(l->model, "vocab"), json_string_value(name));
        l->t->unknown = found ? (int32_t)json_integer_value(found) : -1;
    }
    return l->t->unknown < 0 || (size_t)l->t->unknown < n_vocab;
}

static bool read_vocab(struct tokenizer_json *l) {
    const json_t *vocab = json_object_get(l->model, "vocab");
    size_t n;
    if (!l->unigram && !check_bpe(l)) return false;
    if (l->unigram && !json_is_array(vocab)) return refuse(l, "model.vocab", "it is no array of pairs");
    if (!count_ids(&n, l) || !vocab_begin(&l->t->vocab, n, l->unigram, &l->t->arena, l->st) ||
        !read_unknown(l, n))
        return false;
    return l->unigram ? put_scored(l, vocab) : put_named(l, vocab);
}

static bool read_unigram(struct tokenizer_json *l) {
    struct unigram *u = &l->t->unigram;
    if (!unigram_open(u, &l->t->vocab, &l->t->arena, l->st)) return false;
    u->unknown = l->t->unknown;
    u->byte_fallback = l->byte_fallback;
    return true;
}

static bool read_model(struct tokenizer_json *l) {
    const char *type = tokenizer_json_type(l->model);
    if (!json_is_object(l->model)) return refuse(l, "model", "it is no object, so there is no tokenizer");
    l->unigram = strcmp(type, "Unigram") == 0;
    bool bpe = strcmp(type, "BPE") == 0 || (!*type && json_object_get(l->model, "merges"));
    if (!bpe && !l->unigram) return tokenizer_json_unknown(l, "model.type", type, "BPE, Unigram");
    l->t->model = bpe ? TOKENIZER_BPE : TOKENIZER_UNIGRAM;
    l->byte_fallback = json_is_true(json_object_get(l->model, "byte_fallback"));
    snprintf(l->t->kind, sizeof l->t->kind, "%s%s (tokenizer.json)", l->byte_level ? "byte-level " : "",
             bpe ? "BPE" : "Unigram");
    return read_vocab(l) && read_added(l) && (bpe ? read_merges(l) : read_unigram(l));
}

/* --- all of it ----------------------------------------------------------------------------------------- */

static bool read_all(struct tokenizer_json *l) {
    l->model = json_object_get(l->root, "model");
    l->added = json_object_get(l->root, "added_tokens");
    return tokenizer_json_stages(l) && read_model(l) && tokenizer_json_around(l);
}

bool tokenizer_open_json(struct tokenizer **out, const char *name, struct view json, struct status *st) {
    json_error_t error;
    struct tokenizer_json l = {.name = name, .st = st};
    *out = NULL;
    l.root = json_loadb(json.at, json.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!l.root)
        return status_fail(st, STATUS_BAD_INPUT, "%.120s: byte %d (line %d): it is no JSON: %.160s", name,
                           error.position, error.line, error.text);
    l.t = tokenizer_new(st);
    bool ok = l.t && read_all(&l);
    json_decref(l.root);
    str_free(&l.scratch);
    str_free(&l.left);
    str_free(&l.right);
    if (!ok) {
        tokenizer_close(l.t);
        return false;
    }
    tokenizer_add_known_ends(l.t);
    *out = l.t;
    return true;
}
