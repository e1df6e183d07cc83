/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tensors, DLPack views, error profiles.
 */
#include <dlpack/dlpack.h>

#include "common/load.h"
#include "liquid_engine/le_dlpack.h"
#include "call/storage.h"
#include "call/tensor.h"
#include "trial/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void counts(void **state) {
    (void)state;
    le_tensor t = le_tensor_of(NULL, LE_F32, 3, (int64_t[]){2, 3, 4});
    assert_int_equal(le_tensor_count(&t), 24);
    assert_int_equal(t.strides[0], 12);
    assert_true(le_tensor_is_contiguous(&t));
    t.strides[0] = 13;
    assert_false(le_tensor_is_contiguous(&t));
    t = le_tensor_of(NULL, LE_F32, 2, (int64_t[]){INT64_MAX, 3});
    assert_int_equal(le_tensor_count(&t), -1);
    t.shape[1] = 0;
    assert_int_equal(le_tensor_count(&t), 0);
    assert_int_not_equal(le_tensor_alloc(&t, LE_F32, 9, t.shape), LE_OK);
    assert_int_not_equal(le_tensor_alloc(&t, (le_dtype)99, 1, t.shape), LE_OK);
}

static void count_release(void *cookie) {
    ++*(int *)cookie;
}

static void adopting(void **state) {
    (void)state;
    double memory[6] = {1, 2, 3, 4, 5, 6};
    int released = 0;
    le_tensor t = {.ndim = 7};
    const int64_t shape[] = {2, 3};
    assert_int_equal(le_tensor_adopt(&t, memory, LE_F64, 2, shape, count_release, &released),
                     LE_OK);
    assert_ptr_equal(t.data, memory);
    assert_float_equal(le_tensor_get(&t, 5), 6, 0);
    le_tensor_free(&t);
    assert_int_equal(released, 1);
    t.ndim = 7;
    const struct {
        void *data;
        le_dtype dtype;
        int64_t rows;
        void (*release)(void *);
        le_status status;
    } wrong[] = {{NULL, LE_F64, 2, count_release, LE_ERR_ARGUMENT},
                 {memory, LE_F64, 2, NULL, LE_ERR_ARGUMENT},
                 {(char *)memory + 2, LE_F64, 1, count_release, LE_ERR_ARGUMENT},
                 {memory, (le_dtype)99, 2, count_release, LE_ERR_DTYPE},
                 {memory, LE_F64, -2, count_release, LE_ERR_SHAPE}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(le_tensor_adopt(&t, wrong[i].data, wrong[i].dtype, 2,
                                         (int64_t[]){wrong[i].rows, 3}, wrong[i].release,
                                         &released),
                         wrong[i].status);
        assert_int_equal(t.ndim, 7);
        assert_int_equal(released, 1);
    }
}

static void elements(void **state) {
    (void)state;
    for (le_dtype d = LE_U8; d <= LE_DTYPE_LAST; d++) {
        le_tensor t;
        assert_int_equal(le_tensor_alloc(&t, d, 2, (int64_t[]){2, 3}), LE_OK);
        for (int i = 0; i < 6; i++)
            le_tensor_set(&t, i, 10 + i);
        le_tensor turned = t; /* transposed view */
        turned.shape[0] = 3;
        turned.shape[1] = 2;
        turned.strides[0] = 1;
        turned.strides[1] = 3;
        static const double expected[6] = {10, 13, 11, 14, 12, 15};
        for (int i = 0; i < 6; i++)
            assert_float_equal(le_tensor_get(&turned, i), expected[i], 0);
        le_tensor_set(&t, 0, -1e9);
        le_tensor_set(&t, 1, 1e9);
        if (d == LE_U8) {
            assert_float_equal(le_tensor_get(&t, 0), 0, 0);
            assert_float_equal(le_tensor_get(&t, 1), 255, 0);
        }
        if (d == LE_I16)
            assert_float_equal(le_tensor_get(&t, 0), -32768, 0);
        le_tensor_free(&t);
    }
}

