#include "base/file.h"
#include "hooks/stage/look.h"

#include <string.h>

/* git's second argument: where the message comes from. `-m`, merges and squashes bring one that nobody is
 * about to write. */
static bool is_written_now(const char *source) {
    return !source[0] || strcmp(source, "template") == 0 || strcmp(source, "commit") == 0;
}

/* Comments are dropped when the editor closes, unless the user asked to keep them. */
static bool drops_comments(bool *drops, struct look *look, struct status *st) {
    struct str value = {0};
    bool found;
    bool ok = look_config(&value, &found, look, "commit.cleanup", st);
    *drops = !found || strcmp(str_c(&value), "default") == 0 || strcmp(str_c(&value), "strip") == 0;
    str_free(&value);
    return ok;
}

/* The end of what belongs to the message, and behind it git's own comments: ours go between. Where git wrote
 * none, nothing is offered, nor where git's say that they stay: `--cleanup=whitespace` is in no
 * configuration (of a git that speaks English; the others are seen by commit.cleanup alone). */
static bool find_place(size_t *at, struct view message, const struct trailer_rules *rules) {
    static const char kept[] = " will be kept;";
    struct view line, rest = message;
    size_t end = 0;
    bool comments = false;
    while (view_line(&line, &rest)) {
        bool comment = view_starts(line, rules->comment);
        bool cut = comment && memmem(line.at, line.n, " >8 ", 4);
        if (cut) break;
        if (comment && memmem(line.at, line.n, kept, sizeof kept - 1)) return false;
        if (comment) comments = true;
        else if (view_trim(line).n) {
            comments = false;
            end = message.n - rest.n;
        }
    }
    *at = end;
    return comments;
}

/* Another hook of ours was here before. */
static bool is_offered(struct view message, const struct look *look) {
    struct str line = {0};
    str_printf(&line, "\n%s %s\n", look->rules.comment, look->report.trailer);
    bool there = line.at && memmem(message.at, message.n, line.at, line.n);
    str_free(&line);
    return there;
}

/* The message with the offer in it. A trailer must not touch the subject: an empty line parts them, unless
 * there are trailers already, which it joins. */
static void insert_offer(struct str *out, struct view message, size_t at, bool joins,
                         const struct look *look) {
    size_t skip = at;
    if (!joins) {
        str_add(out, message.at, at);
        if (at == 0 || message.at[at - 1] != '\n') str_putc(out, '\n');
        str_putc(out, '\n');
        while (skip < message.n && message.at[skip] == '\n') skip++;
    } else {
        str_add(out, message.at, at);
    }
    advice_comment(out, &look->report, look->rules.comment);
    if (joins && skip < message.n && message.at[skip] != '\n') str_putc(out, '\n');
    str_add(out, message.at + skip, message.n - skip);
}

static bool offer(struct look *look, const char *path, struct status *st) {
    struct view message = {str_c(&look->message), look->message.n};
    struct trailer_list trailers;
    struct str text = {0};
    size_t at;
    if (is_offered(message, look) || !find_place(&at, message, &look->rules)) return true;
    if (!trailer_parse(&trailers, message, &look->rules, &look->arena, st)) return false;
    insert_offer(&text, message, at, trailers.n > 0, look);
    bool ok = str_ok(&text, st) && file_replace(path, text.at, text.n, st);
    str_free(&text);
    return ok;
}

bool stage_prepare_commit_msg(struct stage_output *out, const struct stage_input *in, struct status *st) {
    (void)out;
    if (!in->editor || !is_written_now(in->source)) return true;
    struct look look;
    bool drops = false;
    bool ok = look_open(&look, in, st);
    if (ok && look.silence == LOOK_SPEAK) ok = drops_comments(&drops, &look, st);
    if (ok && drops) ok = offer(&look, in->message_file, st);
    look_close(&look);
    return ok;
}
