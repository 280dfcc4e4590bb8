/* coverage/debt: each class of gap appears with its cause and goes with it; fingerprints outlive moves. */
#include "coverage/debt/debt.h"
#include "coverage/debt/origin.h"
#include "coverage/report/scorecard.h"
#include "coverage/scan/kernel_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A small matrix that owes nothing: one operation, shipped, on two devices. Tests bend a copy of it. */
struct world {
    struct op ops[3];
    struct op_path paths[6];
    struct op_symbol symbols[2];
    struct reference references[2];
    struct witness witnesses[3];
    struct ladder ladders[1];
    struct rung rungs[2];
    struct floor floors[1];
    struct matrix matrix;
    const char *files[12];
    struct tree tree;
    struct survey_file surveyed[4];
    struct survey survey;
};

static struct arena arena;
static struct world w;

static int make_world(void **state) {
    (void)state;
    arena_release(&arena);
    w = (struct world){
        .ops = {{.slug = "add",
                 .oracle = "ref",
                 .selection = "",
                 .plan = "",
                 .axis = "sums",
                 .aliases = "",
                 .status = OP_SHIPPED,
                 .paths = {0, 2},
                 .symbols = {0, 1},
                 .references = {0, 1},
                 .witnesses = {0, 2}}},
        .paths = {{.op = "add", .glob = "src/kernels/add*.c", .role = PATH_KERNEL, .generates = ""},
                  {.op = "add", .glob = "src/kernels/add.cu", .role = PATH_KERNEL, .generates = ""}},
        .symbols = {{.op = "add", .pattern = "add_*"}},
        .references = {{.op = "add",
                        .name = "r",
                        .url = "https://example.org/r",
                        .kind = REFERENCE_PRIMARY,
                        .note = "",
                        .checked_on = ""}},
        .witnesses = {{.op = "add",
                       .device = "cpu",
                       .floor_name = "",
                       .metric = "max|d|=0",
                       .test = "tests/add.c",
                       .acceptance = ""},
                      {.op = "add",
                       .device = "cuda",
                       .floor_name = "addMin",
                       .metric = "cosine",
                       .test = "tests/add_cuda.c",
                       .acceptance = "tools/accept_add"}},
        .ladders = {{.axis = "sums",
                     .title = "Sums",
                     .fak_rung = 0,
                     .op = "add",
                     .position = "here",
                     .rungs = {0, 1}}},
        .rungs = {{.axis = "sums", .technique = "adding", .change = "", .url = ""}},
        .floors =
            {{.name = "addMin", .metric = "cosine", .value = 0.99, .state = FLOOR_RECORDED, .note = ""}},
        .files = {"src/kernels/add.c", "src/kernels/add.cu", "tests/add.c", "tests/add_cuda.c",
                  "tools/accept_add"},
    };
    w.matrix = (struct matrix){.ops = w.ops,
                               .n_ops = 1,
                               .paths = w.paths,
                               .n_paths = 2,
                               .symbols = w.symbols,
                               .n_symbols = 1,
                               .references = w.references,
                               .n_references = 1,
                               .witnesses = w.witnesses,
                               .n_witnesses = 2,
                               .ladders = w.ladders,
                               .n_ladders = 1,
                               .rungs = w.rungs,
                               .n_rungs = 1,
                               .floors = w.floors,
                               .n_floors = 1,
                               .source = "seed"};
    w.tree = (struct tree){.root = "/nowhere",
                           .folder = "/nowhere",
                           .name = "working tree",
                           .commit = "",
                           .paths = w.files,
                           .n = 5};
    w.survey = (struct survey){.files = w.surveyed};
    return 0;
}

/* The file at `path` holds this text: scanned and covered as survey_tree does it. */
static void surveyed(const char *path, const char *text) {
    struct scan_file scan;
    struct scan_request request = {.path = path, .kernel_place = kernel_place(&w.matrix, path)};
    assert_true(scan_text(&scan, view_of(text), &request, &arena, NULL));
    if (scan_is_kernel_file(&scan))
        assert_true(survey_cover(&w.surveyed[w.survey.n_files++], &scan, &w.matrix, &arena, NULL));
}

