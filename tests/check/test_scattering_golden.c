/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The scattering family against golden data: stored chunks against the same data plain, and
 * integrations against pyFAI or, where there is one, an independent program in double precision.
 * Skipped without the shared data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>

#include "check/runs_here.h"
#include "liquid_engine/le_io.h"
#include "liquid_engine/le_stream.h"
#include "one_engine.h"

static const char *path_of(const char *name) {
    static char path[1024];
    const char *shared = getenv("LE_SHARED"), *source = getenv("LE_SOURCE_DIR");
    snprintf(path, sizeof path, "%s%s/golden/scattering/%s",
             shared && *shared ? shared
             : source          ? source
                               : ".",
             shared && *shared ? "" : "/../shared", name);
    return path;
}

static cJSON *json_or_skip(const char *name) {
    FILE *f = fopen(path_of(name), "rb");
    if (!f) {
        print_message("no %s: set LE_SHARED\n", path_of(name));
        skip();
    }
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    rewind(f);
    char *text = calloc(1, (size_t)size + 1);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    fclose(f);
    cJSON *json = cJSON_Parse(text);
    free(text);
    assert_non_null(json);
    return json;
}

static const cJSON *member(const cJSON *of, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(of, name);
}

static void assert_ok(le_status status, const char *what) {
    if (status != LE_OK)
        fail_msg("%s: %s", what, le_error_message());
}

/* A dataset of a golden file; false: there is none. */
static bool read_set(const char *file, const char *set, le_tensor *out) {
    char place[1400];
    snprintf(place, sizeof place, "%s:%s", path_of(file), set);
    return le_io_read(NULL, place, NULL, out) == LE_OK;
}

/* ----------------------------------------------------------------------------- stored chunks ---
 */

static double fill_of(const le_stored_info *info) {
    const int64_t one = 1;
    le_tensor t = le_tensor_of(info->fill, info->dtype, 1, &one);
    return le_tensor_get(&t, 0);
}

/* All chunks that a place touches, decoded by an implementation: one after the other. */
static void decode(const char *place, const char *implementation, le_stored_info *info,
                   le_tensor *out) {
    static const char *const compressions[] = {"none", "", "lz4", "zstd"};
    le_source *source;
    le_tensor parts[LE_SOURCE_PARTS] = {{0}};
    double chunk[LE_MAX_DIMS];
    assert_ok(le_io_source(engine, place, LE_SOURCE_STORED, &source), place);
    *info = *le_io_source_stored(source);
    assert_int_equal(info->filters[0].id, 32008);
    assert_ok(source->next(source, source->items, parts), place);
    for (int d = 0; d < info->ndim; d++)
        chunk[d] = (double)info->chunk[d];
    le_status status = le_engine_run(
        engine, "bitshuffle_lz4", LE_IN("frames", &parts[0]), LE_IN("offsets", &parts[1]),
        LE_IN("skipped", &parts[2]), LE_F64S("chunk", chunk, (size_t)info->ndim),
        LE_STR("type", le_dtype_name(info->dtype)), LE_I64("big_endian", info->big_endian ? 1 : 0),
        LE_STR("compression",
               compressions[info->filters[0].n_values > 4 ? info->filters[0].values[4] : 0]),
        LE_I64("block", info->filters[0].values[3]), LE_F64("fill", fill_of(info)),
        LE_OUT("result", out), LE_OPT_IMPLEMENTATION(implementation));
    assert_ok(status, place);
    for (int k = 0; k < LE_SOURCE_PARTS; k++)
        le_tensor_free(&parts[k]);
    le_source_close(&source);
}

/* Where element `at` of a dataset lies among its chunks. */
static int64_t in_chunks(const le_stored_info *info, int64_t at) {
    int64_t chunk = 0, inside = 0, index[LE_MAX_DIMS];
    for (int d = info->ndim - 1; d >= 0; d--) {
        index[d] = at % info->shape[d];
        at /= info->shape[d];
    }
    int64_t elements = 1;
    for (int d = 0; d < info->ndim; d++) {
        chunk = chunk * info->grid[d] + index[d] / info->chunk[d];
        inside = inside * info->chunk[d] + index[d] % info->chunk[d];
        elements *= info->chunk[d];
    }
    return chunk * elements + inside;
}

