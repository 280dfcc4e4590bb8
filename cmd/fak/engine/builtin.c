#include "base/file.h"
#include "base/module.h"
#include "cmd/fak/engine/entries.h"

#include <stdlib.h>

static const char name[] = "fak-stories-Q8_0.gguf";

bool builtin_model(struct str *path, struct status *st) {
    /* A build tree, a build tree of another mode, an installed prefix. */
    static const char *const beside[] = {"../models/", "../../models/", "../share/fak/models/"};
    const char *dir = getenv("FAK_MODEL_DIR");
    if (dir && *dir) {
        str_printf(path, "%s/%s", dir, name);
        if (!str_ok(path, st)) return false;
        return file_exists(path->at) ||
               status_fail(st, STATUS_NOT_FOUND, "the built-in model %s is not in FAK_MODEL_DIR, '%s'", name,
                           dir);
    }
    struct str program = {0};
    bool found = false, ok = module_program_dir(&program, st);
    for (size_t i = 0; ok && !found && i < sizeof beside / sizeof *beside; i++) {
        str_clear(path);
        str_printf(path, "%s%s%s", str_c(&program), beside[i], name);
        ok = str_ok(path, st);
        found = ok && file_exists(path->at);
    }
    if (ok && !found)
        ok = status_fail(
            st, STATUS_NOT_FOUND,
            "the built-in model %s is neither in %s../models nor in %s../share/fak/models; name a "
            "model file, or set FAK_MODEL_DIR to the folder that has it",
            name, program.at, program.at);
    str_free(&program);
    return ok;
}
