/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What an output would take the place of: by the datasets and files themselves, not by their names,
 * and by what will be where nothing is yet.
 */
#include "io_test.h"

#include <hdf5.h>

static void put_set(hid_t group, const char *name) {
    hsize_t n = 2;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t set =
        H5Dcreate2(group, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static const struct {
    const char *output, *input;
    bool same;
} cases[] = {
    {"r.h5:/g/v", "r.h5:/g/v", true},
    {"r.h5:g//v", "r.h5:/g/v[0:1]", true},
    {"r.h5:/soft", "r.h5:/g/v", true},
    {"r.h5:/g/v", "r.h5:/soft", true},
    {"r.h5:/hard", "r.h5:/h/v", true},
    {"r.h5:/other", "r.h5:/g/v", false},
    {"r.h5:/new", "r.h5:/g/v", false},
    {"other.h5:/g/v", "r.h5:/g/v", false},
    {"r-link.h5:/g/v", "r.h5:/g/v", true},
    {"r.h5:/g/v", "x.raw:u8:3", false},
    {"x.png", "x.raw:u8:3", true},
    {"s_%d.png", "s_1.png", true},
    {"s_1.png", "s_%d.png", true},
    {"s_2.png", "s_1.png", false},
    {"50%%_%d.png", "50%%_3.png", true},
    {"s_%d.png", "s_9000.png", true},
    {"s_%d.png", "s_01.png", false},
    {"[s]*_%02d.png", "[s]*_03.png", true},
    {"[s]*_%02d.png", "s_1.png", false},
    {"r.h5", "r.h5:/g/v", true},
    {"l.svg", "x.raw:u8:3", true},
    /* what is not there */
    {"n.npy", "./n.npy", true},
    {"n.npy", "m.npy", false},
    {"n.npy", "no/n.npy", false},
    {"no/./n.npy", "no//far/../n.npy", true},
    {"no/../n.npy", "n.npy", true},
    {"dangling.npy", "m.npy", true},
    {"m.npy", "dangling.npy", true},
    {"dangling.npy", "n.npy", false},
    {"n.h5:/a/b", "./n.h5:a/./b", true},
    {"n.h5:/a", "n.h5:/b", false},
    {"r.h5:/new", "r-link.h5:new", true},
    {"r.h5:/new", "r.h5:/newer", false},
    {"n.nhdr", "n.raw", true},
    {"n.raw", "n.nhdr", true},
    {"n_%d.png", "./n_%d.png", true},
    {"n.svg", "./n.svg", true},
    {"n_%d.png", "./n_3.png", true},
    {"n_3.png", "./n_%d.png", true},
    {"n_%d.png", "n_3.svg", false},
    {"n_%d.png", "n_03.png", false},
    {"n_%d.png", "n_-3.png", false},
    {"n_%d0.png", "n_30.png", true},
    {"n_%d0.png", "n_31.png", false},
    {"n_%02d.png", "n_3.png", false},
    {"n%%_%i.png", "n%_3.png", true},
    {"no/n_%d.png", "no/far/../n_4.png", true},
    {"no/n_%d.png", "n_4.png", false},
    {"n_%d.png", "pending.svg", true},
    {"n_%d.png", "n_%03u.png", true},
    {"n_%d.png", "n_1%d.png", true},
    {"n_1%d.png", "n_%d.png", true},
    {"n_%d.png", "m_%d.png", false},
    {"s_%d.png", "s_7.png", true},
    {"s_7.png", "s_%d.png", false}, /* which are read as they are */
};

static void by_what_they_are(void **state) {
    (void)state;
    hid_t file = H5Fcreate("r.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_set(group, "v");
    put_set(file, "other");
    H5Lcreate_soft("/g/v", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/g", file, "h", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(group, "v", file, "hard", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    H5Fclose(file);
    io_put("x.raw", "abc", 3);
    io_put("s_0.png", "", 0);
    io_put("s_1.png", "", 0);
    io_put("s_01.png", "", 0);
    io_put("s_9000.png", "", 0);
    io_put("50%_3.png", "", 0);
    io_put("[s]*_03.png", "", 0);
    assert_int_equal(symlink("x.raw", "x.png"), 0);
    assert_int_equal(symlink("r.h5", "r-link.h5"), 0);
    assert_int_equal(symlink("x.raw", "l.svg"), 0);
    assert_int_equal(symlink("m.npy", "dangling.npy"), 0);
    assert_int_equal(symlink("n_5.png", "pending.svg"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (le_io_replaces(cases[i].output, cases[i].input) != cases[i].same)
            fail_msg("%s %s", cases[i].output, cases[i].input);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_what_they_are)};
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
