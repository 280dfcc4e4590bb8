/* tokenizer_stages: the stages of a tokenizer.json around its model (tokenizers src/normalizers,
 * src/pre_tokenizers, src/processors, src/decoders). */
#include "base/base64.h"
#include "engine/token/token_list.h"
#include "engine/token/tokenizer_json.h"

#include <string.h>

/* Calls `read` for a stage, or for each member of a Sequence, nested as deep as anybody writes them. */
typedef bool stage_reader(struct tokenizer_json *l, void *context, const json_t *stage, const char *type);

static bool each_stage(struct tokenizer_json *l, void *context, const json_t *stage, const char *field,
                       const char *members, stage_reader *read, int depth) {
    enum { MAX_DEPTH = 8 };
    const json_t *member;
    size_t i;
    if (!stage || json_is_null(stage)) return true;
    if (!json_is_object(stage) || depth > MAX_DEPTH)
        return tokenizer_json_refuse(l, STATUS_BAD_INPUT, field, "it is no object, or nested too deep");
    if (strcmp(tokenizer_json_type(stage), "Sequence") != 0)
        return read(l, context, stage, tokenizer_json_type(stage));
    json_array_foreach(json_object_get(stage, members), i, member) {
        if (!each_stage(l, context, member, field, members, read, depth + 1)) return false;
    }
    return true;
}

/* {"String": text} or {"Regex": expression} */
static bool read_pattern(struct view *text, bool *literal, struct tokenizer_json *l, const json_t *stage,
                         const char *field) {
    const json_t *pattern = json_object_get(stage, "pattern");
    const json_t *string = json_object_get(pattern, "String"), *regex = json_object_get(pattern, "Regex");
    *literal = json_is_string(string);
    if (!*literal && !json_is_string(regex))
        return tokenizer_json_refuse(l, STATUS_BAD_INPUT, field,
                                     "its pattern is neither a String nor a Regex");
    return tokenizer_json_keep(text, l, tokenizer_json_text(*literal ? string : regex));
}

/* --- normalisers --------------------------------------------------------------------------------------- */

struct normalisers {
    struct normalise_step steps[NORMALISE_MAX_STEPS];
    size_t n;
};

static bool read_charsmap(struct normalise_step *step, struct tokenizer_json *l, const json_t *stage) {
    struct str bytes = {0};
    struct view map, text = tokenizer_json_text(json_object_get(stage, "precompiled_charsmap"));
    bool ok = base64_decode(&bytes, text) && str_ok(&bytes, l->st);
    if (!ok)
        ok = tokenizer_json_refuse(l, STATUS_BAD_INPUT, "normalizer.precompiled_charsmap", "it is no base64");
    else ok = tokenizer_json_keep(&map, l, (struct view){str_c(&bytes), bytes.n});
    str_free(&bytes);
    if (ok && !charsmap_open(&step->charsmap, map, l->st)) return status_wrap(l->st, "%.120s", l->name);
    return ok;
}

static bool fill_normaliser(struct normalise_step *step, struct tokenizer_json *l, const json_t *stage,
                            const char *type) {
    static const struct {
        const char *type;
        enum normalise_kind kind;
    } known[] = {
        {"NFC", NORMALISE_NFC},
        {"NFD", NORMALISE_NFD},
        {"NFKC", NORMALISE_NFKC},
        {"NFKD", NORMALISE_NFKD},
        {"Strip", NORMALISE_STRIP},
        {"StripAccents", NORMALISE_STRIP_ACCENTS},
        {"Lowercase", NORMALISE_LOWERCASE},
        {"Replace", NORMALISE_REPLACE},
        {"Prepend", NORMALISE_PREPEND},
        {"Precompiled", NORMALISE_CHARSMAP},
    };
    size_t i = 0, n = sizeof known / sizeof *known;
    while (i < n && strcmp(known[i].type, type) != 0) i++;
    if (i == n)
        return tokenizer_json_unknown(
            l, "normalizer.type", type,
            "NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, Replace, Prepend, "
            "Precompiled, Sequence");
    *step = (struct normalise_step){.kind = known[i].kind};
    step->left = json_is_true(json_object_get(stage, "strip_left"));
    step->right = json_is_true(json_object_get(stage, "strip_right"));
    if (step->kind == NORMALISE_CHARSMAP) return read_charsmap(step, l, stage);
    if (step->kind == NORMALISE_PREPEND)
        return tokenizer_json_keep(&step->content, l, tokenizer_json_text(json_object_get(stage, "prepend")));
    if (step->kind != NORMALISE_REPLACE) return true;
    return read_pattern(&step->text, &step->literal, l, stage, "normalizer.pattern") &&
           tokenizer_json_keep(&step->content, l, tokenizer_json_text(json_object_get(stage, "content")));
}

