/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * TIFF stacks written by libtiff: types, strips, tiles, byte order, compression, pages that differ.
 */
#include "io_test.h"

#include <tiffio.h>

enum { PAGES = 4, H = 21, W = 34 };

static double value_at(int bits, int64_t i) {
    return (double)(bits < 0 ? i * 13 % 200 - 100 : i * 13 % 200);
}

typedef struct kind {
    const char *mode;
    int bits; /* negative: signed; 132, 164: float */
    int channels;
    int tile; /* 0: strips */
    int rows; /* a strip */
    int compression;
    const char *shape;
} kind;

static void set_tags(TIFF *f, const kind *k, int height) {
    TIFFSetField(f, TIFFTAG_IMAGEWIDTH, W);
    TIFFSetField(f, TIFFTAG_IMAGELENGTH, height);
    TIFFSetField(f, TIFFTAG_BITSPERSAMPLE, k->bits > 100 ? k->bits - 100 : abs(k->bits));
    TIFFSetField(f, TIFFTAG_SAMPLEFORMAT,
                 k->bits > 100 ? SAMPLEFORMAT_IEEEFP
                 : k->bits < 0 ? SAMPLEFORMAT_INT
                               : SAMPLEFORMAT_UINT);
    TIFFSetField(f, TIFFTAG_SAMPLESPERPIXEL, k->channels);
    TIFFSetField(f, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(f, TIFFTAG_PHOTOMETRIC,
                 k->channels == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(f, TIFFTAG_COMPRESSION, k->compression);
    if (k->tile) {
        TIFFSetField(f, TIFFTAG_TILEWIDTH, k->tile);
        TIFFSetField(f, TIFFTAG_TILELENGTH, k->tile);
    } else {
        TIFFSetField(f, TIFFTAG_ROWSPERSTRIP, k->rows);
    }
}

static size_t put_value(unsigned char *to, int bits, double v) {
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        float f32;
        double f64;
        unsigned char bytes[8];
    } u = {.f64 = 0};
    switch (bits) {
    case 8:
        u.u8 = (uint8_t)v;
        break;
    case -8:
        u.i8 = (int8_t)v;
        break;
    case 16:
        u.u16 = (uint16_t)v;
        break;
    case -16:
        u.i16 = (int16_t)v;
        break;
    case 32:
        u.u32 = (uint32_t)v;
        break;
    case -32:
        u.i32 = (int32_t)v;
        break;
    case 132:
        u.f32 = (float)v;
        break;
    default:
        u.f64 = v;
        break;
    }
    size_t size = (size_t)(bits > 100 ? bits - 100 : abs(bits)) / 8;
    memcpy(to, u.bytes, size);
    return size;
}

static void write_page(TIFF *f, const kind *k, int page, int height) {
    static unsigned char block[64 * 64 * 3 * 8];
    int bw = k->tile ? k->tile : W, bh = k->tile ? k->tile : k->rows;
    set_tags(f, k, height);
    for (int y = 0; y < height; y += bh)
        for (int x = 0; x < W; x += bw) {
            unsigned char *to = block;
            int rows = k->tile || y + bh <= height ? bh : height - y;
            for (int j = 0; j < rows; j++)
                for (int i = 0; i < bw * k->channels; i++)
                    to += put_value(
                        to, k->bits,
                        value_at(k->bits, ((int64_t)(page * H + y + j) * W + x) * k->channels + i));
            tmsize_t n = to - block;
            assert_true((k->tile
                             ? TIFFWriteEncodedTile(
                                   f, TIFFComputeTile(f, (uint32_t)x, (uint32_t)y, 0, 0), block, n)
                             : TIFFWriteEncodedStrip(f, TIFFComputeStrip(f, (uint32_t)y, 0), block,
                                                     n)) >= 0);
        }
    assert_true(TIFFWriteDirectory(f));
}

static void kinds(void **state) {
    (void)state;
    static const kind all[] = {
        {"w", 8, 1, 0, H, COMPRESSION_NONE, "u8[4,21,34]"},
        {"w", -8, 1, 0, 4, COMPRESSION_NONE, "i8[4,21,34]"},
        {"wl", 16, 1, 0, 5, COMPRESSION_LZW, "u16[4,21,34]"},
        {"wb", 16, 1, 0, 5, COMPRESSION_ADOBE_DEFLATE, "u16[4,21,34]"},
        {"wb", -16, 1, 16, 0, COMPRESSION_NONE, "i16[4,21,34]"},
        {"w8", 32, 1, 32, 0, COMPRESSION_ADOBE_DEFLATE, "u32[4,21,34]"},
        {"w", -32, 1, 0, 1, COMPRESSION_PACKBITS, "i32[4,21,34]"},
        {"wb", 132, 1, 0, 7, COMPRESSION_NONE, "f32[4,21,34]"},
        {"w", 164, 1, 16, 0, COMPRESSION_LZW, "f64[4,21,34]"},
        {"w", 8, 3, 16, 0, COMPRESSION_NONE, "u8[4,21,34,3]"},
        {"w", 132, 3, 0, 8, COMPRESSION_LZW, "f32[4,21,34,3]"},
    };
    for (size_t a = 0; a < sizeof all / sizeof *all; a++) {
        TIFF *f = TIFFOpen("k.tif", all[a].mode);
        for (int p = 0; p < PAGES; p++)
            write_page(f, &all[a], p, H);
        TIFFClose(f);
        le_tensor t = {0};
        if (le_io_read(io_engine, "k.tif", NULL, &t) != LE_OK)
            fail_msg("%d: %s", (int)a, le_error_message());
        io_assert_shape(&t, all[a].shape);
        for (int64_t i = 0; i < le_tensor_count(&t); i++)
            if (le_tensor_get(&t, i) != value_at(all[a].bits, i))
                fail_msg("%d: element %d is %g", (int)a, (int)i, le_tensor_get(&t, i));
        le_tensor_free(&t);
    }
}

static void streamed(void **state) {
    (void)state;
    const kind k = {"w", 16, 1, 0, 5, COMPRESSION_NONE, ""};
    TIFF *f = TIFFOpen("s.tif", "w");
    for (int p = 0; p < PAGES; p++)
        write_page(f, &k, p, H);
    TIFFClose(f);
    le_io_stream *s = NULL;
    le_tensor t = {0};
    int64_t at = 0;
    assert_int_equal(le_io_stream_open(io_engine, "s.tif", NULL, &s), LE_OK);
    assert_int_equal(le_io_stream_about(s)->shape[0], PAGES);
    for (;;) {
        assert_int_equal(le_io_stream_next(s, 3, &t), LE_OK);
        if (t.shape[0] == 0)
            break;
        for (int64_t i = 0; i < le_tensor_count(&t); i++, at++)
            assert_true(le_tensor_get(&t, i) == value_at(16, at));
    }
    assert_int_equal(at, PAGES * H * W);
    le_io_stream_close(&s);
    assert_int_equal(le_io_stream_open(io_engine, "s.png", NULL, &s), LE_ERR_UNSUPPORTED);
}

static void pages_differ(void **state) {
    (void)state;
    const kind k = {"w", 8, 1, 0, 5, COMPRESSION_NONE, ""};
    TIFF *f = TIFFOpen("d.tif", "w");
    write_page(f, &k, 0, H);
    write_page(f, &k, 1, H - 1);
    TIFFClose(f);
    io_assert_fails("d.tif", LE_ERR_SHAPE, "page 1 differs");
}

static void planes_in_a_page(void **state) {
    (void)state;
    const kind k = {"w", 8, 1, 0, 5, COMPRESSION_NONE, ""};
    TIFF *f = TIFFOpen("p.tif", "w");
    TIFFSetField(f, TIFFTAG_IMAGEDEPTH, 1);
    write_page(f, &k, 0, H);
    TIFFClose(f);
    assert_int_equal(io_try("p.tif"), LE_OK);
    f = TIFFOpen("p.tif", "w");
    TIFFSetField(f, TIFFTAG_IMAGEDEPTH, 5);
    write_page(f, &k, 0, H);
    TIFFClose(f);
    io_assert_fails("p.tif", LE_ERR_UNSUPPORTED, "5 planes");
}

/* Each stands for thousands of bytes in one of the file, which none but LZMA, and zstd, does. */
static void zeros(void **state) {
    (void)state;
    enum { SIDE = 2048 };
    static unsigned char line[SIDE * SIDE];
    static const int compressions[] = {COMPRESSION_ADOBE_DEFLATE, COMPRESSION_LZMA};
    for (size_t k = 0; k < 2; k++) {
        if (!TIFFIsCODECConfigured((uint16_t)compressions[k]))
            continue;
        const kind one = {"w", 8, 1, 0, SIDE, compressions[k], ""};
        TIFF *f = TIFFOpen("z.tif", "w");
        set_tags(f, &one, SIDE);
        TIFFSetField(f, TIFFTAG_IMAGEWIDTH, SIDE);
        assert_true(TIFFWriteEncodedStrip(f, 0, line, sizeof line) > 0);
        assert_true(TIFFWriteDirectory(f));
        TIFFClose(f);
        le_tensor t = {0};
        if (le_io_read(io_engine, "z.tif", NULL, &t) != LE_OK)
            fail_msg("%s", le_error_message());
        io_assert_shape(&t, "u8[1,2048,2048]");
        assert_memory_equal(t.data, line, sizeof line);
        le_tensor_free(&t);
    }
    const kind none = {"w", 8, 1, 0, 5, COMPRESSION_LZW, ""};
    TIFF *f = TIFFOpen("z.tif", "w");
    set_tags(f, &none, H);
    TIFFSetField(f, TIFFTAG_IMAGEWIDTH, 2000000);
    assert_true(TIFFWriteEncodedStrip(f, 0, line, 1) > 0);
    assert_true(TIFFWriteDirectory(f));
    TIFFClose(f);
    assert_int_equal(io_try("z.tif"), LE_ERR_IO);
}

static void damaged(void **state) {
    (void)state;
    static unsigned char good[65536], bad[65536];
    const kind k = {"w", 16, 1, 16, 0, COMPRESSION_LZW, ""};
    TIFF *f = TIFFOpen("g.tif", "w");
    for (int p = 0; p < 2; p++)
        write_page(f, &k, p, H);
    TIFFClose(f);
    size_t size = io_get("g.tif", good, sizeof good);
    assert_true(size < sizeof good);
    for (size_t cut = 0; cut < size; cut += 61) {
        io_put("cut.tif", good, cut);
        assert_int_equal(io_try("cut.tif"), LE_ERR_IO);
    }
    unsigned seed = 20261121;
    print_message("seed %u\n", seed);
    for (int i = 0; i < 2000; i++) {
        memcpy(bad, good, size);
        for (int j = 0; j < 2; j++) {
            seed = seed * 1664525u + 1013904223u;
            bad[(seed >> 8) % size] ^= (unsigned char)(seed >> 24);
        }
        io_put("bad.tif", bad, size);
        io_try("bad.tif");
    }
    io_put("text.tif", "not TIFF", 8);
    assert_int_equal(io_try("text.tif"), LE_ERR_IO);
}

static void written(void **state) {
    (void)state;
    static const struct {
        le_dtype dtype;
        int ndim;
        const char *shape;
    } cases[] = {{LE_F32, 3, "f32[3,4,5]"},
                 {LE_U16, 3, "u16[3,4,5]"},
                 {LE_U8, 4, "u8[3,4,5,3]"},
                 {LE_F64, 2, "f64[1,3,4]"},
                 {LE_I16, 3, "i16[3,4,5]"}};
    for (size_t a = 0; a < sizeof cases / sizeof *cases; a++) {
        le_tensor t, back = {0};
        assert_int_equal(
            le_tensor_alloc(&t, cases[a].dtype, cases[a].ndim, (int64_t[]){3, 4, 5, 3}), LE_OK);
        for (int64_t i = 0; i < le_tensor_count(&t); i++)
            le_tensor_set(&t, i, (double)i);
        assert_int_equal(le_io_write(io_engine, "w/o.tif", &t), LE_OK);
        assert_int_equal(le_io_read(io_engine, "w/o.tif", NULL, &back), LE_OK);
        io_assert_shape(&back, cases[a].shape);
        assert_memory_equal(back.data, t.data,
                            (size_t)le_tensor_count(&t) * le_dtype_size(cases[a].dtype));
        le_tensor_free(&back);
        le_tensor_free(&t);
    }
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 1, (int64_t[]){3}), LE_OK);
    assert_int_equal(le_io_write(io_engine, "w/p.tif", &t), LE_ERR_SHAPE);
    le_tensor_free(&t);
}

