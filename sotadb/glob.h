/* glob: path patterns as git has them (gitignore(5)), matched against the whole path from the repository
 * root.
 *
 * Owns:    nothing.
 * Trusts:  nothing; both texts may hold any bytes, ill-formed UTF-8 counts byte by byte.
 * Threads: any.
 *
 *   *      any run within one folder            ?       one character, not '/'
 *   **     as a whole component: any number of folders, none included ("a/" "**" "/b" matches "a/b");
 *          at the end everything below; elsewhere it is `*`
 *   [a-z]  one of a set; [!a-z] or [^a-z] none of it        \x      x itself
 *   a/     a pattern that ends in '/' matches everything below that folder
 *
 * Time is at most the product of the two lengths, whatever the pattern: one star of a component is retried,
 * and one "**" of a path, never both recursively.
 */
#ifndef SOTADB_GLOB_H
#define SOTADB_GLOB_H

#include <stdbool.h>
#include <stddef.h>

bool glob_match(const char *glob, const char *path);

/* `*` any run, `?` any character, sets as above, over a text without folders: names of kernels. */
bool glob_match_name(const char *pattern, const char *name);

/* Why a pattern cannot mean what its author meant, to be read behind it ("... opens a set and never closes
 * it"), or NULL. Matching takes any pattern; who writes one down asks here first. */
const char *glob_mistake(const char *glob);
const char *glob_name_mistake(const char *pattern);

/* How many bytes at the start of the pattern are plain text. */
size_t glob_literal_prefix(const char *glob);

#endif
