/* mapguard: a file that is cut while it is mapped gives zeros and a refusal, never a signal; and a repository
 * whose index somebody writes into all the time is read right or not at all. */
#include "tests/unit/made_repo.h"

#include "git/index/mapguard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static void a_cut_file_gives_zeros(void **state) {
    (void)state;
    struct mapping map, other;
    struct status st;
    assert_int_equal(chdir(scratch), 0);
    sh("head -c 40000 /dev/zero | tr '\\0' x >long && echo short >other");
    assert_true(mapguard_open(&map, "long", &st) && mapguard_open(&other, "other", &st));
    assert_int_equal(map.at[39999], 'x');
    assert_true(mapguard_sound(&st));
    assert_int_equal(truncate("long", 100), 0);
    assert_int_equal(map.at[39999], 0);
    assert_int_equal(map.at[20000], 0);
    assert_int_equal(map.at[0], 'x');
    assert_int_equal(other.at[0], 's');
    assert_false(mapguard_sound(&st));
    assert_non_null(strstr(st.message, "cut"));
    mapguard_close(&map);
    mapguard_close(&other);
}

static volatile sig_atomic_t caught;
static void catch (int signal) {
    caught = signal;
    _exit(7);
}

/* In a child: a SIGBUS that is none of ours ends where it did before, and so does any after the last close.
 */
static int run_child(bool close_first) {
    struct mapping map;
    struct status st;
    signal(SIGBUS, catch);
    int fd = open("foreign", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, 8192) != 0) return 1;
    const volatile char *foreign = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
    if (foreign == MAP_FAILED || !mapguard_open(&map, "other", &st)) return 2;
    if (close_first) mapguard_close(&map);
    if (ftruncate(fd, 0) != 0) return 3;
    return foreign[5000] ? 4 : 5;
}

static void others_signals_are_theirs(void **state) {
    (void)state;
    assert_int_equal(chdir(scratch), 0);
    sh("echo short >other");
    for (int i = 0; i < 2; i++) {
        int status;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) _exit(run_child(i));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 7);
    }
}

/* Cuts the file to a part of its bytes and writes it whole again, in place, until it is killed. */
static void write_all_the_time(const char *path) {
    char bytes[1 << 19];
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (n <= 0) _exit(1);
    for (unsigned i = 0;; i++) {
        (void)!ftruncate(fd, (off_t)(i * 7919 % (unsigned)n));
        (void)!pwrite(fd, bytes, (size_t)n, 0);
    }
}

static void a_writer_never_kills_the_reader(void **state) {
    (void)state;
    struct arena arena = {0};
    struct change_list want, got;
    size_t n_right = 0, n_refused = 0;
    fresh_repository("");
    sh("mkdir a b && o=$(echo | git hash-object -w --stdin) && for i in $(seq 3000); do echo \"100644 $o "
       "0\tb/file$i\"; "
       "done >l && "
       "git update-index --index-info <l && git commit -qm one && echo "
       "2 >a/x && "
       "git add a && git write-tree");
    read_with(&want, &plumbing_reader, &arena);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failed test leaves no writer behind */
        write_all_the_time(".git/index");
    }
    for (int i = 0; i < 400; i++) {
        struct status st = {.message = ""};
        if (!try_read(&got, &index_reader, &arena, &st)) n_refused++;
        else if (same_changes(&got, &want)) n_right++;
        else fail_msg("a wrong answer after %zu right ones and %zu refusals", n_right, n_refused);
        if (i == 0) assert_int_equal(n_right + n_refused, 1);
    }
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    if (n_refused == 0) fail_msg("the writer was never met");
    arena_release(&arena);
}

int main(void) {
    if (!made_repo_begin()) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_signals_are_theirs),
        cmocka_unit_test(a_writer_never_kills_the_reader),
        cmocka_unit_test(a_cut_file_gives_zeros),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    made_repo_end();
    return code;
}
