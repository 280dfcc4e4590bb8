/* fuzz_template: any bytes as a chat template, rendered with messages of every kind. What is behind a NUL
 * byte are the messages, as JSON. A text or a fault has to come out, soon; marks stand only where a text is.
 */
#include "engine/token/template.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char messages[] = "[{\"role\": \"system\", \"content\": \"S <|im_end|>\"}, {\"role\": \"user\", "
                               "\"content\": \" a\\u00e9\\n{{ x }} \"}, "
                               "{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"function\": "
                               "{\"name\": \"f\", \"arguments\": "
                               "{\"n\": 7, \"x\": -0.5, \"big\": 12345678901234567890}}}]}, {\"role\": "
                               "\"tool\", \"content\": [{\"type\": \"text\", "
                               "\"text\": \"t\"}, true, 1e300]}]";
static const char context[] =
    "{\"xs\": [3, 1, 2], \"d\": {\"b\": 1, \"a\": [1]}, \"s\": \"Hello <b> World\", \"n\": 7, \"f\": 2.5}";

static void render(const struct template *t, const struct template_input *input) {
    struct template_text text;
    struct template_fault fault;
    struct status st;
    bool ok = template_render(&text, t, input, &fault, &st);
    if (ok == (fault.kind != TEMPLATE_NO_FAULT) || (!ok && (text.at || text.marks))) abort();
    if (ok && text.at[text.n] != 0) abort();
    template_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct tm now = {.tm_year = 124, .tm_mon = 6, .tm_mday = 26};
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    struct view source = {(const char *)data, nul ? (size_t)(nul - data) : size};
    struct view given = nul ? (struct view){(const char *)nul + 1, size - source.n - 1} : view_of(messages);
    struct template_input input = {.messages = given,
                                   .tools = view_of("[{\"name\": \"f\"}]"),
                                   .context = view_of(context),
                                   .bos = view_of("<s>"),
                                   .add_generation_prompt = true,
                                   .now = &now};
    struct template *t;
    struct template_fault fault;
    struct status st;
    if (!template_open(&t, source, &fault, &st)) {
        if (t || fault.kind == TEMPLATE_NO_FAULT) abort();
        return 0;
    }
    render(t, &input);
    input.continue_final_message = true;
    render(t, &input);
    template_close(t);
    return 0;
}