/* A view without elements has none to give, whatever its strides are. */
static void no_elements(void **state) {
    double data[8] = {0}, room[4] = {7, 7, 7, 7};
    (void)state;
    for (int axis = 0; axis < 2; axis++) {
        le_tensor t = le_tensor_of(data, LE_F64, 3, (int64_t[]){2, 2, 4});
        t.shape[axis] = 0;
        t.strides[2] = 2;
        assert_ptr_equal(le_tensor_elements(&t, 0, 1, room), room);
        assert_null(le_tensor_elements(&t, 0, 4, NULL));
        for (int i = 0; i < 4; i++)
            assert_true(room[i] == 7);
    }
}

static void packing(void **state) {
    (void)state;
    int16_t data[24], packed[12], expected[12], back[24];
    for (int i = 0; i < 24; i++)
        data[i] = (int16_t)i;
    le_tensor t = le_tensor_of(data + 23, LE_I16, 3, (int64_t[]){2, 3, 2});
    t.strides[0] = -12;
    t.strides[1] = -4;
    t.strides[2] = -1;
    int n = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++)
                expected[n++] = data[23 - 12 * i - 4 * j - k];
    le__tensor_pack(packed, &t);
    assert_memory_equal(packed, expected, sizeof expected);
    memset(back, 0, sizeof back);
    t.data = back + 23;
    le__tensor_unpack(&t, packed);
    for (int i = 0; i < 24; i++)
        assert_int_equal(back[i], (23 - i) % 4 < 2 ? i : 0);
}

/* Views of any strides, the same elements one by one. */
static void pieces(void **state) {
    enum { MOST = 4096 };
    static uint8_t data[2 * MOST * 16], room[MOST * 16], one[16];
    static const le_dtype dtypes[] = {LE_U8, LE_U16, LE_F32, LE_F64, LE_C128};
    uint32_t seed = 20261124;
    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    for (int round = 0; round < 2000; round++) {
        const le_dtype dtype = dtypes[round % 5];
        const size_t size = le_dtype_size(dtype);
        int64_t shape[4], order[4] = {0, 1, 2, 3};
        const int ndim = 1 + round % 4;
        for (int d = 0; d < ndim; d++) {
            shape[d] = 1 + (seed = seed * 1664525 + 1013904223) % 7;
            const int other = (int)((seed = seed * 1664525 + 1013904223) % (uint32_t)(d + 1));
            order[d] = order[other];
            order[other] = d;
        }
        le_tensor t = le_tensor_of(data + MOST * 16, dtype, ndim, shape);
        int64_t stride = 1 + (seed >> 8) % 2;
        for (int k = 0; k < ndim; k++) { /* axes in any order, some backwards, some of stride 0 */
            const int64_t way = (seed = seed * 1664525 + 1013904223) >> 16;
            t.strides[order[k]] = way % 5 == 0 ? 0 : way % 3 == 0 ? -stride : stride;
            stride *= shape[order[k]];
        }
        const int64_t n = le_tensor_count(&t), begin = (seed >> 4) % (uint32_t)n,
                      count = 1 + (seed >> 9) % (uint32_t)(n - begin);
        memset(room, 0xA5, sizeof room);
        const uint8_t *found = le_tensor_elements(&t, begin, count, room);
        for (int64_t i = 0; i < count; i++) {
            int64_t at = 0, left = begin + i;
            for (int d = ndim - 1; d >= 0; left /= shape[d], d--)
                at += left % shape[d] * t.strides[d];
            memcpy(one, data + MOST * 16 + at * (int64_t)size, size);
            assert_memory_equal(found + (size_t)i * size, one, size);
        }
        for (size_t i = (size_t)count * size; i < sizeof room; i++)
            assert_int_equal(room[i], 0xA5);
    }
}