static struct debt fold(void) {
    struct debt debt;
    struct status st = {0};
    if (!debt_fold(&debt, &w.matrix, &w.tree, &w.survey, &arena, &st)) fail_msg("%s", st.message);
    return debt;
}

/* The one gap there is, of this class. */
static struct debt_gap only(enum debt_class kind) {
    struct debt debt = fold();
    if (debt.n != 1) fail_msg("%zu gaps, the first: %s", debt.n, debt.n ? debt.gaps[0].what : "none");
    assert_string_equal(debt_class_name(debt.gaps[0].kind), debt_class_name(kind));
    return debt.gaps[0];
}

static void a_whole_matrix_owes_nothing(void **state) {
    (void)state;
    surveyed("src/kernels/add.cu", "__global__ void add_f32(float *x) {}\n");
    struct debt debt = fold();
    assert_int_equal(debt.n, 0);
    assert_int_equal(debt.n_kernels, 1);
    assert_int_equal(debt_grade(&debt), 100);
}

static void an_uncovered_kernel_file(void **state) {
    (void)state;
    surveyed("lib/k.cu", "\n__global__ void add_two(float *x) {}\n__global__ void b() {}\n");
    struct debt_gap gap = only(DEBT_UNCOVERED);
    assert_string_equal(gap.path, "lib/k.cu");
    assert_int_equal(gap.line, 2);
    assert_non_null(strstr(gap.mend, "('add', 'lib/k.cu', 'kernel')")); /* its symbol pattern fits */
    struct debt debt = fold();
    assert_int_equal(debt.n_kernels, 2);
    assert_int_equal(debt_grade(&debt), 0);
    w.paths[1].glob = "lib/*.cu";
    w.files[0] = "lib/k.cu"; /* paths are sorted */
    w.files[1] = "src/kernels/add.c";
    w.survey.n_files = 0;
    surveyed("lib/k.cu", "\n__global__ void add_two(float *x) {}\n");
    assert_int_equal(fold().n, 0);
}

static void a_file_that_cannot_be_read_still_counts(void **state) {
    (void)state;
    struct scan_file scan = {
        .path = "lib/k.cu", .language = SCAN_CUDA, .engine = "token", .not_analysed = "UTF-16 text"};
    assert_true(survey_cover(&w.surveyed[w.survey.n_files++], &scan, &w.matrix, &arena, NULL));
    struct debt_gap broken = only(DEBT_UNCOVERED);
    w.survey.n_files = 0;
    surveyed("lib/k.cu", "__global__ void b() {}\n");
    assert_string_equal(only(DEBT_UNCOVERED).fingerprint, broken.fingerprint);
}

static void instances_stand_under_the_row_of_their_include(void **state) {
    (void)state;
    surveyed("src/kernels/inst/add_64.cu", "#include \"../add.cu\"\nDECL(64);\n");
    assert_int_equal(fold().n, 0);
    assert_string_equal(w.surveyed[0].through, "src/kernels/add.cu");
    w.survey.n_files = 0;
    surveyed("src/kernels/inst/other_64.cu", "#include \"../../../../add.cu\"\nDECL(64);\n");
    only(DEBT_UNCOVERED);
}

static void generated_files_stand_under_their_generator(void **state) {
    (void)state;
    w.paths[0].generates = "gen/*.cu";
    surveyed("gen/add_8.cu", "__global__ void made() {}\n");
    assert_int_equal(fold().n, 0);
}

static void rows_whose_files_are_gone(void **state) {
    (void)state;
    w.paths[1].glob = "src/kernels/sub.cu";
    assert_string_equal(only(DEBT_NO_FILE).path, "src/kernels/sub.cu");
    w.paths[1].glob = "src/*/sub_[ab].cu";
    assert_string_equal(only(DEBT_EMPTY_GLOB).path, "src/*/sub_[ab].cu");
    w.paths[1].glob = "src/**";
    assert_int_equal(fold().n, 0);
}

