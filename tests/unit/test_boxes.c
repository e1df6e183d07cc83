/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Volumes in boxes: the boxes against counting their cells and against rays marched through them,
 * the pictures against the reference of volume_render in double precision, files against memory.
 */
#include "check/runs_here.h"
#include "io_test.h"
#include "liquid_engine/le_boxes.h"

enum { N = 40, SIZE = 36, VIEWS = 3, PIXELS = SIZE * SIZE, BOXES = 12 };

static double rotations[9 * VIEWS]; /* about axis 0, and about two others */

static float density[N * N * N];
static le_tensor volume;
static double whole[VIEWS * PIXELS * 3]; /* by the reference, in f64 */

static uint64_t state_of_random = 1;
static double uniform(void) {
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (double)(state_of_random >> 11) / 9007199254740992.0;
}

static void fill(void) {
    for (int i = 0; i < N * N * N; i++) {
        double x = i / (N * N), y = i / N % N, z = i % N;
        density[i] = (float)exp(5 * sin(0.31 * x + 0.2 * y) + 4 * cos(0.27 * y - 0.23 * z + 1) +
                                2 * sin(0.5 * z));
    }
    volume = le_tensor_of(density, LE_F32, 3, (int64_t[]){N, N, N});
}

/* By an angle about an axis of length 1 (Rodrigues). */
static void rotate(double *r, double x, double y, double z, double angle) {
    const double k[9] = {0, -z, y, z, 0, -x, -y, x, 0};
    for (int i = 0; i < 9; i++) {
        double square = 0;
        for (int j = 0; j < 3; j++)
            square += k[i / 3 * 3 + j] * k[3 * j + i % 3];
        r[i] = (i % 4 == 0) + sin(angle) * k[i] + (1 - cos(angle)) * square;
    }
}

static size_t arguments(le_arg *out, const le_arg *input) {
    size_t n = 0;
    out[n++] = *input;
    out[n++] = LE_I64("size", SIZE);
    out[n++] = LE_F64S("rotation", rotations, 9 * VIEWS);
    out[n++] = LE_F64("outside", 20); /* which shows */
    return n;
}

static int setup(void **state) {
    le_arg args[16];
    le_tensor out = le_tensor_of(whole, LE_F64, 4, (int64_t[]){VIEWS, SIZE, SIZE, 3});
    if (io_setup(state))
        return 1;
    fill();
    rotate(rotations, 1, 0, 0, 0.6);
    rotate(rotations + 9, sqrt(1.0 / 14), sqrt(4.0 / 14), sqrt(9.0 / 14), 0.9);
    rotate(rotations + 18, 0, 0.6, -0.8, 2.5);
    const le_arg input = LE_IN("volume", &volume);
    size_t n = arguments(args, &input);
    args[n++] = LE_OUT("images", &out);
    args[n++] = LE_OPT_IMPLEMENTATION("reference");
    return le_call_run(io_engine, "volume_render", args, n) != LE_OK;
}

/* ----------------------------------------------------------------------------------- boxes -- */

static void check_cells(const le_box *all, const le_boxes *boxes) {
    int seen[16 * 16 * 16] = {0};
    for (int64_t i = 0; i < le_boxes_count(boxes); i++) {
        const le_box *b = le_boxes_box(boxes, i);
        for (int64_t x = b->first[0]; x < b->first[0] + b->extent[0] - 1; x++)
            for (int64_t y = b->first[1]; y < b->first[1] + b->extent[1] - 1; y++)
                for (int64_t z = b->first[2]; z < b->first[2] + b->extent[2] - 1; z++)
                    seen[(x * 16 + y) * 16 + z]++;
    }
    for (int i = 0; i < 16 * 16 * 16; i++) {
        int64_t at[3] = {i / 256, i / 16 % 16, i % 16};
        bool inside = true;
        for (int a = 0; a < 3; a++)
            inside = inside && at[a] >= all->first[a] && at[a] < all->first[a] + all->extent[a] - 1;
        assert_int_equal(seen[i], inside);
    }
}

static int64_t box_at(const le_boxes *boxes, const double at[3]) {
    for (int64_t i = 0; i < le_boxes_count(boxes); i++) {
        const le_box *b = le_boxes_box(boxes, i);
        bool in = true;
        for (int a = 0; a < 3; a++)
            in = in && at[a] >= (double)b->first[a] &&
                 at[a] < (double)(b->first[a] + b->extent[a] - 1);
        if (in)
            return i;
    }
    return -1;
}

