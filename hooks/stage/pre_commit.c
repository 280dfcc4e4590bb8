#include "hooks/install/install.h"
#include "hooks/stage/look.h"

static bool find_hooks(struct install *place, struct look *look) {
    struct str path = {0};
    bool found;
    *place = (struct install){0};
    bool ok = look_config(&path, &found, look, "core.hooksPath", NULL) &&
              install_known(place, found ? str_c(&path) : NULL, staged_facts(look->staged)->common_dir, NULL);
    str_free(&path);
    return ok;
}

/* Where commit-msg is ours too, it will see the message and speak for both. */
static bool commit_msg_speaks(struct look *look) {
    struct install place;
    struct install_seen seen = {0};
    bool configured;
    if (look_configured(&configured, look, "commit-msg", NULL) && configured) return true;
    bool speaks =
        find_hooks(&place, look) && install_look(&seen, &place, "commit-msg", NULL) && install_fires(&seen);
    install_seen_free(&seen);
    install_close(&place);
    return speaks;
}

bool stage_pre_commit(struct stage_output *out, const struct stage_input *in, struct status *st) {
    struct look look;
    bool ok = look_open(&look, in, st);
    if (ok && look.silence == LOOK_SPEAK && !commit_msg_speaks(&look)) {
        advice_line(&out->advice, &look.report, ADVICE_STAGED);
        look_note(&out->note, &look);
        ok = str_ok(&out->advice, st) && str_ok(&out->note, st);
    }
    look_close(&look);
    return ok;
}