static void dlpack(void **state) {
    (void)state;
    float data[6] = {1, 2, 3, 4, 5, 6};
    int64_t shape[2] = {3, 2}, strides[2] = {1, 3};
    DLTensor d = {.data = data,
                  .device = {kDLCPU, 0},
                  .ndim = 2,
                  .dtype = {kDLFloat, 32, 1},
                  .shape = shape,
                  .strides = strides};
    le_tensor t;
    assert_int_equal(le_tensor_from_dlpack(&t, &d), LE_OK);
    assert_ptr_equal(t.data, data);
    assert_float_equal(le_tensor_get(&t, 1), 4, 0);
    DLTensor back;
    assert_int_equal(le_tensor_to_dlpack(&back, &t), LE_OK);
    assert_ptr_equal(back.data, data);
    assert_int_equal(back.strides[1], 3);
    assert_int_equal(back.dtype.bits, 32);
    d.strides = NULL;
    d.byte_offset = 4;
    assert_int_equal(le_tensor_from_dlpack(&t, &d), LE_OK);
    assert_float_equal(le_tensor_get(&t, 1), 3, 0);
    d.dtype.bits = 16;
    assert_int_equal(le_tensor_from_dlpack(&t, &d), LE_ERR_DTYPE);
    d.dtype.bits = 32;
    d.device.device_type = kDLCUDA;
    assert_int_equal(le_tensor_from_dlpack(&t, &d), LE_ERR_UNSUPPORTED);
}

static void profiles(void **state) {
    (void)state;
    double b[3] = {1, 100, 0}, a[3] = {1.001, 100.5, 1e-6};
    le_tensor ta = le_tensor_of(a, LE_F64, 1, (int64_t[]){3}),
              tb = le_tensor_of(b, LE_F64, 1, (int64_t[]){3});
    le__error_profile p = {0};
    le__error_add(&p, LE_NORM_ABS, 0, &ta, &tb);
    assert_float_equal(p.max_abs, 0.5, 1e-12);
    assert_true(le__error_allows(&p, 0.5, 0));
    assert_false(le__error_allows(&p, 0.1, 0.003)); /* needs (0.5 - 0.1) / 100 */
    assert_true(le__error_allows(&p, 0.1, 0.0041));
    assert_true(le__error_allows(&p, 1e-6, 0.006));
    assert_false(le__error_allows(&p, 1e-7, 0.006)); /* 0 must be met absolutely */
    const double atols[] = {0.5, 0.1, 1e-6, 0};
    for (int k = 0; k < 4; k++) {
        const double rtol = le__error_needs(&p, atols[k]);
        assert_true(le__error_allows(&p, atols[k], rtol) || isinf(rtol));
        assert_false(rtol > 0 && le__error_allows(&p, atols[k], 0.999 * rtol));
    }
    assert_true(isinf(le__error_needs(&p, 0)));
    b[2] = 1;
    a[2] = 1.25;
    memset(&p, 0, sizeof p);
    le__error_add(&p, LE_NORM_ABS, 0, &ta, &tb);
    assert_true(le__error_allows(&p, 0, le__error_needs(&p, 0)));
    assert_true(isinf(le__error_needs(&p, 1e-17)));
    a[2] = 1e-6;
    b[2] = 0;
    memset(&p, 0, sizeof p);
    le__error_add(&p, LE_NORM_MAX, 0, &ta, &tb);
    assert_float_equal(p.max_abs, 0.005, 1e-12);
    a[2] = NAN;
    memset(&p, 0, sizeof p);
    le__error_add(&p, LE_NORM_ABS, 0, &ta, &tb);
    assert_false(le__error_allows(&p, 1e30, 1e30));
    b[2] = NAN; /* NaN equals NaN */
    memset(&p, 0, sizeof p);
    le__error_add(&p, LE_NORM_ABS, 0, &ta, &tb);
    assert_true(le__error_allows(&p, 0.5, 0));
    memset(&p, 0, sizeof p);
    le__error_add(&p, LE_NORM_ABS, 0, &tb, &tb);
    assert_true(le__error_allows(&p, 0, 0));
}