static bool read_normaliser(struct tokenizer_json *l, void *context, const json_t *stage, const char *type) {
    struct normalisers *all = context;
    if (all->n == NORMALISE_MAX_STEPS)
        return tokenizer_json_refuse(l, STATUS_UNSUPPORTED, "normalizer", "more than 16 steps");
    return fill_normaliser(&all->steps[all->n++], l, stage, type);
}

static bool read_normalisers(struct tokenizer_json *l) {
    struct normalisers all = {.n = 0};
    if (!each_stage(l, &all, json_object_get(l->root, "normalizer"), "normalizer", "normalizers",
                    read_normaliser, 0))
        return false;
    if (normalise_open(&l->t->normaliser, all.steps, all.n, l->st)) return true;
    return status_wrap(l->st, "%.120s: field 'normalizer'", l->name);
}

/* --- pre-tokenizers ------------------------------------------------------------------------------------ */

struct pretokenizers {
    struct pretokenize_step steps[PRETOKENIZE_MAX_STEPS];
    size_t n;
};

static bool add_step(struct tokenizer_json *l, struct pretokenizers *all,
                     const struct pretokenize_step *step) {
    if (all->n == PRETOKENIZE_MAX_STEPS)
        return tokenizer_json_refuse(l, STATUS_UNSUPPORTED, "pre_tokenizer", "more than 16 steps");
    all->steps[all->n++] = *step;
    return true;
}

static bool read_behaviour(enum pretokenize_behaviour *out, struct tokenizer_json *l, const json_t *stage) {
    static const char *const names[] = {"Isolated", "Removed", "Contiguous", "MergedWithPrevious",
                                        "MergedWithNext"}; /* in the order of the enum */
    const char *name = json_string_value(json_object_get(stage, "behavior"));
    for (int i = 0; name && i < 5; i++) {
        *out = (enum pretokenize_behaviour)i;
        if (strcmp(name, names[i]) == 0) return true;
    }
    return tokenizer_json_unknown(l, "pre_tokenizer.behavior", name ? name : "",
                                  "Isolated, Removed, Contiguous, MergedWithPrevious, MergedWithNext");
}

static bool add_split(struct tokenizer_json *l, struct pretokenizers *all, const char *expression,
                      enum pretokenize_behaviour behaviour, bool invert) {
    return add_step(l, all,
                    &(struct pretokenize_step){.kind = PRETOKENIZE_SPLIT,
                                               .text = view_of(expression),
                                               .behaviour = behaviour,
                                               .invert = invert});
}

static bool read_split(struct tokenizer_json *l, struct pretokenizers *all, const json_t *stage) {
    struct pretokenize_step step = {.kind = PRETOKENIZE_SPLIT,
                                    .invert = json_is_true(json_object_get(stage, "invert"))};
    return read_pattern(&step.text, &step.literal, l, stage, "pre_tokenizer.pattern") &&
           read_behaviour(&step.behaviour, l, stage) && add_step(l, all, &step);
}

/* Flags that are missing are on: older files do not write them. */
static bool is_on(const json_t *stage, const char *flag) {
    return !json_is_false(json_object_get(stage, flag));
}

static bool read_byte_level(struct tokenizer_json *l, struct pretokenizers *all, const json_t *stage) {
    l->byte_level = true;
    if (is_on(stage, "add_prefix_space") &&
        !add_step(l, all, &(struct pretokenize_step){.kind = PRETOKENIZE_PREFIX}))
        return false;
    if (is_on(stage, "use_regex") && !add_split(l, all, PRETOKENIZE_GPT2, PRETOKENIZE_ISOLATED, false))
        return false;
    return add_step(l, all, &(struct pretokenize_step){.kind = PRETOKENIZE_ALPHABET});
}

/* Older files say add_prefix_space instead of prepend_scheme. */
static bool read_scheme(enum pretokenize_scheme *out, struct tokenizer_json *l, const json_t *stage,
                        const char *field) {
    const char *name = json_string_value(json_object_get(stage, "prepend_scheme"));
    *out = PRETOKENIZE_ALWAYS;
    if (!name && !is_on(stage, "add_prefix_space")) *out = PRETOKENIZE_NEVER;
    if (!name || strcmp(name, "always") == 0) return true;
    *out = strcmp(name, "first") == 0 ? PRETOKENIZE_FIRST : PRETOKENIZE_NEVER;
    return *out == PRETOKENIZE_FIRST || strcmp(name, "never") == 0 ||
           tokenizer_json_unknown(l, field, name, "always, first, never");
}

static bool read_replacement(struct view *out, struct tokenizer_json *l, const json_t *stage,
                             const char *field) {
    struct view text = tokenizer_json_text(json_object_get(stage, "replacement"));
    if (text.n == 0) text = view_of("\xE2\x96\x81");
    if (text.n > 4) return tokenizer_json_refuse(l, STATUS_BAD_INPUT, field, "it is not one character");
    return tokenizer_json_keep(out, l, text);
}