/* Rays meet boxes in the order that was told. */
static void check_order(const le_boxes *boxes) {
    int64_t order[64], rank[64];
    for (int ray = 0; ray < 40; ray++) {
        double at[3], step[3];
        for (int a = 0; a < 3; a++) {
            at[a] = 15 * uniform();
            step[a] = ray % 4 == a ? 0 : uniform() - 0.5;
        }
        le_boxes_order(boxes, step, order);
        for (int64_t i = 0; i < le_boxes_count(boxes); i++)
            rank[order[i]] = i;
        int64_t before = -1;
        for (int k = -400; k < 400; k++) {
            double p[3];
            for (int a = 0; a < 3; a++)
                p[a] = at[a] + step[a] * k * 0.1;
            int64_t box = box_at(boxes, p);
            assert_true(box < 0 || rank[box] >= before);
            before = box < 0 ? before : rank[box];
        }
    }
}

static void every_cell_once(void **state) {
    const le_box shapes[] = {{{0, 0, 0}, {16, 16, 16}}, {{2, 1, 0}, {9, 14, 4}}};
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        le_boxes *boxes;
        for (int64_t n = 1; n < 30; n++) {
            double weights[30];
            for (int i = 0; i < 30; i++)
                weights[i] = 1 + i % 4;
            assert_int_equal(le_boxes_split(&shapes[s], n % 2 ? weights : NULL, n, &boxes), LE_OK);
            assert_int_equal(le_boxes_count(boxes), n);
            check_cells(&shapes[s], boxes);
            check_order(boxes);
            le_boxes_free(&boxes);
        }
        assert_int_equal(le_boxes_within(&shapes[s], 100, &boxes), LE_OK);
        for (int64_t i = 0; i < le_boxes_count(boxes); i++) {
            const int64_t *e = le_boxes_box(boxes, i)->extent;
            assert_true(e[0] * e[1] * e[2] <= 100);
        }
        check_cells(&shapes[s], boxes);
        le_boxes_free(&boxes);
        assert_int_equal(le_boxes_grid(&shapes[s], 5, &boxes), LE_OK);
        for (int64_t i = 0; i < le_boxes_count(boxes); i++)
            for (int a = 0; a < 3; a++)
                assert_int_equal((le_boxes_box(boxes, i)->first[a] - shapes[s].first[a]) % 5, 0);
        check_cells(&shapes[s], boxes);
        check_order(boxes);
        le_boxes_free(&boxes);
    }
    const le_box small = {{0, 0, 0}, {2, 2, 3}};
    le_boxes *none;
    assert_int_equal(le_boxes_split(&small, NULL, 3, &none), LE_ERR_SHAPE);
    assert_int_equal(le_boxes_within(&small, 7, &none), LE_ERR_MEMORY);
}

static void weights_are_kept(void **state) {
    const le_box all = {{0, 0, 0}, {129, 65, 65}};
    const double weights[] = {1, 2, 3, 4, 1, 2};
    le_boxes *boxes;
    (void)state;
    assert_int_equal(le_boxes_split(&all, weights, 6, &boxes), LE_OK);
    for (int64_t i = 0; i < 6; i++) {
        const int64_t *e = le_boxes_box(boxes, i)->extent;
        double share = (double)((e[0] - 1) * (e[1] - 1) * (e[2] - 1)) / (128.0 * 64 * 64);
        assert_true(fabs(share - weights[i] / 13) < 0.01);
    }
    le_boxes_free(&boxes);
}

/* ----------------------------------------------------------------------------------- parts -- */