static void compare_set(const char *set, const char *raw, const char *implementation) {
    char place[1400];
    le_stored_info info;
    le_tensor got = {0}, want = {0};
    snprintf(place, sizeof place, "%s:%s", path_of("codec_edge.h5"), set);
    decode(place, implementation, &info, &got);
    assert_true(read_set("codec_edge.h5", raw, &want));
    for (int64_t i = 0; i < le_tensor_count(&want); i++) {
        const int64_t at = in_chunks(&info, i);
        if (le_tensor_get(&got, at) != le_tensor_get(&want, i) &&
            !(isnan(le_tensor_get(&got, at)) && isnan(le_tensor_get(&want, i))))
            fail_msg("%s %s: element %d is %g, expected %g", implementation, set, (int)i,
                     le_tensor_get(&got, at), le_tensor_get(&want, i));
    }
    le_tensor_free(&got);
    le_tensor_free(&want);
}

typedef void (*check_fn)(const char *implementation, const cJSON *json);

static void for_implementations(const char *operation, check_fn fn, const cJSON *json) {
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, operation, &n);
    for (size_t k = 0; k < n; k++)
        if (runs_here(engine, all[k]))
            fn(all[k]->name, json);
}

static bool on_device(const char *implementation) {
    return !strncmp(implementation, "opencl", 6);
}

static void edges(const char *implementation, const cJSON *json) {
    static const char *const zstd[] = {"/other/bitshuffle_zstd",
                                       "/other/bitshuffle_zstd_block_512"},
                             *const zstd_raw[] = {"/raw/other/bitshuffle_zstd",
                                                  "/raw/other/bitshuffle_zstd_block_512"};
    const cJSON *set;
    int n = 0;
    cJSON_ArrayForEach(set, member(json, "codec_edge")) {
        char stored[256], raw[256];
        if (!strncmp(set->string, "other/", 6) || strstr(set->string, "fletcher"))
            continue;
        snprintf(stored, sizeof stored, "/bslz4/%s", set->string);
        snprintf(raw, sizeof raw, "/raw/%s", set->string);
        compare_set(stored, raw, implementation);
        n++;
    }
    compare_set("/other/bitshuffle_no_compression", "/raw/other/bitshuffle_no_compression",
                implementation);
    for (int k = 0; k < 2 && !on_device(implementation); k++)
        compare_set(zstd[k], zstd_raw[k], implementation);
    assert_true(n > 80);
    print_message("  %s: %d datasets\n", implementation, n);
}

static void test_edges(void **state) {
    cJSON *json = json_or_skip("codec.json");
    (void)state;
    for_implementations("bitshuffle_lz4", edges, json);
    cJSON_Delete(json);
}

/* What any operation reads: HDF5 with the library's own filters, whatever is in front or behind. */
static void test_ordinary(void **state) {
    cJSON *json = json_or_skip("codec.json");
    const cJSON *set;
    int n = 0;
    (void)state;
    cJSON_ArrayForEach(set, member(json, "codec_edge")) {
        char place[256], raw[256];
        const bool other = !strncmp(set->string, "other/", 6);
        le_tensor got = {0}, want = {0};
        snprintf(place, sizeof place, "%s%s", other ? "/" : "/bslz4/", set->string);
        snprintf(raw, sizeof raw, "/raw/%s", set->string);
        if (!read_set("codec_edge.h5", place, &got) || !read_set("codec_edge.h5", raw, &want))
            fail_msg("%s: %s", place, le_error_message());
        assert_int_equal(le_tensor_count(&got), le_tensor_count(&want));
        for (int64_t i = 0; i < le_tensor_count(&want); i++) {
            const double a = le_tensor_get(&got, i), b = le_tensor_get(&want, i);
            if (a != b && !(isnan(a) && isnan(b)))
                fail_msg("%s: element %d is %g, expected %g", place, (int)i, a, b);
        }
        le_tensor_free(&got);
        le_tensor_free(&want);
        n++;
    }
    assert_true(n > 90);
    cJSON_Delete(json);
}

