#include "coverage/debt/words.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c) { return isalnum((unsigned char)c); }

/* "RMSNorm" is "RMS" and "Norm": a capital begins a word behind a small letter, or before one. */
static bool begins(struct view name, size_t i) {
    bool upper = isupper((unsigned char)name.at[i]);
    bool after_small = i > 0 && islower((unsigned char)name.at[i - 1]);
    bool before_small = i + 1 < name.n && islower((unsigned char)name.at[i + 1]);
    bool after_capital = i > 0 && isupper((unsigned char)name.at[i - 1]);
    return upper && (after_small || (after_capital && before_small));
}

void words_read(struct words *words, struct view name) {
    *words = (struct words){0};
    for (size_t i = 0; i < name.n && words->n < WORDS_LIMIT;) {
        size_t from = i;
        while (i < name.n && is_word(name.at[i]) && (i == from || !begins(name, i))) i++;
        if (i == from) {
            i++;
            continue;
        }
        words->at[words->n] = words->text.n;
        words->from[words->n] = from;
        words->to[words->n++] = i;
        for (size_t k = from; k < i; k++) str_putc(&words->text, (char)tolower((unsigned char)name.at[k]));
        str_add(&words->text, "", 1);
    }
}

void words_free(struct words *words) { str_free(&words->text); }

void words_join(struct str *out, const struct words *words, size_t first, size_t n) {
    for (size_t i = first; i < first + n && i < words->n; i++)
        str_puts(out, str_c(&words->text) + words->at[i]);
}

bool words_say(size_t *from, size_t *to, const struct words *words, const char *joined) {
    for (size_t i = 0; i < words->n; i++) {
        const char *rest = joined;
        for (size_t k = i; k < words->n && k < i + WORDS_JOINED; k++) {
            const char *word = str_c(&words->text) + words->at[k];
            size_t n = strlen(word);
            if (strncmp(rest, word, n) != 0) break;
            rest += n;
            if (*rest) continue;
            *from = words->from[i];
            *to = words->to[k];
            return true;
        }
    }
    return false;
}
