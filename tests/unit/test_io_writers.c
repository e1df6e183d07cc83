/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Several processes that write one HDF5 file: nobody's dataset is lost, nobody's file is taken.
 */
#include "io_test.h"

#include "liquid_engine/le_stream.h"

#include <fcntl.h>
#include <hdf5.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { N = 64 };

static le_status write_set(const char *place, double first) {
    double values[N];
    for (int i = 0; i < N; i++)
        values[i] = first + i;
    le_tensor t = le_tensor_of(values, LE_F64, 1, (int64_t[]){N});
    return le_io_write(io_engine, place, &t);
}

static void assert_set(const char *place, double first) {
    le_tensor t = {0};
    if (le_io_read(io_engine, place, NULL, &t) != LE_OK)
        fail_msg("%s", le_error_message());
    io_assert_shape(&t, "f64[64]");
    for (int i = 0; i < N; i++)
        assert_true(le_tensor_get(&t, i) == first + i);
    le_tensor_free(&t);
}

static bool has_text(const char *text) {
    return strstr(le_error_message(), text) != NULL;
}

static void assert_child(pid_t child) {
    int how = -1;
    assert_true(child > 0 && waitpid(child, &how, 0) == child);
    assert_int_equal(how, 0);
}

/* Each copies the file, changes the copy and lets it take the file's place. */
static void all_at_once(void **state) {
    enum { WRITERS = 6, ROUNDS = 5 };
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        pid_t children[WRITERS];
        char place[64];
        int go[2];
        assert_int_equal(pipe(go), 0);
        for (int k = 0; k < WRITERS; k++) {
            children[k] = fork();
            if (children[k] != 0)
                continue;
            char byte;
            close(go[1]);
            (void)!read(go[0], &byte, 1);
            snprintf(place, sizeof place, "many%d.h5:/g/set%d", round, k);
            _exit(write_set(place, 100 * k) != LE_OK);
        }
        close(go[0]);
        close(go[1]);
        for (int k = 0; k < WRITERS; k++)
            assert_child(children[k]);
        for (int k = 0; k < WRITERS; k++) {
            snprintf(place, sizeof place, "many%d.h5:/g/set%d", round, k);
            assert_set(place, 100 * k);
        }
    }
}

static le_tensor shape_of_set(void) {
    return le_tensor_of(NULL, LE_F64, 1, (int64_t[]){N});
}

static void put_set(const char *place, int64_t offset, double first) {
    double values[N];
    le_tensor shape = shape_of_set();
    le_target *target;
    for (int i = 0; i < N; i++)
        values[i] = first + i;
    assert_int_equal(le_io_target_join(place, &shape, offset, &target), LE_OK);
    assert_int_equal(le_target_put(target, 0, N, values), LE_OK);
    assert_int_equal(le_io_target_close(&target, true), LE_OK);
}

/* What others have put into a file meanwhile stays there, with what was reserved; links and modes
 * do too. */
static void written_meanwhile(void **state) {
    (void)state;
    le_tensor shape = shape_of_set();
    struct stat info;
    int64_t offset;
    assert_int_equal(write_set("file.h5:/old", 1), LE_OK);
    assert_int_equal(chmod("file.h5", 0640), 0);
    assert_int_equal(le_io_target_reserve("file.h5:/new", &shape, false, &offset), LE_OK);
    put_set("file.h5:/new", offset, 2);
    assert_int_equal(write_set("file.h5:/meanwhile", 3), LE_OK);
    assert_int_equal(le_io_target_publish("file.h5:/new", true), LE_OK);
    assert_int_not_equal(access("file.h5.part", F_OK), 0);
    assert_set("file.h5:/old", 1);
    assert_set("file.h5:/new", 2);
    assert_set("file.h5:/meanwhile", 3);
    assert_true(stat("file.h5", &info) == 0 && (info.st_mode & 0777) == 0640);
    /* a file that was not there */
    assert_int_equal(le_io_target_reserve("fresh.h5:/new", &shape, false, &offset), LE_OK);
    put_set("fresh.h5:/new", offset, 4);
    assert_int_equal(write_set("fresh.h5:/meanwhile", 5), LE_OK);
    assert_int_equal(le_io_target_publish("fresh.h5:/new", true), LE_OK);
    assert_set("fresh.h5:/new", 4);
    assert_set("fresh.h5:/meanwhile", 5);
    /* a link */
    assert_int_equal(symlink("file.h5", "link.h5"), 0);
    assert_int_equal(le_io_target_reserve("link.h5:/linked", &shape, false, &offset), LE_OK);
    put_set("link.h5:/linked", offset, 6);
    assert_int_equal(le_io_target_publish("link.h5:/linked", true), LE_OK);
    assert_true(lstat("link.h5", &info) == 0 && S_ISLNK(info.st_mode));
    assert_set("file.h5:/linked", 6);
    assert_set("file.h5:/old", 1);
    /* a group has taken the name: what was made is kept */
    assert_int_equal(le_io_target_reserve("file.h5:/late", &shape, false, &offset), LE_OK);
    put_set("file.h5:/late", offset, 7);
    assert_int_equal(write_set("file.h5:/late/set", 8), LE_OK);
    assert_int_equal(le_io_target_publish("file.h5:/late", true), LE_ERR_IO);
    assert_true(has_text("file.h5:/late: exists") && has_text("kept in file.h5.part"));
    assert_int_equal(rename("file.h5.part", "kept.h5"), 0);
    assert_set("kept.h5:/late", 7);
    assert_set("file.h5:/late/set", 8);
}