/* As in PNG: the last axis of an image is its colours, not its width. */
static void colour_images(void **state) {
    (void)state;
    for (int channels = 3; channels <= 4; channels++) {
        le_tensor t, back = {0};
        uint16_t samples = 0, photometric = 0;
        uint32_t width = 0, height = 0;
        le_dtype dtype;
        int ndim;
        int64_t shape[LE_MAX_DIMS];
        assert_int_equal(le_tensor_alloc(&t, LE_U8, 3, (int64_t[]){128, 96, channels}), LE_OK);
        for (int64_t i = 0; i < le_tensor_count(&t); i++)
            le_tensor_set(&t, i, (double)(i % 251));
        assert_int_equal(le_io_write(io_engine, "colour.tif", &t), LE_OK);
        TIFF *tiff = TIFFOpen("colour.tif", "r");
        assert_int_equal(TIFFNumberOfDirectories(tiff), 1);
        TIFFGetField(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
        TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
        TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
        TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
        TIFFClose(tiff);
        assert_int_equal(samples, channels);
        assert_int_equal(photometric, PHOTOMETRIC_RGB);
        assert_int_equal(width, 96);
        assert_int_equal(height, 128);
        assert_int_equal(le_io_read(io_engine, "colour.tif", NULL, &back), LE_OK);
        assert_int_equal(back.ndim, 3);
        assert_memory_equal(back.data, t.data, (size_t)le_tensor_count(&t));
        assert_int_equal(le_io_peek("colour.tif", &dtype, &ndim, shape), LE_OK);
        assert_int_equal(ndim, 3);
        assert_int_equal(shape[2], channels);
        le_tensor_free(&back);
        le_tensor_free(&t);
    }
}

/* ------------------------------------------------------------- frames behind one page, as ImageJ
 */

enum { TAGS = 10, DATA = 300, FRAME = 2 * 3 };

typedef struct joined {
    bool big;
    int images; /* by the description */
    int frames; /* in the file */
    int compression;
    int strips; /* 1 or 2, the second right behind the first, or -2: in front of it */
} joined;

static void put_number(unsigned char *to, int bytes, bool big, unsigned value) {
    for (int k = 0; k < bytes; k++)
        to[big ? bytes - 1 - k : k] = (unsigned char)(value >> (8 * k));
}

/* u16 frames of 2 x 3, whose elements count on from 1. */
static void put_joined(const char *file, const joined *j) {
    enum { LIST = 8 + 2 + 12 * TAGS + 4, TEXT = LIST + 16 };
    unsigned char all[1024] = {0};
    char *text = (char *)all + TEXT;
    const int length = sprintf(text, "ImageJ=1.54f\nimages=%d\nslices=%d\n", j->images, j->images);
    const unsigned n = (unsigned)abs(j->strips), part = 2 * FRAME / n;
    const unsigned tags[TAGS][4] = {{256, 4, 1, 3},
                                    {257, 4, 1, 2},
                                    {258, 3, 1, 16},
                                    {259, 3, 1, (unsigned)j->compression},
                                    {262, 3, 1, 1},
                                    {270, 2, (unsigned)length + 1, TEXT},
                                    {273, 4, n, n == 1 ? DATA : LIST},
                                    {277, 3, 1, 1},
                                    {278, 4, 1, 2 / n},
                                    {279, 4, n, n == 1 ? part : LIST + 8}};
    memcpy(all, j->big ? "MM" : "II", 2);
    put_number(all + 2, 2, j->big, 42);
    put_number(all + 4, 4, j->big, 8);
    put_number(all + 8, 2, j->big, TAGS);
    for (int k = 0; k < TAGS; k++) {
        unsigned char *tag = all + 10 + 12 * k;
        put_number(tag, 2, j->big, tags[k][0]);
        put_number(tag + 2, 2, j->big, tags[k][1]);
        put_number(tag + 4, 4, j->big, tags[k][2]);
        put_number(tag + 8, tags[k][1] == 3 ? 2 : 4, j->big, tags[k][3]);
    }
    for (unsigned k = 0; k < n; k++) {
        put_number(all + LIST + 4 * k, 4, j->big, DATA + (j->strips > 0 ? k : 1 - k) * part);
        put_number(all + LIST + 8 + 4 * k, 4, j->big, part);
    }
    for (int i = 0; i < j->frames * FRAME; i++)
        put_number(all + DATA + 2 * i, 2, j->big, (unsigned)i + 1);
    io_put(file, all, (size_t)(DATA + 2 * FRAME * j->frames));
}

/* Pages of 2 x 3 like those, the tags of all of them in front of their data. */
static size_t put_tags_first(unsigned char *all, int pages) {
    enum { SIZE = 2 + 12 * 7 + 4 };
    const int data = 8 + pages * SIZE;
    memcpy(all, "II\x2a\0\x8\0\0\0", 8);
    for (int p = 0; p < pages; p++) {
        const unsigned tags[7][2] = {{256, 3}, {257, 2}, {258, 16}, {262, 1},
                                     {273, (unsigned)(data + 2 * FRAME * p)},
                                     {278, 2}, {279, 2 * FRAME}};
        unsigned char *to = all + 8 + p * SIZE;
        put_number(to, 2, false, 7);
        for (int k = 0; k < 7; k++) {
            put_number(to + 2 + 12 * k, 2, false, tags[k][0]);
            put_number(to + 4 + 12 * k, 2, false, 4);
            put_number(to + 6 + 12 * k, 4, false, 1);
            put_number(to + 10 + 12 * k, 4, false, tags[k][1]);
        }
        put_number(to + SIZE - 4, 4, false, p + 1 < pages ? 8 + (unsigned)(p + 1) * SIZE : 0);
    }
    for (int i = 0; i < pages * FRAME; i++)
        put_number(all + data + 2 * i, 2, false, (unsigned)i + 1);
    return (size_t)(data + 2 * FRAME * pages);
}

static void assert_whole(const unsigned char *all, size_t cut, int whole) {
    char text[64];
    snprintf(text, sizeof text, "holds %d whole page%s before its end", whole, whole == 1 ? "" : "s");
    io_put("c.tif", all, cut);
    io_assert_fails("c.tif", LE_ERR_IO, text);
}

/* Never fewer pages without a word. */
static void cut_off(void **state) {
    (void)state;
    static unsigned char all[1 << 16];
    const kind kinds[] = {{"w", 16, 1, 0, H, COMPRESSION_NONE, ""},
                          {"w8", 16, 1, 0, H, COMPRESSION_LZW, ""},
                          {"w", 8, 1, 16, 0, COMPRESSION_LZW, ""}};
    for (size_t a = 0; a < 3; a++) { /* libtiff writes a page's data, then its tags */
        size_t end[PAGES + 1] = {0};
        for (int pages = 1; pages <= PAGES; pages++) {
            TIFF *f = TIFFOpen("c.tif", kinds[a].mode);
            for (int p = 0; p < pages; p++)
                write_page(f, &kinds[a], p, H);
            TIFFClose(f);
            end[pages] = io_get("c.tif", all, sizeof all);
        }
        for (int whole = 1; whole < PAGES; whole++)
            for (size_t cut = end[whole]; cut < end[whole + 1]; cut += 37)
                assert_whole(all, cut, whole);
        for (int whole = 1; a < 2 && whole <= PAGES; whole++) /* but for the next one's place */
            for (size_t cut = end[whole] - 4; cut < end[whole]; cut++)
                assert_whole(all, cut, whole);
    }
    const size_t size = put_tags_first(all, 3);
    for (size_t left = 1; left <= 3 * 2 * FRAME; left++)
        assert_whole(all, size - left, (int)((3 * 2 * FRAME - left) / (2 * FRAME)));
    io_put("c.tif", all, size);
    assert_int_equal(io_try("c.tif"), LE_OK);
}

static void assert_counted(const le_tensor *t, int64_t first) {
    for (int64_t i = 0; i < le_tensor_count(t); i++)
        assert_true(le_tensor_get(t, i) == (double)(first + i + 1));
}

static void frames_behind_a_page(void **state) {
    (void)state;
    static const joined good[] = {{false, 5, 5, COMPRESSION_NONE, 1},
                                  {true, 5, 5, COMPRESSION_NONE, 1},
                                  {true, 5, 6, COMPRESSION_NONE, 2}};
    le_tensor t = {0};
    le_io_stream *s = NULL;
    for (size_t a = 0; a < sizeof good / sizeof *good; a++) {
        put_joined("j.tif", &good[a]);
        if (le_io_read(io_engine, "j.tif", NULL, &t) != LE_OK)
            fail_msg("%d: %s", (int)a, le_error_message());
        io_assert_shape(&t, "u16[5,2,3]");
        assert_counted(&t, 0);
        le_tensor_free(&t);
        const le_io_options wide = {.struct_size = sizeof wide, .dtypes = LE_DTYPE_BIT(LE_F64)};
        assert_int_equal(le_io_stream_open(io_engine, "j.tif", &wide, &s), LE_OK);
        for (int64_t at = 0; at < 5; at += t.shape[0]) {
            assert_int_equal(le_io_stream_next(s, 2, &t), LE_OK);
            assert_true(t.dtype == LE_F64 && t.shape[0] > 0);
            assert_counted(&t, at * FRAME);
        }
        le_tensor_free(&t);
        le_io_stream_close(&s);
    }
    put_joined("j.tif", &(joined){false, 1, 1, COMPRESSION_NONE, 1});
    assert_int_equal(le_io_read(io_engine, "j.tif", NULL, &t), LE_OK);
    io_assert_shape(&t, "u16[1,2,3]");
    le_tensor_free(&t);
    put_joined("j.tif", &(joined){true, 6, 5, COMPRESSION_NONE, 1});
    io_assert_fails("j.tif", LE_ERR_IO,
                    "6 images by its ImageJ description, but one page, and the file ends behind "
                    "5 whole");
    put_joined("j.tif", &(joined){true, 5, 5, COMPRESSION_NONE, -2});
    io_assert_fails("j.tif", LE_ERR_UNSUPPORTED, "compressed or in pieces");
    put_joined("j.tif", &(joined){true, 5, 5, COMPRESSION_LZW, 1});
    io_assert_fails("j.tif", LE_ERR_UNSUPPORTED, "compressed or in pieces");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(streamed),
        cmocka_unit_test(pages_differ),
        cmocka_unit_test(planes_in_a_page),
        cmocka_unit_test(zeros),
        cmocka_unit_test(damaged),
        cmocka_unit_test(written),
        cmocka_unit_test(colour_images),
        cmocka_unit_test(frames_behind_a_page),
        cmocka_unit_test(cut_off),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
