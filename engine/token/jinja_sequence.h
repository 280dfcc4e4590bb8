/* jinja_sequence: the filters that work on sequences: map, select, sort, groupby ... Internal to
 * engine/token.
 *
 * Owns nothing; trusts nothing; one rendering, one thread. Called by the table in jinja_filter.c.
 */
#ifndef ENGINE_TOKEN_JINJA_SEQUENCE_H
#define ENGINE_TOKEN_JINJA_SEQUENCE_H

#include "engine/token/jinja.h"

/* One application of a filter. */
struct filter_call {
    struct jinja *j;
    const struct value *in;
    const struct value *a;   /* the arguments as bound */
    const struct args *args; /* as given, where there is no list of parameters */
    int variant;
};

enum { FILTER_KEEP = 1, FILTER_DROP = 0, FILTER_BY_ATTRIBUTE = 2 };

bool jinja_sequence_map(struct value *out, const struct filter_call *c);
bool jinja_sequence_select(struct value *out, const struct filter_call *c); /* FILTER_KEEP | ... */
bool jinja_sequence_sort(struct value *out, const struct filter_call *c);
bool jinja_sequence_dictsort(struct value *out, const struct filter_call *c);
bool jinja_sequence_unique(struct value *out, const struct filter_call *c);
bool jinja_sequence_extreme(struct value *out, const struct filter_call *c); /* 1: max */
bool jinja_sequence_sum(struct value *out, const struct filter_call *c);
bool jinja_sequence_groupby(struct value *out, const struct filter_call *c);
bool jinja_sequence_batch(struct value *out, const struct filter_call *c);
bool jinja_sequence_slice(struct value *out, const struct filter_call *c);
bool jinja_sequence_join(struct value *out, const struct filter_call *c);
bool jinja_sequence_end(struct value *out, const struct filter_call *c); /* 0: first, 1: last */
bool jinja_sequence_reverse(struct value *out, const struct filter_call *c);
bool jinja_sequence_list(struct value *out, const struct filter_call *c);
bool jinja_sequence_items(struct value *out, const struct filter_call *c);

#endif