static void several_datasets(void **state) {
    (void)state;
    le_tensor shape = shape_of_set();
    int64_t offsets[2];
    for (int other = 0; other < 2; other++) {
        assert_int_equal(write_set("pair.h5:/old", 1), LE_OK);
        assert_int_equal(le_io_target_reserve("pair.h5:/a", &shape, false, &offsets[0]), LE_OK);
        put_set("pair.h5:/a", offsets[0], 2 + other);
        assert_int_equal(le_io_target_reserve("./pair.h5:/b", &shape, false, &offsets[1]), LE_OK);
        put_set("pair.h5:/b", offsets[1], 4 + other);
        le_io_target_leave("pair.h5:/a");
        le_io_target_leave("./pair.h5:/b");
        assert_int_equal(le_io_target_publish("pair.h5:/a", true), LE_ERR_ARGUMENT);
        assert_int_equal(le_io_target_reserve("pair.h5:/a", &shape, true, &offsets[0]), LE_OK);
        assert_int_equal(le_io_target_reserve("pair.h5:/b", &shape, true, &offsets[1]), LE_OK);
        if (other)
            assert_int_equal(write_set("pair.h5:/meanwhile", 6), LE_OK);
        assert_int_equal(le_io_target_publish("pair.h5:/b", true), LE_OK);
        assert_int_equal(access("pair.h5.part", F_OK), 0);
        assert_int_equal(le_io_target_publish("pair.h5:/a", true), LE_OK);
        assert_int_not_equal(access("pair.h5.part", F_OK), 0);
        assert_set("pair.h5:/old", 1);
        assert_set("pair.h5:/a", 2 + other);
        assert_set("pair.h5:/b", 4 + other);
    }
    assert_set("pair.h5:/meanwhile", 6);
    /* one that is not good takes the other with it */
    assert_int_equal(le_io_target_reserve("pair.h5:/a", &shape, false, &offsets[0]), LE_OK);
    assert_int_equal(le_io_target_reserve("pair.h5:/b", &shape, false, &offsets[1]), LE_OK);
    assert_int_equal(le_io_target_publish("pair.h5:/a", false), LE_OK);
    assert_int_equal(le_io_target_publish("pair.h5:/b", true), LE_OK);
    assert_int_not_equal(access("pair.h5.part", F_OK), 0);
    assert_set("pair.h5:/b", 5);
}

