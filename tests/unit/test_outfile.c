/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files that are there as a whole or not at all: what is left of a writer that is killed, what is
 * replaced, and what a link, pipe or existing file becomes, or one that may not be written.
 */
#include "io_test.h"

#include "outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

static int files_here(void) {
    int n = 0;
    DIR *d = opendir(".");
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    closedir(d);
    return n;
}

/* In a child that is killed in the midst of it. */
static void killed(void **state) {
    (void)state;
    int before = files_here(), status;
    le__outfile probe;
    assert_int_equal(le__outfile_open(&probe, "probe", false), 0);
    bool unnamed = probe.name == NULL;
    le__outfile_abandon(&probe);
    if (!unnamed) {
        print_message("this file system has no files without a name: skipped\n");
        skip();
    }
    pid_t pid = fork();
    if (pid == 0) {
        le__outfile f;
        if (le__outfile_open(&f, "new", false) == 0 && write(f.fd, "half", 4) == 4)
            raise(SIGKILL);
        _exit(1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(files_here(), before);
}

static void check_content(const char *file, const char *text) {
    char found[64] = "";
    io_get(file, found, sizeof found - 1);
    assert_string_equal(found, text);
}

static void put(const char *path, bool named, const char *text) {
    le__outfile f;
    assert_int_equal(le__outfile_open(&f, path, named), 0);
    assert_int_equal(le__outfile_write(f.fd, text, strlen(text)), 0);
    assert_int_equal(le__outfile_commit(&f), 0);
}

static void replaced(void **state) {
    (void)state;
    for (int named = 0; named < 2; named++) {
        struct stat info;
        (void)unlink("a");
        (void)unlink("link");
        put("a", named, "one");
        check_content("a", "one");
        assert_int_equal(chmod("a", 0600), 0);
        assert_int_equal(symlink("a", "link"), 0);
        int before = files_here();
        put("link", named, "two");
        check_content("a", "two");
        assert_int_equal(lstat("link", &info), 0);
        assert_true(S_ISLNK(info.st_mode));
        assert_int_equal(stat("a", &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
        le__outfile f;
        assert_int_equal(le__outfile_open(&f, "a", named), 0);
        assert_int_equal(write(f.fd, "x", 1), 1);
        le__outfile_abandon(&f);
        check_content("a", "two");
        assert_int_equal(files_here(), before);
    }
}

static void links_to_nothing(void **state) {
    (void)state;
    struct stat info;
    le__outfile f;
    char there[64] = "";
    assert_int_equal(mkdir("far", 0777), 0);
    assert_int_equal(symlink("far/first", "one"), 0);
    assert_int_equal(symlink("second", "far/first"), 0);
    assert_int_equal(symlink("round", "round"), 0);
    put("one", false, "new");
    check_content("far/second", "new");
    assert_int_equal(readlink("one", there, sizeof there - 1), 9);
    assert_int_equal(lstat("far/first", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(le__outfile_open(&f, "round", false), ELOOP);
    assert_int_equal(lstat("round", &info), 0);
}

/* Who owns everything may write everything, so somebody else tries. */
static void may_not_be_written(void **state) {
    (void)state;
    enum { NOBODY = 65534 };
    int status;
    io_put("kept", "kept", 4);
    assert_int_equal(chmod("kept", 0444), 0);
    assert_int_equal(chmod(".", 0777), 0);
    pid_t pid = fork();
    if (pid == 0) {
        le__outfile f;
        if (geteuid() == 0 && setuid(NOBODY) != 0)
            _exit(2);
        int error = le__outfile_open(&f, "kept", false);
        le__outfile_abandon(&f);
        _exit(error != EACCES);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    check_content("kept", "kept");
}

/* Somebody else made the file meanwhile. */
static void raced(void **state) {
    (void)state;
    le__outfile f;
    assert_int_equal(le__outfile_open(&f, "b", false), 0);
    assert_int_equal(write(f.fd, "ours", 4), 4);
    io_put("b", "theirs", 6);
    assert_int_equal(le__outfile_commit(&f), 0);
    check_content("b", "ours");
    assert_int_equal(le__outfile_open(&f, "none/b", false), ENOENT);
    assert_int_equal(f.fd, -1);
}

static void folders(void **state) {
    (void)state;
    struct stat info;
    char path[] = "on/the//way/to", within[] = "plain/a/b", none[] = "";
    io_put("plain", "", 0);
    for (int k = 0; k < 2; k++)
        assert_int_equal(le__outfile_folders(path, 0777), 0);
    assert_string_equal(path, "on/the//way/to");
    assert_int_equal(stat("on/the/way", &info), 0);
    assert_true(S_ISDIR(info.st_mode));
    assert_int_equal(stat("on/the/way/to", &info), -1);
    assert_int_equal(le__outfile_folders(within, 0777), ENOTDIR);
    assert_string_equal(within, "plain/a");
    assert_int_equal(le__outfile_folders(none, 0777), 0);
}

static void device(void **state) {
    (void)state;
    put("/dev/null", false, "gone");
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void tick(int number) {
    (void)number;
}

/* Into a pipe that is full most of the time, while signals interrupt: all of it, in order. */
static void whole_despite_signals(void **state) {
    (void)state;
    enum { BYTES = 1 << 20, PIECE = 8192 };
    static unsigned char data[BYTES], got[BYTES];
    int ends[2], status;
    for (size_t i = 0; i < BYTES; i++)
        data[i] = (unsigned char)(i * 7919 >> 3);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct sigaction a = {.sa_handler = tick}; /* calls are not begun again */
        close(ends[0]);
        sigaction(SIGALRM, &a, NULL);
        setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
        _exit(le__outfile_write(ends[1], data, BYTES) == 0 ? 0 : 1);
    }
    close(ends[1]);
    size_t n = 0;
    ssize_t some;
    do {
        usleep(2000);
        some = read(ends[0], got + n, BYTES - n < PIECE ? BYTES - n : PIECE);
        n += some > 0 ? (size_t)some : 0;
    } while (some > 0 && n < BYTES);
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(n, BYTES);
    assert_memory_equal(got, data, BYTES);
}

static void no_room(void **state) {
    (void)state;
    int fd = open("/dev/full", O_WRONLY);
    if (fd < 0)
        skip();
    assert_int_equal(le__outfile_write(fd, "x", 1), ENOSPC);
    close(fd);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(killed),
                                       cmocka_unit_test(replaced),
                                       cmocka_unit_test(links_to_nothing),
                                       cmocka_unit_test(may_not_be_written),
                                       cmocka_unit_test(raced),
                                       cmocka_unit_test(folders),
                                       cmocka_unit_test(device),
                                       cmocka_unit_test(whole_despite_signals),
                                       cmocka_unit_test(no_room)};
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
