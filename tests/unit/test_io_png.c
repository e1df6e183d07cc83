/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * PNG images read back with libpng's own simple interface, and written by it.
 */
#include "io_test.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <png.h>

/* Decodes with png_image_*; the caller frees. */
static unsigned char *decode(const char *file, png_uint_32 format, int *width, int *height) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, file));
    assert_int_equal(image.format, format);
    *width = (int)image.width;
    *height = (int)image.height;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    return pixels;
}

static void encode(const char *file, png_uint_32 format, int width, int height,
                   const void *pixels) {
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = format};
    assert_true(png_image_write_to_file(&image, file, 0, pixels, 0, NULL));
}

static void kinds(void **state) {
    (void)state;
    static const png_uint_32 formats[] = {
        [1] = PNG_FORMAT_GRAY, [3] = PNG_FORMAT_RGB, [4] = PNG_FORMAT_RGBA};
    static const le_dtype dtypes[] = {LE_U8, LE_F32, LE_F64};
    for (int channels = 1; channels <= 4; channels++) {
        for (int d = 0; d < 3 && channels != 2; d++) {
            le_tensor t;
            int w, h, n = 5 * 7 * channels;
            assert_int_equal(
                le_tensor_alloc(&t, dtypes[d], channels > 1 ? 3 : 2, (int64_t[]){5, 7, channels}),
                LE_OK);
            for (int i = 0; i < n; i++)
                le_tensor_set(&t, i, d == 0 ? i * 37 % 256 : (i * 37 % 256) / 255.0);
            assert_int_equal(le_io_write(io_engine, "k/k.png", &t), LE_OK);
            unsigned char *pixels = decode("k/k.png", formats[channels], &w, &h);
            assert_int_equal(w, 7);
            assert_int_equal(h, 5);
            for (int i = 0; i < n; i++)
                assert_int_equal(pixels[i], i * 37 % 256);
            free(pixels);
            le_tensor back = {0};
            assert_int_equal(le_io_read(io_engine, "k/k.png", NULL, &back), LE_OK);
            for (int i = 0; i < n; i++)
                assert_true(le_tensor_get(&back, i) == i * 37 % 256);
            le_tensor_free(&back);
            le_tensor_free(&t);
        }
    }
}

static void clipping(void **state) {
    (void)state;
    const float values[6] = {-1.0f, 2.0f, NAN, 0.5f, 0.001f, 0.999f};
    const unsigned char expected[6] = {0, 255, 0, 128, 0, 255};
    int w, h;
    le_tensor t = le_tensor_of(values, LE_F32, 2, (int64_t[]){2, 3});
    assert_int_equal(le_io_write(io_engine, "c.png", &t), LE_OK);
    unsigned char *pixels = decode("c.png", PNG_FORMAT_GRAY, &w, &h);
    assert_memory_equal(pixels, expected, 6);
    free(pixels);
}

static void stacks(void **state) {
    (void)state;
    le_tensor t, back = {0};
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 4, (int64_t[]){11, 6, 4, 3}), LE_OK);
    for (int i = 0; i < 11 * 72; i++)
        le_tensor_set(&t, i, (i / 72 * 20 + i % 3) / 255.0);
    assert_int_equal(le_io_write(io_engine, "frames/web_%02d.png", &t), LE_OK);
    assert_int_equal(system("test $(ls -A frames | wc -l) = 11"), 0);
    for (int k = 0; k < 11; k++) {
        char name[64];
        int w, h;
        snprintf(name, sizeof name, "frames/web_%02d.png", k);
        unsigned char *pixels = decode(name, PNG_FORMAT_RGB, &w, &h);
        for (int i = 0; i < 72; i++)
            assert_int_equal(pixels[i], k * 20 + i % 3);
        free(pixels);
    }
    assert_int_equal(le_io_read(io_engine, "frames/web_%02d.png", NULL, &back), LE_OK);
    io_assert_shape(&back, "u8[11,6,4,3]");
    assert_true(le_tensor_get(&back, 72 * 7 + 1) == 141);
    le_tensor_free(&back);
    assert_int_equal(le_io_write(io_engine, "frames/web.png", &t), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "%02d"));
    le_tensor_free(&t);
    /* gray frames: the first axis is the stack */
    assert_int_equal(le_tensor_alloc(&t, LE_U8, 3, (int64_t[]){2, 5, 3}), LE_OK);
    assert_int_equal(le_io_write(io_engine, "gray/%d.png", &t), LE_OK);
    assert_int_equal(le_io_read(io_engine, "gray/%d.png", NULL, &back), LE_OK);
    io_assert_shape(&back, "u8[2,5,3]");
    le_tensor_free(&back);
    le_tensor_free(&t);
    encode("gray/1.png", PNG_FORMAT_GRAY, 4, 5, "12345678901234567890");
    io_assert_fails("gray/%d.png", LE_ERR_IO, "differs");
    io_assert_fails("none/%d.png", LE_ERR_IO, "no image number 0");
}

static void other_kinds(void **state) {
    (void)state;
    const uint16_t deep[4] = {0, 1, 256, 65535};
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = 2, .height = 2, .format = PNG_FORMAT_LINEAR_Y};
    assert_true(png_image_write_to_file(&image, "d.png", 0, deep, 0, NULL));
    le_tensor t = {0};
    assert_int_equal(le_io_read(io_engine, "d.png", NULL, &t), LE_OK);
    io_assert_shape(&t, "u16[2,2]");
    assert_memory_equal(t.data, deep, sizeof deep);
    le_tensor_free(&t);
    const unsigned char index[4] = {0, 1, 1, 0}, map[6] = {10, 20, 30, 40, 50, 60};
    png_image mapped = {.version = PNG_IMAGE_VERSION,
                        .width = 2,
                        .height = 2,
                        .format = PNG_FORMAT_RGB_COLORMAP,
                        .colormap_entries = 2};
    assert_true(png_image_write_to_file(&mapped, "m.png", 0, index, 0, map));
    assert_int_equal(le_io_read(io_engine, "m.png", NULL, &t), LE_OK);
    io_assert_shape(&t, "u8[2,2,3]");
    assert_true(le_tensor_get(&t, 3) == 40 && le_tensor_get(&t, 11) == 30);
    le_tensor_free(&t);
}

