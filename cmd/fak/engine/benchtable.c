/* The forms of a row of fak bench. JSON and CSV carry llama-bench's names where it has the same thing. */
#include "cmd/fak/engine/bench.h"

#include "base/jsonout.h"
#include "cmd/fak/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- figures -------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double n_tokens(const struct bench_result *r) { return (double)(r->test->n_prompt + r->test->n_gen); }

/* Mean, deviation and median of scale / values[i], or of scale * values[i]. */
static struct bench_rate summary(const double *values, size_t n, double scale, bool inverse) {
    struct bench_rate rate = {0};
    double *sorted = calloc(n ? n : 1, sizeof *sorted), squares = 0;
    if (!sorted) return rate;
    for (size_t i = 0; i < n; i++) sorted[i] = inverse ? scale / values[i] : scale * values[i];
    for (size_t i = 0; i < n; i++) rate.mean += sorted[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (sorted[i] - rate.mean) * (sorted[i] - rate.mean);
    qsort(sorted, n, sizeof *sorted, ascending);
    if (n > 1) rate.deviation = sqrt(squares / (double)(n - 1));
    if (n) rate.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    free(sorted);
    return rate;
}

struct bench_rate bench_rate(const struct bench_result *r) {
    return summary(r->seconds, r->n, n_tokens(r), true);
}

double bench_share(const struct bench_result *r) {
    double rate = bench_rate(r).median;
    if (!r->roof || r->test->again || (r->test->n_prompt && r->test->n_gen)) return -1;
    if (r->test->n_prompt)
        return rate * r->load->prompt_ops / (r->load->integers ? r->roof->int8_ops : r->roof->f32_ops);
    double positions = (double)r->test->depth + ((double)r->test->n_gen - 1) / 2;
    return rate * (r->load->read + positions * r->load->kv_read) / r->roof->read;
}

/* --- Markdown ------------------------------------------------------------------------------------------- */

enum { MODEL, SIZE, PARAMS, LANE, THREADS, TEST, RATE, SHARE, N_COLUMNS };

static const struct column {
    const char *title;
    int width; /* at least */
    bool right;
} columns[N_COLUMNS] = {
    [MODEL] = {"model", 5, false}, [SIZE] = {"size", 10, true},      [PARAMS] = {"params", 8, true},
    [LANE] = {"lane", 11, false},  [THREADS] = {"threads", 7, true}, [TEST] = {"test", 5, true},
    [RATE] = {"t/s", 17, true},    [SHARE] = {"of roof", 7, true},
};

static void put_blanks(struct str *out, int n) {
    if (n > 0) str_printf(out, "%*s", n, "");
}

static void put_line(struct bench_table *t, const char *const text[N_COLUMNS]) {
    struct str *out = &t->cli->out;
    str_putc(out, '|');
    for (size_t i = 0; i < N_COLUMNS; i++) {
        int blanks = t->width[i] - term_columns(text[i]);
        if (!t->width[i]) continue;
        str_putc(out, ' ');
        if (columns[i].right) put_blanks(out, blanks);
        str_puts(out, text[i]);
        if (!columns[i].right) put_blanks(out, blanks);
        str_puts(out, " |");
    }
    str_putc(out, '\n');
}

static void put_heading(struct bench_table *t) {
    struct str *out = &t->cli->out;
    const char *titles[N_COLUMNS];
    for (size_t i = 0; i < N_COLUMNS; i++) titles[i] = columns[i].title;
    put_line(t, titles);
    str_putc(out, '|');
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (!t->width[i]) continue;
        str_putc(out, ' ');
        for (int k = 0; k < t->width[i] - columns[i].right; k++) str_putc(out, '-');
        str_puts(out, columns[i].right ? ": |" : " |");
    }
    str_putc(out, '\n');
}

