#include "base/jsonout.h"
#include "coverage/report/account.h"

static void put_prints(struct jsonout *j, const char *key, const struct ledger *l, const uint32_t *gaps,
                       uint32_t n) {
    jsonout_key(j, key);
    jsonout_begin_array(j);
    for (uint32_t i = 0; i < n; i++) jsonout_string(j, l->gaps[gaps[i]].fingerprint);
    jsonout_end_array(j);
}

static void put_commit(struct jsonout *j, const struct ledger *l, size_t at) {
    const struct gitlog_commit *c = &l->log.commits[at];
    const struct ledger_entry *e = &l->entries[at];
    char date[ACCOUNT_DATE];
    jsonout_begin_object(j);
    jsonout_pair_string(j, "commit", c->oid);
    jsonout_pair_string(j, "date", account_date(date, c->time));
    jsonout_pair_int(j, "time", c->time);
    jsonout_pair_string(j, "author", c->author);
    jsonout_pair_string(j, "subject", c->subject);
    jsonout_key(j, "parents");
    jsonout_begin_array(j);
    for (uint32_t i = 0; i < c->n_parents; i++) jsonout_string(j, l->log.commits[c->parents[i]].oid);
    jsonout_end_array(j);
    jsonout_key(j, "sota_debt");
    if (e->sheet->known) jsonout_int(j, e->sheet->n_gaps);
    else jsonout_null(j);
    jsonout_pair_int(j, "kernels", e->sheet->n_kernels);
    jsonout_key(j, "coverage");
    if (e->sheet->known && e->sheet->n_kernels)
        jsonout_double(j, (double)e->sheet->n_clean / e->sheet->n_kernels);
    else jsonout_null(j);
    jsonout_pair_bool(j, "begins", e->begins);
    put_prints(j, "added", l, e->added, e->n_added);
    put_prints(j, "paid", l, e->paid, e->n_paid);
    jsonout_end_object(j);
}

static void put_person(struct jsonout *j, const struct ledger_person *p) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "name", p->name);
    jsonout_pair_int(j, "commits", p->n_commits);
    jsonout_pair_int(j, "added", p->added);
    jsonout_pair_int(j, "paid", p->paid);
    jsonout_end_object(j);
}

static void put_gap(struct jsonout *j, const struct ledger *l, const struct ledger_gap *gap) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "fingerprint", gap->fingerprint);
    jsonout_pair_string(j, "class", gap->class);
    jsonout_pair_string(j, "op", gap->op[0] ? gap->op : NULL);
    jsonout_pair_string(j, "path", gap->path[0] ? gap->path : NULL);
    jsonout_pair_string(j, "detail", gap->detail[0] ? gap->detail : NULL);
    jsonout_pair_string(j, "first_commit", gap->first == GITLOG_NONE ? NULL : l->log.commits[gap->first].oid);
    jsonout_pair_bool(j, "open", gap->open);
    jsonout_end_object(j);
}

void account_json(struct str *out, const struct ledger *l, const struct tree *tree) {
    struct jsonout j;
    jsonout_init(&j, out, 1);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "tree", tree->name);
    jsonout_pair_int(&j, "sota_debt", l->entries[0].sheet->n_gaps);
    jsonout_pair_bool(&j, "own_matrices", l->own_matrices);
    jsonout_key(&j, "commits");
    jsonout_begin_array(&j);
    for (size_t i = l->log.n; i > 0; i--) put_commit(&j, l, i - 1);
    jsonout_end_array(&j);
    jsonout_key(&j, "mainline");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < l->n_mainline; i++) jsonout_string(&j, l->log.commits[l->mainline[i]].oid);
    jsonout_end_array(&j);
    jsonout_key(&j, "people");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < l->n_people; i++) put_person(&j, &l->people[i]);
    jsonout_end_array(&j);
    jsonout_key(&j, "gaps");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < l->n_gaps; i++) put_gap(&j, l, &l->gaps[i]);
    jsonout_end_array(&j);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}