/* One grey is transparent by the header: what is read has opacity, as of grey that has it itself. */
static void transparent_grey(void **state) {
    (void)state;
    for (int depth = 8; depth <= 16; depth += 8) {
        unsigned char row[4] = {7, 7, 0, 9}; /* two pixels of 16 bits */
        png_color_16 key = {.gray = depth == 8 ? 9 : 7 * 257};
        FILE *f = fopen("t.png", "wb");
        png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
        png_infop info = png_create_info_struct(png);
        png_init_io(png, f);
        png_set_IHDR(png, info, depth == 8 ? 4 : 2, 1, depth, PNG_COLOR_TYPE_GRAY,
                     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_set_tRNS(png, info, NULL, 0, &key);
        png_write_info(png, info);
        png_write_row(png, row);
        png_write_end(png, NULL);
        png_destroy_write_struct(&png, &info);
        fclose(f);
        le_tensor t = {0};
        assert_int_equal(le_io_read(io_engine, "t.png", NULL, &t), LE_OK);
        io_assert_shape(&t, depth == 8 ? "u8[1,4,4]" : "u16[1,2,4]");
        for (int64_t i = 0; i < le_tensor_count(&t); i++) {
            const int grey = depth == 8 ? row[i / 4] : row[i / 4 * 2] << 8 | row[i / 4 * 2 + 1];
            const int opacity = grey == key.gray ? 0 : depth == 8 ? 255 : 65535;
            assert_true(le_tensor_get(&t, i) == (i % 4 == 3 ? opacity : grey));
        }
        le_tensor_free(&t);
    }
}

static void refused(void **state) {
    (void)state;
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, LE_I32, 2, (int64_t[]){3, 3}), LE_OK);
    assert_int_equal(le_io_write(io_engine, "x.png", &t), LE_ERR_DTYPE);
    le_tensor_free(&t);
    assert_int_equal(le_tensor_alloc(&t, LE_U8, 3, (int64_t[]){3, 3, 2}), LE_OK);
    assert_int_equal(le_io_write(io_engine, "x.png", &t), LE_ERR_SHAPE);
    le_tensor_free(&t);
    assert_int_equal(le_tensor_alloc(&t, LE_U8, 1, (int64_t[]){3}), LE_OK);
    assert_int_equal(le_io_write(io_engine, "x.png", &t), LE_ERR_SHAPE);
    le_tensor_free(&t);
    assert_int_equal(le_tensor_alloc(&t, LE_U8, 2, (int64_t[]){0, 3}), LE_OK);
    assert_int_equal(le_io_write(io_engine, "x.png", &t), LE_ERR_SHAPE);
    le_tensor_free(&t);
    assert_int_equal(access("x.png", F_OK), -1);
}

static void damaged(void **state) {
    (void)state;
    static unsigned char good[4096], bad[4096];
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, LE_U8, 3, (int64_t[]){20, 20, 3}), LE_OK);
    for (int i = 0; i < 1200; i++)
        le_tensor_set(&t, i, i * 7919 % 251);
    assert_int_equal(le_io_write(io_engine, "g.png", &t), LE_OK);
    le_tensor_free(&t);
    size_t size = io_get("g.png", good, sizeof good);
    for (size_t cut = 0; cut < size - 12; cut += 7) { /* the end marker may be missing */
        io_put("cut.png", good, cut);
        assert_int_not_equal(io_try("cut.png"), LE_OK);
    }
    for (size_t i = 0; i < size; i++) {
        memcpy(bad, good, size);
        bad[i] ^= 0x81;
        io_put("bad.png", bad, size);
        io_try("bad.png");
    }
    /* 2^31-1 by 2^31-1 in the header */
    memcpy(bad, good, size);
    memcpy(bad + 16, "\x7f\xff\xff\xff\x7f\xff\xff\xff", 8);
    io_put("bad.png", bad, size);
    assert_int_not_equal(io_try("bad.png"), LE_OK);
}

static bool no_memory;

FILE *fdopen(int fd, const char *mode) {
    FILE *(*next)(int, const char *);
    if (no_memory) {
        errno = ENOMEM;
        return NULL;
    }
    *(void **)&next = dlsym(RTLD_NEXT, "fdopen");
    return next(fd, mode);
}

static int count_open(void) {
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* What was open before a failure is open afterwards, and nothing else. */
static void no_stream(void **state) {
    (void)state;
    const unsigned char values[12] = {0};
    le_tensor t = le_tensor_of(values, LE_U8, 2, (int64_t[]){3, 4});
    const int before = count_open();
    no_memory = true;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(le_io_write(io_engine, "no.png", &t), LE_ERR_IO);
        assert_non_null(strstr(le_error_message(), strerror(ENOMEM)));
    }
    no_memory = false;
    assert_int_equal(count_open(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),       cmocka_unit_test(clipping), cmocka_unit_test(stacks),
        cmocka_unit_test(other_kinds), cmocka_unit_test(refused),  cmocka_unit_test(damaged),
        cmocka_unit_test(transparent_grey), cmocka_unit_test(no_stream),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
