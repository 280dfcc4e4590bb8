#include "base/findings/diagnostic.h"

#include "base/findings/annotation.h"
#include "base/findings/jobsummary.h"
#include "base/findings/junit.h"
#include "base/findings/sarif.h"
#include "base/utf8.h"

#include <string.h>

static const struct {
    const char *name;
    void (*write)(struct str *out, const struct diagnostic_report *report);
} formats[] = {
    [DIAGNOSTIC_SARIF] = {"sarif", sarif_write},
    [DIAGNOSTIC_GITHUB] = {"github", annotation_write},
    [DIAGNOSTIC_SUMMARY] = {"summary", jobsummary_write},
    [DIAGNOSTIC_JUNIT] = {"junit", junit_write},
};

bool diagnostic_format_of(enum diagnostic_format *out, const char *name) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(name, formats[i].name) != 0) continue;
        *out = (enum diagnostic_format)i;
        return true;
    }
    return false;
}

void diagnostic_write(struct str *out, enum diagnostic_format format,
                      const struct diagnostic_report *report) {
    formats[format].write(out, report);
}

const char *diagnostic_level_name(enum diagnostic_level level) {
    static const char *const names[DIAGNOSTIC_LEVELS] = {"note", "warning", "error"};
    return names[level];
}

size_t diagnostic_count(const struct diagnostic_report *report, enum diagnostic_level level) {
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++) n += report->at[i].level == level;
    return n;
}

/* Neither a control character (C0, DEL, C1) nor one of the two that XML 1.0 leaves out. */
static bool is_carried(uint32_t c) {
    if (c == '\t' || c == '\n') return true;
    return c >= 0x20 && (c < 0x7f || c > 0x9f) && c != 0xfffe && c != 0xffff;
}

/* The next character, as it is carried; `n` bytes of the text were taken. */
static struct view next_character(size_t *n, struct view rest) {
    static const char replacement[] = "\xef\xbf\xbd";
    size_t length;
    *n = utf8_valid_length(rest.at, rest.n);
    bool carried = *n && is_carried(utf8_decode(rest.at, rest.n, &length));
    if (!*n) *n = utf8_maximal_ill_formed(rest.at, rest.n);
    return carried ? (struct view){rest.at, *n} : (struct view){replacement, sizeof replacement - 1};
}

static bool is_longer(struct view text, size_t limit) {
    while (text.n && limit) {
        size_t n;
        (void)next_character(&n, text);
        text = (struct view){text.at + n, text.n - n};
        limit--;
    }
    return text.n > 0;
}

void diagnostic_text(struct str *out, const char *text, size_t limit) {
    static const char dots[] = "...";
    struct view rest = view_of(text);
    bool cut = is_longer(rest, limit);
    if (cut) limit -= sizeof dots - 1;
    while (rest.n && limit--) {
        size_t n;
        struct view character = next_character(&n, rest);
        str_add(out, character.at, character.n);
        rest = (struct view){rest.at + n, rest.n - n};
    }
    if (cut) str_puts(out, dots);
}
