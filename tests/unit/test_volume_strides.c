/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `interpolate` and `volume_render` of volumes of any strides and dtype against brute force, for
 * every CPU implementation; and that none of them copies a volume.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "check/cases.h"
#include "unit/volume_views.h"

static const double pi = 3.14159265358979323846;
static const double fill_value = 30.0;
static const double edge = 1e-7; /* voxels outside that still count as inside */
static uint64_t state64;

static int open_seeded(void **state) {
    state64 = case_seed();
    return open_engine(state);
}

static double uniform(void) {
    state64 = state64 * 6364136223846793005u + 1442695040888963407u;
    return (double)(state64 >> 34) / (1u << 30);
}

/* One half is below 20, so that bricks of it do not show; of both signs where the dtype has them.
 */
static void fill(le_tensor *t) {
    bool is_signed = t->dtype == LE_I16 || t->dtype == LE_I32 || t->dtype >= LE_F32;
    int64_t n = le_tensor_count(t);
    for (int64_t i = 0; i < n; i++)
        le_tensor_set(t, i,
                      i < n / 2   ? 19.0 * uniform()
                      : is_signed ? 240.0 * uniform() - 120.0
                                  : 240.0 * uniform());
}

typedef struct camera {
    le_tensor volume;
    int64_t size;
    const double *rotation; /* NULL: by angle */
    double angle;
} camera;

static double sample(const camera *c, const int64_t at[3]) {
    static const int axis_of_camera[3] = {1, 0, 2}; /* x is the row, y the depth */
    double q[3], p[3], w[3], sum = 0.0;
    int64_t cell[3];
    for (int a = 0; a < 3; a++) {
        double n = (double)c->size, i = (double)at[axis_of_camera[a]];
        q[a] = c->size > 1 ? -n / 2.0 + i * n / (n - 1.0) : -n / 2.0;
    }
    double t = c->angle * pi / 180.0;
    const double turn[9] = {1, 0, 0, 0, cos(t), -sin(t), 0, sin(t), cos(t)};
    const double *r = c->rotation ? c->rotation : turn;
    for (int a = 0; a < 3; a++) {
        double n = (double)c->volume.shape[a];
        p[a] = r[3 * a] * q[0] + r[3 * a + 1] * q[1] + r[3 * a + 2] * q[2];
        double index = (p[a] + n / 2.0) * (n - 1.0) / n;
        if (index < -edge || index > n - 1.0 + edge)
            return fill_value;
        index = fmin(fmax(index, 0.0), n - 1.0);
        cell[a] = (int64_t)fmin(floor(index), n - 2.0);
        w[a] = index - (double)cell[a];
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1.0;
        int64_t element = 0;
        for (int a = 0; a < 3; a++) {
            int up = corner >> a & 1;
            weight *= up ? w[a] : 1.0 - w[a];
            element = element * c->volume.shape[a] + cell[a] + up;
        }
        sum += weight * le_tensor_get(&c->volume, element);
    }
    return sum;
}

static le_arg turned(const camera *c, const char *angle, const double *angles) {
    if (c->rotation)
        return LE_F64S("rotation", c->rotation, 9);
    return angles ? LE_F64S(angle, angles, 1) : LE_F64(angle, c->angle);
}

static void near(const char *who, const le_tensor *t, int64_t i, double expected,
                 double tolerance) {
    if (!(fabs(le_tensor_get(t, i) - expected) <= tolerance))
        fail_msg("%s: element %lld is %.9g, expected %.9g", who, (long long)i, le_tensor_get(t, i),
                 expected);
}

/* Fails unless the call was right, or is not for this implementation; then false. */
static bool ran(const char *who, le_status status) {
    if (status != LE_OK && !is_not_for_it(status))
        fail_msg("%s: %s", who, le_error_message());
    return status == LE_OK;
}

static void check_samples(const char *implementation, const void *with) {
    const camera *c = with;
    le_tensor samples = {0};
    le_status status =
        le_engine_run(engine, "interpolate", LE_IN("volume", &c->volume), LE_I64("size", c->size),
                      turned(c, "angle", NULL), LE_F64("outside", fill_value),
                      LE_OPT_IMPLEMENTATION(implementation), LE_OUT("samples", &samples));
    int64_t n = c->size;
    for (int64_t i = 0; ran(implementation, status) && i < n * n * n; i++)
        near(implementation, &samples, i, sample(c, (int64_t[]){i / (n * n), i / n % n, i % n}),
             2e-4);
    le_tensor_free(&samples);
}

