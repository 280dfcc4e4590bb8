#include "coverage/debt/debt.h"

#include "base/hash.h"
#include "sotadb/glob.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *title, *meaning, *mend;
} classes[DEBT_CLASSES] = {
    [DEBT_UNCOVERED] =
        {"uncovered", "kernel files that no row covers",
         "Nobody wrote down what was read before this kernel was written, nor what proves it right.",
         "Add each file to op_path, with the operation that it performs."},
    [DEBT_SEVERAL] =
        {"several-ops", "kernels that several operations could own",
         "Their file is covered by rows of more than one operation, and no name pattern says which of "
         "them answers for these kernels.",
         "Add their names to op_symbol, each with the operation that it performs."},
    [DEBT_NO_FILE] = {"no-file", "rows whose file is not there",
                      "The row points at nothing, so nothing there is governed any more.",
                      "Correct the paths in op_path, or write planned = 1 while a file is not written."},
    [DEBT_EMPTY_GLOB] = {"empty-glob", "globs that match no file",
                         "A pattern that matches nothing hides that its files moved or were never written.",
                         "Correct the globs in op_path, or write planned = 1 while no file is written."},
    [DEBT_NO_PRIMARY] = {"no-primary", "operations without a primary link",
                         "There is nothing to read before the next person starts.",
                         "Add rows to reference with kind 'primary' and the link to read."},
    [DEBT_NO_ORACLE] = {"no-oracle", "operations without an oracle",
                        "A kernel that nothing can prove wrong is not done.",
                        "Say in op.oracle what proves a version right."},
    [DEBT_NO_WITNESS] = {"no-witness", "shipped operations without a witness",
                         "`shipped` says that something runs and would fail; here nothing does.",
                         "Add witness rows whose tests run, or say 'selected'."},
    [DEBT_NO_FLOOR] =
        {"no-floor", "device witnesses without a floor",
         "A device lane is close, not equal: without a number nothing says how close is enough.",
         "Add rows to floor, and name them in the witness rows."},
    [DEBT_NO_TEST] = {"no-test", "witnesses whose test is not there",
                      "The row claims a proof that no test run repeats.",
                      "Write the tests, or name those that do run."},
    [DEBT_NO_ACCEPTANCE] =
        {"no-acceptance", "device witnesses without an acceptance script",
         "On a machine without the device the test is skipped, and a skip is not a pass.",
         "Add scripts under tools/acceptance that fail on a skip, and name them in the witness rows."},
    [DEBT_RUNG] =
        {"rung", "rungs claimed above their witness",
         "A ladder says where we stand, and only a shipped operation whose witness is there can say that.",
         "Name the operation whose witness backs each, or write fak_rung = -1."},
    [DEBT_SUPPRESSION] = {"suppression", "suppressions that hold nothing back",
                          "What is accepted has to be there, and somebody has to have said why.",
                          "Delete those whose gaps are gone; give the others a reason and a class."},
    [DEBT_SELECTED] = {"selected", "operations selected, not shipped",
                       "The next step is chosen and not done.",
                       "Do what is selected (`fak sota OPERATION` shows it), then say 'shipped'."},
    [DEBT_PLANNED] = {"planned", "rows that are only planned",
                      "The code is not written yet. One gap each, nothing else.",
                      "Write the kernel and its witness, then say 'shipped'."},
};

const char *debt_class_name(enum debt_class kind) { return classes[kind].name; }
const char *debt_class_title(enum debt_class kind) { return classes[kind].title; }
const char *debt_class_meaning(enum debt_class kind) { return classes[kind].meaning; }

const char *debt_class_mend(enum debt_class kind) { return classes[kind].mend; }

bool debt_class_of(enum debt_class *kind, struct view name) {
    for (int i = 0; i < DEBT_CLASSES; i++) {
        if (!view_is(name, classes[i].name)) continue;
        *kind = (enum debt_class)i;
        return true;
    }
    return false;
}

/* --- gaps being collected ------------------------------------------------------------------------ */

struct fold {
    const struct matrix *m;
    const struct tree *tree;
    const struct survey *survey;
    struct arena *arena;
    struct status *st;
    struct debt_gap *gaps;
    size_t n, room;
    bool *row_used, *comment_used; /* suppressions that held something back */
};

