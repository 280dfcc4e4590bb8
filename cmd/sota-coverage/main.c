/* sota-coverage: finds every kernel of a tree and folds what is missing into one number. */
#include "cmd/sota-coverage/coverage.h"
#include "cmd/sota-coverage/scene.h"

#include <string.h>

static const struct cli_option debt_options[] = {
    {"--format", "text|json|sarif|junit|summary|github",
     "The scorecard, or the same for machines: SARIF 2.1.0, JUnit XML, Markdown for a step summary, GitHub "
     "annotations."},
    {"--json", NULL, "As --format json."},
    {"-o, --output", "FILE",
     "Write to FILE, whole or not at all. Unless the format is text, the scorecard still goes to stdout."},
    {"--all", NULL, "Every gap, where the text otherwise folds a long list into a count."},
    {"--explain", "FINGERPRINT",
     "One gap: its class, pattern and layer, where it is written, its smallest mend. A prefix will do."},
    {"--index", NULL, "Look at what is staged, not at the working tree."},
    {"--since", "REV",
     "Compare with the commit where this tree left REV (the merge-base): debt now, added, removed."},
    {"--exact", NULL, "With --since: compare with REV itself."},
    {"--fail-on", "added", "With --since: exit 1 when debt was added."},
    {"--check", NULL, "Exit 1 when there is any debt."},
    {"--max-debt", "N", "Exit 1 when sota_debt is above N."},
    {"--today", "DATE", "Show the links that were not read again within the window before DATE. No gap."},
    {"--window", "DAYS", "With --today: the window (default 180)."},
    SCENE_OPTIONS,
    {0},
};

static const struct cli_option scan_options[] = {
    {"--json", NULL, "One object a file: path, language, engine, error share, kernels."},
    {"--kernel-place", NULL,
     "Take C and C++ files as places of kernels: every function with external linkage is one."},
    {"-j, --jobs", "N", "Threads; the output is the same for any number. Default: one a processor."},
    {0},
};

static const struct cli_option report_options[] = {
    {"--html", "DIR", "Write DIR/index.html; the folder is made."},
    {"--no-history", NULL, "Without the plot of the debt over time."},
    {"--index", NULL, "Look at what is staged, not at the working tree."},
    SCENE_OPTIONS,
    {0},
};

static const struct cli_option history_options[] = {
    {"--json", NULL, "Every commit and every gap there ever was, as JSON."},
    {"--plot", "FILE.svg", "Also draw debt and kernels over time, as an SVG picture for a slide."},
    {"-o, --output", "FILE", "Write to FILE, whole or not at all."},
    {"--all", NULL, "Every commit, person and gap, where the text otherwise folds a long list into a count."},
    SCENE_OPTIONS,
    {0},
};

