#include "cmd/fak/engine/input.h"

#include "base/file.h"
#include "engine/token/token_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool input_stdin(struct str *text, struct status *st) {
    char chunk[16384];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, stdin)) > 0;) {
        str_add(text, chunk, n);
        if (text->n > INPUT_MAX)
            return status_fail(st, STATUS_BAD_INPUT, "the text on stdin is longer than %d MiB",
                               INPUT_MAX >> 20);
    }
    if (ferror(stdin)) return status_fail_errno(st, "cannot read the text from stdin");
    return str_ok(text, st);
}

bool input_text(struct str *text, const struct cli_args *args, struct status *st) {
    const char *given = cli_value(args, "--prompt"), *path = cli_value(args, "--file");
    if (given && path)
        return status_fail(st, STATUS_USAGE, "-p and --file both name a text; give one of them");
    if (path && strcmp(path, "-") != 0) return file_read(text, path, INPUT_MAX, st);
    if (!path && !given && isatty(STDIN_FILENO))
        return status_fail(st, STATUS_USAGE, "there is no text; give it with -p, with --file or on stdin");
    if (!given || strcmp(given, "-") == 0) return input_stdin(text, st);
    str_puts(text, given);
    return str_ok(text, st);
}

bool input_lines(struct cli *cli, input_answer *answer, void *context, struct status *st) {
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    for (ssize_t n; ok && (n = getline(&line, &room, stdin)) >= 0;) {
        struct view view = view_trim((struct view){line, (size_t)n});
        if (view.n == 0) continue;
        answer(context, &cli->out, view);
        ok = cli_flush(cli, st);
    }
    if (ok && ferror(stdin)) ok = status_fail_errno(st, "cannot read stdin");
    free(line);
    return ok;
}

static bool is_between(char c) { return c && strchr(",[] \t\r\n", c); }

bool input_ids(struct token_list *ids, struct view text, const char *what, struct status *st) {
    for (size_t i = 0; i < text.n;) {
        if (is_between(text.at[i])) {
            i++;
            continue;
        }
        size_t start = i;
        int64_t id = 0;
        for (; i < text.n && text.at[i] >= '0' && text.at[i] <= '9' && id <= INT32_MAX; i++)
            id = 10 * id + (text.at[i] - '0');
        if (id > INT32_MAX || i == start || (i < text.n && !is_between(text.at[i])))
            return status_fail(st, STATUS_USAGE, "%s: what stands at byte %zu is no id", what, start);
        if (!token_list_add(ids, (int32_t)id, st)) return false;
    }
    return ids->n > 0 || status_fail(st, STATUS_USAGE, "%s: there are no ids", what);
}