static void take_fingerprint(struct debt_gap *gap) {
    struct str text = {0};
    char hex[HASH_HEX];
    const char *parts[] = {classes[gap->kind].name, gap->op, gap->path, gap->detail};
    for (size_t i = 0; i < 4; i++) str_add(&text, parts[i], strlen(parts[i]) + 1);
    hash_sha256(hex, str_c(&text), text.n);
    memcpy(gap->fingerprint, hex, DEBT_FINGERPRINT - 1);
    gap->fingerprint[DEBT_FINGERPRINT - 1] = 0;
    str_free(&text);
}

static const char *sentence(struct fold *f, const char *format, ...) STATUS_PRINTF(2, 3);
static const char *sentence(struct fold *f, const char *format, ...) {
    struct str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    const char *copy = str_ok(&text, f->st) ? arena_copy(f->arena, str_c(&text), text.n, f->st) : NULL;
    str_free(&text);
    return copy;
}

/* what and mend: sentences; NULL when there was no memory for them */
static bool add(struct fold *f, struct debt_gap gap, const char *what, const char *mend) {
    if (!what || !mend) return false;
    if (f->n == f->room) {
        size_t room = f->room ? f->room * 2 : 64;
        struct debt_gap *gaps = realloc(f->gaps, room * sizeof *gaps);
        if (!gaps) return status_fail(f->st, STATUS_NO_MEMORY, "out of memory for %zu gaps", room);
        f->gaps = gaps;
        f->room = room;
    }
    gap.what = what;
    gap.mend = mend;
    if (!gap.op) gap.op = "";
    if (!gap.path) gap.path = "";
    if (!gap.detail) gap.detail = "";
    take_fingerprint(&gap);
    f->gaps[f->n++] = gap;
    return true;
}

/* --- files --------------------------------------------------------------------------------------- */

static const struct scan_kernel *first_kernel(const struct scan_file *scan) {
    for (size_t i = 0; i < scan->n_kernels; i++)
        if (scan->kernels[i].kind != SCAN_HELPER) return &scan->kernels[i];
    return NULL;
}

static size_t count_kernels(const struct scan_file *scan) {
    size_t n = 0;
    for (size_t i = 0; i < scan->n_kernels; i++) n += scan->kernels[i].kind != SCAN_HELPER;
    return n;
}

/* The operation whose symbol patterns know a kernel of the file: the row to offer, or NULL. */
static const struct op *likely_op(const struct fold *f, const struct scan_file *scan) {
    for (size_t i = 0; i < scan->n_kernels; i++) {
        struct match match;
        if (scan->kernels[i].kind != SCAN_HELPER &&
            matrix_match_symbol(f->m, scan->kernels[i].name, &match, 1))
            return match.op;
    }
    return NULL;
}

/* The file is several operations', and no name pattern of theirs knows the kernel. */
static bool judge_owner(struct fold *f, const struct survey_file *file, const struct scan_kernel *kernel) {
    if (kernel->kind == SCAN_HELPER || survey_op(file, kernel)) return true;
    struct debt_gap gap = {
        .kind = DEBT_SEVERAL, .path = file->scan.path, .detail = kernel->name, .line = kernel->line};
    return add(f, gap,
               sentence(f, "%s of %s could be of %zu operations (%s, %s%s), and no name pattern says which.",
                        kernel->name, file->scan.path, file->n_ops, file->ops[0]->slug, file->ops[1]->slug,
                        file->n_ops > 2 ? ", ..." : ""),
               sentence(f, "Add ('%s', '%s') to op_symbol, or the operation it does perform.",
                        file->ops[0]->slug, kernel->name));
}

static bool judge_file(struct fold *f, const struct survey_file *file) {
    for (size_t i = 0; file->n_ops > 1 && i < file->scan.n_kernels; i++)
        if (!judge_owner(f, file, &file->scan.kernels[i])) return false;
    if (file->n_ops) return true;
    const struct scan_file *scan = &file->scan;
    const struct scan_kernel *first = first_kernel(scan);
    const struct op *op = likely_op(f, scan);
    size_t n = count_kernels(scan);
    const char *what = first
                           ? sentence(f, "%s holds %zu kernel%s (%s%s), and no row covers it.", scan->path, n,
                                      n == 1 ? "" : "s", first->name, n > 1 ? ", ..." : "")
                           : sentence(f, "%s is a %s file that was not analysed (%s), and no row covers it.",
                                      scan->path, scan_language_name(scan->language), scan->not_analysed);
    return add(
        f, (struct debt_gap){.kind = DEBT_UNCOVERED, .path = scan->path, .line = first ? first->line : 1},
        what,
        sentence(f, "Add ('%s', '%s', 'kernel') to op_path%s.", op ? op->slug : "OPERATION", scan->path,
                 op ? ": its kernel's name fits" : ", with the operation that it performs"));
}

