/* repo_path: a path as it was typed, as the matrix writes it: from the root of its repository, with '/'.
 * Owns nothing. Trusts nothing: the file need not exist. The main thread (the working directory is read). */
#ifndef CMD_FAK_REPO_PATH_H
#define CMD_FAK_REPO_PATH_H

#include "base/str.h"

/* Relative paths are taken from the working directory; `./`, `..`, absolute paths and links to folders are
 * resolved. The root is the nearest folder above that holds `.git`. Outside of a repository the path stays as
 * given, only tidied. libgit2 is not asked: this has to be quick. */
bool repo_path(struct str *out, const char *given, struct status *st) STATUS_MUST_USE;

/* The absolute path of `given`, which was written from the root of the repository that the working directory
 * lies in. Appends nothing outside of one. */
bool repo_path_at_root(struct str *out, const char *given, struct status *st) STATUS_MUST_USE;

/* The path tidied by its text alone: no "./", no "//", "a/../" gone. */
void repo_path_tidy(struct str *out, const char *given);

#endif
