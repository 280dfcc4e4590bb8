#include "cmd/fak/commands.h"

#include <string.h>

/* A look-up is shown as text, as Markdown or as JSON. */
#define FORMS                                                                                                \
    {"--json", NULL, "write JSON"}, { "--markdown", NULL, "write Markdown" }

static const struct cli_option lookup_options[] = {FORMS, {0}};

static const struct cli_option export_options[] = {
    {"--json", NULL, "write JSON, as without it"},
    {"--markdown", NULL, "write the pages of all operations and ladders"},
    {0},
};

static const struct cli_option init_options[] = {
    {"-C, --directory", "DIR", "The repository that DIR lies in, not the one we are in."},
    {"-o, --output", "FILE", "Write to FILE; - is stdout."},
    {0},
};
static const struct cli_option issue_options[] = {
    {"--post", "N", "comment on issue N with the GitHub client gh, instead of printing"},
    FORMS,
    {0},
};

static const struct cli_option stamp_options[] = {
    {"--message", "FILE", "put it into this commit message instead of printing it"},
    {"--no-witness", NULL, "leave out what the witness measures now"},
    {0},
};

static const struct cli_option log_options[] = {
    {"--range", "A..B", "the history to read, as for git log; HEAD by default"},
    {"--json", NULL, "write JSON"},
    {0},
};

static const struct cli_option gate_options[] = {
    {"--message", "FILE", "judge the Prior-art trailer of this commit message too"},
    {"--range", "A..B", "judge every commit that B has and A has not, instead of what is staged"},
    {"--first-parent", NULL, "judge a merge by all that it brings, and not the commits it merged"},
    {"--squash", NULL, "judge the range as the one commit that it will be squashed into"},
    {"--message-file", "FILE", "the message of that squash, or the body of the pull request"},
    {"--require", NULL, "exit 1 when a commit needs a trailer"},
    {"--format", "text|json|sarif|github|summary|junit", "how a range is written; text by default"},
    {"--json", NULL, "the same as --format json"},
    {"-o, --output", "FILE", "write to a file instead of stdout"},
    {0},
};

static const struct cli_option install_options[] = {
    {"--files", NULL, "write hook files, even where git runs hooks from its configuration (2.54 and later)"},
    {0},
};

static const struct cli_option doctor_options[] = {{"--json", NULL, "write JSON"}, {0}};

static const struct cli_option help_options[] = {
    {"--man", NULL, "write the man page (mdoc) instead"},
    {"--names", NULL, "list the names of all commands, one a line"},
    {0},
};

static const struct cli_option tokenize_options[] = {
    {"-p, --prompt", "TEXT", "the text; '-' reads it from stdin"},
    {"--file", "FILE", "read the text from a file, byte for byte"},
    {"--add-special", NULL, "put the tokens that the model asks for around the text, as by default"},
    {"--no-special", NULL, "leave them out"},
    {"--parse-special", NULL, "special tokens written in the text are themselves, as by default"},
    {"--no-parse-special", NULL, "they are ordinary text"},
    {"--json", NULL, "write JSON: tokenizer, count, ids"},
    {"--pieces", NULL, "with --json: pieces, and pieces_b64 (their bytes), too"},
    {"--batch", NULL, "a line of JSON on stdin a text, a line of JSON on stdout its ids"},
    {0},
};

static const struct cli_option detokenize_options[] = {
    {"--ids", "LIST", "ids with commas between them"},
    {"--file", "FILE", "read the ids from a file: numbers, commas, blanks, lines"},
    {"--skip-special", NULL, "special tokens add nothing"},
    {"--json", NULL, "write JSON: text, text_b64"},
    {"--batch", NULL, "a line of JSON on stdin a list of ids, a line of JSON on stdout its text"},
    {0},
};

static const struct cli_option template_options[] = {
    {"--messages", "FILE.json", "the messages, a JSON array; '-' reads them from stdin"},
    {"--tools", "FILE.json", "the tools, a JSON array"},
    {"--documents", "FILE.json", "the documents, a JSON array"},
    {"--set", "KEY=JSON", "a further variable; may be given more than once"},
    {"--now", "TIME", "what the template's clock shows, like 2024-07-26T14:30:05"},
    {"--no-generation-prompt", NULL, "do not open the model's reply"},
    {"--continue-final-message", NULL, "end right behind the last message, for the model to go on"},
    {"--json", NULL, "write JSON: text, or error with kind and message"},
    {"--batch", NULL, "a line of JSON on stdin a case, a line of JSON on stdout its text"},
    {0},
};

static const struct cli_option inspect_options[] = {
    {"--json", NULL, "write JSON"},
    {"--verify", NULL, "run every check of loading and decode every weight; exit 1 when one fails"},
    {"--tensor", "NAME", "write this weight, dequantised, to the file of -o as bare float32 [out][in]"},
    {"-o, --output", "FILE", "where --tensor writes"},
    {0},
};

