/* The CPU backend's run: who works on which units of a stage, and when all go on to the next. */
#include "engine/backend/cpu.h"

#include <assert.h>

enum {
    /* A stage of less work (f32 operations, roughly) is done by one thread alone, between the barriers that
     * are there anyway: sharing it would cost one more, about half a microsecond, than it saves. */
    ALONE_WORK = 16384,
    /* Up to so many rows a product is as fast as its weights come from memory, which wants one long stretch
     * for each thread; beyond, it is as fast as the CPUs compute. */
    ROWS_EVENLY = 8,
    CHAIN_ROWS = 4,  /* that go through a chain together */
    LET_GO_ROWS = 8, /* of the token table, after which its pages go back */
    TURNS = 4,       /* a thread's turn is this part, of its share, of what is left */
};

/* --- units -------------------------------------------------------------------------------------------- */

static size_t job_units(const struct job *job) {
    size_t blocks = attention_blocks(job->task.n, job->rows_per_unit ? *job->rows_per_unit : 1);
    size_t units = job->units + job->units_per_row * blocks;
    return job->units_most && units > job->units_most ? job->units_most : units;
}

static size_t stage_work(const struct backend *b, const struct stage *stage) {
    size_t work = 0;
    for (const struct job *job = &b->jobs[stage->first]; job < &b->jobs[stage->first + stage->n]; job++)
        work += (job->units + job->units_per_row * job->task.n) * job->work_per_unit *
                (job->work_by_row ? job->task.n : 1);
    return work;
}

static size_t stage_units(const struct backend *b, const struct stage *stage) {
    size_t units = 0;
    if (stage->is_chain) return job_units(&b->jobs[stage->first]);
    for (size_t i = 0; i < stage->n; i++) units += job_units(&b->jobs[stage->first + i]);
    return units;
}

static void plan_share(const struct backend *b, struct stage *stage) {
    const struct job *first = &b->jobs[stage->first];
    size_t rows = first->task.n;
    bool evenly = rows == 1 || (first->work_by_row && rows <= ROWS_EVENLY);
    stage->units = stage_units(b, stage);
    atomic_store_explicit(&stage->next, 0, memory_order_relaxed);
    if (stage->units <= 1 || pool_threads(b->pool) == 1 || stage_work(b, stage) <= ALONE_WORK)
        stage->share = SHARE_ALONE;
    else stage->share = evenly ? SHARE_EVENLY : SHARE_BY_TURN;
}

/* Where a stage is cut at unit `at`, its part of a job that has n units after `before` ends: behind the group
 * that the cut would part, for both neighbours. */
static size_t cut(size_t at, size_t before, size_t n, size_t group) {
    if (at <= before) return 0;
    size_t units = (at - before + group - 1) / group * group;
    return units < n ? units : n;
}

/* Units [begin, end) of the stage, its jobs one behind the other. */
static void run_units(const struct backend *b, const struct stage *stage, size_t begin, size_t end,
                      void *scratch) {
    size_t before = 0;
    for (const struct job *job = &b->jobs[stage->first]; job < &b->jobs[stage->first + stage->n]; job++) {
        size_t n = job_units(job), group = job->group;
        size_t from = cut(begin, before, n, group), to = cut(end, before, n, group);
        if (from < to) job->kernel->run(&job->task, from, to, scratch);
        before += n;
    }
}

/* A row of the token table brings up to 2 MiB of the file into memory, a folio of the page cache; where the
 * same weights are in panels too, those that were read some time ago are given back. */
static void count_embedded(struct backend *b, size_t rows) {
    size_t before = atomic_fetch_add_explicit(&b->embedded, rows, memory_order_relaxed);
    if (before / LET_GO_ROWS != (before + rows) / LET_GO_ROWS) cpu_let_go(b, b->table);
}

/* Rows [begin, end) through all jobs of a chain, while they are in the cache. */
static void run_chain(struct backend *b, const struct stage *stage, size_t begin, size_t end, void *scratch) {
    for (size_t row = begin; row < end; row += CHAIN_ROWS) {
        size_t last = end - row < CHAIN_ROWS ? end : row + CHAIN_ROWS;
        for (const struct job *job = &b->jobs[stage->first]; job < &b->jobs[stage->first + stage->n]; job++)
            job->kernel->run(&job->task, row, last, scratch);
        if (b->table && stage == b->stages) count_embedded(b, last - row);
    }
}

static void run_part(struct backend *b, const struct stage *stage, size_t begin, size_t end, void *scratch) {
    if (stage->is_chain) run_chain(b, stage, begin, end, scratch);
    else run_units(b, stage, begin, end, scratch);
}

/* --- threads ------------------------------------------------------------------------------------------ */