static bool read_metaspace(struct tokenizer_json *l, struct pretokenizers *all, const json_t *stage) {
    struct pretokenize_step step = {.kind = PRETOKENIZE_METASPACE}, split = {.kind = PRETOKENIZE_SPLIT};
    if (!read_scheme(&step.scheme, l, stage, "pre_tokenizer.prepend_scheme") ||
        !read_replacement(&step.text, l, stage, "pre_tokenizer.replacement") || !add_step(l, all, &step))
        return false;
    split.text = step.text;
    split.literal = true;
    split.behaviour = PRETOKENIZE_WITH_NEXT;
    return !is_on(stage, "split") || add_step(l, all, &split);
}

static bool read_delimiter(struct tokenizer_json *l, struct pretokenizers *all, const json_t *stage) {
    struct pretokenize_step step = {
        .kind = PRETOKENIZE_SPLIT, .literal = true, .behaviour = PRETOKENIZE_REMOVED};
    struct view text = tokenizer_json_text(json_object_get(stage, "delimiter"));
    if (text.n == 0)
        return tokenizer_json_refuse(l, STATUS_BAD_INPUT, "pre_tokenizer.delimiter", "it is empty");
    return tokenizer_json_keep(&step.text, l, text) && add_step(l, all, &step);
}

static const char punctuation[] = "[!-/:-@\\[-`{-~\\p{P}]"; /* ASCII symbols count as well */

static bool read_pretokenizer(struct tokenizer_json *l, void *context, const json_t *stage,
                              const char *type) {
    struct pretokenizers *all = context;
    enum pretokenize_behaviour behaviour;
    if (strcmp(type, "Split") == 0) return read_split(l, all, stage);
    if (strcmp(type, "ByteLevel") == 0) return read_byte_level(l, all, stage);
    if (strcmp(type, "Metaspace") == 0) return read_metaspace(l, all, stage);
    if (strcmp(type, "CharDelimiterSplit") == 0) return read_delimiter(l, all, stage);
    if (strcmp(type, "Digits") == 0)
        return add_split(l, all, "\\p{N}",
                         json_is_true(json_object_get(stage, "individual_digits")) ? PRETOKENIZE_ISOLATED
                                                                                   : PRETOKENIZE_CONTIGUOUS,
                         false);
    if (strcmp(type, "Punctuation") == 0) {
        behaviour = PRETOKENIZE_ISOLATED;
        if (json_object_get(stage, "behavior") && !read_behaviour(&behaviour, l, stage)) return false;
        return add_split(l, all, punctuation, behaviour, false);
    }
    if (strcmp(type, "Whitespace") == 0)
        return add_split(l, all, "\\w+|[^\\w\\s]+", PRETOKENIZE_REMOVED, true);
    if (strcmp(type, "WhitespaceSplit") == 0) return add_split(l, all, "\\s", PRETOKENIZE_REMOVED, false);
    if (strcmp(type, "BertPreTokenizer") == 0)
        return add_split(l, all, "\\s", PRETOKENIZE_REMOVED, false) &&
               add_split(l, all, punctuation, PRETOKENIZE_ISOLATED, false);
    return tokenizer_json_unknown(
        l, "pre_tokenizer.type", type,
        "Split, ByteLevel, Metaspace, Digits, Punctuation, Whitespace, WhitespaceSplit, "
        "CharDelimiterSplit, BertPreTokenizer, Sequence");
}

static bool read_pretokenizers(struct tokenizer_json *l) {
    struct pretokenizers all = {.n = 0};
    if (!each_stage(l, &all, json_object_get(l->root, "pre_tokenizer"), "pre_tokenizer", "pretokenizers",
                    read_pretokenizer, 0))
        return false;
    if (all.n == 0 || pretokenize_open(&l->t->pre, "tokenizer.json", all.steps, all.n, l->st)) return true;
    return status_wrap(l->st, "%.120s: field 'pre_tokenizer'", l->name);
}

/* --- decoders ------------------------------------------------------------------------------------------ */

/* Only what undoes the stages in front is read: a mark that becomes a space, bytes, and a leading space that
 * goes. The rest would change what a token stands for. */