static const struct cli_option convert_options[] = {
    {"--type", "TYPE",
     "of matrices: f32, f16, bf16, or auto (the default): as stored, F16 for quantised ones"},
    {"--no-tokenizer", NULL, "leave the tokenizer out"},
    {0},
};

static const struct cli_option witness_options[] = {
    {"--activations", "16|8",
     "only kernels that take activations as integers, with so many bits: each width is a contract of its "
     "own"},
    {"--kv", "f32|f16|bf16|q8_0", "only kernels that read or write keys and values, of this type"},
    {"--json", NULL, "write JSON"},
    {"--no-skip", NULL, "exit 1 when anything was skipped"},
    {0},
};

/* How a model is run. */
#define LANE                                                                                                 \
    {"--threads", "N", "threads; all CPUs that this process may use by default"},                            \
        {"--isa", "ref|c|avx2|avx512|neon|auto",                                                             \
         "the lane of kernels; all but ref, the slow oracle, give the same bits, auto the fastest"},         \
        {"--activations", "16|8",                                                                            \
         "bits of activations against quantised weights: 16, the default, or 8, faster and less exact"},     \
        {"--kv", "f32|f16|bf16|q8_0",                                                                        \
         "the type of keys and values: less memory, faster far into a text, a little off; f32 by default"},  \
        {"--no-pin", NULL, "let threads move; else each stays on a CPU, where there is one for each"}, {     \
        "--cache-panels", NULL, "keep re-laid weights in MODEL.fak-panels, which the next load maps"         \
    }

static const struct cli_option run_options[] = {
    {"-p, --prompt", "TEXT", "the prompt; '-' reads it from stdin"},
    {"-n, --tokens", "N", "at most N tokens; to the end of the text by default"},
    {"--chat", NULL, "TEXT is a message, put into the model's own chat template"},
    {"-i, --interactive", NULL, "talk: a message a line; --chat on a terminal without -p does so too"},
    {"--system", "TEXT", "the system message for --chat; the template's own by default"},
    {"--temp", "T",
     "draw from the model's distribution at this temperature; 0, the default: the most likely token"},
    {"--top-k", "K", "draw from the K most likely tokens"},
    {"--top-p", "P", "draw from the fewest most likely tokens that have probability P together"},
    {"--min-p", "P", "draw from tokens at least P times as likely as the most likely one"},
    {"--seed", "N", "the seed of the draws; a random one, which is told, by default"},
    {"--repeat-penalty", "X", "divide the logits of recent tokens by X (multiply negative ones)"},
    {"--frequency-penalty", "X", "take X off the logit of a token for each time it occurred recently"},
    {"--presence-penalty", "X", "take X off the logit of a token that occurred recently"},
    {"--penalty-window", "N", "how many tokens are recent; 64 by default"},
    {"--context", "N", "make room for N positions; the model's own by default"},
    {"--json", NULL, "write JSON when the reply is there: text, ids, why it stopped, speed"},
    LANE,
    {0},
};

static const struct cli_option logits_options[] = {
    {"--ids", "LIST", "token ids with commas between them"},
    {"--ids-file", "FILE", "read them from a file: numbers, commas, blanks, lines; '-' is stdin"},
    {"-o, --output", "FILE", "write the logits: float32, little-endian, [n_pos][n_vocab]"},
    {"--greedy", "N", "go on for N tokens, past an end token too"},
    {"--chunk", "N", "tokens a batch at most; 512 by default"},
    LANE,
    {0},
};

static const struct cli_option quantize_options[] = {
    {"--imatrix", "FILE", "an importance matrix, as llama-imatrix writes it: which columns count how much"},
    {"--dry-run", NULL, "show each tensor's type and size, and write nothing"},
    {"--threads", "N", "threads; all CPUs that this process may use by default"},
    {0},
};

static const struct cli_option perplexity_options[] = {
    {"--file", "FILE", "the text, byte for byte"},
    {"-p, --prompt", "TEXT", "the text itself; '-' reads it from stdin, as does neither of them"},
    {"--context", "N", "tokens a chunk; 512 by default"},
    {"--chunks", "N", "at most N chunks"},
    {"--save-logits", "FILE", "write the logits that were judged, for --against"},
    {"--against", "FILE", "take text and chunks from saved logits, and say how far this model is from them"},
    {"--json", NULL, "write JSON"},
    LANE,
    {0},
};