static void operations_without_link_oracle_or_witness(void **state) {
    (void)state;
    w.references[0].kind = REFERENCE_REPO;
    only(DEBT_NO_PRIMARY);
    w.references[0].kind = REFERENCE_PRIMARY;
    w.ops[0].oracle = "";
    only(DEBT_NO_ORACLE);
    w.ops[0].oracle = "ref";
    w.ops[0].witnesses.n = 0;
    struct debt debt = fold();
    assert_int_equal(debt.n, 2);
    assert_int_equal(debt.gaps[0].kind, DEBT_NO_WITNESS);
    assert_int_equal(debt.gaps[1].kind, DEBT_RUNG); /* nothing backs the rung any more */
}

static void witnesses_whose_test_is_gone(void **state) {
    (void)state;
    w.tree.n = 2; /* tests and acceptance script are not there */
    struct debt debt = fold();
    assert_int_equal(debt.n, 4);
    assert_int_equal(debt.gaps[0].kind, DEBT_NO_TEST);
    assert_int_equal(debt.gaps[1].kind, DEBT_NO_TEST);
    assert_int_equal(debt.gaps[2].kind, DEBT_NO_ACCEPTANCE);
    assert_int_equal(debt.gaps[3].kind, DEBT_RUNG);
    assert_int_equal(debt.clean[0], false);
}

static void a_lane_that_is_planned_is_one_gap(void **state) {
    (void)state;
    w.witnesses[1].planned = true;
    w.witnesses[1].test = w.witnesses[1].acceptance = "";
    assert_string_equal(only(DEBT_PLANNED).detail, "cuda");
    struct debt debt = fold();
    assert_true(debt.clean[0]); /* the lanes that are there are not to blame */
}

static void acceptance_is_asked_of_devices_only(void **state) {
    (void)state;
    w.witnesses[1].acceptance = "";
    struct debt_gap gap = only(DEBT_NO_ACCEPTANCE);
    assert_string_equal(gap.detail, "cuda");
    w.witnesses[1].device = "cpu";
    w.witnesses[1].test = "tests/add.c";
    assert_int_equal(fold().n, 0);
}

static void a_planned_operation_is_one_gap_and_nothing_else(void **state) {
    (void)state;
    w.ops[0].status = OP_PLANNED;
    w.ops[0].oracle = "";
    w.ops[0].references.n = 0;
    w.ops[0].witnesses.n = 0;
    w.paths[0].glob = "not/there.c";
    w.paths[1].planned = true;
    w.ladders[0].fak_rung = -1;
    struct debt_gap gap = only(DEBT_PLANNED);
    assert_string_equal(gap.op, "add");
    assert_string_equal(gap.path, "");
}

static void a_planned_path_of_a_shipped_operation_is_one_gap(void **state) {
    (void)state;
    w.paths[1].planned = true;
    w.paths[1].glob = "src/kernels/add_*.metal";
    assert_string_equal(only(DEBT_PLANNED).path, "src/kernels/add_*.metal");
    w.ops[0].status = OP_SELECTED;
    w.ladders[0].fak_rung = -1;
    only(DEBT_SELECTED);
}

static void a_rung_above_its_witness(void **state) {
    (void)state;
    w.ladders[0].op = "";
    assert_string_equal(only(DEBT_RUNG).detail, "sums");
    w.ladders[0].op = "add";
    w.ops[0].status = OP_SELECTED;
    struct debt debt = fold();
    assert_int_equal(debt.n, 2);
    assert_int_equal(debt.gaps[0].kind, DEBT_RUNG);
    w.ladders[0].fak_rung = -1;
    only(DEBT_SELECTED);
}

static void a_recorded_floor_is_no_gap(void **state) {
    (void)state;
    w.witnesses[1].state = FLOOR_RECORDED;
    assert_int_equal(fold().n, 0);
}

static void equal_rows_fold_into_one(void **state) {
    (void)state;
    w.paths[0].glob = w.paths[1].glob = "gone.c";
    only(DEBT_NO_FILE);
}