/* The chunk of 61 x 71 u32 in a dataset of bytes. */
static le_status decode_bytes(const char *set, const char *implementation, le_tensor *out) {
    le_tensor bytes = {0};
    assert_true(read_set("corrupt.h5", set, &bytes));
    const int64_t offsets[] = {0, bytes.shape[0]};
    le_tensor at = le_tensor_of(offsets, LE_I64, 1, (int64_t[]){2});
    le_status status =
        le_engine_run(engine, "bitshuffle_lz4", LE_IN("frames", &bytes), LE_IN("offsets", &at),
                      LE_F64S("chunk", ((double[]){61, 71}), 2), LE_OUT("result", out),
                      LE_OPT_IMPLEMENTATION(implementation));
    le_tensor_free(&bytes);
    return status;
}

/* A bad chunk that is skipped, before a good one. */
static void skip_bad(const char *set, const char *implementation, const le_tensor *want) {
    enum { ELEMENTS = 61 * 71 };
    static const uint32_t zeros[ELEMENTS];
    le_tensor bad = {0}, good = {0}, out = {0}, decoded = {0};
    assert_true(read_set("corrupt.h5", set, &bad) && read_set("corrupt.h5", "/good/plain", &good));
    const int64_t offsets[] = {0, bad.shape[0], bad.shape[0] + good.shape[0]};
    uint8_t *both = malloc((size_t)offsets[2]);
    memcpy(both, bad.data, (size_t)bad.shape[0]);
    memcpy(both + bad.shape[0], good.data, (size_t)good.shape[0]);
    le_tensor bytes = le_tensor_of(both, LE_U8, 1, &offsets[2]);
    le_tensor at = le_tensor_of(offsets, LE_I64, 1, (int64_t[]){3});
    assert_ok(le_engine_run(engine, "bitshuffle_lz4", LE_IN("frames", &bytes),
                            LE_IN("offsets", &at), LE_F64S("chunk", ((double[]){61, 71}), 2),
                            LE_STR("bad_frames", "skip"), LE_OUT("result", &out),
                            LE_OUT("decoded", &decoded), LE_OPT_IMPLEMENTATION(implementation)),
              set);
    assert_memory_equal(decoded.data, ((uint8_t[]){0, 1}), 2);
    assert_memory_equal(out.data, zeros, sizeof zeros);
    assert_memory_equal((uint32_t *)out.data + ELEMENTS, want->data, sizeof zeros);
    free(both);
    le_tensor_free(&bad);
    le_tensor_free(&good);
    le_tensor_free(&out);
    le_tensor_free(&decoded);
}

static void corrupt(const char *implementation, const cJSON *json) {
    static const char *const good[] = {"/good/plain", "/good/block_size_field_zero"};
    const cJSON *bad;
    char set[256];
    int n = 0;
    le_tensor want = {0};
    assert_true(read_set("corrupt.h5", "/expected", &want));
    cJSON_ArrayForEach(bad, member(member(json, "corrupt"), "bad")) {
        le_tensor out = {0};
        snprintf(set, sizeof set, "/bad/%s", bad->string);
        if (decode_bytes(set, implementation, &out) == LE_OK)
            fail_msg("%s: %s was decoded", implementation, set);
        assert_non_null(strstr(le_error_message(), "chunk 0"));
        assert_null(out.data);
        skip_bad(set, implementation, &want);
        n++;
    }
    assert_int_equal(n, 65);
    for (int k = 0; k < 2; k++) {
        le_tensor out = {0};
        assert_ok(decode_bytes(good[k], implementation, &out), good[k]);
        assert_memory_equal(out.data, want.data, 61 * 71 * 4);
        le_tensor_free(&out);
    }
    le_tensor_free(&want);
}

static void test_corrupt(void **state) {
    cJSON *json = json_or_skip("codec.json");
    (void)state;
    for_implementations("bitshuffle_lz4", corrupt, json);
    cJSON_Delete(json);
}

/* Its steps know frames only, and not which of them are bad. */
static bool is_staged(const char *implementation) {
    return !strncmp(implementation, "staged", 6);
}

/* Curves of two frames, that of the frame; then the first of them is bad and skipped: no numbers.
 */
