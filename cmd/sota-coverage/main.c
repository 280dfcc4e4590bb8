/* sota-coverage: finds every kernel of a tree and folds what is missing into one number. */
#include "cmd/sota-coverage/coverage.h"

#include <string.h>

static const struct cli_option debt_options[] = {
    {"--json", NULL, "The whole report as JSON."},
    {"--all", NULL, "Every gap, where the text otherwise folds a long list into a count."},
    {"--explain", "FINGERPRINT",
     "One gap: what it is, where it is written, its smallest mend. A prefix will do."},
    {"-C, --directory", "DIR", "Look at the repository that DIR lies in, not at the one we are in."},
    {"--check", NULL, "Exit 1 when there is any debt."},
    {"--max-debt", "N", "Exit 1 when sota_debt is above N."},
    {0},
};

static const struct cli_option scan_options[] = {
    {"--json", NULL, "One object a file: path, language, engine, error share, kernels."},
    {"--kernel-place", NULL,
     "Take C and C++ files as places of kernels: every function with external linkage is one."},
    {0},
};

static const struct cli_command commands[] = {
    {
        .name = "",
        .usage = "[OPTIONS]",
        .summary = "every kernel, every gap, one number",
        .description =
            "Reads the files that git tracks and the matrix of the repository (sotadb/seed/*.sql, or what "
            "`git config fak.matrix` names), and prints a scorecard: the share of kernels without a gap, "
            "the gaps with their smallest mends, and as its last line `sota_debt=N`, the number of "
            "distinct gaps.\n\n"
            "Exit codes: 0 done, 1 more debt than --check or --max-debt allows, 2 cannot decide (no "
            "repository, no git, no matrix).",
        .options = debt_options,
        .examples = "sota-coverage\tthe scorecard of this repository\n"
                    "sota-coverage --max-debt 40\tfails in CI when there are more than 40 gaps\n"
                    "sota-coverage scan --json src\tthe kernels under src, without a matrix\n",
    },
    {
        .name = "scan",
        .usage = "[--json] PATH...",
        .summary = "the kernels of files and folders, without a matrix",
        .description =
            "Finds CUDA, HIP, Metal, OpenCL, GLSL, HLSL and Triton kernels and the SIMD functions of C and "
            "C++. Each with its name, lines and kind: `kernel`, `instance` (an instantiation of one that is "
            "defined elsewhere) or `helper`.",
        .options = scan_options,
        .examples = "sota-coverage scan ggml/src/ggml-cuda\tone line a kernel\n",
        .positional = "file",
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
    bool scan = argc > 1 + word && strcmp(argv[1 + word], "scan") == 0;
    cli.command = &commands[scan ? 1 : 0];
    if (word || cli_wants_help(cli.command, argc, argv)) return help(&cli, cli.command);
    return scan ? coverage_scan(&cli, argc - 1, argv + 1) : coverage_debt(&cli, argc, argv);
}
