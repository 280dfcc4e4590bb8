#include "hooks/stage/look.h"

#include "base/file.h"
#include "hooks/gate/code.h"
#include "hooks/install/confhook.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MESSAGE_LIMIT = 16 << 20, BLOB_LIMIT = 4 << 20 };

/* --- the message --- */

static bool read_message(struct look *look, const char *path, struct status *st) {
    return !path || file_read(&look->message, path, MESSAGE_LIMIT, st);
}

static bool is_fixup(struct view message) {
    return view_starts(message, "fixup! ") || view_starts(message, "squash! ") ||
           view_starts(message, "amend! ");
}

/* --- configuration --- */

bool look_config(struct str *out, bool *found, struct look *look, const char *key, struct status *st) {
    return staged_config(out, found, look->staged, key, st);
}

static bool is_false(const char *value) {
    static const char *const words[] = {"", "false", "no", "off", "0"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(value, words[i]) == 0) return true;
    return false;
}

static bool is_off(bool *off, struct look *look, struct status *st) {
    struct str value = {0};
    bool found;
    bool ok = look_config(&value, &found, look, "fak.priorart", st);
    *off = ok && found && is_false(str_c(&value));
    str_free(&value);
    return ok;
}

/* A repository that cannot be read may still have us switched off: then there is nothing to complain about.
 */
bool look_off_by_git(void) {
    struct str value = {0};
    void *handle;
    bool found = false;
    if (!plumbing_reader.open(&handle, NULL)) return false;
    bool ok = plumbing_reader.config(&value, &found, handle, "fak.priorart", NULL);
    bool off = ok && found && is_false(str_c(&value));
    plumbing_reader.close(handle);
    str_free(&value);
    return off;
}

static bool read_rules(struct look *look, struct status *st) {
    bool found;
    if (!look_config(&look->comment, &found, look, "core.commentString", st)) return false;
    if (!found && !look_config(&look->comment, &found, look, "core.commentChar", st)) return false;
    if (!look_config(&look->separators, &found, look, "trailer.separators", st)) return false;
    struct view message = {str_c(&look->message), look->message.n};
    const char *comment = look->comment.n ? look->comment.at : "#";
    if (strcasecmp(comment, "auto") == 0) comment = trailer_auto_comment(message);
    look->rules = (struct trailer_rules){comment, look->separators.n ? look->separators.at : ":"};
    return true;
}

/* --- what is covered --- */

static bool is_zero_mode_change(const struct change *change) {
    return strcmp(change->old_oid, change->new_oid) == 0;
}

static bool keep_covered(struct look *look, const struct matrix *m, struct status *st) {
    const struct change_list *changes = staged_changes(look->staged);
    for (size_t i = 0; i < changes->n; i++) {
        const struct change *change = &changes->at[i];
        if (!change_is_file(change) || is_zero_mode_change(change) || !gate_covers(m, change->path)) continue;
        if (!change_add(&look->covered, change, strlen(change->path), &look->arena, st)) return false;
    }
    return true;
}

/* Both versions of a file; one that is missing (partial clone) or huge is not `known`. */
struct versions {
    struct str before, after;
    bool known;
};

static void versions_read(struct versions *out, struct look *look, const struct change *change) {
    *out = (struct versions){.known = true};
    if (change->status != 'A' && !staged_text(&out->before, look->staged, change->old_oid, BLOB_LIMIT, NULL))
        out->known = false;
    if (change->status != 'D' && !staged_text(&out->after, look->staged, change->new_oid, BLOB_LIMIT, NULL))
        out->known = false;
}

static void versions_free(struct versions *versions) {
    str_free(&versions->before);
    str_free(&versions->after);
}

static struct view text_of(const struct str *text) { return (struct view){str_c(text), text->n}; }

static bool is_silent_change(const struct versions *versions, const struct change *change) {
    struct view before = text_of(&versions->before), after = text_of(&versions->after);
    bool same = false;
    if (!versions->known) return false;
    if (code_generated(change->status == 'D' ? before : after)) return true;
    return change->status == 'M' && code_same(&same, change->path, before, after, NULL) && same;
}