static bool read_decoder(struct tokenizer_json *l, void *context, const json_t *stage, const char *type) {
    (void)context;
    struct view content = tokenizer_json_text(json_object_get(stage, "content"));
    if (strcmp(type, "ByteLevel") == 0 || strcmp(type, "ByteFallback") == 0 || strcmp(type, "Fuse") == 0)
        return true;
    if (strcmp(type, "Replace") == 0) {
        bool literal;
        if (!read_pattern(&l->space, &literal, l, stage, "decoder.pattern")) return false;
        return (literal && view_is(content, " ")) ||
               tokenizer_json_refuse(l, STATUS_UNSUPPORTED, "decoder.content",
                                     "a Replace that puts anything but a space for a text does not run here");
    }
    if (strcmp(type, "Strip") == 0) {
        l->t->drops_space = json_integer_value(json_object_get(stage, "start")) == 1;
        return (view_is(content, " ") && json_integer_value(json_object_get(stage, "stop")) == 0) ||
               tokenizer_json_refuse(l, STATUS_UNSUPPORTED, "decoder.stop",
                                     "a Strip of anything but a leading space does not run here");
    }
    if (strcmp(type, "Metaspace") == 0) {
        enum pretokenize_scheme scheme;
        if (!read_scheme(&scheme, l, stage, "decoder.prepend_scheme")) return false;
        l->t->drops_space = scheme != PRETOKENIZE_NEVER;
        return read_replacement(&l->space, l, stage, "decoder.replacement");
    }
    return tokenizer_json_unknown(l, "decoder.type", type,
                                  "ByteLevel, ByteFallback, Fuse, Replace, Strip, Metaspace, Sequence");
}

bool tokenizer_json_stages(struct tokenizer_json *l) {
    return read_normalisers(l) && read_pretokenizers(l) &&
           each_stage(l, NULL, json_object_get(l->root, "decoder"), "decoder", "decoders", read_decoder, 0);
}

/* --- around a text ------------------------------------------------------------------------------------- */

struct around {
    struct token_list front, back;
};

static bool add_id(struct token_list *list, struct tokenizer_json *l, const json_t *id) {
    json_int_t value = json_is_integer(id) ? json_integer_value(id) : -1;
    if (value < 0 || (size_t)value >= l->t->vocab.n)
        return tokenizer_json_refuse(l, STATUS_BAD_INPUT, "post_processor", "it puts an id that is no token");
    return token_list_add(list, (int32_t)value, l->st);
}

/* The ids of {"SpecialToken": {"id": name}} stand under special_tokens.name.ids. */
static bool read_template(struct tokenizer_json *l, struct around *around, const json_t *stage) {
    const json_t *part, *id;
    size_t i, k;
    bool behind = false;
    json_array_foreach(json_object_get(stage, "single"), i, part) {
        const json_t *special = json_object_get(part, "SpecialToken");
        behind = behind || json_object_get(part, "Sequence");
        if (!special) continue;
        const char *name = json_string_value(json_object_get(special, "id"));
        const json_t *ids = json_object_get(
            json_object_get(json_object_get(stage, "special_tokens"), name ? name : ""), "ids");
        if (!json_is_array(ids))
            return tokenizer_json_refuse(l, STATUS_BAD_INPUT, "post_processor.special_tokens",
                                         "a token of `single` is not among them");
        json_array_foreach(ids, k, id) {
            if (!add_id(behind ? &around->back : &around->front, l, id)) return false;
        }
    }
    return true;
}

static bool read_processor(struct tokenizer_json *l, void *context, const json_t *stage, const char *type) {
    struct around *around = context;
    if (strcmp(type, "ByteLevel") == 0) return true;
    if (strcmp(type, "TemplateProcessing") == 0) return read_template(l, around, stage);
    if (strcmp(type, "BertProcessing") == 0 || strcmp(type, "RobertaProcessing") == 0)
        return add_id(&around->front, l, json_array_get(json_object_get(stage, "cls"), 1)) &&
               add_id(&around->back, l, json_array_get(json_object_get(stage, "sep"), 1));
    return tokenizer_json_unknown(
        l, "post_processor.type", type,
        "TemplateProcessing, ByteLevel, BertProcessing, RobertaProcessing, Sequence");
}

static bool keep_ids(int32_t **out, size_t *n, struct tokenizer_json *l, const struct token_list *list) {
    *n = list->n;
    *out = arena_alloc(&l->t->arena, list->n, sizeof **out, l->st);
    if (*out && list->n) memcpy(*out, list->ids, list->n * sizeof **out);
    return *out != NULL;
}

/* A file alone does not name its begin and end tokens: those that it puts around a text are they. */
bool tokenizer_json_around(struct tokenizer_json *l) {
    struct around around = {{0}, {0}};
    struct tokenizer *t = l->t;
    bool ok = each_stage(l, &around, json_object_get(l->root, "post_processor"), "post_processor",
                         "processors", read_processor, 0) &&
              keep_ids(&t->front, &t->n_front, l, &around.front) &&
              keep_ids(&t->back, &t->n_back, l, &around.back);
    if (ok && t->n_front) t->bos = t->front[0];
    if (ok && t->n_back) t->eos = t->back[t->n_back - 1];
    token_list_free(&around.front);
    token_list_free(&around.back);
    return ok;
}