static void curves_of_bad(const char *implementation, const cJSON *json) {
    enum { NPT = 20, HEADER = 12 };
    le_tensor good = {0}, frame = {0}, curves = {0}, curve = {0};
    (void)json;
    assert_true(read_set("corrupt.h5", "/good/plain", &good) &&
                read_set("corrupt.h5", "/expected", &frame));
    const int64_t size = good.shape[0], offsets[] = {0, size, 2 * size}, all = 2 * size;
    uint8_t *both = malloc((size_t)all);
    memcpy(both, good.data, (size_t)size);
    memcpy(both + size, good.data, (size_t)size);
    le_tensor bytes = le_tensor_of(both, LE_U8, 1, &all);
    le_tensor at = le_tensor_of(offsets, LE_I64, 1, (int64_t[]){3});
#define GEOMETRY                                                                                   \
    LE_F64("distance", 0.1), LE_F64("poni1", 0.003), LE_F64("poni2", 0.004),                       \
        LE_F64("pixel1", 1e-4), LE_F64("pixel2", 1e-4), LE_STR("unit", "2th_deg"),                 \
        LE_I64("npt", NPT)
    assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &frame), GEOMETRY,
                            LE_OUT("intensity", &curve), LE_OPT_IMPLEMENTATION("reference")),
              "reference");
    for (int bad = 0; bad < (is_staged(implementation) ? 1 : 2); bad++) {
        both[HEADER + 4] ^= bad ? 0xff : 0; /* the first token of the first block */
        assert_ok(le_engine_run(engine, "integrate_stored", LE_IN("frames", &bytes),
                                LE_IN("offsets", &at), LE_F64S("chunk", ((double[]){1, 61, 71}), 3),
                                GEOMETRY, LE_STR("bad_frames", bad ? "skip" : "refuse"),
                                LE_OUT("intensity", &curves),
                                LE_OPT_IMPLEMENTATION(implementation)),
                  implementation);
        for (int64_t i = 0; i < 2 * NPT; i++) {
            const double want = le_tensor_get(&curve, i % NPT), got = le_tensor_get(&curves, i);
            if (bad && i < NPT)
                assert_true(isnan(got));
            else
                assert_true(want > 0 && fabs(got - want) <= 1e-5 * want);
        }
        le_tensor_free(&curves);
    }
#undef GEOMETRY
    free(both);
    le_tensor_free(&good);
    le_tensor_free(&frame);
    le_tensor_free(&curve);
}

static void test_curves_of_bad(void **state) {
    cJSON *json = json_or_skip("codec.json");
    (void)state;
    for_implementations("integrate_stored", curves_of_bad, json);
    cJSON_Delete(json);
}

/* ------------------------------------------------------------------------------ integrations ---
 */

enum { MOST_ARGS = 48, IMAGES = 5, RESULTS = 9 };

static const char *const image_names[IMAGES] = {"mask", "dark", "flat", "absorption", "variance"};
static const char *const result_names[RESULTS] = {
    "intensity",          "sem",          "std",   "sum_signal", "sum_normalization",
    "sum_normalization2", "sum_variance", "count", "radial"};

typedef struct golden {
    const char *name; /* system/case */
    char system[32];
    const cJSON *parameters, *about; /* of the case; of its system */
    const char *operation;
    bool plane, eiger;
    le_arg args[MOST_ARGS];
    size_t n;
    le_tensor frames, images[IMAGES], got[RESULTS];
    double radial_range[2], azimuth_range[2];
    char poni[1100];
} golden;

static void add(golden *g, le_arg arg) {
    assert_true(g->n < MOST_ARGS);
    g->args[g->n++] = arg;
}

static bool text_is(const cJSON *item, const char *text) {
    return cJSON_IsString(item) && !strcmp(item->valuestring, text);
}

static const char *splitting_of(const golden *g) {
    return cJSON_GetArrayItem(member(g->parameters, "method"), 0)->valuestring;
}