/* The lane, and what was asked for beside what is usual. */
enum { LANE_TEXT = 96 };
static void lane_text(char out[LANE_TEXT], const char *lane, const struct bench_setting *s) {
    bool kv = strcmp(s->kv, "f32") != 0;
    snprintf(out, LANE_TEXT, "%s%s%s%s", lane, s->activations == 8 ? ", 8 bits" : "", kv ? ", kv " : "",
             kv ? s->kv : "");
}

static void widen(int *width, const char *text) {
    int n = term_columns(text);
    if (n > *width) *width = n;
}

/* As wide as what will come; where the terminal is narrower, without what `fak inspect` says too. */
static void set_widths(struct bench_table *t, const struct bench_plan *plan) {
    int all = 1;
    for (size_t i = 0; i < N_COLUMNS; i++) t->width[i] = columns[i].width;
    for (size_t i = 0; i < plan->n_models; i++) widen(&t->width[MODEL], plan->models[i].name);
    for (size_t i = 0; i < plan->n_tests; i++) {
        char test[64];
        bench_test_name(test, &plan->tests[i]);
        widen(&t->width[TEST], test);
    }
    for (size_t i = 0; i < plan->n_settings; i++) {
        char lane[LANE_TEXT];
        lane_text(lane, "avx512 vnni", &plan->settings[i]);
        widen(&t->width[LANE], lane);
    }
    if (!plan->measures_roof) t->width[SHARE] = 0;
    for (size_t i = 0; i < N_COLUMNS; i++) all += t->width[i] ? t->width[i] + 3 : 0;
    if (isatty(STDOUT_FILENO) && t->cli->out_term.width < all) t->width[SIZE] = t->width[PARAMS] = 0;
}

static void put_markdown(struct bench_table *t, const struct bench_result *r) {
    char size[24], params[24], lane[LANE_TEXT], threads[24], test[64], rate[48], share[24] = "";
    struct bench_rate s = bench_rate(r);
    double n = (double)r->load->n_params, percent = 100 * bench_share(r);
    bool large = n >= 1e9;
    if (t->n_rows == 0) put_heading(t);
    snprintf(size, sizeof size, "%.2f MiB", (double)r->load->bytes / 0x1p20);
    snprintf(params, sizeof params, "%.2f %c", n / (large ? 1e9 : 1e6), large ? 'B' : 'M');
    snprintf(threads, sizeof threads, "%zu", r->setting->threads);
    bench_test_name(test, r->test);
    int decimals = s.mean < 1000 ? 2 : 1;
    snprintf(rate, sizeof rate, "%.*f ± %.*f", decimals, s.mean, decimals, s.deviation);
    if (percent >= 0) snprintf(share, sizeof share, "%.1f%%", percent);
    lane_text(lane, r->lane, r->setting);
    put_line(t, (const char *[N_COLUMNS]){r->model->name, size, params, lane, threads, test, rate, share});
}

/* --- JSON ----------------------------------------------------------------------------------------------- */

static void put_samples(struct jsonout *j, const char *key, const struct bench_result *r, bool rates) {
    jsonout_key(j, key);
    jsonout_begin_array(j);
    for (size_t i = 0; i < r->n; i++) {
        if (rates) jsonout_double(j, n_tokens(r) / r->seconds[i]);
        else jsonout_int(j, llround(1e9 * r->seconds[i]));
    }
    jsonout_end_array(j);
}

static void put_roof(struct jsonout *j, const struct bench_result *r) {
    double share = bench_share(r);
    jsonout_pair_double(j, "roof_read_bytes_per_s", r->roof->read);
    jsonout_pair_double(j, "roof_int8_ops_per_s", r->roof->int8_ops);
    jsonout_pair_double(j, "roof_f32_ops_per_s", r->roof->f32_ops);
    jsonout_key(j, "roof_share");
    if (share < 0) jsonout_null(j);
    else jsonout_double(j, share);
}