static double farthest(const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < VIEWS * PIXELS * 3; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Joins the boxes' parts in their order, or in the reverse of it, to pictures. */
static void join_all(const le_boxes_about *about, const le_boxes *boxes, double *const *parts,
                     bool reversed, double *pictures) {
    int64_t order[BOXES], n = le_boxes_count(boxes);
    static double far[4 * PIXELS];
    static float near[4 * PIXELS];
    le_tensor out = le_tensor_of(pictures, LE_F64, 1, (int64_t[]){VIEWS * PIXELS * 3});
    for (int64_t v = 0; v < VIEWS; v++) {
        le_boxes_order(boxes, about->steps + 3 * v, order);
        memset(far, 0, sizeof far);
        for (int64_t i = 0; i < n; i++) {
            const double *part = parts[order[reversed ? n - 1 - i : i]] + 4 * v * PIXELS;
            for (int k = 0; k < 4 * PIXELS; k++)
                near[k] = (float)part[k];
            le_boxes_join(far, near, PIXELS);
        }
        le_boxes_picture(far, PIXELS, &out, 3 * v * PIXELS);
    }
}

static void check_parts(int64_t n, bool weighted, const char *implementation) {
    static double pictures[VIEWS * PIXELS * 3];
    const double weights[BOXES] = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4};
    double *parts[BOXES];
    int64_t owned, sum = 0;
    le_arg args[16];
    le_tensor none = {0};
    le_boxes_call *call;
    le_boxes *boxes;
    const le_arg input = LE_IN("volume", &volume);
    size_t k = arguments(args, &input);
    args[k++] = LE_OUT("images", &none);
    args[k++] = LE_OPT_ATOL(1e-6);
    args[k++] = LE_OPT_IMPLEMENTATION(implementation);
    assert_int_equal(le_boxes_open(io_engine, "volume_render", args, k, &call), LE_OK);
    const le_boxes_about *about = le_boxes_tell(call);
    assert_int_equal(about->views, VIEWS);
    assert_int_equal(le_boxes_split(&about->whole, weighted ? weights : NULL, n, &boxes), LE_OK);
    for (int64_t i = 0; i < n; i++) {
        parts[i] = malloc(VIEWS * PIXELS * 4 * sizeof **parts);
        if (le_boxes_part(call, le_boxes_box(boxes, i), 0, VIEWS, parts[i], &owned) != LE_OK)
            fail_msg("%s", le_error_message());
        sum += owned;
    }
    assert_int_equal(sum, VIEWS * SIZE * PIXELS);
    join_all(about, boxes, parts, false, pictures);
    if (!(farthest(pictures, whole) <= 2e-6))
        fail_msg("%d boxes, %s: %g", (int)n, implementation, farthest(pictures, whole));
    join_all(about, boxes, parts, true, pictures);
    assert_true(n == 1 || farthest(pictures, whole) > 0.05);
    for (int64_t i = 0; i < n; i++)
        free(parts[i]);
    le_boxes_free(&boxes);
    le_boxes_close(&call);
}

static void parts_make_the_whole(void **state) {
    static const int64_t numbers[] = {1, 4, 5, 6, 7, 8, 12};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        check_parts(numbers[i], false, "c");
        check_parts(numbers[i], true, "c");
    }
    check_parts(5, true, "reference");
    size_t n;
    const le_implementation *const *list = le_engine_implementations(io_engine, "volume_part", &n);
    for (size_t i = 0; i < n; i++)
        if (!strncmp(list[i]->name, "rays_", 5) && runs_here(io_engine, list[i]))
            check_parts(7, true, list[i]->name);
}

/* ------------------------------------------------------------------------------ whole calls -- */

static void check_run(const le_arg *input, int64_t limit, int64_t least, int64_t most) {
    static double pictures[VIEWS * PIXELS * 3];
    le_tensor images = {.dtype = LE_F64};
    le_arg args[16];
    int64_t boxes = 0;
    size_t n = arguments(args, input);
    args[n++] = LE_OUT("images", &images);
    args[n++] = LE_OPT_IMPLEMENTATION("c");
    args[n++] = LE_OPT_MEMORY_LIMIT(limit);
    if (le_boxes_run(io_engine, "volume_render", args, n, &boxes) != LE_OK)
        fail_msg("%s", le_error_message());
    assert_int_equal(images.dtype, LE_F64);
    for (int i = 0; i < VIEWS * PIXELS * 3; i++)
        pictures[i] = le_tensor_get(&images, i);
    if (!(farthest(pictures, whole) <= 2e-6))
        fail_msg("limit %d: %g", (int)limit, farthest(pictures, whole));
    assert_in_range(boxes, least, most);
    le_tensor_free(&images);
}

/* 256000 bytes of volume, 93312 of pictures in doubles. */
static void memory_and_files(void **state) {
    const le_arg tensor = LE_IN("volume", &volume);
    (void)state;
    check_run(&tensor, 0, 1, 1);
    check_run(&tensor, 300000, 2, 16);
    check_run(&tensor, 200000, 4, 64);
    io_put("cube.raw", density, sizeof density);
    const le_arg raw = LE_STR("volume", "cube.raw:f32:40,40,40");
    check_run(&raw, 300000, 2, 16);
    const le_arg npy = LE_STR("volume", "cube.npy[...]"),
                 h5 = LE_STR("volume", "cube.h5:/big[1,2:82:2,:,5:]");
    assert_int_equal(le_io_write(io_engine, "cube.npy", &volume), LE_OK);
    check_run(&npy, 300000, 2, 16);
    le_tensor big;
    if (!le_io_is_place("cube.h5:/big", true))
        return;
    assert_int_equal(le_tensor_alloc(&big, LE_F32, 4, (int64_t[]){2, 83, N, N + 5}), LE_OK);
    for (int64_t i = 0; i < le_tensor_count(&big); i++) {
        int64_t z = i % (N + 5) - 5, y = i / (N + 5) % N, x = i / (N + 5) / N % 83;
        bool of = i >= le_tensor_count(&big) / 2 && z >= 0 && x >= 2 && x < 82 && x % 2 == 0;
        ((float *)big.data)[i] = of ? density[((x - 2) / 2 * N + y) * N + z] : 1e30f;
    }
    assert_int_equal(le_io_write(io_engine, "cube.h5:/big", &big), LE_OK);
    le_tensor_free(&big);
    check_run(&h5, 300000, 2, 16);
}

