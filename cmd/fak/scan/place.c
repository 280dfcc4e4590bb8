#include "cmd/fak/scan/place.h"

#include "cmd/cli/cli.h"
#include "coverage/scan/scan.h"

/* Which kernel of a scanned file holds the line. */
static bool read_place(struct place *place, struct str *name, const struct scan_file *file, long line,
                       struct status *st) {
    const struct scan_kernel *kernel = scan_kernel_at(file, (int)line);
    place->line = line;
    if (file->not_analysed)
        return status_fail(st, STATUS_UNSUPPORTED, "%s: %s; look it up without the line", file->path,
                           file->not_analysed);
    if (file->language != SCAN_NONE && line > file->n_lines)
        return status_fail(st, STATUS_USAGE, "%s has %d lines and no line %ld", file->path, file->n_lines,
                           line);
    if (!kernel) return true;
    place->first = kernel->begin_line;
    place->last = kernel->end_line;
    str_puts(name, kernel->name);
    return str_ok(name, st);
}

static bool kernel_at(struct place *place, struct str *name, const char *file, bool kernel_place, long line,
                      struct status *st) {
    struct arena arena = {0};
    struct scan_file scanned;
    const struct scan_request request = {.path = file, .kernel_place = kernel_place};
    bool ok = scan_path(&scanned, file, &request, &arena, st) && read_place(place, name, &scanned, line, st);
    arena_release(&arena);
    return ok;
}

/* Commands of its own the module has none: `fak` asks for the table of functions. */
extern const struct place_table fak_place;
CLI_EXPORT const struct place_table fak_place = {.kernel_at = kernel_at, .scan = scan_text};
