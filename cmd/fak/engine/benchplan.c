/* The options of fak bench. */
#include "cmd/fak/engine/bench.h"
#include "engine/backend/pool.h"
#include "engine/file/randomdir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bench_numbers(struct bench_list *list, const char *option, const char *text, size_t low,
                   struct status *st) {
    enum { HIGH = 1 << 24 };
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        unsigned long value = strtoul(at, &end, 10);
        bool digit = *at >= '0' && *at <= '9';
        if (!digit || errno || value < low || value > HIGH || (*end && *end != ','))
            return status_fail(st, STATUS_USAGE,
                               "%s: '%.40s' is no list of whole numbers from %zu to %d, like 1,2,4", option,
                               text, low, HIGH);
        if (list->n == BENCH_MOST)
            return status_fail(st, STATUS_USAGE, "%s: more than %d values", option, BENCH_MOST);
        list->at[list->n++] = value;
        at = end;
        if (!*at) return true;
    }
}

/* All values of an option that may be given more than once, or `otherwise`. */
static bool read_list(struct bench_list *list, const struct cli_args *args, const char *option, size_t low,
                      const char *otherwise, struct status *st) {
    const char *text;
    list->n = 0;
    for (int at = 0; (text = cli_next(args, option, &at));)
        if (!bench_numbers(list, option, text, low, st)) return false;
    return list->n || !otherwise || bench_numbers(list, option, otherwise, low, st);
}

/* --- tests ---------------------------------------------------------------------------------------------- */

static bool add_test(struct bench_plan *plan, size_t n_prompt, size_t n_gen, size_t depth, bool again,
                     struct status *st) {
    if (n_prompt + n_gen == 0) return true; /* -p 0 leaves prompts out */
    if (plan->n_tests == BENCH_MOST) return status_fail(st, STATUS_USAGE, "more than %d tests", BENCH_MOST);
    plan->tests[plan->n_tests++] = (struct bench_test){n_prompt, n_gen, depth, again};
    return true;
}

static bool add_pairs(struct bench_plan *plan, const struct cli_args *args, size_t depth, struct status *st) {
    const char *text;
    for (int at = 0; (text = cli_next(args, "--pg", &at));) {
        struct bench_list pair = {0};
        if (!bench_numbers(&pair, "--pg", text, 0, st)) return false;
        if (pair.n != 2)
            return status_fail(st, STATUS_USAGE, "--pg: '%.40s' is not two numbers, like 512,128", text);
        if (!add_test(plan, pair.at[0], pair.at[1], depth, false, st)) return false;
    }
    return true;
}

/* At each depth: the prompts, the replies, the pairs. */
static bool read_tests(struct bench_plan *plan, const struct cli_args *args, struct status *st) {
    struct bench_list prompts, replies, depths;
    bool again = cli_given(args, "--again");
    if (!read_list(&prompts, args, "--n-prompt", 0, "512", st) ||
        !read_list(&replies, args, "--n-gen", 0, "128", st) ||
        !read_list(&depths, args, "--depth", 0, "0", st))
        return false;
    for (size_t d = 0; d < depths.n; d++) {
        for (size_t i = 0; i < prompts.n; i++)
            if (!add_test(plan, prompts.at[i], 0, depths.at[d], false, st)) return false;
        for (size_t i = 0; again && i < prompts.n; i++)
            if (!add_test(plan, prompts.at[i], 0, depths.at[d], true, st)) return false;
        for (size_t i = 0; i < replies.n; i++)
            if (!add_test(plan, 0, replies.at[i], depths.at[d], false, st)) return false;
        if (!add_pairs(plan, args, depths.at[d], st)) return false;
    }
    return true;
}

void bench_test_name(char out[64], const struct bench_test *t) {
    int n = 0;
    if (t->n_prompt) n += snprintf(out, 64, "pp%zu", t->n_prompt);
    if (t->n_gen) n += snprintf(out + n, (size_t)(64 - n), "%stg%zu", n ? "+" : "", t->n_gen);
    if (t->again) n += snprintf(out + n, (size_t)(64 - n), " again");
    if (t->depth) snprintf(out + n, (size_t)(64 - n), " @ d%zu", t->depth);
}

