/* markdown: text that stays text when it is written into Markdown (GitHub's dialect).
 * Owns nothing, trusts nothing, any thread. */
#ifndef BASE_MARKDOWN_H
#define BASE_MARKDOWN_H

#include "base/str.h"

/* text where Markdown is read: what would start a link, a tag, emphasis or code is escaped, a line break is a
 * blank, and a bar is escaped, so that it may stand in the cell of a table. */
void markdown_text(struct str *out, const char *text);

/* The same, each line a paragraph of its own. */
void markdown_paragraphs(struct str *out, const char *text);

/* `text` as code, also where it holds backticks. */
void markdown_code(struct str *out, const char *text);

/* [text](url), or only the text when url is empty. */
void markdown_link(struct str *out, const char *text, const char *url);

#endif