/* What an operation knows about how large its results can be counts more than what they are. */
static void profiles_of_rounding(void **state) {
    (void)state;
    double b[3] = {1e-17, -2e-17, 0}, a[3] = {-3e-17, 1e-17, 4e-17};
    le_tensor ta = le_tensor_of(a, LE_F64, 1, (int64_t[]){3}),
              tb = le_tensor_of(b, LE_F64, 1, (int64_t[]){3});
    const double least[] = {0, 1e-18, 1e-9, INFINITY, NAN, -1};
    const bool within[] = {false, false, true, false, false, false};
    for (int i = 0; i < 6; i++) {
        le__error_profile p = {0};
        le__error_add(&p, LE_NORM_MAX, least[i], &ta, &tb);
        assert_int_equal(le__error_allows(&p, 1e-5, 0), within[i]);
        assert_false(le__error_allows(&p, 0, 0));
        memset(&p, 0, sizeof p);
        le__error_add(&p, LE_NORM_ABS, least[i], &ta, &tb); /* whose scale is 1 */
        assert_float_equal(p.max_abs, 4e-17, 1e-30);
    }
}

/* Beyond what f32 holds infinity is the nearest; within it, or with the other sign, it is not. */
static void profiles_of_overflow(void **state) {
    (void)state;
    const double right[] = {1e39, 1e38, -1e39, INFINITY};
    const bool within[] = {true, false, false, true};
    float infinite = INFINITY;
    double wide = INFINITY;
    for (int i = 0; i < 4; i++) {
        double b = right[i];
        le_tensor ta = le_tensor_of(&infinite, LE_F32, 1, (int64_t[]){1}),
                  tw = le_tensor_of(&wide, LE_F64, 1, (int64_t[]){1}),
                  tb = le_tensor_of(&b, LE_F64, 1, (int64_t[]){1});
        le__error_profile p = {0};
        le__error_add(&p, LE_NORM_MAX, 0, &ta, &tb);
        assert_int_equal(le__error_allows(&p, 0, 0), within[i]);
        memset(&p, 0, sizeof p);
        le__error_add(&p, LE_NORM_MAX, 0, &tw, &tb);
        assert_int_equal(le__error_allows(&p, 1, 1), i == 3);
    }
}

static void largest_elements(void **state) {
    (void)state;
    double some[6] = {1, -7, INFINITY, 3, NAN, 6.5};
    float pairs[4] = {3, -4, NAN, 9};
    int16_t least[2] = {INT16_MIN, 5};
    le_tensor t = le_tensor_of(some, LE_F64, 1, (int64_t[]){6});
    assert_true(le_tensor_largest(&t) == 7);
    t.shape[0] = 3;
    t.strides[0] = 2; /* 1, inf, nan */
    assert_true(le_tensor_largest(&t) == 1);
    t.shape[0] = 0;
    assert_true(le_tensor_largest(&t) == 0);
    t = le_tensor_of(pairs, LE_C64, 1, (int64_t[]){2});
    assert_true(le_tensor_largest(&t) == 5);
    t = le_tensor_of(least, LE_I16, 1, (int64_t[]){2});
    assert_true(le_tensor_largest(&t) == 32768);
}

/* Numbers below the smallest normal one are whole multiples of 2^-149 in f32: a few of these are no
 * error. */