/* As HDF5 itself reads it. */
static void assert_plain(const char *file, const char *name, double first) {
    double values[N] = {0};
    hid_t f = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(f, name, H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Fclose(f);
    for (int i = 0; i < N; i++)
        assert_true(values[i] == first + i);
}

/* Something of others lies before what is HDF5's: results go behind it. */
static void user_block(void **state) {
    const char note[] = "a note of the instrument";
    char read[sizeof note] = "";
    double more[N];
    le_tensor shape = shape_of_set(), none = le_tensor_of(NULL, LE_F64, 1, (int64_t[]){0});
    (void)state;
    for (hsize_t size = 512; size <= 4096; size *= 2) {
        hid_t plist = H5Pcreate(H5P_FILE_CREATE);
        H5Pset_userblock(plist, size);
        hid_t file = H5Fcreate("block.h5", H5F_ACC_TRUNC, plist, H5P_DEFAULT);
        hid_t space =
            H5Screate_simple(1, (hsize_t[]){N}, NULL); /* never written: it has no place */
        H5Dclose(H5Dcreate2(file, "late", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT,
                            H5P_DEFAULT));
        H5Sclose(space);
        H5Fclose(file);
        H5Pclose(plist);
        int fd = open("block.h5", O_WRONLY);
        assert_int_equal(pwrite(fd, note, sizeof note, 0), sizeof note);
        close(fd);
        assert_int_equal(write_set("block.h5:/whole", 1), LE_OK);
        int64_t offset;
        if (le_io_target_reserve("block.h5:/parts", &shape, false, &offset) != LE_OK)
            fail_msg("%s", le_error_message());
        put_set("block.h5:/parts", offset, 2);
        le_io_target_leave("block.h5:/parts");
        assert_int_equal(le_io_target_reserve("block.h5:/parts", &shape, true, &offset), LE_OK);
        assert_int_equal(le_io_target_publish("block.h5:/parts", true), LE_OK);
        assert_int_equal(le_io_target_reserve("block.h5:/none", &none, false, &offset), LE_OK);
        assert_int_equal(le_io_target_publish("block.h5:/none", true), LE_OK);
        le_target *target;
        for (int i = 0; i < N; i++)
            more[i] = 3 + i;
        assert_int_equal(
            le_io_target(io_engine, "block.h5:/stream", LE_F64, 1, shape.shape, &target), LE_OK);
        assert_int_equal(le_target_put(target, 0, N, more), LE_OK);
        if (le_io_target_close(&target, true) != LE_OK)
            fail_msg("%s", le_error_message());
        assert_plain("block.h5", "whole", 1);
        assert_plain("block.h5", "parts", 2);
        assert_plain("block.h5", "stream", 3);
        assert_set("block.h5:/whole", 1);
        assert_set("block.h5:/parts", 2);
        le_tensor t = {0};
        assert_int_equal(le_io_read(io_engine, "block.h5:/late", NULL, &t), LE_OK);
        for (int i = 0; i < N; i++)
            assert_true(le_tensor_get(&t, i) == 0);
        le_tensor_free(&t);
        assert_int_equal(io_get("block.h5", read, sizeof read), sizeof read);
        assert_string_equal(read, note);
    }
}

/* In a process of its own. */
static bool is_refused(const char *place, bool again, const char *words) {
    le_tensor shape = shape_of_set();
    int64_t offset;
    int how = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(le_io_target_reserve(place, &shape, again, &offset) == LE_ERR_IO && has_text(words));
    return child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 1;
}

static bool can_be_locked(const char *file) {
    int fd = open(file, O_RDONLY);
    bool good = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return good;
}

static void others_files(void **state) {
    (void)state;
    char read[16] = "";
    le_tensor shape = shape_of_set();
    int64_t offset;
    assert_int_equal(le_io_target_reserve("busy.h5:/a", &shape, false, &offset), LE_OK);
    put_set("busy.h5:/a", offset, 1);
    assert_true(is_refused("busy.h5:/b", false, "busy.h5.part: another process is writing it"));
    assert_true(is_refused("busy.h5:/a", false, "busy.h5.part: another process is writing it"));
    assert_true(is_refused("busy.h5:/a", true, "busy.h5.part"));
    assert_int_equal(le_io_target_publish("busy.h5:/a", true), LE_OK);
    assert_true(can_be_locked("busy.h5")); /* as programs do that read it */
    assert_set("busy.h5:/a", 1);
    /* what a process has left is taken again, or gives way to another call's */
    assert_int_equal(le_io_target_reserve("busy.h5:/c", &shape, false, &offset), LE_OK);
    le_io_target_leave("busy.h5:/c");
    assert_true(can_be_locked("busy.h5.part"));
    assert_int_equal(le_io_target_reserve("busy.h5:/d", &shape, false, &offset), LE_OK);
    assert_int_equal(le_io_target_publish("busy.h5:/d", false), LE_OK);
    /* a file of that name that is the user's */
    io_put("mine.h5.part", "precious", 8);
    assert_true(is_refused("mine.h5:/a", false, "mine.h5.part: is no unfinished result"));
    assert_true(is_refused("mine.h5:/a", true, "mine.h5.part"));
    assert_int_equal(io_get("mine.h5.part", read, sizeof read), 8);
    assert_memory_equal(read, "precious", 8);
    assert_int_equal(write_set("other.h5:/download", 9), LE_OK);
    assert_int_equal(rename("other.h5", "mine.h5.part"), 0);
    assert_true(is_refused("mine.h5:/a", false, "mine.h5.part: is no unfinished result"));
    assert_int_equal(unlink("mine.h5.part"), 0);
    io_put("target", "precious", 8);
    assert_int_equal(symlink("target", "mine.h5.part"), 0);
    assert_true(is_refused("mine.h5:/a", false, "mine.h5.part"));
    assert_int_equal(io_get("target", read, sizeof read), 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_at_once), cmocka_unit_test(written_meanwhile),
        cmocka_unit_test(several_datasets), cmocka_unit_test(user_block),
        cmocka_unit_test(others_files)};
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
