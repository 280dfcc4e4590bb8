/* fak mcp: the Model Context Protocol over stdio, one message a line, until the input ends. */
#include "cmd/fak/agent/agent_entries.h"
#include "cmd/fak/agent/mcp_session.h"
#include "cmd/fak/whichmatrix.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct server {
    const struct matrix *m;
    struct str line; /* what has come of the current message */
    bool too_long;   /* it is passed over up to its end */
};

/* False: nobody reads us any more (not an error), or the output cannot be written (*st says so). */
static bool send(bool *ok, struct str *out, struct status *st) {
    const char *at = str_c(out);
    size_t n = out->n;
    *ok = str_ok(out, st);
    while (*ok && n > 0) {
        ssize_t done = write(STDOUT_FILENO, at, n);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            *ok = errno == EPIPE || status_fail_errno(st, "cannot write an answer");
            return false;
        }
        at += done;
        n -= (size_t)done;
    }
    str_clear(out);
    return *ok;
}

static void end_message(struct server *server, struct str *out) {
    if (server->too_long) mcp_answer_too_long(out);
    else mcp_answer(out, server->m, (struct view){str_c(&server->line), server->line.n});
    str_clear(&server->line);
    server->too_long = false;
}

/* Takes bytes as they come; each line end is the end of a message. */
static bool take(bool *ok, struct server *server, const char *at, size_t n, struct status *st) {
    struct str out = {0};
    bool goes_on = *ok = true;
    while (goes_on && n > 0) {
        const char *end = memchr(at, '\n', n);
        size_t part = end ? (size_t)(end - at) : n;
        if (server->line.n + part > MCP_LINE) server->too_long = true;
        else if (!server->too_long) str_add(&server->line, at, part);
        if (end) {
            goes_on = (*ok = str_ok(&server->line, st));
            if (goes_on) end_message(server, &out);
            goes_on = goes_on && send(ok, &out, st);
            part++;
        }
        at += part;
        n -= part;
    }
    str_free(&out);
    return goes_on;
}

static bool serve(struct server *server, struct status *st) {
    char chunk[65536];
    bool ok = true;
    for (;;) {
        ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return status_fail_errno(st, "cannot read a message");
        if (n == 0) break;
        if (!take(&ok, server, chunk, (size_t)n, st)) return ok;
    }
    if (server->line.n || server->too_long) take(&ok, server, "\n", 1, st); /* the last one had no end */
    return ok;
}

int fak_mcp(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct server server = {0};
    struct whichmatrix which = {0};
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 0, 0, &st))
        return cli_fail(cli, &st);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is one more full disk */
    bool ok = whichmatrix_open(&which, &st);
    server.m = which.m;
    ok = ok && serve(&server, &st);
    whichmatrix_close(&which);
    str_free(&server.line);
    return ok ? cli_finish(cli, 0) : cli_fail(cli, &st);
}