static const struct cli_option bench_options[] = {
    {"-m, --model", "MODEL", "a model to measure, as an argument is; may be given more than once"},
    {"--synth", "SHAPES[:TYPES]",
     "make models with random weights and measure them: 1b, 110m, moe in the types named, or in all"},
    {"--synth-dir", "DIR", "keep them in DIR, and take those that are there; else they are temporary"},
    {"-p, --n-prompt", "LIST", "tokens of a prompt, all at once; 512 by default, 0: none"},
    {"-n, --n-gen", "LIST", "tokens one by one; 128 by default, 0: none"},
    {"--pg", "P,N", "a prompt of P tokens and then N one by one, as one figure"},
    {"-d, --depth", "LIST", "tokens that stand before, and are not timed; 0 by default"},
    {"--again", NULL, "prompts once more, in a session that finds them run: what is reused is not run"},
    {"-r, --repetitions", "N", "measure each test N times; 5 by default"},
    {"-t, --threads", "LIST", "threads; all CPUs that this process may use by default"},
    {"-b, --batch-size", "LIST", "tokens a batch at most; 512 by default"},
    {"--isa", "ref|c|avx2|avx512|neon|auto", "the lane of kernels; may be given more than once"},
    {"--activations", "16|8", "bits of activations against quantised weights; may be given more than once"},
    {"--kv", "f32|f16|bf16|q8_0",
     "how keys and values are kept; f32 by default; may be given more than once"},
    {"--no-warmup", NULL, "measure the first run, too"},
    {"--no-roof", NULL, "do not measure what the machine can do at most"},
    {"-o, --output", "md|csv|json|jsonl", "the form of the table; md by default"},
    {"-q, --quiet", NULL, "no progress on stderr"},
    {0},
};