static void add_geometry(golden *g) {
    static const char *const numbers[] = {"poni1", "poni2", "rot1", "rot2", "rot3", "wavelength"};
    const cJSON *geometry = member(g->about, "geometry"), *pixel = member(g->about, "pixel");
    if (!cJSON_IsTrue(member(g->about, "uniform_flat"))) {
        char file[64];
        snprintf(file, sizeof file, "%s.poni", g->system);
        snprintf(g->poni, sizeof g->poni, "%s", path_of(file));
        add(g, LE_STR("poni", (const char *)g->poni));
        return;
    }
    add(g, LE_F64("distance", member(geometry, "dist")->valuedouble));
    add(g, LE_F64("pixel1", cJSON_GetArrayItem(pixel, 0)->valuedouble));
    add(g, LE_F64("pixel2", cJSON_GetArrayItem(pixel, 1)->valuedouble));
    for (int k = 0; k < 6; k++)
        add(g, LE_F64(numbers[k], member(geometry, numbers[k])->valuedouble));
}

static void read_frames(golden *g) {
    char place[1400];
    le_stored_info info;
    if (g->eiger)
        snprintf(place, sizeof place, "%s:/entry/data/data", path_of("eiger4m.h5"));
    else
        snprintf(place, sizeof place, "%s:/%s/frames/%s", path_of("inputs.h5"), g->system,
                 member(g->parameters, "frame")->valuestring);
    decode(place, "c", &info, &g->frames);
}

/* The gaps of the real frame are marked in the frame. */
static void mask_of_eiger(golden *g) {
    const uint32_t *frame = g->frames.data;
    assert_ok(le_tensor_alloc(&g->images[0], LE_U8, 2, g->frames.shape + 1), "mask");
    for (int64_t i = 0; i < le_tensor_count(&g->frames); i++)
        ((uint8_t *)g->images[0].data)[i] = frame[i] == UINT32_MAX;
}

static void add_images(golden *g) {
    for (int k = 0; k < IMAGES; k++) {
        char set[64];
        if (!cJSON_IsTrue(member(g->parameters, image_names[k])))
            continue;
        snprintf(set, sizeof set, "/%s/%s", g->system, image_names[k]);
        if (g->eiger)
            mask_of_eiger(g);
        else
            assert_true(read_set("inputs.h5", set, &g->images[k]));
        add(g, LE_IN(image_names[k], &g->images[k]));
    }
}

static void add_range(golden *g, const char *name, double range[2]) {
    const cJSON *list = member(g->parameters, name);
    if (!cJSON_IsArray(list))
        return;
    for (int k = 0; k < 2; k++)
        range[k] = cJSON_GetArrayItem(list, k)->valuedouble;
    add(g, LE_F64S(name, (const double *)range, 2));
}

static void add_options(golden *g) {
    static const char *const numbers[] = {"polarization", "normalization_factor", "dummy",
                                          "delta_dummy"};
    const cJSON *p = g->parameters, *solid = member(p, "solidangle");
    add(g, LE_I64("npt", member(p, "npt")->valueint));
    add(g, LE_STR("unit", (const char *)member(p, "unit")->valuestring));
    add(g, LE_STR("splitting", splitting_of(g)));
    if (g->plane)
        add(g, LE_I64("npt_azim", member(p, "npt_azim")->valueint));
    if (cJSON_IsTrue(member(p, "variance")))
        add(g, LE_STR("error_model", "variance"));
    else if (cJSON_IsString(member(p, "error_model")))
        add(g, LE_STR("error_model", (const char *)member(p, "error_model")->valuestring));
    if (solid)
        add(g, LE_I64("solid_angle", cJSON_IsTrue(solid) ? 1 : 0));
    for (int k = 0; k < 4; k++)
        if (cJSON_IsNumber(member(p, numbers[k])))
            add(g, LE_F64(numbers[k], member(p, numbers[k])->valuedouble));
    if (member(p, "thres")) {
        add(g, LE_F64("thres", member(p, "thres")->valuedouble));
        add(g, LE_I64("max_iter", member(p, "max_iter")->valueint));
    }
    if (cJSON_IsFalse(member(p, "weighted")))
        add(g, LE_I64("weighted", 0));
    add_range(g, "radial_range", g->radial_range);
    add_range(g, "azimuth_range", g->azimuth_range);
}