static void put_json(struct jsonout *j, const struct bench_result *r) {
    char test[64];
    struct bench_rate rate = bench_rate(r), time = summary(r->seconds, r->n, 1e9, false);
    bench_test_name(test, r->test);
    jsonout_begin_object(j);
    jsonout_pair_string(j, "version", FAK_VERSION);
    jsonout_pair_string(j, "model_filename", r->model->path ? r->model->path : r->model->name);
    jsonout_pair_string(j, "model_name", r->model->name);
    jsonout_pair_int(j, "model_size", (int64_t)r->load->bytes);
    jsonout_pair_int(j, "model_n_params", (int64_t)r->load->n_params);
    jsonout_pair_string(j, "isa", r->setting->isa);
    jsonout_pair_string(j, "lane", r->lane);
    jsonout_pair_int(j, "n_threads", (int64_t)r->setting->threads);
    jsonout_pair_int(j, "activation_bits", r->setting->activations);
    jsonout_pair_string(j, "type_k", r->setting->kv);
    jsonout_pair_string(j, "type_v", r->setting->kv);
    jsonout_pair_int(j, "n_batch", (int64_t)r->setting->chunk);
    jsonout_pair_string(j, "test", test);
    jsonout_pair_int(j, "n_prompt", (int64_t)r->test->n_prompt);
    jsonout_pair_int(j, "n_gen", (int64_t)r->test->n_gen);
    jsonout_pair_int(j, "n_depth", (int64_t)r->test->depth);
    jsonout_pair_int(j, "avg_ns", llround(time.mean));
    jsonout_pair_int(j, "stddev_ns", llround(time.deviation));
    jsonout_pair_double(j, "avg_ts", rate.mean);
    jsonout_pair_double(j, "stddev_ts", rate.deviation);
    jsonout_pair_double(j, "median_ts", rate.median);
    put_samples(j, "samples_ns", r, false);
    put_samples(j, "samples_ts", r, true);
    jsonout_pair_double(j, "load_s", r->load_seconds);
    jsonout_pair_int(j, "peak_rss_bytes", (int64_t)r->peak_bytes);
    jsonout_pair_double(j, "read_bytes_per_token", r->load->read);
    jsonout_pair_double(j, "kv_bytes_per_position", r->load->kv_read);
    jsonout_pair_double(j, "ops_per_prompt_token", r->load->prompt_ops);
    if (r->roof) put_roof(j, r);
    jsonout_end_object(j);
}

/* --- CSV ------------------------------------------------------------------------------------------------ */

/* RFC 4180: in quotes, a quote twice. */
static void put_quoted(struct str *out, const char *text) {
    str_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"') str_putc(out, '"');
        str_putc(out, *text);
    }
    str_putc(out, '"');
}

static void put_csv(struct bench_table *t, const struct bench_result *r) {
    struct str *out = &t->cli->out;
    struct bench_rate rate = bench_rate(r), time = summary(r->seconds, r->n, 1e9, false);
    double share = bench_share(r);
    char test[64];
    bench_test_name(test, r->test);
    if (t->n_rows == 0)
        str_puts(
            out,
            "model_filename,model_name,model_size,model_n_params,lane,activation_bits,type_kv,n_threads,n_"
            "batch,test,n_"
            "prompt,"
            "n_gen,n_depth,avg_ns,stddev_ns,avg_ts,stddev_ts,median_ts,load_s,peak_rss_bytes,roof_share\n");
    put_quoted(out, r->model->path ? r->model->path : r->model->name);
    str_putc(out, ',');
    put_quoted(out, r->model->name);
    str_printf(out, ",%zu,%zu,", r->load->bytes, r->load->n_params);
    put_quoted(out, r->lane);
    str_printf(out, ",%d,%s,%zu,%zu,", r->setting->activations, r->setting->kv, r->setting->threads,
               r->setting->chunk);
    put_quoted(out, test);
    str_printf(out, ",%zu,%zu,%zu,%.0f,%.0f,%.6f,%.6f,%.6f,%.6f,%zu,", r->test->n_prompt, r->test->n_gen,
               r->test->depth, time.mean, time.deviation, rate.mean, rate.deviation, rate.median,
               r->load_seconds, r->peak_bytes);
    if (share >= 0) str_printf(out, "%.4f", share);
    str_putc(out, '\n');
}

