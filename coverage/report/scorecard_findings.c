/* The report as findings, for the formats that a CI reads (base/findings). */
#include "coverage/report/scorecard.h"

#include <string.h>

static const char *sentence(struct arena *arena, struct status *st, const char *format, ...)
    STATUS_PRINTF(3, 4);
static const char *sentence(struct arena *arena, struct status *st, const char *format, ...) {
    struct str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    const char *copy = str_ok(&text, st) ? arena_copy(arena, str_c(&text), text.n, st) : NULL;
    str_free(&text);
    return copy;
}

static bool is_added(const struct report *r, const struct debt_gap *gap) {
    for (size_t i = 0; r->delta && i < r->delta->n_added; i++)
        if (r->delta->added[i] == gap) return true;
    return false;
}

static bool make_rules(struct diagnostic_report *out, struct arena *arena, struct status *st) {
    struct diagnostic_rule *rules = arena_alloc(arena, DEBT_CLASSES, sizeof *rules, st);
    if (!rules) return false;
    for (int i = 0; i < DEBT_CLASSES; i++) {
        enum debt_class kind = (enum debt_class)i;
        rules[i] = (struct diagnostic_rule){
            .id = debt_class_name(kind),
            .summary = debt_class_title(kind),
            .help = sentence(arena, st, "%s %s", debt_class_meaning(kind), debt_class_mend(kind)),
            .url = "",
            .level = kind < DEBT_SELECTED ? DIAGNOSTIC_WARNING : DIAGNOSTIC_NOTE,
        };
        if (!rules[i].help) return false;
    }
    out->rules = rules;
    out->n_rules = DEBT_CLASSES;
    return true;
}

/* A gap that a change added is a warning; one that was there before, or is only not done yet, a note. */
static bool make_findings(struct diagnostic_report *out, const struct report *r, struct arena *arena,
                          struct status *st) {
    struct diagnostic *all = arena_alloc(arena, r->debt->n, sizeof *all, st);
    if (!all) return false;
    for (size_t i = 0; i < r->debt->n; i++) {
        const struct debt_gap *gap = &r->debt->gaps[i];
        const struct diagnostic_rule *rule = &out->rules[gap->kind];
        struct origin origin = origin_of(&r->origins, gap);
        bool on_disk = origin.path[0] == '/'; /* a matrix outside the repository has no place in it */
        enum diagnostic_level level = !r->delta          ? rule->level
                                      : is_added(r, gap) ? DIAGNOSTIC_WARNING
                                                         : DIAGNOSTIC_NOTE;
        all[i] = (struct diagnostic){.rule = rule,
                                     .level = level,
                                     .message = gap->what,
                                     .mend = gap->mend,
                                     .url = "",
                                     .path = on_disk ? "" : origin.path,
                                     .line = on_disk ? 0 : origin.line,
                                     .fingerprint = gap->fingerprint};
    }
    out->at = all;
    out->n = r->debt->n;
    return true;
}

static bool make_notes(struct diagnostic_report *out, const struct report *r, struct arena *arena,
                       struct status *st) {
    const char **notes = arena_alloc(arena, r->survey->n_refused + 2, sizeof *notes, st);
    bool ok = notes != NULL;
    if (ok && r->tree->n_absent) {
        notes[out->n_notes] =
            sentence(arena, st, "%zu tracked files are not in this working tree and were not read.",
                     r->tree->n_absent);
        ok = notes[out->n_notes++] != NULL;
    }
    for (size_t i = 0; ok && i < r->survey->n_refused; i++) {
        const struct scan_file *file = &r->survey->refused[i];
        notes[out->n_notes] = sentence(arena, st, "%s was not analysed: %s.", file->path, file->not_analysed);
        ok = notes[out->n_notes++] != NULL;
    }
    out->notes = notes;
    return ok;
}

/* Files whose kernels are all under no gap: what a clean run looked at. */
static bool make_passed(struct diagnostic_report *out, const struct report *r, struct arena *arena,
                        struct status *st) {
    const char **passed = arena_alloc(arena, r->survey->n_files, sizeof *passed, st);
    if (!passed) return false;
    for (size_t i = 0; i < r->survey->n_files; i++) {
        const struct survey_file *file = &r->survey->files[i];
        bool clean = true;
        for (size_t k = 0; clean && k < file->scan.n_kernels; k++)
            clean = file->scan.kernels[k].kind == SCAN_HELPER ||
                    debt_kernel_is_clean(r->debt, file, &file->scan.kernels[k], r->matrix);
        if (clean && !file->scan.not_analysed) passed[out->n_passed++] = file->scan.path;
    }
    out->passed = passed;
    return true;
}

bool scorecard_diagnostics(struct diagnostic_report *out, const struct report *r, struct arena *arena,
                           struct status *st) {
    *out = (struct diagnostic_report){.tool = "sota-coverage",
                                      .version = r->version,
                                      .url = "",
                                      .category = "sota-coverage",
                                      .title = "Prior-art debt"};
    struct str result = {0};
    str_printf(&result, "sota_debt=%zu", r->debt->n);
    if (r->delta)
        str_printf(&result, " (%zu added, %zu removed since %s)", r->delta->n_added, r->delta->n_removed,
                   r->delta->since);
    str_printf(&result, ", %zu of %zu kernels without a gap", r->debt->n_clean, r->debt->n_kernels);
    out->result = sentence(arena, st, "%s", str_c(&result));
    str_free(&result);
    return out->result && make_rules(out, arena, st) && make_findings(out, r, arena, st) &&
           make_notes(out, r, arena, st) && make_passed(out, r, arena, st);
}
