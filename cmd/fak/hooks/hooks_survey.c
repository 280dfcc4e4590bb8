#include "cmd/fak/hooks/hooks_survey.h"

#include <string.h>
#include <unistd.h>

const char *const hooks_names[HOOKS_WATCHED] = {"commit-msg", "prepare-commit-msg", "pre-commit"};

bool hooks_survey_open(struct hooks_survey *out, struct status *st) {
    *out = (struct hooks_survey){0};
    if (!install_find(&out->place, st) || !confhook_supported(&out->configures, &out->git_version, st) ||
        !install_set_by(&out->scope, &out->origin, st))
        return false;
    for (int i = 0; i < HOOKS_WATCHED; i++) {
        struct hooks_seen *seen = &out->seen[i];
        seen->hook = hooks_names[i];
        if (!install_look(&seen->file, &out->place, seen->hook, st) ||
            !confhook_list(&seen->configured, seen->hook, &out->arena, st))
            return false;
    }
    return true;
}

void hooks_survey_close(struct hooks_survey *survey) {
    for (int i = 0; i < HOOKS_WATCHED; i++) install_seen_free(&survey->seen[i].file);
    str_free(&survey->git_version);
    str_free(&survey->scope);
    str_free(&survey->origin);
    install_close(&survey->place);
    arena_release(&survey->arena);
}

bool hooks_by_config(const struct hooks_survey *survey, const struct hooks_seen *seen) {
    return survey->configures && confhook_fires(&seen->configured);
}

bool hooks_by_file(const struct hooks_survey *survey, const struct hooks_seen *seen) {
    return install_fires(&seen->file) && !(survey->configures && seen->configured.event_off);
}

bool hooks_shared(const struct hooks_survey *survey) {
    return strcmp(str_c(&survey->scope), "global") == 0 || strcmp(str_c(&survey->scope), "system") == 0;
}

const char *hooks_gone(const struct hooks_survey *survey, const struct hooks_seen *seen) {
    for (size_t i = 0; survey->configures && i < seen->configured.n; i++)
        if (seen->configured.at[i].gone) return seen->configured.at[i].gone;
    return seen->file.gone ? str_c(&seen->file.program) : NULL;
}

static const char *configured_elsewhere(const struct hooks_survey *survey, const struct hooks_seen *seen) {
    for (size_t i = 0; i < seen->configured.n; i++) {
        if (!seen->configured.at[i].ours) continue;
        if (!survey->configures) return "it is in git's configuration, which this git does not run";
        return "it is in git's configuration, and switched off there";
    }
    return NULL;
}

static const char *why_not(const struct hooks_survey *survey, const struct hooks_seen *seen) {
    const char *elsewhere = configured_elsewhere(survey, seen);
    if (survey->configures && seen->configured.event_off)
        return "this event is switched off in git's configuration";
    if (elsewhere) return elsewhere;
    if (!seen->file.exists) return NULL;
    return seen->file.runs ? "another hook is there"
                           : "the hook there is not executable, so git passes over it";
}

void hooks_state_text(struct str *out, const struct hooks_survey *survey, const struct hooks_seen *seen) {
    const struct install_seen *file = &seen->file;
    if (hooks_by_config(survey, seen)) {
        str_puts(out, "installed, in git's configuration");
        return;
    }
    if (!hooks_by_file(survey, seen)) {
        const char *gone = hooks_gone(survey, seen), *why = why_not(survey, seen);
        if (gone) str_printf(out, "not installed (it calls %s, which is not there any more)", gone);
        else if (why) str_printf(out, "not installed (%s)", why);
        else str_puts(out, "not installed");
        return;
    }
    switch (file->state) {
    case INSTALL_OURS: str_puts(out, "installed"); break;
    case INSTALL_LINE:
        str_printf(out, "installed, in front of the hook that was there%s%s", file->runner ? ": " : "",
                   runner_name(file->runner));
        break;
    case INSTALL_CALLS: str_puts(out, "installed (the hook that is there calls fak)"); break;
    case INSTALL_RUNNER:
        str_printf(out, "installed (%s calls fak: %s)", runner_name(file->runner), str_c(&file->config));
        break;
    case INSTALL_NONE:
    case INSTALL_FOREIGN: break;
    }
}

bool hooks_program(char *out, size_t room, struct status *st) {
    ssize_t n = readlink("/proc/self/exe", out, room - 1);
    if (n <= 0) return status_fail_errno(st, "cannot tell where this program is (/proc/self/exe)");
    out[n] = '\0';
    return true;
}