/* The matrix takes the file for a kernel: then its plain C functions count (coverage/scan/kernel_place.h). */
static bool is_kernel(const struct matrix *m, const char *path) {
    enum { ROOM = 16 };
    struct match match[ROOM];
    size_t n = matrix_match_path(m, path, match, ROOM);
    for (size_t i = 0; i < n && i < ROOM; i++)
        if (match[i].path && match[i].path->role == PATH_KERNEL) return true;
    return false;
}

/* Drops what is silent and names the kernels of the rest. A scanner that does not load or fails names none.
 */
static bool sift(struct look *look, const struct stage_input *in, struct status *st) {
    size_t kept = 0;
    touched_scan *scan = NULL;
    bool tried = false;
    look->touched = arena_alloc(&look->arena, look->covered.n, sizeof *look->touched, st);
    if (!look->touched) return false;
    for (size_t i = 0; i < look->covered.n; i++) {
        const struct change change = look->covered.at[i];
        struct versions versions;
        versions_read(&versions, look, &change);
        if (!is_silent_change(&versions, &change)) {
            struct touched *touched = &look->touched[kept];
            look->covered.at[kept++] = change;
            if (!tried && in->load_scan && !in->load_scan(&scan, NULL)) scan = NULL;
            tried = true;
            if (!scan || !versions.known ||
                !touched_find(touched, change.path, is_kernel(in->matrix, change.path),
                              text_of(&versions.before), text_of(&versions.after), scan, &look->arena, NULL))
                *touched = (struct touched){0};
        }
        versions_free(&versions);
    }
    look->covered.n = kept;
    return true;
}

/* --- the look --- */

static bool report(struct look *look, const struct stage_input *in, struct status *st) {
    struct view message = {str_c(&look->message), look->message.n};
    return gate_priorart_of(&look->report, in->matrix, &look->covered, look->touched,
                            in->message_file ? &message : NULL, &look->rules, &look->arena, st);
}

/* From cheap to dear: paths, configuration, trailer, content. */
static bool decide(struct look *look, const struct stage_input *in, struct status *st) {
    bool off;
    if (!keep_covered(look, in->matrix, st)) return false;
    look->silence = LOOK_UNTOUCHED;
    if (look->covered.n == 0) return true;
    if (!is_off(&off, look, st)) return false;
    look->silence = LOOK_OFF;
    if (off) return true;
    if (!read_rules(look, st) || !report(look, in, st)) return false;
    look->silence = LOOK_STAMPED;
    if (look->report.stamp.state == STAMP_VALID) return true;
    if (!sift(look, in, st)) return false;
    look->silence = look->covered.n ? LOOK_SPEAK : LOOK_UNTOUCHED;
    return report(look, in, st);
}

bool look_open(struct look *look, const struct stage_input *in, struct status *st) {
    *look = (struct look){.report.trailer = ""};
    struct status why;
    bool ok = read_message(look, in->message_file, &why);
    if (ok && is_fixup((struct view){str_c(&look->message), look->message.n})) {
        look->silence = LOOK_FIXUP;
        return true;
    }
    if (ok) ok = staged_open(&look->staged, &in->repository, &why) && decide(look, in, &why);
    if (ok) return true;
    if (look_off_by_git()) {
        look->silence = LOOK_OFF;
        return true;
    }
    *st = why;
    return false;
}

void look_close(struct look *look) {
    staged_close(look->staged);
    str_free(&look->message);
    str_free(&look->comment);
    str_free(&look->separators);
    arena_release(&look->arena);
}

bool look_configured(bool *out, struct look *look, const char *hook, struct status *st) {
    char event[64], enabled[64];
    bool found, supported = false;
    struct str value = {0}, version = {0};
    snprintf(event, sizeof event, "hook.fak-%s.event", hook);
    snprintf(enabled, sizeof enabled, "hook.fak-%s.enabled", hook);
    *out = false;
    bool ok = look_config(&value, &found, look, event, st);
    bool asked = ok && found && value.n;
    str_clear(&value);
    if (asked) {
        ok = look_config(&value, &found, look, enabled, st) && confhook_supported(&supported, &version, st);
        *out = ok && supported && !(found && is_false(str_c(&value)));
    }
    str_free(&value);
    str_free(&version);
    return ok;
}

void look_note(struct str *out, const struct look *look) {
    const char *why = look->staged ? staged_fallback(look->staged) : "";
    if (why[0]) str_printf(out, "fak: libgit2 cannot read this repository (%s); using git\n", why);
}