/* --- rows ---------------------------------------------------------------------------------------- */

static bool is_glob(const char *path) { return glob_literal_prefix(path) < strlen(path); }

static bool judge_path(struct fold *f, const struct op *op, const struct op_path *row) {
    bool there = tree_matches(f->tree, row->glob);
    struct debt_gap gap = {.op = op->slug, .path = row->glob};
    if (row->planned) {
        if (op->status != OP_SHIPPED) return true; /* part of the operation's own gap */
        gap.kind = DEBT_PLANNED;
        return add(
            f, gap, sentence(f, "%s is shipped, and its %s is only planned.", op->slug, row->glob),
            there ? sentence(f, "It is there now: write planned = 0 in its op_path row.")
                  : sentence(f, "Write it with its witness, then write planned = 0; or delete the row."));
    }
    if (there) return true;
    bool glob = is_glob(row->glob);
    gap.kind = glob ? DEBT_EMPTY_GLOB : DEBT_NO_FILE;
    return add(
        f, gap,
        sentence(f, "%s %s %s.", op->slug,
                 glob ? "has a glob that matches no file:" : "names a file that is not there:", row->glob),
        sentence(f, "Correct the path in op_path, or write planned = 1 while the file is not written."));
}

/* Equality needs no number. */
static bool is_exact(const char *metric) {
    return strstr(metric, "= 0") || strstr(metric, "=0") || strstr(metric, "exact");
}

static bool judge_floor(struct fold *f, const struct op *op, const struct witness *w) {
    if (w->floor_name[0] || strcmp(w->device, "cpu") == 0 || is_exact(w->metric)) return true;
    struct debt_gap gap = {.kind = DEBT_NO_FLOOR, .op = op->slug, .detail = w->device};
    return add(
        f, gap, sentence(f, "%s is shipped on %s, and its witness names no floor.", op->slug, w->device),
        sentence(f, "Add a row to floor with the least %s that is right, and name it in the witness row.",
                 w->metric));
}

static bool judge_witness(struct fold *f, const struct op *op, const struct witness *w) {
    struct debt_gap gap = {.kind = DEBT_NO_TEST, .op = op->slug, .path = w->test, .detail = w->device};
    bool test = w->test[0] && tree_has(f->tree, w->test);
    if (w->planned) {
        gap.kind = DEBT_PLANNED;
        gap.path = "";
        return add(
            f, gap, sentence(f, "%s is shipped, and its %s lane is only planned.", op->slug, w->device),
            sentence(f, "Write the lane with its test and name that in the witness row; or delete the row."));
    }
    if (!test &&
        !add(f, gap,
             w->test[0]
                 ? sentence(f, "%s is shipped, and the test of its %s witness is not there: %s.", op->slug,
                            w->device, w->test)
                 : sentence(f, "%s is shipped, and its %s witness names no test.", op->slug, w->device),
             w->test[0] ? sentence(f, "Write %s, or name the test that does run.", w->test)
                        : sentence(f, "Write the test and name it in the witness row.")))
        return false;
    if (!judge_floor(f, op, w)) return false;
    if (strcmp(w->device, "cpu") == 0 || (w->acceptance[0] && tree_has(f->tree, w->acceptance))) return true;
    gap.kind = DEBT_NO_ACCEPTANCE;
    gap.path = "";
    return add(
        f, gap,
        sentence(f, "%s is shipped on %s, and no acceptance script %s.", op->slug, w->device,
                 w->acceptance[0] ? "is where its witness says" : "runs its witness there"),
        sentence(
            f, "Add a script under tools/acceptance that fails on a skip, and name it in the witness row."));
}