/* The expected values: of the program in double precision where it has them. */
static bool expected(const golden *g, const char *what, bool *exact, le_tensor *out) {
    static const char *const groups[] = {"float64_wrapped", "float64", ""};
    for (int k = 0; k < 3; k++) {
        char set[160];
        snprintf(set, sizeof set, "/%s/%s%s%s", g->name, groups[k], *groups[k] ? "/" : "", what);
        *exact = k < 2;
        /* where pyFAI loses what lies beyond 180 degrees */
        if (k > 0 && strstr(g->name, "azimuth_wrap") && strcmp(what, "radial") != 0)
            break;
        if (read_set("reference.h5", set, out))
            return true;
    }
    return false;
}

/* Bins that are left out: without areas pyFAI's first and last have what lies outside a range. */
static bool at_edge(const golden *g, int64_t bin) {
    const int64_t width = g->got[RESULTS - 1].shape[0], rows = g->plane ? g->got[0].shape[0] : 1;
    const int64_t r = bin % width, a = bin / width;
    if (!strcmp(splitting_of(g), "full") || !cJSON_IsArray(member(g->parameters, "radial_range")))
        return false;
    return r == 0 || r == width - 1 || (g->plane && (a == 0 || a == rows - 1));
}

/* Where pyFAI and the program in double precision differ about pixels of a ring that lie at the
 * very limit, so that pyFAI's sums are not those that are wanted. */
static bool at_limit(const golden *g, int64_t bin) {
    char set[160];
    le_tensor a = {0}, b = {0};
    snprintf(set, sizeof set, "/%s/count", g->name);
    assert_true(read_set("reference.h5", set, &a));
    snprintf(set, sizeof set, "/%s/float64/count", g->name);
    const bool differ = read_set("reference.h5", set, &b) &&
                        fabs(le_tensor_get(&a, bin) - le_tensor_get(&b, bin)) > 0.5;
    le_tensor_free(&a);
    le_tensor_free(&b);
    return differ;
}

static double tolerance(const char *what, double want, double largest, double sem) {
    if (!strcmp(what, "intensity"))
        return 3e-6 * largest + 2e-3 * sem;
    if (!strcmp(what, "count"))
        return 1e-3 + 1e-5 * fabs(want);
    if (!strcmp(what, "sem") || !strcmp(what, "std"))
        return 1e-4 * fabs(want) + 1e-6 * largest;
    return 3e-4 * fabs(want) + 1e-6 * largest;
}

static void compare_result(const golden *g, const char *implementation, int k,
                           const le_tensor *sem) {
    le_tensor want = {0};
    bool exact;
    double largest = 0;
    const double factor = strstr(g->name, "sentinel_not_treated") ? 50 : 1;
    if (!expected(g, result_names[k], &exact, &want))
        return;
    for (int64_t i = 0; i < le_tensor_count(&want); i++)
        largest = fmax(largest, at_edge(g, i) ? 0 : fabs(le_tensor_get(&want, i)));
    /* pyFAI's cells are wrong where areas are shared out in two dimensions */
    const bool trusted = exact || !g->plane || strcmp(splitting_of(g), "full") != 0;
    for (int64_t i = 0; i < le_tensor_count(&want) && trusted; i++) {
        const double a = le_tensor_get(&g->got[k], i), b = le_tensor_get(&want, i);
        const double t =
            tolerance(result_names[k], b, largest, sem->data ? le_tensor_get(sem, i) : 0);
        if (!at_edge(g, i) && !(fabs(a - b) <= factor * t) && (exact || !at_limit(g, i)))
            fail_msg("%s %s: %s[%d] is %.9g, expected %.9g", implementation, g->name,
                     result_names[k], (int)i, a, b);
    }
    le_tensor_free(&want);
}

