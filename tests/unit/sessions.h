/* sessions: opening and feeding models in tests that are about something else; what fails, fails the test.
 * Included behind cmocka.h. Owns nothing. */
#ifndef TESTS_UNIT_SESSIONS_H
#define TESTS_UNIT_SESSIONS_H

#include "engine/engine.h"

/* Without its tokenizer. */
static inline struct engine_model *model_of(const char *path, struct engine_options options) {
    struct status st;
    struct engine_model *model;
    options.ids_only = true;
    if (!engine_open(&model, path, &options, &st)) fail_msg("%s", st.message);
    return model;
}

static inline struct engine_session *session_of(struct engine_model *model) {
    struct engine_session *session;
    assert_true(engine_session_open(&session, model, NULL));
    return session;
}

static inline void feed(struct engine_session *s, const int32_t *ids, size_t n, enum engine_logits want,
                        float *logits) {
    struct status st;
    if (!engine_feed(s, ids, n, want, logits, &st)) fail_msg("%s", st.message);
}

#endif
