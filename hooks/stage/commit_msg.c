#include "hooks/stage/look.h"

#include <string.h>

/* Is the offer of prepare-commit-msg still in the message, as a comment? Then it has been seen. */
static bool was_offered(const struct look *look) {
    struct str offer = {0};
    str_printf(&offer, "\n%s %s", look->rules.comment, look->report.trailer);
    bool seen = offer.at && strstr(str_c(&look->message), offer.at);
    str_free(&offer);
    return seen;
}

/* Comments alone: git is about to refuse the commit, and says so itself. */
static bool is_empty(struct look *look) {
    struct trailer_list list;
    struct view message = {str_c(&look->message), look->message.n};
    return trailer_parse(&list, message, &look->rules, &look->arena, NULL) && view_trim(list.body).n == 0;
}

bool stage_commit_msg(struct stage_output *out, const struct stage_input *in, struct status *st) {
    struct look look;
    bool elsewhere = false;
    bool ok = look_open(&look, in, st);
    if (ok && look.silence == LOOK_SPEAK && !in->configured)
        ok = look_configured(&elsewhere, &look, "commit-msg", st);
    if (ok && look.silence == LOOK_SPEAK && !elsewhere && !is_empty(&look)) {
        if (was_offered(&look)) advice_line(&out->advice, &look.report, ADVICE_COMMITTED);
        else advice_text(&out->advice, in->term, in->matrix, &look.report, ADVICE_COMMITTED);
        look_note(&out->note, &look);
        ok = str_ok(&out->advice, st) && str_ok(&out->note, st);
    }
    look_close(&look);
    return ok;
}

void stage_output_free(struct stage_output *out) {
    str_free(&out->advice);
    str_free(&out->note);
}