static void compare_case(const golden *g, const char *implementation) {
    const cJSON *model = member(g->parameters, "error_model");
    const bool errors = cJSON_IsString(model) || cJSON_IsTrue(member(g->parameters, "variance"));
    le_tensor sem = {0}, radial = {0};
    bool exact;
    if (errors)
        expected(g, "sem", &exact, &sem);
    for (int k = 0; k < RESULTS - 1; k++) {
        const bool error = k == 1 || k == 2 || k == 6; /* sem, std, sum_variance */
        le_tensor twin = {0};
        /* pyFAI's azimuthal variances depend on the order of pixels */
        const bool known =
            !text_is(model, "azimuthal") || (expected(g, result_names[k], &exact, &twin) && exact);
        if (!error || (errors && known))
            compare_result(g, implementation, k, &sem);
        le_tensor_free(&twin);
    }
    assert_true(expected(g, "radial", &exact, &radial));
    const int64_t n = le_tensor_count(&radial);
    const double last = fabs(le_tensor_get(&radial, n - 1));
    for (int64_t i = 0; i < n; i++)
        if (fabs(le_tensor_get(&radial, i) - le_tensor_get(&g->got[RESULTS - 1], i)) >
            (cJSON_IsArray(member(g->parameters, "radial_range")) ? 1e-12 : 1e-6) * last)
            fail_msg("%s: radial[%d] differs", g->name, (int)i);
    le_tensor_free(&sem);
    le_tensor_free(&radial);
}

static void check_case(const cJSON *c, const cJSON *systems, const char *implementation) {
    golden g = {.name = c->string,
                .parameters = member(c, "parameters"),
                .plane = text_is(member(c, "kind"), "2d")};
    snprintf(g.system, sizeof g.system, "%.*s", (int)strcspn(g.name, "/"), g.name);
    g.operation = g.plane                              ? "azimuthal_integrate_2d"
                  : text_is(member(c, "kind"), "clip") ? "azimuthal_sigma_clip"
                                                       : "azimuthal_integrate";
    g.about = member(systems, g.system);
    g.eiger = !strcmp(g.system, "eiger4m");
    if (g.eiger && !strcmp(implementation, "reference"))
        return; /* seconds each */
    read_frames(&g);
    const int64_t *shape = g.frames.shape + 1;
    le_tensor frame = le_tensor_of(g.frames.data, g.frames.dtype, 2, shape);
    add(&g, LE_IN("frames", &frame));
    add_geometry(&g);
    add_images(&g);
    add_options(&g);
    for (int k = 0; k < RESULTS; k++)
        add(&g, LE_OUT(result_names[k], &g.got[k]));
    add(&g, LE_OPT_IMPLEMENTATION(implementation));
    assert_ok(le_call_run(engine, g.operation, g.args, g.n), g.name);
    compare_case(&g, implementation);
    le_tensor_free(&g.frames);
    for (int k = 0; k < IMAGES; k++)
        le_tensor_free(&g.images[k]);
    for (int k = 0; k < RESULTS; k++)
        le_tensor_free(&g.got[k]);
}

/* On a device each case by another size of work-groups. */
static void check_cases(const char *implementation, const cJSON *json, bool clip, int expect) {
    static const int teams[] = {1, 64};
    const cJSON *c;
    char candidate[64];
    int n = 0;
    cJSON_ArrayForEach(c, member(json, "cases")) {
        if (text_is(member(c, "kind"), "clip") != clip)
            continue;
        snprintf(candidate, sizeof candidate, "%s[team=%d%s]", implementation, teams[n % 2],
                 clip ? "" : ",frames=1");
        check_case(c, member(json, "systems"),
                   on_device(implementation) ? candidate : implementation);
        n++;
    }
    assert_int_equal(n, expect);
    print_message("  %s: %d cases\n", implementation, n);
}

static void integrate(const char *implementation, const cJSON *json) {
    check_cases(implementation, json, false, 178);
}

static void clip(const char *implementation, const cJSON *json) {
    check_cases(implementation, json, true, 19);
}

static void test_integrate(void **state) {
    cJSON *json = json_or_skip("cases.json");
    (void)state;
    for_implementations("azimuthal_integrate", integrate, json);
    cJSON_Delete(json);
}

static void test_clip(void **state) {
    cJSON *json = json_or_skip("cases.json");
    (void)state;
    for_implementations("azimuthal_sigma_clip", clip, json);
    cJSON_Delete(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),     cmocka_unit_test(test_ordinary),
        cmocka_unit_test(test_corrupt),   cmocka_unit_test(test_curves_of_bad),
        cmocka_unit_test(test_integrate), cmocka_unit_test(test_clip)};
    setenv("LE_IO_TRUST", "1", 1); /* thousands of datasets: no process for each */
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