static const struct cli_command commands[] = {
    {
        .name = "",
        .failure = CLI_UNDECIDED,
        .usage = "[OPTIONS] [REV]",
        .summary = "every kernel, every gap, one number",
        .description =
            "Reads the files that git tracks and the matrix of the repository (sotadb/seed/*.sql, or what "
            "`git config fak.matrix` names), and prints a scorecard: the share of kernels without a gap, "
            "the next five mends, the gaps, and as its last line `sota_debt=N`, the number of distinct gaps. "
            "With REV, or in a bare repository, the files and the matrix of that commit.\n\n"
            "A gap has a fingerprint that stays when lines move. One that is meant to stay is accepted by a "
            "comment in the file, `sota-coverage: suppress CLASS [NAME]: REASON`, or by a row of the table "
            "suppression; either has to give a reason, and one that holds nothing back is a gap.\n\n"
            "Exit codes: 0 done, 1 more debt than --check, --max-debt or --fail-on allows, 2 cannot decide "
            "(no repository, no git, no matrix, a shallow clone, a missing object).\n\n"
            "What a file holds is kept by its content under $XDG_CACHE_HOME/fak, so that the second run is "
            "fast; --no-cache does without.",
        .options = debt_options,
        .examples = "sota-coverage\tthe scorecard of this repository\n"
                    "sota-coverage v1.0\tas it was then\n"
                    "sota-coverage --since origin/main --fail-on added\tfails in CI when a change adds debt\n"
                    "sota-coverage --format sarif -o debt.sarif\tfor code scanning; the scorecard on stdout\n"
                    "sota-coverage scan --json src\tthe kernels under src, without a matrix\n",
        .positional = "",
    },
    {
        .name = "scan",
        .usage = "[--json] [--jobs N] PATH...",
        .summary = "the kernels of files and folders, without a matrix",
        .description =
            "Finds the kernels of CUDA, HIP, Metal, OpenCL, SYCL, GLSL, HLSL, WGSL, Triton, CuTe DSL "
            "and cuTile, the "
            "SIMD functions of C and C++, and vector code in assembly. Each with its name, lines "
            "and kind: `kernel`, `instance` (an instantiation of one that is "
            "defined elsewhere) or `helper`.\n\n"
            "A file that cannot be read as text (binary, UTF-16, changed while it was read, a link, a "
            "path that is not UTF-8), a folder that may not be read and a repository within the "
            "one that is named are listed as not analysed, with the reason; the exit code stays 0. It is "
            "1 when a path that was named is not there.",
        .options = scan_options,
        .examples = "sota-coverage scan ggml/src/ggml-cuda\tone line a kernel\n",
        .positional = "file",
    },
    {
        .name = "report",
        .failure = CLI_UNDECIDED,
        .usage = "--html DIR [OPTIONS] [REV]",
        .summary = "the report as one page for a browser",
        .description =
            "Writes one HTML page that needs no network and no second file: gaps with their mends, the "
            "matrix "
            "as a table to filter and sort, the kernels of each operation, the ladders, and the debt over "
            "time. "
            "The walk through the history stops after 60 s, and the page then says so. The same tree with "
            "the "
            "same history gives the same bytes. A filtered table has an address of its own "
            "(index.html#q=attention&gaps=1).",
        .options = report_options,
        .examples = "sota-coverage report --html out\tthen open out/index.html\n",
        .positional = "",
    },
    {
        .name = "history",
        .failure = CLI_UNDECIDED,
        .usage = "[OPTIONS] [REV]",
        .summary = "the debt of every commit: who added, who paid, since when",
        .description = "Walks the whole history of REV (HEAD): debt, kernels and coverage of each commit, "
                       "who added and who paid "
                       "what, and the first commit of each gap. A commit is held to the matrix that it holds "
                       "itself; where the "
                       "revision holds none, all are held to the one that --matrix or `git config "
                       "fak.matrix` names. A merge is "
                       "charged only for what none of its parents had.\n\n"
                       "Files are scanned once each content and commits folded once each tree; the next run "
                       "reads both from the "
                       "cache. Ctrl-C keeps what was done.\n\n"
                       "Exit codes: 0 done, 2 cannot decide (a shallow clone, a missing object, no matrix).",
        .options = history_options,
        .examples =
            "sota-coverage history\twho paid what\n"
            "sota-coverage history --plot debt.svg\tand a picture of it\n"
            "sota-coverage history --matrix ggml.sql -C ggml v0.9\tof another repository, up to a tag\n",
        .positional = "",
    },
    {0},
};

static int help(struct cli *cli, const struct cli_command *command) {
    cli_help(&cli->out, &cli->out_term, cli->program, command);
    return cli_finish(cli, 0);
}

int main(int argc, char **argv) {
    struct cli cli;
    cli_init(&cli, "sota-coverage");
    cli.table = commands;
    bool word = argc > 1 && strcmp(argv[1], "help") == 0;
    static int (*const run[])(struct cli *, int, char **) = {coverage_debt, coverage_scan, coverage_report,
                                                             coverage_history};
    size_t which = 0;
    for (size_t i = 1; argc > 1 + word && commands[i].name; i++)
        if (strcmp(argv[1 + word], commands[i].name) == 0) which = i;
    cli.command = &commands[which];
    if (word || cli_wants_help(cli.command, argc, argv)) return help(&cli, cli.command);
    return which ? run[which](&cli, argc - 1, argv + 1) : run[0](&cli, argc, argv);
}
