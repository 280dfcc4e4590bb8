#include "hooks/install/install.h"
#include "hooks/stage/look.h"

/* Where commit-msg is ours too, it will see the message and speak for both. */
static bool commit_msg_speaks(void) {
    struct install place;
    enum install_state state = INSTALL_NONE;
    bool ok = install_find(&place, NULL) && install_look(&state, &place, "commit-msg", NULL);
    install_close(&place);
    return ok && install_fires(state);
}

bool stage_pre_commit(struct stage_output *out, const struct stage_input *in, struct status *st) {
    struct look look;
    bool ok = look_open(&look, in, st);
    if (ok && look.silence == LOOK_SPEAK && !commit_msg_speaks()) {
        advice_line(&out->advice, &look.report, ADVICE_STAGED);
        look_note(&out->note, &look);
        ok = str_ok(&out->advice, st) && str_ok(&out->note, st);
    }
    look_close(&look);
    return ok;
}