static bool judge_op(struct fold *f, const struct op *op) {
    struct debt_gap gap = {.op = op->slug, .kind = DEBT_PLANNED};
    if (op->status == OP_PLANNED)
        return add(f, gap, sentence(f, "%s is planned: its code is not there yet.", op->slug),
                   sentence(f, "Write the kernel and its witness, then say 'shipped'."));
    for (unsigned i = 0; i < op->paths.n; i++)
        if (!judge_path(f, op, &f->m->paths[op->paths.first + i])) return false;
    gap.kind = DEBT_NO_PRIMARY;
    if (!matrix_primary(f->m, op) &&
        !add(f, gap, sentence(f, "%s has no primary link.", op->slug),
             sentence(f, "Add a row to reference with kind 'primary' and the link to read.")))
        return false;
    gap.kind = DEBT_NO_ORACLE;
    if (!op->oracle[0] && !add(f, gap, sentence(f, "%s has no oracle.", op->slug),
                               sentence(f, "Say in op.oracle what proves a version right.")))
        return false;
    gap.kind = DEBT_SELECTED;
    if (op->status == OP_SELECTED)
        return add(
            f, gap, sentence(f, "%s is selected, not shipped: %s", op->slug, op->selection),
            sentence(f, "Do what is selected (`fak sota %s` shows the plan), then say 'shipped'.", op->slug));
    gap.kind = DEBT_NO_WITNESS;
    if (op->witnesses.n == 0 &&
        !add(f, gap, sentence(f, "%s is shipped, and nothing witnesses it.", op->slug),
             sentence(f, "Add a witness row whose test runs, or say 'selected'.")))
        return false;
    for (unsigned i = 0; i < op->witnesses.n; i++)
        if (!judge_witness(f, op, &f->m->witnesses[op->witnesses.first + i])) return false;
    return true;
}

static bool is_witnessed(const struct fold *f, const struct op *op) {
    for (unsigned i = 0; i < op->witnesses.n; i++) {
        const struct witness *w = &f->m->witnesses[op->witnesses.first + i];
        if (!w->planned && w->test[0] && tree_has(f->tree, w->test)) return true;
    }
    return false;
}

static bool judge_ladder(struct fold *f, const struct ladder *ladder) {
    const struct op *op = ladder->op[0] ? matrix_op(f->m, ladder->op) : NULL;
    bool shipped = op && op->status == OP_SHIPPED;
    if (ladder->fak_rung < 0 || (shipped && is_witnessed(f, op))) return true;
    struct debt_gap gap = {.kind = DEBT_RUNG, .op = ladder->op, .detail = ladder->axis};
    const char *what =
        op ? sentence(f, "The %s ladder claims level %d, and %s, which backs it, is %s.", ladder->axis,
                      ladder->fak_rung, op->slug,
                      shipped ? "shipped without a witness that is there" : op_status_name(op->status))
           : sentence(f, "The %s ladder claims level %d, and no operation backs it.", ladder->axis,
                      ladder->fak_rung);
    return add(f, gap, what,
               sentence(f, "Name the operation whose witness backs it, or write fak_rung = -1."));
}

/* --- folding ------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b) {
    const struct debt_gap *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    int order = strcmp(x->op, y->op);
    if (!order) order = strcmp(x->path, y->path);
    return order ? order : strcmp(x->detail, y->detail);
}

static void sort(struct fold *f) {
    size_t used = 0;
    if (f->n) qsort(f->gaps, f->n, sizeof *f->gaps, by_place);
    for (size_t i = 0; i < f->n;
         i++) /* equal rows fold into one: fingerprints are over the words of the order */
        if (!used || by_place(&f->gaps[used - 1], &f->gaps[i]) != 0) f->gaps[used++] = f->gaps[i];
    f->n = used;
}

/* --- suppressions -------------------------------------------------------------------------------- */

static bool fits(const char *wanted, const char *is) { return !wanted[0] || strcmp(wanted, is) == 0; }

static bool row_fits(const struct suppression *row, const struct debt_gap *gap) {
    return strcmp(row->class, classes[gap->kind].name) == 0 && fits(row->op, gap->op) &&
           fits(row->detail, gap->detail) && (fits(row->path, gap->path) || glob_match(row->path, gap->path));
}