/* The next turn: a share of what is left, so that there are few turns and the last ones are short. */
static bool take_turn(size_t *begin, size_t *end, struct stage *stage, size_t group, size_t n_threads) {
    *begin = atomic_load_explicit(&stage->next, memory_order_relaxed);
    do {
        if (*begin >= stage->units) return false;
        size_t n = (stage->units - *begin) / (TURNS * n_threads) / group * group;
        *end = *begin + (n ? n : group);
        if (*end > stage->units) *end = stage->units;
    } while (!atomic_compare_exchange_weak_explicit(&stage->next, begin, *end, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

static void run_share(struct backend *b, struct stage *stage, size_t thread, size_t n_threads,
                      void *scratch) {
    size_t begin, end, group = stage->is_chain ? CHAIN_ROWS : b->jobs[stage->first].group;
    if (stage->share == SHARE_EVENLY)
        run_part(b, stage, stage->units * thread / n_threads, stage->units * (thread + 1) / n_threads,
                 scratch);
    else
        while (take_turn(&begin, &end, stage, group, n_threads)) run_part(b, stage, begin, end, scratch);
}

/* Stages that are shared have a barrier before them. What one thread does alone in between, the last to
 * arrive does while the others wait there: no barrier more, and what it needs is in a cache that was just
 * used. */
static void run_stages(void *arg, size_t thread, size_t n_threads) {
    struct backend *b = arg;
    void *scratch = b->scratch + thread * b->scratch_bytes;
    struct stage *stage = b->stages, *end = b->stages + b->n_stages;
    while (stage < end) {
        bool last = pool_meet(b->pool);
        for (; stage < end && stage->share == SHARE_ALONE; stage++)
            if (last) run_part(b, stage, 0, stage->units, scratch);
        if (last) pool_go_on(b->pool);
        if (stage < end) run_share(b, stage++, thread, n_threads, scratch);
    }
}

/* --- a batch ------------------------------------------------------------------------------------------ */

static void check_batch(const struct backend *b, const struct batch *batch) {
    assert(batch->n <= b->max_batch);
    assert(b->state_stride == 0 || batch->n_sequences <= b->n_sequences);
    for (size_t i = 0; i < batch->n; i++) {
        size_t position = (size_t)batch->positions[i];
        assert(batch->ids[i] >= 0 && (size_t)batch->ids[i] < b->program->n_vocab);
        assert(batch->positions[i] >= 0 && position < b->program->context);
        assert(batch->sequences[i] >= 0 && (size_t)batch->sequences[i] < batch->n_sequences);
        assert(position / KV_PAGE < batch->pages_per_sequence);
        int32_t page = tokens_page(&b->tokens, i, position);
        assert(page >= 0 && (size_t)page < b->n_pages);
        (void)page;
    }
}

/* Blocks of rows, so that a page of keys is read once for all of them, but some units for each thread. */
static size_t rows_per_unit(const struct backend *b, const struct job *job) {
    enum { UNITS_A_THREAD = 4 };
    const struct attention_task *t = &job->task.attention;
    size_t group = t->n_heads / t->kv.n_kv_heads;
    size_t most = group < KERNEL_ATTENTION_QUERIES ? KERNEL_ATTENTION_QUERIES / group : 1;
    size_t fair = job->task.n * t->kv.n_kv_heads / (UNITS_A_THREAD * pool_threads(b->pool));
    return fair < 1 ? 1 : fair < most ? fair : most;
}

static void fill_jobs(struct backend *b, size_t n, size_t n_wanted, float *logits) {
    for (struct job *job = b->jobs; job < b->jobs + b->n_jobs; job++) {
        job->task.n = job->wanted_rows ? n_wanted : n;
        if (job->rows_per_unit) *job->rows_per_unit = rows_per_unit(b, job);
        if (job->logits) job->logits->at = logits;
        if (job->state) job->state->at = (float *)b->states.at + job->state_at;
    }
    for (struct stage *stage = b->stages; stage < b->stages + b->n_stages; stage++) plan_share(b, stage);
}

void backend_run(struct backend *b, const struct batch *batch, float *logits) {
    size_t n_wanted = 0;
    for (size_t i = 0; i < batch->n; i++)
        if (batch->wants_logits[i]) b->wanted[n_wanted++] = i;
    b->tokens = (struct tokens){.ids = batch->ids,
                                .positions = batch->positions,
                                .sequences = batch->sequences,
                                .pages = batch->pages,
                                .pages_per_sequence = batch->pages_per_sequence,
                                .wanted = b->wanted,
                                .extended = batch->extended};
    check_batch(b, batch);
    fill_jobs(b, batch->n, n_wanted, logits);
    if (batch->n > 0) pool_run(b->pool, run_stages, b);
}