/* --- models --------------------------------------------------------------------------------------------- */

static struct bench_model *add_model(struct bench_plan *plan, struct status *st) {
    if (plan->n_models < BENCH_MOST) return &plan->models[plan->n_models++];
    status_fail(st, STATUS_USAGE, "more than %d models", BENCH_MOST);
    return NULL;
}

/* The file's name without folder and ".gguf", the end of it where it is long. */
static void name_after(char out[64], const char *path) {
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    if (n > 5 && memcmp(path + n - 5, ".gguf", 5) == 0) n -= 5;
    size_t start = n;
    while (start > 0 && path[start - 1] != '/' && n - start < 63) start--;
    snprintf(out, 64, "%.*s", (int)(n - start), path + start);
}

static bool add_path(struct bench_plan *plan, const char *path, struct status *st) {
    struct bench_model *m = add_model(plan, st);
    if (!m) return false;
    m->path = path;
    name_after(m->name, path);
    return true;
}

static bool add_random(struct bench_plan *plan, const char *shape, const char *type, struct status *st) {
    struct bench_model *m = add_model(plan, st);
    if (!m) return false;
    m->shape = shape, m->type = type;
    snprintf(m->name, sizeof m->name, "%s-%s", shape, type);
    return true;
}

/* Words of a list, one by one: *at moves behind it. False: no more. */
static bool next_word(char out[32], const char **at, const char *end) {
    if (*at >= end) return false;
    size_t n = 0;
    while (*at + n < end && (*at)[n] != ',') n++;
    snprintf(out, 32, "%.*s", (int)(n < 31 ? n : 31), *at);
    *at += n + 1;
    return true;
}

static bool unknown(const char *what, const char *word, const char *(*known)(size_t), struct status *st) {
    struct str list = {0};
    for (size_t i = 0; known(i); i++) str_printf(&list, "%s%s", i ? ", " : "", known(i));
    status_fail(st, STATUS_USAGE, "--synth: '%s' is none of the %s: %s", word, what, str_c(&list));
    str_free(&list);
    return false;
}

static const char *shape_name_at(size_t i) {
    const struct randommodel_shape *shape = randommodel_shape_at(i);
    return shape ? shape->name : NULL;
}

/* Those of a GGUF file, then those of a directory. */
static const char *type_at(size_t i) {
    size_t n = 0;
    while (n <= i && randommodel_type_at(n)) n++;
    return i < n ? randommodel_type_at(i) : randomdir_type_at(i - n);
}

static bool add_types(struct bench_plan *plan, const char *shape, const char *types, struct status *st) {
    char word[32];
    if (!types) {
        for (size_t i = 0; type_at(i); i++)
            if (!add_random(plan, shape, type_at(i), st)) return false;
        return true;
    }
    for (const char *at = types; next_word(word, &at, types + strlen(types));) {
        const char *type = randommodel_type(word) ? randommodel_type(word) : randomdir_type(word);
        if (!type) return unknown("types", word, type_at, st);
        if (!add_random(plan, shape, type, st)) return false;
    }
    return true;
}

/* "1b,110m:q4_k_m,q8_0": each shape in each type, without types in all. */
static bool add_synth(struct bench_plan *plan, const char *text, struct status *st) {
    const char *colon = strchr(text, ':'), *end = colon ? colon : text + strlen(text);
    char word[32];
    if (end == text || (colon && !colon[1]))
        return status_fail(st, STATUS_USAGE,
                           "--synth: '%.40s' is no list of shapes and types, like 1b:q4_k_m,q8_0", text);
    for (const char *at = text; next_word(word, &at, end);) {
        const struct randommodel_shape *shape = randommodel_shape(word);
        if (!shape) return unknown("shapes", word, shape_name_at, st);
        if (!add_types(plan, shape->name, colon ? colon + 1 : NULL, st)) return false;
    }
    return true;
}