static void profiles_of_denormals(void **state) {
    (void)state;
    const float step = 0x1p-149f;
    float b[2] = {7000 * step, 3 * step}, a[2] = {7005 * step, 0};
    double wide[2] = {7000 * 0x1p-149, 3 * 0x1p-149}, far[2] = {7000 * 0x1p-149, 5 * 0x1p-149};
    le_tensor ta = le_tensor_of(a, LE_F32, 1, (int64_t[]){2}),
              tb = le_tensor_of(b, LE_F32, 1, (int64_t[]){2}),
              tw = le_tensor_of(wide, LE_F64, 1, (int64_t[]){2}),
              tf = le_tensor_of(far, LE_F64, 1, (int64_t[]){2});
    le__error_profile p = {0};
    le__error_add(&p, LE_NORM_MAX, 0, &ta, &tb);
    assert_true(le__error_allows(&p, 1e-6, 0)); /* 5 steps of the 2^23 up to the smallest normal */
    assert_false(le__error_allows(&p, 1e-7, 0));
    memset(&p, 0, sizeof p);
    le__error_add(&p, LE_NORM_MAX, 0, &ta, &tw);
    assert_true(le__error_allows(&p, 1e-6, 0));
    memset(&p, 0, sizeof p);
    le__error_add(&p, LE_NORM_MAX, 0, &tf, &tw); /* doubles have all digits there */
    assert_false(le__error_allows(&p, 1e-4, 0));
}

/* What families store results with: integers are rounded and clamped, neighbours stay. */
static void values_are_stored_as_the_dtype_says(void **state) {
    (void)state;
    uint8_t bytes[4] = {9, 9, 9, 9};
    int16_t words[3] = {9, 9, 9};
    uint32_t large[2] = {9, 9};
    double exact[2] = {9, 9};
    le__store(bytes, LE_U8, 1, 300.0);
    le__store(bytes, LE_U8, 2, 41.6);
    le__store(words, LE_I16, 1, -40000.0);
    le__store(large, LE_U32, 0, 4294967295.0);
    le__store(exact, LE_F64, 0, 0.1);
    assert_true(bytes[0] == 9 && bytes[1] == 255 && bytes[2] == 42 && bytes[3] == 9);
    assert_true(words[0] == 9 && words[1] == -32768 && words[2] == 9);
    assert_true(large[0] == 4294967295u && large[1] == 9);
    assert_true(exact[0] == 0.1 && exact[1] == 9);
}

/* Memory that was given up on the host may be another tensor's by then; no elements lie nowhere. */
static void overlaps_are_of_memory_that_is_there(void **state) {
    (void)state;
    const int64_t shape[] = {4}, none[] = {0};
    le_tensor a, b, gone, part;
    assert_int_equal(le_tensor_alloc(&a, LE_F32, 1, shape), LE_OK);
    assert_int_equal(le_tensor_alloc(&b, LE_F32, 1, shape), LE_OK);
    assert_true(le__tensors_overlap(&a, &a));
    assert_false(le__tensors_overlap(&a, &b));
    gone = a;
    assert_int_equal(le__storage_new(&gone.storage, 4 * sizeof(float), false, false), LE_OK);
    assert_false(le__tensors_overlap(&a, &gone));
    assert_false(le__tensors_overlap(&gone, &a));
    le__storage_release(gone.storage);
    part = a; /* the last two elements, as the storage has them and as a view of memory */
    part.shape[0] = part.offset = 2;
    part.data = (float *)a.data + 2;
    assert_true(le__tensors_overlap(&a, &part));
    part.storage = NULL;
    assert_true(le__tensors_overlap(&a, &part));
    part = le_tensor_of((float *)a.data + 2, LE_F32, 1, none);
    assert_false(le__tensors_overlap(&a, &part));
    assert_false(le__tensors_overlap(&part, &a));
    le_tensor_free(&a);
    le_tensor_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_are_of_memory_that_is_there),
        cmocka_unit_test(values_are_stored_as_the_dtype_says),
        cmocka_unit_test(counts),
        cmocka_unit_test(adopting),
        cmocka_unit_test(elements),
        cmocka_unit_test(no_elements),
        cmocka_unit_test(packing),
        cmocka_unit_test(pieces),
        cmocka_unit_test(dlpack),
        cmocka_unit_test(profiles),
        cmocka_unit_test(profiles_of_rounding),
        cmocka_unit_test(profiles_of_overflow),
        cmocka_unit_test(largest_elements),
        cmocka_unit_test(profiles_of_denormals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
