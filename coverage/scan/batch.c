#include "coverage/scan/batch.h"

#include <pthread.h>

/* One result: of item i where i % BATCH_AHEAD is its place. */
struct place {
    struct arena arena;
    struct scan_file file;
    struct status why;
    bool ready, ok;
};

struct run {
    const struct batch_item *items;
    size_t n, next, given; /* given: items before it are out; next: the first that nobody has taken */
    const struct scan_request *like;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;
    struct place places[BATCH_AHEAD];
};

static bool scan_item(struct place *place, const struct batch_item *item, const struct scan_request *like) {
    struct scan_request request = *like;
    request.path = item->path;
    bool ok = true;
    if (item->refused)
        place->file = (struct scan_file){.path = item->path,
                                         .engine = "token",
                                         .language = scan_language_of(item->path),
                                         .not_analysed = item->refused};
    else ok = scan_path(&place->file, item->path, &request, &place->arena, &place->why);
    if (ok && !place->file.tree_note) place->file.tree_note = item->note;
    return ok;
}

/* The next item that may be scanned now, or n: waits where too many results wait already. With the lock held.
 */
static size_t take(struct run *run) {
    while (!run->stop && run->next < run->n && run->next >= run->given + BATCH_AHEAD)
        pthread_cond_wait(&run->changed, &run->lock);
    return run->stop || run->next >= run->n ? run->n : run->next++;
}

static void *work(void *context) {
    struct run *run = context;
    pthread_mutex_lock(&run->lock);
    for (size_t i; (i = take(run)) < run->n;) {
        struct place *place = &run->places[i % BATCH_AHEAD];
        pthread_mutex_unlock(&run->lock);
        bool ok = scan_item(place, &run->items[i], run->like);
        pthread_mutex_lock(&run->lock);
        place->ok = ok;
        place->ready = true;
        pthread_cond_broadcast(&run->changed);
    }
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

/* Gives out what is ready, item after item. */
static bool give_all(struct run *run, batch_give *give, void *context, struct status *st) {
    bool ok = true;
    for (size_t i = 0; ok && i < run->n; i++) {
        struct place *place = &run->places[i % BATCH_AHEAD];
        pthread_mutex_lock(&run->lock);
        while (!place->ready) pthread_cond_wait(&run->changed, &run->lock);
        pthread_mutex_unlock(&run->lock);
        ok = place->ok ? give(context, &place->file, st) : false;
        if (!place->ok && st) *st = place->why;
        arena_release(&place->arena);
        pthread_mutex_lock(&run->lock);
        *place = (struct place){0};
        run->given = i + 1;
        run->stop = !ok;
        pthread_cond_broadcast(&run->changed);
        pthread_mutex_unlock(&run->lock);
    }
    return ok;
}

/* Without threads: also where none can be started. */
static bool scan_alone(struct run *run, batch_give *give, void *context, struct status *st) {
    bool ok = true;
    for (size_t i = 0; ok && i < run->n; i++) {
        struct place place = {0};
        ok = scan_item(&place, &run->items[i], run->like) ? give(context, &place.file, st) : false;
        if (!ok && place.why.code != STATUS_OK && st) *st = place.why;
        arena_release(&place.arena);
    }
    return ok;
}

static bool scan_together(struct run *run, size_t jobs, batch_give *give, void *context, struct status *st) {
    pthread_t threads[BATCH_JOBS];
    size_t started = 0;
    while (started < jobs && pthread_create(&threads[started], NULL, work, run) == 0) started++;
    bool ok = started ? give_all(run, give, context, st) : scan_alone(run, give, context, st);
    while (started > 0) pthread_join(threads[--started], NULL);
    for (size_t i = 0; i < BATCH_AHEAD; i++) arena_release(&run->places[i].arena); /* of a run that failed */
    return ok;
}

bool batch_scan(const struct batch_item *items, size_t n, const struct scan_request *like, int jobs,
                batch_give *give, void *context, struct status *st) {
    struct arena arena = {0};
    struct run *run = arena_alloc(&arena, 1, sizeof *run, st);
    if (!run) return false;
    run->items = items;
    run->n = n;
    run->like = like;
    size_t wanted = jobs < 1 ? 1 : jobs > BATCH_JOBS ? BATCH_JOBS : (size_t)jobs;
    if (wanted > n) wanted = n;
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->changed, NULL);
    bool ok = wanted > 1 ? scan_together(run, wanted, give, context, st) : scan_alone(run, give, context, st);
    pthread_cond_destroy(&run->changed);
    pthread_mutex_destroy(&run->lock);
    arena_release(&arena);
    return ok;
}