/* In the order in which help lists them: new rows before "completion". */
const struct cli_command fak_command_table[] = {
    {
        .name = "sota",
        .usage = "OP|FILE|FILE:LINE|KERNEL [--json|--markdown]",
        .summary = "look up the prior art of an operation, a file or a kernel",
        .description = "Run it before writing or changing a kernel: it prints the reference to read, the "
                       "route to take (borrow, "
                       "bind or stay-minimal, and why), the oracle that proves the result and what is known "
                       "to be missing.\n\n"
                       "An argument with a slash or a dot is a path, whether the file is there or not; it "
                       "may be relative, "
                       "absolute, or written from the root of the repository. FILE:LINE reads the file and "
                       "looks for the kernel "
                       "that stands there. Anything else is an operation (its slug or an alias) or the name "
                       "of a kernel.\n\n"
                       "A name that is unknown suggests the nearest and exits with 2; a file that no row "
                       "covers exits with 1.",
        .options = lookup_options,
        .examples = "fak sota fused-attention\tone operation\n"
                    "fak sota engine/kernels/ref/linear.c\tthe operations of a file\n"
                    "fak sota k_awq_gemv\tthe operation of a kernel\n"
                    "fak sota search paged attention\twords anywhere in the matrix",
        .positional = "op file command",
    },
    {
        .name = "sota list",
        .usage = "[--json|--markdown]",
        .summary = "list every operation of the matrix",
        .description =
            "One operation a line: slug, route, status and title. `shipped` rows have a witness that runs, "
            "`selected` rows are worked on, `planned` rows are not there yet.",
        .options = lookup_options,
    },
    {
        .name = "sota milestones",
        .usage = "[AXIS] [--json|--markdown]",
        .summary = "show where fak stands on the ladders of prior art",
        .description =
            "Without AXIS, all ladders: the rung that fak stands on and the next milestone. With AXIS, one "
            "ladder rung by rung. Rungs are external work, named, dated and linked; the rung that fak "
            "stands on is only what a witness backs.",
        .options = lookup_options,
        .examples = "fak sota milestones attention\tone ladder",
        .positional = "axis",
    },
    {
        .name = "sota search",
        .usage = "WORD... [--json|--markdown]",
        .summary = "search the matrix and the ladders for words",
        .description =
            "Rows that hold every word come first; when there is none, rows that hold some. A hit in a name "
            "counts more than one in the fine print.",
        .options = lookup_options,
        .examples = "fak sota search marlin int4\toperations whose row names both",
    },
    {
        .name = "sota gaps",
        .usage = "[--json|--markdown]",
        .summary = "list what is missing, in the order to take it up",
        .description =
            "Operations without a witness, lanes without a test, an acceptance row or a measured floor, and "
            "operations without a file. Code without a witness comes first: nothing may be borrowed before "
            "the witness of the current path exists. Only the matrix is read; sota-coverage looks at the "
            "tree.",
        .options = lookup_options,
    },
    {
        .name = "sota init",
        .usage = "[-C DIR] [-o FILE]",
        .summary = "propose a first matrix for a repository that has none",
        .description = "Scans the repository and proposes, for each kernel file, the operation of the "
                       "built-in matrix that the "
                       "names of its kernels, its own name or its text say. Writes them as rows to "
                       "sotadb/seed/10-proposed.sql. "
                       "Nothing is invented: titles, links and papers are those of the built-in rows, every "
                       "operation is "
                       "`planned`, and what only you can know is marked REVIEW. Files that fit no operation "
                       "are listed at the "
                       "end. A matrix that is there is never written over.",
        .options = init_options,
        .examples = "fak sota init -C ~/llama.cpp\ta matrix for another repository\n"
                    "fak sota init -o -\tonly show it",
        .module = "fak-init",
    },
    {
        .name = "sota bench",
        .usage = "[OP] [--json|--markdown]",
        .summary = "show the lineage of the figures of an operation",
        .description =
            "Every figure with its model, machine, engine, baseline, commit and the command that reproduces "
            "it. Deterministic figures hold everywhere, wall-clock ones on the machine they name.",
        .options = lookup_options,
        .positional = "op",
    },
    {
        .name = "sota export",
        .usage = "[--json|--markdown]",
        .summary = "write the whole matrix as JSON",
        .description = "Every table, every row and every column: enough to write the seed again.",
        .options = export_options,
    },
    {
        .name = "sota issue",
        .usage = "OP [--post N] [--json|--markdown]",
        .summary = "write an issue update: decision, route, oracle, plan",
        .description =
            "Prints Markdown that is ready to paste. With --post it is handed to the GitHub client, which "
            "has to be installed and logged in, as a comment on issue N of this repository.",
        .options = issue_options,
        .examples = "fak sota issue awq-gemm --post 905\tcomment on an issue",
        .positional = "op",
    },
    {
        .name = "sota stamp",
        .usage = "[OP...] [--message FILE] [--no-witness]",
        .summary = "write the Prior-art trailer of the staged change",
        .description =
            "One line: the operations that the staged change touches (or those named), the reference of "
            "each, "
            "and what their witness measures now, run for this: the largest distance from the oracle over "
            "every "
            "case of every lane that this processor has. A witness that fails gives no stamp and exit 1.\n\n"
            "With --message the trailer goes into that file as git would put it: behind the trailers that "
            "are "
            "there, or as a paragraph of its own, before comments and scissors. A stamp of the same "
            "operations "
            "that is there already is replaced. The file appears whole or not at all.",
        .options = stamp_options,
        .examples = "git commit --trailer \"$(fak sota stamp)\"\tstamp while committing\n"
                    "fak sota stamp fused-attention\tof one operation, staged or not",
        .positional = "op",
        .module = "fak-hooks",
    },
    {
        .name = "sota log",
        .usage = "[OP] [--range A..B] [--json]",
        .summary = "list what prior art the history consulted",
        .description =
            "Every Prior-art trailer of the history, by operation, the newest commit first; what names no "
            "operation of the matrix comes last, as free text. With OP, only that one.",
        .options = log_options,
        .examples = "fak sota log fused-attention\twho read what for it\n"
                    "fak sota log --range v1.0..HEAD\tsince a release",
        .positional = "op",
        .module = "fak-hooks",
    },
    {
        .name = "gate",
        .usage = "[--message FILE | --range A..B [--require]] [--format FORM] [-o FILE]",
        .summary = "say what to read before a change is committed, or of a range in CI",
        .description =
            "Matches the files that the next commit changes against the matrix and says, for each operation "
            "they belong to, which reference to read, which route to take, what proves the result, and the "
            "Prior-art trailer to stamp. Tests, documents, generated files and changes of comments or blanks "
            "alone are silent; so is a message with a valid trailer.\n\n"
            "It advises and never blocks: exit 0 with or without findings, 2 when the repository cannot be "
            "read.\n\n"
            "With --range every commit is judged by its own message, as a CI sees a pull request: A..B, "
            "A...B "
            "and A alone (B is HEAD then) are the commits that B has and A has not. A merge is judged by "
            "what "
            "it changed itself. A revert of a stamped commit is covered; so is a fixup of one, and so is "
            "everything that the trailers of --message-file name: a squash message, or the body of the pull "
            "request. A trailer that names no operation of the commit, or that git does not find, is told "
            "with "
            "its line and its mend.\n\n"
            "Exit 0 also with findings, 1 with --require when a commit needs a trailer, 2 when it cannot be "
            "decided (a shallow or partial clone, a bad range): the message names the mend. SARIF is for "
            "code "
            "scanning, github for annotations, summary for $GITHUB_STEP_SUMMARY, junit for everything else; "
            "each stays within its reader's limits and says what it left out.",
        .options = gate_options,
        .examples = "fak gate\tadvice for what is staged\n"
                    "fak gate --message .git/COMMIT_EDITMSG\tand is its trailer right?\n"
                    "fak gate --range origin/main --require\tthe commits of this branch\n"
                    "fak gate --range origin/main --format sarif -o fak.sarif\tfor code scanning",
        .module = "fak-hooks",
        .failure = CLI_UNDECIDED,
    },
    {
        .name = "hooks",
        .usage = "install | uninstall | status | doctor | agent | run STAGE",
        .summary = "advise at each commit, through git hooks",
        .description = "Advice never blocks a commit. Off-switches: `git config fak.priorart false`, "
                       "FAK_SKIP=1, SKIP=priorart.",
        .examples = "fak hooks install\tin this repository\n"
                    "fak hooks doctor\twhy a hook runs, or does not\n"
                    "git config core.hooksPath .githooks\tinstead, in fak's own repository",
        .positional = "command",
        .module = "fak-hooks",
    },
    {
        .name = "hooks install",
        .usage = "[--files]",
        .summary = "put our hooks where git looks for them",
        .description =
            "Installs commit-msg and prepare-commit-msg. Where git runs hooks from its configuration (2.54 "
            "and "
            "later) they go there and no file is touched. Otherwise they go into the files that git runs in "
            "this "
            "worktree (core.hooksPath included), in front of what is there, whose arguments, input and exit "
            "status stay its own. A hook runner whose configuration calls fak already is left alone.",
        .options = install_options,
        .module = "fak-hooks",
    },
    {
        .name = "hooks uninstall",
        .usage = "",
        .summary = "take our hooks away",
        .description = "Everything that was there before is there again, byte for byte.",
        .module = "fak-hooks",
    },
    {
        .name = "hooks status",
        .usage = "",
        .summary = "say which of our hooks fire here",
        .description = "Exits 1 when one of them does not.",
        .module = "fak-hooks",
    },
    {
        .name = "hooks doctor",
        .usage = "[--json]",
        .summary = "say which hook really runs in this worktree, and why",
        .description = "Where git looks for hooks and who set that; what runs in each moment, file or "
                       "configuration, and which "
                       "runner wrote it; hooks of ours that git passes over; what switches the advice off; "
                       "what reads this "
                       "repository, and what libgit2 cannot read in it. Each problem comes with its mend.\n\n"
                       "Exits 1 when there is a problem.",
        .options = doctor_options,
        .examples = "fak hooks doctor --json | jq '.problems'\tfor scripts",
        .module = "fak-hooks",
    },
    {
        .name = "hooks agent",
        .usage = "",
        .summary = "what a coding agent calls after an edit",
        .description = "Reads the event of an edit (JSON, as Claude Code, Codex, Gemini CLI, Cursor, "
                       "Copilot, Cline and Windsurf "
                       "give it to their hooks) from stdin and writes one JSON object: for a kernel the row, "
                       "the reference with "
                       "its link and the command that proves the result, in at most 300 tokens; {} for "
                       "anything else. Exits 0 "
                       "whatever happens. docs/hooks.md has the entries for each agent.",
        .examples = "fak hooks agent <event.json\twhat the agent would be told",
        .module = "fak-agent",
        .failure = CLI_ADVISES,
    },
    {
        .name = "hooks run",
        .usage = "STAGE [ARGUMENT...]",
        .summary = "what a hook calls",
        .description =
            "STAGE is commit-msg, prepare-commit-msg or pre-commit; the arguments are those that git gives. "
            "Exits 0 whatever happens.",
        .module = "fak-hooks",
        .failure = CLI_ADVISES,
    },
    {
        .name = "mcp",
        .usage = "",
        .summary = "serve look-ups to coding agents over stdio",
        .description = "A server of the Model Context Protocol (2024-11-05 to 2026-07-28) on stdin and "
                       "stdout, one message a "
                       "line, until the input ends. Its tools are lookup, rows_for_files, explain, "
                       "milestones and gaps; they "
                       "only read, and their answers are bounded.",
        .examples = "claude mcp add fak -- fak mcp\tfor one agent; docs/hooks.md has others",
        .module = "fak-agent",
    },
    {
        .name = "run",
        .usage = "[MODEL] [-p TEXT] [-n N] [--chat|-i]",
        .summary = "continue a text, or talk, with a model",
        .description =
            "Writes what MODEL (a GGUF file, a safetensors file or a Hugging Face directory) makes of the "
            "prompt to "
            "stdout as it comes, and nothing else; its speed goes to stderr. The reply ends where the model "
            "ends it, "
            "after N tokens, or when the context is full, which is said. Without MODEL the built-in story "
            "model "
            "speaks.\n\n"
            "The prompt is TEXT, or what is piped in (without its last newline). It is taken as it "
            "is: a base model continues it, and special tokens written in it count. With --chat it is "
            "a message, framed as the model's own chat template says, and nothing in it can become a "
            "special token.\n\n"
            "Without further options the most likely token comes next, always. --top-k, --top-p, --min-p and "
            "--seed "
            "draw instead, at temperature 0.8 unless --temp says another. The order is: penalties, "
            "temperature, "
            "top k, top p, min p. The same seed gives the same reply.\n\n"
            "With -i, or --chat on a terminal, it talks: /help lists the commands. Ctrl-C stops the reply "
            "and not the "
            "talk; a single reply it ends with exit status 130. What of a conversation was run before "
            "(/retry, /undo, /clear and the same again) is reused, which the line on speed says, and gives "
            "the "
            "same reply.",
        .options = run_options,
        .examples = "fak run\ta story from the built-in model\n"
                    "fak run -p 'There once was a quiet rabbit' --temp 1 --seed 7\tanother one\n"
                    "fak run SmolLM2.gguf --chat\ttalk to an instructed model\n"
                    "fak run SmolLM2.gguf --chat -p 'What is a hash table?'\tone question\n"
                    "fak run model.gguf <prompt.txt >reply.txt\tfrom file to file\n",
        .positional = "model",
        .module = "fak-engine",
    },
    {
        .name = "logits",
        .usage = "MODEL --ids 1,403,407|--ids-file FILE [-o FILE] [--greedy N]",
        .summary = "logits and greedy ids for given token ids",
        .description = "The oracle command. Runs the ids as they are, nothing added, and writes JSON: n_pos, "
                       "n_vocab, the ids of the greedy continuation and their margins (largest logit less "
                       "second), and the SHA-256 of the logits' bytes. The same bits whatever --threads and "
                       "--chunk say.",
        .options = logits_options,
        .examples = "fak logits model.gguf --ids 1,403,407 --greedy 8\twhat comes next\n",
        .positional = "model",
        .module = "fak-engine",
    },
    {
        .name = "tokenize",
        .usage = "MODEL [-p TEXT|--file FILE] [--json] | MODEL --batch",
        .summary = "show the tokens of a text",
        .description =
            "Cuts a text as the tokenizer of MODEL cuts it, and prints the id and the piece of every token. "
            "MODEL "
            "is a GGUF file (one with a vocabulary alone will do), a Hugging Face directory, a "
            "tokenizer.json or a "
            "tokenizer.model; nothing beside a file that is named is read. Without -p and --file the text is "
            "what is "
            "piped in; a newline at its end is text too.\n\n"
            "The begin token is put where the model asks for it, and special tokens written in the text are "
            "themselves, as `fak run` reads a prompt. Bytes that are no UTF-8 count as U+FFFD.\n\n"
            "With --batch each line of stdin is an object with text or text_b64 and, where they differ from "
            "the "
            "options, add_special and parse_special; each line of stdout has ids and pieces_b64, or error.",
        .options = tokenize_options,
        .examples = "fak tokenize model.gguf -p 'Hello, world'\ta table\n"
                    "fak tokenize model.gguf --json <prompt.txt\tids of a file\n"
                    "fak tokenize tokenizer.json --batch <texts.jsonl\tmany texts",
        .positional = "model",
        .module = "fak-engine",
    },
    {
        .name = "detokenize",
        .usage = "MODEL [ID...|--ids LIST|--file FILE] | MODEL --batch",
        .summary = "show the text of token ids",
        .description = "The opposite of `fak tokenize`: what a stream of these ids shows. Special tokens are "
                       "kept; bytes that are "
                       "no UTF-8 become U+FFFD. Without ids they are read from stdin.\n\n"
                       "With --batch each line of stdin is an object with ids and perhaps keep_special; each "
                       "line of stdout has "
                       "text and text_b64, or error.",
        .options = detokenize_options,
        .examples = "fak detokenize model.gguf 1 403 407\tas text\n"
                    "fak detokenize model.gguf --ids 1,403,407 --json\tas JSON",
        .positional = "model",
        .module = "fak-engine",
    },
    {
        .name = "template",
        .usage = "MODEL_OR_FILE --messages FILE.json [--tools FILE.json] | --batch",
        .summary = "render a chat template",
        .description =
            "Writes what the chat template of MODEL_OR_FILE makes of the messages, as transformers does, and "
            "nothing "
            "else. It is a GGUF file, a Hugging Face directory, a tokenizer_config.json, or the template "
            "itself in a "
            "file of any name.\n\n"
            "A template sees its variables and nothing else, and ends: steps, nesting, output and memory are "
            "bounded.\n\n"
            "With --batch each line of stdin is a case (template_text, messages, tools, documents, context, "
            "add_generation_prompt, continue_final_message, bos_token, eos_token, now); each line of stdout "
            "has "
            "text, or error with kind and message.",
        .options = template_options,
        .examples = "fak template model.gguf --messages chat.json\twhat the model would read\n"
                    "fak template chat.jinja --messages chat.json --set enable_thinking=false\ta variable",
        .positional = "model",
        .module = "fak-engine",
    },
    {
        .name = "convert",
        .usage = "DIR OUT.gguf [--type TYPE] [--no-tokenizer]",
        .summary = "write a Hugging Face checkpoint as one GGUF file",
        .description =
            "Reads the directory as every other command does and writes its metadata, tensors and "
            "tokenizer under "
            "GGUF's names. Numbers keep their type; GPTQ, AWQ, EXL2 and packed integers are "
            "decoded to F16, FP8 to BF16, "
            "and MXFP4 stays MXFP4. Vectors are F32, and the rows of q and k are put where "
            "llama.cpp looks for them.\n\n"
            "GGUF names a pre-tokenizer where a tokenizer.json has rules: the name is found by "
            "cutting probe texts with "
            "both until all ids are equal; when none is, the command says so. Byte-level BPE, BPE "
            "with byte fallback and Unigram are written, from tokenizer.json or, without one, "
            "tokenizer.model; Unigram with byte fallback has no word in GGUF and needs "
            "--no-tokenizer. Of an added token lstrip, rstrip, single_word and normalized are left "
            "out.\n\n"
            "What llama.cpp has no key for (Mistral's window, Gemma 2's score scale, a space in front "
            "only where there is none) is written "
            "under keys that only fak reads.",
        .options = convert_options,
        .examples = "fak convert DIR model.gguf\teverything as stored\n"
                    "fak convert DIR model.gguf --type f32\texact values, whatever the format",
        .positional = "model",
        .module = "fak-engine",
    },
    {
        .name = "perplexity",
        .usage = "MODEL --file FILE [--context N] [--chunks N] [--against FILE]",
        .summary = "say how well a model foresees a text",
        .description = "The perplexity of a text: e to the mean surprise (in nats) of its tokens. The chunk "
                       "rule is that of "
                       "llama.cpp's tool: the whole text is cut into tokens, begin token in front and "
                       "special text as text; the "
                       "tokens into chunks of N, a rest is left out; the first token of each chunk is "
                       "replaced by the begin token, "
                       "where the model asks for one; and of each chunk the logits from position N/2 on are "
                       "judged by the token "
                       "that comes next.\n\n"
                       "--save-logits keeps those logits as float32, with the ids; --against runs another "
                       "model on the same ids "
                       "and adds the Kullback-Leibler divergence from the saved logits (mean, median, 99 %, "
                       "largest) and the "
                       "share of positions where the most likely token is the same.",
        .options = perplexity_options,
        .examples =
            "fak perplexity model.gguf --file eval.txt\ton a text\n"
            "fak perplexity model-F16.gguf --file eval.txt --save-logits base\tthe base ...\n"
            "fak perplexity model-Q4_K.gguf --against base\t... and how far a quantised copy is from it",
        .positional = "model",
        .module = "fak-engine",
    },
    {
        .name = "quantize",
        .usage = "MODEL.gguf OUT.gguf TYPE [--imatrix FILE] [--dry-run]",
        .summary = "write a model with weights of fewer bits",
        .description = "TYPE is Q8_0, Q6_K, Q5_K_M, Q4_K_M, Q4_0, or F16, BF16, F32 for a copy without "
                       "blocks. The tensors that "
                       "hurt most get more bits, as in llama.cpp: the output matrix, and in Q4_K_M and "
                       "Q5_K_M the values and the "
                       "down projections of the first and the last eighth of the layers and of every third "
                       "between them. Vectors, "
                       "norms and routers stay as they are. A tensor whose rows are no whole super-blocks "
                       "gets a type of blocks of "
                       "32.\n\n"
                       "Weights of any type that this build decodes may come in; what is quantised twice "
                       "loses twice. The same "
                       "input gives the same bytes, whatever --threads says.",
        .options = quantize_options,
        .examples = "fak quantize model-F16.gguf model-Q4_K_M.gguf Q4_K_M\tthe usual choice\n"
                    "fak quantize model.gguf - Q4_K_M --dry-run\twhat it would be",
        .positional = "model file",
        .module = "fak-engine",
    },
    {
        .name = "inspect",
        .usage = "MODEL [--json | --verify | --tensor NAME -o FILE]",
        .summary = "show what a model file holds, and whether it runs here",
        .description =
            "MODEL is a GGUF file, a Hugging Face directory or a safetensors file. Reads the header and none "
            "of "
            "the weights: version, metadata (long arrays "
            "folded), "
            "every tensor with type, shape, offset and bytes, totals a type, parameters and bits per weight, "
            "the tokenizer, and whether this build can run it, or why not.\n\n"
            "A damaged file is refused with the byte and the field that are wrong.",
        .options = inspect_options,
        .examples =
            "fak inspect model.gguf | less\tthe whole header\n"
            "fak inspect model.gguf --json | jq .parameters\tone figure\n"
            "fak inspect DIR --tensor model.layers.0.mlp.down_proj -o w.f32\ta weight as its format means it",
        .positional = "model",
        .module = "fak-engine",
    },
    {
        .name = "witness",
        .usage = "[OP] [--activations 16|8] [--kv TYPE] [--json] [--no-skip]",
        .summary = "run the proofs of a matrix row on this machine",
        .description =
            "Tries every kernel of this build whose file the paths of the row cover, or of all rows: against "
            "the ref lane on all shapes and kinds of number (cosine, normalised error, the largest element "
            "of "
            "each row, no result that is not a number), and bit for bit against itself, however the work is "
            "cut, and against the portable clone of its lane; no word outside of the output may change. "
            "Under the lines of a kernel stands the bar it has to clear.\n\n"
            "The column `in` tells contracts apart: i16 and i8 for activations that are integers of sixteen "
            "and of eight bits, the type of keys and values where a kernel has those. A lane that proves one "
            "has not proven the others: each has lines and a bar of its own.\n\n"
            "PASS is proven here and now. SKIP says that this machine or build cannot try it, and is no "
            "PASS. "
            "Exit status 1: something failed, or nothing passed.",
        .options = witness_options,
        .examples = "fak witness\tall rows that have kernels in this build\n"
                    "fak witness fused-attention\tone row\n"
                    "fak witness cpu-kquant-gemm --activations 8\tthe contract of --activations 8 alone\n"
                    "fak witness block-quant-gemm --json | jq '.[] | [.kernel, .isa, .cosine]'\tfigures",
        .positional = "op",
        .module = "fak-engine",
    },
    {
        .name = "bench",
        .usage = "[MODEL...] [--synth SHAPES[:TYPES]] [-p LIST] [-n LIST] [-d LIST] [-t LIST] [-r N]",
        .summary = "measure tokens a second, and how near to the limit of the machine they are",
        .description =
            "The tests are llama-bench's: ppN reads a prompt of N random tokens, tgN gives N tokens one by "
            "one, "
            "behind `@ dN` stands how many tokens came before. Each line is the mean of the repetitions and "
            "their standard deviation; JSON has every sample, the median, the time to load and the most "
            "memory, under llama-bench's names where it has the same.\n\n"
            "The last column holds the figure against the roof: for tokens one by one the bytes that they "
            "read (weights, and keys and values at that depth) against what the same threads read from "
            "memory at best; for prompts the operations of the matrix products (without attention and the "
            "output matrix) against the peak of 8-bit dot products, or of f32 multiply-adds for models of "
            "floats. Sixteen-bit activations take two 8-bit products each; the peak is that of whole "
            "bytes, which codes of few bits may pass on AVX2. Both limits are measured here and now; without "
            "a model they are all that is shown.\n\n"
            "--synth writes GGUF files of random blocks, which other engines read, too, and directories as "
            "GPTQModel, AutoAWQ and ExLlamaV2 lay them out. With -p 0 -n 0 and --synth-dir it does nothing "
            "else.",
        .options = bench_options,
        .examples = "fak bench model.gguf\tpp512 and tg128\n"
                    "fak bench model.gguf -t 1,2 -d 0,4096 -o json\twith one thread and two, early and late\n"
                    "fak bench --synth 1b:q4_k_m,q8_0\twithout a model at hand\n"
                    "fak bench -t 1,2\tthe limits of this machine",
        .positional = "model",
        .module = "fak-engine",
    },
    {
        .name = "completion",
        .usage = "bash|zsh|ops|axes",
        .summary = "write shell completion",
        .description = "Prints a script for bash or zsh. The scripts ask for `ops` and `axes`, the names "
                       "that the matrix "
                       "holds, one a line.",
        .examples = "eval \"$(fak completion bash)\"\tin ~/.bashrc\n"
                    "eval \"$(fak completion zsh)\"\tin ~/.zshrc, after compinit",
        .positional = "shell",
    },
    {
        .name = "help",
        .usage = "[COMMAND] [--man]",
        .summary = "explain a command",
        .description = "Without a command, lists all of them.",
        .options = help_options,
        .examples = "fak help sota list\ta command within a command\n"
                    "fak help --man sota | man -l -\tits man page",
        .positional = "command",
    },
    {0},
};

const struct cli_command *fak_command(const char *name) {
    for (const struct cli_command *row = fak_command_table; row->name; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

const char *fak_nearest_command(const char *name) {
    const char *nearest = NULL;
    int best = strlen(name) < 4 ? 2 : 3;
    for (const struct cli_command *row = fak_command_table; row->name; row++) {
        int distance = cli_distance(name, row->name);
        if (distance < best) {
            best = distance;
            nearest = row->name;
        }
    }
    return nearest;
}
