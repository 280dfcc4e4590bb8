/* diagnostic: what a tool of ours found in a repository, as plain data for every format that a CI reads.
 *
 * Owns:    nothing; texts belong to whoever asks for a document.
 * Trusts:  nothing in the texts: messages and paths may hold any bytes but NUL. Each format says what it does
 *          with bytes it cannot carry.
 * Threads: pure; any thread.
 *
 * `fak gate --range` and `sota-coverage` fill a struct diagnostic_report and hand it to one of four writers:
 *
 *   sarif        SARIF 2.1.0 for code scanning (base/findings/sarif.h)
 *   github       workflow commands, which become annotations (base/findings/annotation.h)
 *   summary      Markdown for a job's summary page (base/findings/jobsummary.h)
 *   junit        JUnit XML for everything else (base/findings/junit.h)
 *
 * Text for people and JSON are each tool's own: they say more than what these formats have in common.
 */
#ifndef BASE_FINDINGS_DIAGNOSTIC_H
#define BASE_FINDINGS_DIAGNOSTIC_H

#include "base/str.h"

enum diagnostic_level { DIAGNOSTIC_NOTE, DIAGNOSTIC_WARNING, DIAGNOSTIC_ERROR, DIAGNOSTIC_LEVELS };

/* One kind of finding. Constant data of the tool: it is written into every SARIF file, found or not. */
struct diagnostic_rule {
    const char *id;      /* "prior-art-missing": stable, letters, digits and dashes */
    const char *summary; /* one sentence */
    const char *help;    /* why it counts and how it is mended, a paragraph */
    const char *url;     /* where that is told at length, or "" */
    enum diagnostic_level level;
};

struct diagnostic {
    const struct diagnostic_rule *rule; /* one of the report's */
    enum diagnostic_level level;
    const char *message; /* what is wrong, one sentence */
    const char *mend;    /* the smallest mend, one sentence, or "" */
    const char *url;     /* what to read first, or "" */
    const char *path;    /* from the repository's root, '/' between folders; "": about no file */
    int line, end_line;  /* from 1; 0: the whole file, or (end_line) the one line */
    const char
        *fingerprint; /* the same finding has the same one in every run, whatever moved: no line in it */
};

struct diagnostic_report {
    const char *tool, *version, *url; /* "fak", "0.1.0", its home page or "" */
    const char *category;             /* keeps runs of one tool apart: "fak-gate" */
    const char *title;                /* heading for people: "Prior art" */
    const char *result;               /* the whole in one sentence, "" for none */
    const struct diagnostic_rule *rules;
    size_t n_rules;
    const struct diagnostic *at; /* in the order in which people read them */
    size_t n;
    const char *const *notes; /* about the run itself: what could not be seen, and the mend */
    size_t n_notes;
    const char *const *passed; /* names of what was looked at and is right; only JUnit lists them */
    size_t n_passed;
};

enum diagnostic_format { DIAGNOSTIC_SARIF, DIAGNOSTIC_GITHUB, DIAGNOSTIC_SUMMARY, DIAGNOSTIC_JUNIT };

/* The format of this name ("sarif", "github", "summary", "junit"); false when there is none. */
bool diagnostic_format_of(enum diagnostic_format *out, const char *name);

/* Appends one whole document, ended by a line break. Memory is asked for once, at the end (str_ok). */
void diagnostic_write(struct str *out, enum diagnostic_format format, const struct diagnostic_report *report);

const char *diagnostic_level_name(enum diagnostic_level level); /* "note", "warning", "error" */

size_t diagnostic_count(const struct diagnostic_report *report, enum diagnostic_level level);

/* Appends text so that any reader can take it: at most `limit` characters (4 or more; a cut ends in "..."),
 * ill-formed UTF-8, control characters and what XML has no way to say as U+FFFD, tab and line break as they
 * are. */
void diagnostic_text(struct str *out, const char *text, size_t limit);

#endif