static bool read_models(struct bench_plan *plan, const struct cli_args *args, struct status *st) {
    const char *text;
    for (int i = 0; i < args->n_positional; i++)
        if (!add_path(plan, args->positional[i], st)) return false;
    for (int at = 0; (text = cli_next(args, "--model", &at));)
        if (!add_path(plan, text, st)) return false;
    for (int at = 0; (text = cli_next(args, "--synth", &at));)
        if (!add_synth(plan, text, st)) return false;
    return true;
}

/* --- the rest ------------------------------------------------------------------------------------------- */

/* The values of an option that takes one of a few words, each time it is given. */
struct words {
    const char *at[BENCH_MOST];
    size_t n;
};

static bool read_words(struct words *words, const struct cli_args *args, const char *option,
                       const char *otherwise, struct status *st) {
    const char *text;
    words->n = 0;
    for (int at = 0; (text = cli_next(args, option, &at));) {
        if (words->n == BENCH_MOST)
            return status_fail(st, STATUS_USAGE, "%s: more than %d values", option, BENCH_MOST);
        words->at[words->n++] = text;
    }
    if (!words->n) words->at[words->n++] = otherwise;
    return true;
}

static bool add_setting(struct bench_plan *plan, const struct bench_setting *setting, struct status *st) {
    if (plan->n_settings == BENCH_MOST)
        return status_fail(st, STATUS_USAGE, "more than %d settings to measure with", BENCH_MOST);
    plan->settings[plan->n_settings++] = *setting;
    return true;
}

/* *at counts through all combinations, as digits of a number do. */
static size_t take(size_t *at, const size_t *values, size_t n) {
    size_t value = values[*at % n];
    *at /= n;
    return value;
}

static const char *take_word(size_t *at, const struct words *words) {
    const char *word = words->at[*at % words->n];
    *at /= words->n;
    return word;
}

/* Each with each. */
static bool read_settings(struct bench_plan *plan, const struct cli_args *args, struct status *st) {
    struct words isas, kvs, bits;
    struct bench_list chunks;
    if (!read_words(&isas, args, "--isa", "auto", st) || !read_words(&kvs, args, "--kv", "f32", st) ||
        !read_words(&bits, args, "--activations", "16", st) ||
        !read_list(&plan->threads, args, "--threads", 1, NULL, st) ||
        !read_list(&chunks, args, "--batch-size", 1, "512", st))
        return false;
    if (!plan->threads.n) plan->threads.at[plan->threads.n++] = pool_cpus();
    size_t n = isas.n * bits.n * kvs.n * chunks.n * plan->threads.n;
    for (size_t i = 0; i < n; i++) {
        struct bench_setting setting;
        size_t at = i; /* the threads change first */
        setting.threads = take(&at, plan->threads.at, plan->threads.n);
        setting.chunk = take(&at, chunks.at, chunks.n);
        setting.kv = take_word(&at, &kvs);
        setting.activations = atoi(take_word(&at, &bits));
        setting.isa = take_word(&at, &isas);
        if (!add_setting(plan, &setting, st)) return false;
    }
    return true;
}

bool bench_plan(struct bench_plan *plan, const struct cli_args *args, struct status *st) {
    long repeats;
    *plan = (struct bench_plan){.keep = cli_value(args, "--synth-dir"),
                                .warms = !cli_given(args, "--no-warmup"),
                                .measures_roof = !cli_given(args, "--no-roof")};
    if (!cli_number(&repeats, args, "--repetitions", 1, 1000, 5, st) || !read_settings(plan, args, st) ||
        !read_tests(plan, args, st) || !read_models(plan, args, st))
        return false;
    plan->repeats = (size_t)repeats;
    if (plan->keep && !cli_given(args, "--synth"))
        return status_fail(st, STATUS_USAGE, "--synth-dir keeps what --synth makes; give that too");
    return true;
}