static void edges(void **state) {
    static const int64_t cells[][2] = {{1, 32}, {128, 32}, {129, 33}, {1000, 250}, {5000, 256}};
    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        for (int a = 0; a < 3; a++) {
            le_box grid = {.extent = {2, 2, 2}};
            grid.extent[a] = cells[i][0] + 1;
            assert_int_equal(le_boxes_edge(&grid), cells[i][1]);
        }
}

static void same_bits(void **state) {
    static const int64_t limits[] = {0, 1 << 20, 260000};
    le_tensor images[3] = {{0}, {0}, {0}};
    const le_arg input = LE_IN("volume", &volume);
    (void)state;
    setenv("LE_BOX_EDGE", "15", 1);
    for (int i = 0; i < 3; i++) {
        le_arg args[16];
        int64_t boxes;
        size_t n = arguments(args, &input);
        args[n++] = LE_OUT("images", &images[i]);
        args[n++] = LE_OPT_MEMORY_LIMIT(limits[i]);
        args[n++] = LE_OPT_REPRODUCIBLE();
        if (le_boxes_run(io_engine, "volume_render", args, n, &boxes) != LE_OK)
            fail_msg("%s", le_error_message());
        assert_int_equal(boxes, 27);
        assert_memory_equal(images[i].data, images[0].data, VIEWS * PIXELS * 3 * sizeof(float));
    }
    for (int i = 0; i < 3; i++)
        le_tensor_free(&images[i]);
    unsetenv("LE_BOX_EDGE");
}

static void mistakes(void **state) {
    static float kept[VIEWS * PIXELS * 3];
    le_tensor images = le_tensor_of(kept, LE_F32, 4, (int64_t[]){VIEWS, SIZE, SIZE, 3}),
              image = {0};
    le_arg args[16];
    const le_arg input = LE_IN("volume", &volume), png = LE_STR("volume", "cube.png");
    size_t n = arguments(args, &input);
    (void)state;
    memset(kept, 7, sizeof kept);
    args[n++] = LE_OUT("images", &images);
    args[n] = LE_OPT_MEMORY_LIMIT(40000);
    assert_int_equal(le_boxes_run(io_engine, "volume_render", args, n + 1, NULL), LE_ERR_MEMORY);
    assert_non_null(strstr(le_error_message(), "of 40000 bytes"));
    args[n] = LE_OPT_MEMORY_LIMIT(108000);
    assert_int_equal(le_boxes_run(io_engine, "volume_render", args, n + 1, NULL), LE_ERR_MEMORY);
    args[0] = png;
    assert_int_equal(le_boxes_run(io_engine, "volume_render", args, n, NULL), LE_ERR_UNSUPPORTED);
    args[0] = LE_STR("volume", "nothing.npy");
    assert_int_equal(le_boxes_run(io_engine, "volume_render", args, n, NULL), LE_ERR_IO);
    args[0] = input;
    args[1] = LE_I64("size", 0);
    assert_int_equal(le_boxes_run(io_engine, "volume_render", args, n, NULL), LE_ERR_ARGUMENT);
    const le_arg other[] = {LE_IN("volume", &volume), LE_I64("axis", 0), LE_OUT("image", &image)};
    assert_int_equal(le_boxes_run(io_engine, "project", other, 3, NULL), LE_ERR_UNSUPPORTED);
    for (size_t i = 0; i < sizeof kept; i++)
        assert_int_equal(((unsigned char *)kept)[i], 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_cell_once),
                                       cmocka_unit_test(weights_are_kept),
                                       cmocka_unit_test(parts_make_the_whole),
                                       cmocka_unit_test(memory_and_files),
                                       cmocka_unit_test(edges),
                                       cmocka_unit_test(same_bits),
                                       cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, setup, io_teardown);
}
