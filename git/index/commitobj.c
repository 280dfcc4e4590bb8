#include "git/index/commitobj.h"

#include <stdlib.h>
#include <string.h>

/* "NAME <MAIL> SECONDS ZONE" */
static int64_t seconds_of(struct view person) {
    const char *end = memrchr(person.at, '>', person.n);
    char digits[24] = "";
    if (!end) return 0;
    struct view rest = view_trim((struct view){end + 1, person.n - (size_t)(end + 1 - person.at)});
    memcpy(digits, rest.at, rest.n < sizeof digits ? rest.n : sizeof digits - 1);
    return strtoll(digits, NULL, 10);
}

static bool take_parent(struct commit *commit, struct view value, size_t n_id) {
    uint8_t id[OBJID_MAX];
    if (!objid_from_text(id, value, n_id)) return false;
    if (commit->n_parents < COMMIT_PARENTS) objid_to_text(commit->parents[commit->n_parents++], id, n_id);
    return true;
}

bool commitobj_parse(struct commitobj *out, struct view object, size_t n_id, struct status *st) {
    struct view line, rest = object;
    bool tree = false, author = false, sound = true;
    *out = (struct commitobj){0};
    while (sound && view_line(&line, &rest) && line.n) {
        const char *blank = memchr(line.at, ' ', line.n);
        struct view key = {line.at, blank ? (size_t)(blank - line.at) : line.n};
        struct view value = {line.at + key.n + (blank != NULL), line.n - key.n - (blank != NULL)};
        if (view_is(key, "tree") && !tree) tree = sound = objid_from_text(out->tree, value, n_id);
        else if (view_is(key, "parent") && !author) sound = take_parent(&out->commit, value, n_id);
        else if (view_is(key, "author") && !author) {
            author = true;
            out->commit.author_time = seconds_of(value);
        }
    }
    out->message = rest;
    if (sound && tree && author) return true;
    return status_fail(st, STATUS_BAD_INPUT, "a commit is damaged: it has no %s",
                       !tree   ? "tree"
                       : sound ? "author"
                               : "parent where it says so");
}