static bool comment_fits(const struct survey_comment *comment, const struct debt_gap *gap) {
    const struct suppress *s = &comment->suppress;
    return s->reason[0] && strcmp(comment->path, gap->path) == 0 &&
           strcmp(s->class, classes[gap->kind].name) == 0 && fits(s->detail, gap->detail);
}

/* *out says why the gap is accepted; every suppression that fits is used. */
static bool is_accepted(struct debt_accepted *out, struct fold *f, const struct debt_gap *gap) {
    bool accepted = false;
    for (size_t i = 0; i < f->m->n_suppressions; i++) {
        const struct suppression *row = &f->m->suppressions[i];
        if (!row_fits(row, gap)) continue;
        f->row_used[i] = accepted = true;
        *out = (struct debt_accepted){*gap, row->reason, "", 0};
    }
    for (size_t i = 0; i < f->survey->n_comments; i++) {
        const struct survey_comment *comment = &f->survey->comments[i];
        if (!comment_fits(comment, gap)) continue;
        f->comment_used[i] = accepted = true;
        *out = (struct debt_accepted){*gap, comment->suppress.reason, comment->path, comment->suppress.line};
    }
    return accepted;
}

/* "uncovered" or "several-ops NAME" */
static const char *named(struct fold *f, const char *class, const char *detail) {
    return sentence(f, "%s%s%s", class, detail[0] ? " " : "", detail);
}

static const char *what_is_wrong(const char *class, const char *reason) {
    enum debt_class kind;
    if (!reason[0]) return "gives no reason";
    if (!debt_class_of(&kind, view_of(class))) return "is of no class that there is";
    return "holds nothing back: there is no such gap";
}

static bool judge_suppressions(struct fold *f) {
    for (size_t i = 0; i < f->m->n_suppressions; i++) {
        const struct suppression *row = &f->m->suppressions[i];
        if (f->row_used[i]) continue;
        struct debt_gap gap = {.kind = DEBT_SUPPRESSION, .op = row->op, .path = row->path};
        gap.detail = named(f, row->class, row->detail);
        if (!gap.detail ||
            !add(f, gap,
                 sentence(f, "A suppression of %s %s.", gap.detail, what_is_wrong(row->class, row->reason)),
                 sentence(f, "Delete its row, or correct it.")))
            return false;
    }
    for (size_t i = 0; i < f->survey->n_comments; i++) {
        const struct survey_comment *c = &f->survey->comments[i];
        if (f->comment_used[i]) continue;
        struct debt_gap gap = {.kind = DEBT_SUPPRESSION, .path = c->path, .line = c->suppress.line};
        gap.detail = named(f, c->suppress.class, c->suppress.detail);
        if (!gap.detail || !add(f, gap,
                                sentence(f, "The suppression of %s in %s %s.", gap.detail, c->path,
                                         what_is_wrong(c->suppress.class, c->suppress.reason)),
                                sentence(f, c->suppress.reason[0] ? "Delete the comment, or correct it."
                                                                  : "Write the reason behind a ':'.")))
            return false;
    }
    return true;
}

/* Takes the accepted gaps out, and judges the suppressions that accepted none. */
static bool accept(struct debt *debt, struct fold *f) {
    struct debt_accepted *accepted = arena_alloc(f->arena, f->n, sizeof *accepted, f->st);
    f->row_used = arena_alloc(f->arena, f->m->n_suppressions, sizeof *f->row_used, f->st);
    f->comment_used = arena_alloc(f->arena, f->survey->n_comments, sizeof *f->comment_used, f->st);
    if (!accepted || !f->row_used || !f->comment_used) return false;
    size_t kept = 0;
    for (size_t i = 0; i < f->n; i++)
        if (is_accepted(&accepted[debt->n_accepted], f, &f->gaps[i])) debt->n_accepted++;
        else f->gaps[kept++] = f->gaps[i];
    f->n = kept;
    debt->accepted = accepted;
    return judge_suppressions(f);
}

/* --- counting ------------------------------------------------------------------------------------- */

static bool keep(struct debt *debt, struct fold *f) {
    sort(f);
    struct debt_gap *gaps = arena_alloc(f->arena, f->n, sizeof *gaps, f->st);
    if (!gaps) return false;
    if (f->n) memcpy(gaps, f->gaps, f->n * sizeof *gaps);
    debt->gaps = gaps;
    debt->n = f->n;
    return true;
}