static void fingerprints_outlive_moves(void **state) {
    (void)state;
    surveyed("lib/k.cu", "__global__ void b() {}\n");
    struct debt_gap before = only(DEBT_UNCOVERED);
    w.survey.n_files = 0;
    surveyed("lib/k.cu", "// moved\n\n\n__global__ void other() {}\n\n__global__ void b() {}\n");
    struct debt_gap after = only(DEBT_UNCOVERED);
    assert_int_not_equal(before.line, after.line);
    assert_string_equal(before.fingerprint, after.fingerprint);
    assert_int_equal(strlen(after.fingerprint), 12);
    w.survey.n_files = 0;
    surveyed("lib/l.cu", "__global__ void b() {}\n");
    assert_string_not_equal(only(DEBT_UNCOVERED).fingerprint, before.fingerprint);
}

static void a_gap_is_found_by_the_begin_of_its_fingerprint(void **state) {
    (void)state;
    w.tree.n = 2;
    struct debt debt = fold();
    bool several;
    for (size_t i = 0; i < debt.n; i++)
        assert_ptr_equal(debt_find(&debt, debt.gaps[i].fingerprint, &several), &debt.gaps[i]);
    char prefix[5] = "";
    memcpy(prefix, debt.gaps[0].fingerprint, 4);
    assert_ptr_equal(debt_find(&debt, prefix, &several), &debt.gaps[0]);
    assert_null(debt_find(&debt, "zzzz", &several));
    prefix[3] = 0;
    assert_null(debt_find(&debt, prefix, &several)); /* too short to mean one */
}

static void kernel_places_are_named_or_beside_named_ones(void **state) {
    (void)state;
    assert_true(kernel_place(&w.matrix, "src/kernels/add_avx2.c"));
    assert_true(kernel_place(&w.matrix, "src/kernels/new.c"));
    assert_false(kernel_place(&w.matrix, "src/kernels/deep/new.c"));
    assert_false(kernel_place(&w.matrix, "src/host.c"));
    w.paths[0].glob = "src/kernels/*/add.c";
    assert_true(kernel_place(&w.matrix, "src/kernels/ref/new.c"));
    w.paths[1] =
        (struct op_path){.op = "add", .glob = "src/kernels/ref/table.c", .role = PATH_HOST, .generates = ""};
    assert_false(kernel_place(&w.matrix, "src/kernels/ref/table.c"));
    w.paths[0].glob = "src/math/add.c";
    assert_false(kernel_place(&w.matrix, "src/math/other.c")); /* no folder called kernels */
}

static void a_kernel_of_several_operations_goes_by_its_name(void **state) {
    (void)state;
    w.ops[1] = (struct op){.slug = "sub",
                           .oracle = "ref",
                           .axis = "",
                           .aliases = "",
                           .selection = "",
                           .plan = "",
                           .paths = {2, 1},
                           .symbols = {1, 1}};
    w.paths[2] =
        (struct op_path){.op = "sub", .glob = "src/kernels/add.cu", .role = PATH_KERNEL, .generates = ""};
    w.symbols[1] = (struct op_symbol){.op = "sub", .pattern = "sub_*"};
    w.matrix.n_ops = 2;
    w.matrix.n_paths = 3;
    w.matrix.n_symbols = 2;
    surveyed("src/kernels/add.cu", "__global__ void add_f(int a) {}\n__global__ void sub_f(int a) "
                                   "{}\n__global__ void mul_f(int a) {}\n");
    const struct survey_file *file = &w.surveyed[0];
    assert_int_equal(file->n_ops, 2);
    assert_string_equal(survey_op(file, &file->scan.kernels[0])->slug, "add");
    assert_string_equal(survey_op(file, &file->scan.kernels[1])->slug, "sub");
    assert_null(survey_op(file, &file->scan.kernels[2]));
    struct debt debt = fold(); /* sub is planned: its kernel and the undecided one are not clean */
    assert_int_equal(debt.n_kernels, 3);
    assert_int_equal(debt.n_clean, 1);
    assert_int_equal(debt_grade(&debt), 33);
}