/* Colours and opacity rise from 20, where nothing shows, to 140. */
static void check_images(const char *implementation, const void *with) {
    const camera *c = with;
    const double most[4] = {1.0, 0.5, 0.25, 0.2};
    le_tensor images = {0};
    le_status status = le_engine_run(
        engine, "volume_render", LE_IN("volume", &c->volume), LE_I64("size", c->size),
        turned(c, "angles", &c->angle), LE_F64("outside", fill_value),
        LE_STR("transfer", "{\"table\": [[20, 0, 0, 0, 0], [140, 1, 0.5, 0.25, 0.2]]}"),
        LE_STR("scale", "linear"), LE_OPT_IMPLEMENTATION(implementation),
        LE_OUT("images", &images));
    int64_t n = c->size;
    for (int64_t pixel = 0; ran(implementation, status) && pixel < n * n; pixel++) {
        double colour[3] = {0};
        for (int64_t depth = 0; depth < n; depth++) {
            double v = sample(c, (int64_t[]){depth, pixel / n, pixel % n});
            double part = fmin(fmax((v - 20.0) / 120.0, 0.0), 1.0), opacity = part * most[3];
            for (int k = 0; k < 3; k++)
                colour[k] += opacity * (part * most[k] - colour[k]);
        }
        for (int k = 0; k < 3; k++)
            near(implementation, &images, 3 * pixel + k, colour[k], 2e-5);
    }
    le_tensor_free(&images);
}

static void for_views(const char *operation, void (*check)(const char *, const void *)) {
    static const double skew[9] = {0.8, -0.48, 0.36, 0.6, 0.64, -0.48, 0.0, 0.6, 0.8};
    static const int64_t shapes[][3] = {{9, 20, 37}, {6, 7, 50}, {21, 8, 5}, {18, 19, 20}};
    for (int number = 0; number < 56; number++) {
        le_tensor parent = {0};
        le_dtype dtype = (le_dtype)(LE_U8 + number % 7);
        assert_int_equal(le_tensor_alloc(&parent, dtype, 3, shapes[number % 4]), LE_OK);
        fill(&parent);
        camera c = {view_of(&parent, number / 7), 6 + number % 13, number % 3 ? NULL : skew,
                    8.0 * number};
        for_each(operation, check, &c);
        le_tensor_free(&parent);
    }
}

static void test_interpolate(void **state) {
    (void)state;
    for_views("interpolate", check_samples);
}

static void test_volume_render(void **state) {
    (void)state;
    for_views("volume_render", check_images);
}

/* ------------------------------------------------------------------------------- memory ------ */

static long peak_kilobytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* By angle: a picture. By rotation: samples. The chain of steps packs what is strided, and says so.
 */
static void check_memory(const char *implementation, const void *with) {
    const camera *c = with;
    if (strcmp(implementation, "staged") == 0)
        return;
    le_tensor out = {0};
    long before = peak_kilobytes();
    le_status status = le_engine_run(
        engine, c->rotation ? "interpolate" : "volume_render", LE_IN("volume", &c->volume),
        LE_I64("size", c->size), turned(c, "angles", &c->angle), LE_F64("outside", fill_value),
        LE_OPT_IMPLEMENTATION(implementation), LE_OUT(c->rotation ? "samples" : "images", &out));
    long grown = peak_kilobytes() - before;
    if (ran(implementation, status) && grown > 64 << 10)
        fail_msg("%s: %ld KiB more for a volume that is one number", implementation, grown);
    le_tensor_free(&out);
}

/* A volume of 256 MiB as one reads it. */
static void test_memory(void **state) {
    (void)state;
    static const double half_turn[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1};
    float one = 50.0f;
    camera c = {.volume = le_tensor_of(&one, LE_F32, 3, (int64_t[]){256, 512, 512}), .size = 8};
    for (int a = 0; a < 3; a++)
        c.volume.strides[a] = 0;
    for_each("volume_render", check_memory, &c);
    c.rotation = half_turn;
    for_each("interpolate", check_memory, &c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_interpolate),
        cmocka_unit_test(test_volume_render),
    };
    return cmocka_run_group_tests(tests, open_seeded, close_engine);
}