/* A lane that is planned beside shipped ones says nothing about the shipped ones' kernels, nor does a ladder.
 */
bool debt_is_beside(const struct debt_gap *gap) {
    return gap->kind == DEBT_RUNG || gap->kind == DEBT_SUPPRESSION ||
           (gap->kind == DEBT_PLANNED && (gap->path[0] || gap->detail[0]));
}

static bool judge_clean(struct debt *debt, const struct fold *f) {
    bool *clean = arena_alloc(f->arena, f->m->n_ops, sizeof *clean, f->st);
    if (!clean) return false;
    for (size_t i = 0; i < f->m->n_ops; i++) clean[i] = true;
    for (size_t i = 0; i < debt->n; i++) {
        const struct op *op =
            debt->gaps[i].op[0] && !debt_is_beside(&debt->gaps[i]) ? matrix_op(f->m, debt->gaps[i].op) : NULL;
        if (op) clean[op - f->m->ops] = false;
    }
    debt->clean = clean;
    return true;
}

static bool has_gap(const struct debt *debt, enum debt_class kind, const char *path, const char *detail) {
    struct debt_gap key = {.kind = kind, .op = "", .path = path, .detail = detail};
    return debt->n && bsearch(&key, debt->gaps, debt->n, sizeof key, by_place);
}

bool debt_kernel_is_clean(const struct debt *debt, const struct survey_file *file,
                          const struct scan_kernel *kernel, const struct matrix *m) {
    if (!file->n_ops) return !has_gap(debt, DEBT_UNCOVERED, file->scan.path, "");
    const struct op *op = survey_op(file, kernel);
    if (op) return debt->clean[op - m->ops];
    if (has_gap(debt, DEBT_SEVERAL, file->scan.path, kernel->name)) return false;
    for (size_t i = 0; i < file->n_ops; i++)
        if (!debt->clean[file->ops[i] - m->ops]) return false;
    return true;
}

static void count(struct debt *debt, const struct fold *f) {
    for (size_t i = 0; i < f->survey->n_files; i++) {
        const struct survey_file *file = &f->survey->files[i];
        for (size_t k = 0; k < file->scan.n_kernels; k++) {
            if (file->scan.kernels[k].kind == SCAN_HELPER) continue;
            debt->n_kernels++;
            debt->n_clean += debt_kernel_is_clean(debt, file, &file->scan.kernels[k], f->m);
        }
    }
}

bool debt_fold(struct debt *debt, const struct matrix *m, const struct tree *tree,
               const struct survey *survey, struct arena *arena, struct status *st) {
    *debt = (struct debt){0};
    struct fold f = {.m = m, .tree = tree, .survey = survey, .arena = arena, .st = st};
    bool ok = true;
    for (size_t i = 0; ok && i < survey->n_files; i++) ok = judge_file(&f, &survey->files[i]);
    for (size_t i = 0; ok && i < m->n_ops; i++) ok = judge_op(&f, &m->ops[i]);
    for (size_t i = 0; ok && i < m->n_ladders; i++) ok = judge_ladder(&f, &m->ladders[i]);
    if (ok) sort(&f);
    ok = ok && accept(debt, &f) && keep(debt, &f) && judge_clean(debt, &f);
    free(f.gaps);
    if (ok) count(debt, &f);
    return ok;
}

bool debt_has(const struct debt *debt, const char *fingerprint) {
    for (size_t i = 0; i < debt->n; i++)
        if (strcmp(debt->gaps[i].fingerprint, fingerprint) == 0) return true;
    return false;
}

const struct debt_gap *debt_find(const struct debt *debt, const char *prefix, bool *several) {
    const struct debt_gap *found = NULL;
    *several = false;
    if (strlen(prefix) < 4) return NULL;
    for (size_t i = 0; i < debt->n; i++) {
        if (strncmp(debt->gaps[i].fingerprint, prefix, strlen(prefix)) != 0) continue;
        if (found) *several = true;
        found = &debt->gaps[i];
    }
    return found;
}

int debt_grade(const struct debt *debt) {
    return debt->n_kernels ? (int)(debt->n_clean * 100 / debt->n_kernels) : 100;
}