static void rows_are_found_in_the_seed(void **state) {
    (void)state;
    const struct origin_file files[] = {
        {"seed/a.sql", view_of("-- 'add'\nINSERT INTO op (slug) VALUES\n('other', 'add'),\n('add', 'x');\n")},
        {"seed/b.sql", view_of("INSERT INTO op_path VALUES\r\n('add', 'src/a.c', 'kernel'), ('add', "
                               "'src/b.c', 'kernel'),\r\n('add', 'src/c.c', 'kernel');\n"
                               "INSERT INTO witness (op) VALUES ('add', 'cpu'),\n  ('add', 'cuda');\nINSERT "
                               "INTO ladder(axis) VALUES ('sums');\n")}};
    struct origins origins = {files, 2};
    struct debt_gap gap = {.kind = DEBT_NO_ORACLE, .op = "add", .path = "", .detail = ""};
    struct origin at = origin_of(&origins, &gap);
    assert_string_equal(at.path, "seed/a.sql");
    assert_int_equal(at.line, 4);
    gap = (struct debt_gap){.kind = DEBT_NO_FILE, .op = "add", .path = "src/c.c", .detail = ""};
    assert_int_equal(origin_of(&origins, &gap).line, 3);
    gap = (struct debt_gap){.kind = DEBT_NO_TEST, .op = "add", .path = "", .detail = "cuda"};
    assert_int_equal(origin_of(&origins, &gap).line, 5);
    gap.kind = DEBT_PLANNED;
    assert_int_equal(origin_of(&origins, &gap).line, 5);
    gap = (struct debt_gap){.kind = DEBT_RUNG, .op = "", .path = "", .detail = "sums"};
    assert_int_equal(origin_of(&origins, &gap).line, 6);
    gap = (struct debt_gap){.kind = DEBT_NO_ORACLE, .op = "absent", .path = "", .detail = ""};
    assert_int_equal(origin_of(&origins, &gap).line, 0);
    gap = (struct debt_gap){.kind = DEBT_UNCOVERED, .op = "", .path = "k.cu", .line = 7, .detail = ""};
    assert_string_equal(origin_of(&origins, &gap).path, "k.cu");
    assert_int_equal(origin_of(&origins, &gap).line, 7);
}

static void the_scorecard_ends_with_the_number_and_sends_no_control_characters(void **state) {
    (void)state;
    surveyed("lib/bad\033[31m\nname.cu", "__global__ void b() {}\n");
    struct debt debt = fold();
    struct report report = {.matrix = &w.matrix, .tree = &w.tree, .survey = &w.survey, .debt = &debt};
    struct term plain = term_decide(false, NULL, "xterm", 0);
    struct str out = {0};
    scorecard_text(&out, &plain, &report, false);
    assert_true(view_ends((struct view){out.at, out.n}, "\nsota_debt=1\n"));
    assert_null(strchr(out.at, '\033'));
    assert_non_null(strstr(out.at, "lib/bad\\x1b[31m\\x0aname.cu"));
    str_clear(&out);
    struct term narrow = term_decide(true, NULL, "xterm", 40);
    scorecard_text(&out, &narrow, &report, false);
    assert_non_null(strstr(out.at, "\033[1m"));
    assert_true(view_ends((struct view){out.at, out.n}, "\nsota_debt=1\n"));
    str_free(&out);
}

static int release(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

#define test(name) cmocka_unit_test_setup(name, make_world)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(a_whole_matrix_owes_nothing),
        test(an_uncovered_kernel_file),
        test(a_file_that_cannot_be_read_still_counts),
        test(instances_stand_under_the_row_of_their_include),
        test(generated_files_stand_under_their_generator),
        test(rows_whose_files_are_gone),
        test(operations_without_link_oracle_or_witness),
        test(witnesses_whose_test_is_gone),
        test(a_lane_that_is_planned_is_one_gap),
        test(acceptance_is_asked_of_devices_only),
        test(a_planned_operation_is_one_gap_and_nothing_else),
        test(a_planned_path_of_a_shipped_operation_is_one_gap),
        test(a_rung_above_its_witness),
        test(a_recorded_floor_is_no_gap),
        test(equal_rows_fold_into_one),
        test(fingerprints_outlive_moves),
        test(a_gap_is_found_by_the_begin_of_its_fingerprint),
        test(kernel_places_are_named_or_beside_named_ones),
        test(a_kernel_of_several_operations_goes_by_its_name),
        test(rows_are_found_in_the_seed),
        test(the_scorecard_ends_with_the_number_and_sends_no_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
