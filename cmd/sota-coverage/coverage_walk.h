/* coverage_walk: the files below some paths, as a batch to scan, and what is not read and why.
 *
 * Owns struct walk its list; paths live in its arena. Trusts nothing. One thread.
 *
 * Folders in order of name. Symbolic links are not followed, .git is not entered, nor is a repository within
 * the one that was named (a submodule): it is refused by name. Every file is an item whose extension is of a
 * kernel language; folders that cannot be read and paths that are not UTF-8 are refused items. Of two names
 * that differ in case alone a checkout on some systems keeps one: both carry a note. */
#ifndef CMD_SOTA_COVERAGE_COVERAGE_WALK_H
#define CMD_SOTA_COVERAGE_COVERAGE_WALK_H

#include "coverage/scan/batch.h"

struct walk {
    struct batch_item *items;
    size_t n, room;
    struct arena arena;
};

/* Adds what lies at and below `path`. A path that is not there, or a file that is named and of no such
 * language, is a failure. */
bool walk_add(struct walk *walk, const char *path, struct status *st) STATUS_MUST_USE;

/* Notes the twins, once every path was added. */
bool walk_note_twins(struct walk *walk, struct status *st) STATUS_MUST_USE;

void walk_free(struct walk *walk);

#endif