/* --- the table ------------------------------------------------------------------------------------------ */

void bench_table_begin(struct bench_table *t, struct cli *cli, enum bench_form form,
                       const struct bench_plan *plan) {
    *t = (struct bench_table){.cli = cli, .form = form};
    set_widths(t, plan);
}

bool bench_table_row(struct bench_table *t, const struct bench_result *r, struct status *st) {
    struct str *out = &t->cli->out;
    struct jsonout j;
    bool array = t->form == BENCH_JSON;
    if (array) str_puts(out, t->n_rows ? ",\n" : "[\n");
    jsonout_init(&j, out, array ? 2 : 0);
    switch (t->form) {
    case BENCH_MARKDOWN: put_markdown(t, r); break;
    case BENCH_CSV: put_csv(t, r); break;
    case BENCH_JSON: put_json(&j, r); break;
    case BENCH_JSONL: put_json(&j, r), str_putc(out, '\n'); break;
    }
    t->n_rows++;
    return cli_flush(t->cli, st);
}

static void put_roof_line(struct str *out, const struct roof *r) {
    str_printf(out, "roof, %zu thread%s: reads %.1f GB/s; int8 dots %.0f Gop/s (%s); f32 %.0f GFLOP/s (%s)\n",
               r->threads, r->threads == 1 ? "" : "s", r->read / 1e9, r->int8_ops / 1e9, r->int8_by,
               r->f32_ops / 1e9, r->f32_by);
}

static void put_roof_object(struct str *out, const struct roof *r, int indent) {
    struct jsonout j;
    jsonout_init(&j, out, indent);
    jsonout_begin_object(&j);
    jsonout_pair_int(&j, "n_threads", (int64_t)r->threads);
    jsonout_pair_double(&j, "roof_read_bytes_per_s", r->read);
    jsonout_pair_double(&j, "roof_int8_ops_per_s", r->int8_ops);
    jsonout_pair_string(&j, "roof_int8_by", r->int8_by);
    jsonout_pair_double(&j, "roof_f32_ops_per_s", r->f32_ops);
    jsonout_pair_string(&j, "roof_f32_by", r->f32_by);
    jsonout_end_object(&j);
}

/* Rows of tests carry their roof in JSON; without tests the roofs are the rows. */
void bench_table_end(struct bench_table *t, const struct roof *roofs, size_t n_roofs) {
    struct str *out = &t->cli->out;
    bool bare = t->n_rows == 0;
    if (t->form == BENCH_MARKDOWN && !bare && n_roofs) str_putc(out, '\n');
    for (size_t i = 0; i < n_roofs; i++) {
        if (t->form == BENCH_MARKDOWN) put_roof_line(out, &roofs[i]);
        if (t->form == BENCH_CSV && bare)
            str_printf(out, "%s%zu,%.0f,%.0f,%.0f\n",
                       i ? "" : "n_threads,roof_read_bytes_per_s,roof_int8_ops_per_s,roof_f32_ops_per_s\n",
                       roofs[i].threads, roofs[i].read, roofs[i].int8_ops, roofs[i].f32_ops);
        if (t->form == BENCH_JSON && bare) str_puts(out, i ? ",\n" : "[\n");
        if (t->form >= BENCH_JSON && bare) put_roof_object(out, &roofs[i], t->form == BENCH_JSON ? 2 : 0);
        if (t->form == BENCH_JSONL && bare) str_putc(out, '\n');
    }
    if (t->form == BENCH_JSON) str_puts(out, bare && !n_roofs ? "[]\n" : "\n]\n");
}
