/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments, PONI file and detector put together.
 */
#include "scattering/setup.h"

#include "liquid_engine/le_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double pi = 3.14159265358979323846;

const char *const le__sc_error_models[] = {"none", "poisson", "azimuthal", "variance", NULL};

static const char *const number_names[] = {"distance", "poni1",      "poni2",  "rot1",  "rot2",
                                           "rot3",     "wavelength", "pixel1", "pixel2"};

/* --------------------------------------------------------------------------------- arguments -- */

static int word_of(const le_call *call, int arg, const char *const *words) {
    const char *given = le_call_str(call, arg);
    int k = 0;
    while (words[k] && strcmp(words[k], given) != 0)
        k++;
    return k;
}

static le_status read_poni(const le_call *call, le__sc_poni *out) {
    *out = (le__sc_poni){0};
    if (le_call_given(call, SC_PONI)) {
        le_status status = le__sc_poni_read(le_call_str(call, SC_PONI), out);
        if (status != LE_OK)
            return status;
    }
    for (int k = 0; k < LE__SC_NUMBERS; k++)
        if (le_call_given(call, SC_DISTANCE + k)) {
            out->number[k] = le_call_f64(call, SC_DISTANCE + k);
            out->given[k] = true;
        }
    return LE_OK;
}

static le_status check_numbers(const le__sc_poni *p, le__sc_unit unit) {
    static const le__sc_number needed[] = {LE__SC_DISTANCE, LE__SC_PONI1, LE__SC_PONI2};
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
        if (!p->given[needed[k]])
            return le_fail(LE_ERR_ARGUMENT,
                           "no '%s': give a PONI file (poni) or the geometry by numbers",
                           number_names[needed[k]]);
    if (!(p->number[LE__SC_DISTANCE] > 0))
        return le_fail(LE_ERR_ARGUMENT, "distance is %g m, expected more than 0",
                       p->number[LE__SC_DISTANCE]);
    if (le__sc_unit_needs_wavelength(unit) && !(p->number[LE__SC_WAVELENGTH] > 0))
        return le_fail(LE_ERR_ARGUMENT, "unit %s needs a wavelength in m, %s", le__sc_units[unit],
                       p->given[LE__SC_WAVELENGTH] ? "which is more than 0" : "which is missing");
    for (int k = 0; k < LE__SC_NUMBERS; k++)
        if (!isfinite(p->number[k]))
            return le_fail(LE_ERR_ARGUMENT, "%s is %g", number_names[k], p->number[k]);
    return LE_OK;
}

/* ---------------------------------------------------------------------------------- detector -- */

static bool is_plain(const char *name) {
    return !*name || !strcmp(name, "Detector") || !strcmp(name, "detector");
}

/* A detector file that is named in a PONI file lies beside it. */
static le_status beside(const char *poni, const char *file, char *out, size_t size) {
    const char *slash = poni && *file != '/' ? strrchr(poni, '/') : NULL;
    const int folder = slash ? (int)(slash - poni + 1) : 0;
    if ((size_t)snprintf(out, size, "%.*s%s", folder, poni ? poni : "", file) >= size)
        return le_fail(LE_ERR_ARGUMENT, "the name of the detector file is too long: '%.60s...'",
                       file);
    return LE_OK;
}

static le_status file_version(le__sc_setup *s) {
    struct stat about;
    if (stat(s->file, &about))
        return le_fail(LE_ERR_IO, "detector file '%s' cannot be read", s->file);
    s->version = (uint64_t)about.st_size * 1000003u + (uint64_t)about.st_mtim.tv_sec * 1000000007u +
                 (uint64_t)about.st_mtim.tv_nsec;
    return LE_OK;
}

static le_status find_detector(const le_call *call, const le__sc_poni *p, le__sc_setup *s) {
    const bool given = le_call_given(call, SC_DETECTOR);
    const char *name = given ? le_call_str(call, SC_DETECTOR) : p->detector;
    if (!given && *p->file) {
        le_status status = beside(le_call_str(call, SC_PONI), p->file, s->file, sizeof s->file);
        return status == LE_OK ? file_version(s) : status;
    }
    if (is_plain(name))
        return LE_OK;
    const int64_t shape[2] = {s->geometry.rows, s->geometry.cols};
    s->detector = le__sc_detector_find(name, shape);
    if (s->detector)
        return LE_OK;
    const char *other = le__sc_detector_is_other(name);
    if (other)
        return le_fail(LE_ERR_UNSUPPORTED, "detector '%s' %s", name, other);
    if (!given || strchr(name, '.') == NULL)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "detector '%s' is not known: give pixel1 and pixel2 and leave it out, or "
                       "a NeXus detector file",
                       name);
    le_status status = beside(NULL, name, s->file, sizeof s->file);
    return status == LE_OK ? file_version(s) : status;
}

/* A detector without modules may be read out binned: then its pixels are larger. */
static le_status fit_detector(const le__sc_detector *d, const int64_t shape[2], double pixel[2]) {
    const bool same = d->shape[0] == shape[0] && d->shape[1] == shape[1];
    const bool binned =
        d->module[0] == 0 && d->shape[0] % shape[0] == 0 && d->shape[1] % shape[1] == 0;
    if (!same && !binned)
        return le_fail(LE_ERR_SHAPE,
                       "frames of %lld x %lld pixels, but the detector %.*s has %lld x %lld",
                       (long long)shape[0], (long long)shape[1], (int)strcspn(d->names, " "),
                       d->names, (long long)d->shape[0], (long long)d->shape[1]);
    for (int k = 0; k < 2; k++)
        pixel[k] = d->pixel[k] * (double)(d->shape[k] / shape[k]);
    return LE_OK;
}

static le_status find_pixels(const le__sc_poni *p, le__sc_setup *s) {
    const int64_t shape[2] = {s->geometry.rows, s->geometry.cols};
    if (p->shape[0] && (p->shape[0] != shape[0] || p->shape[1] != shape[1]))
        return le_fail(LE_ERR_SHAPE,
                       "frames of %lld x %lld pixels, but the PONI file is of a detector of "
                       "%lld x %lld",
                       (long long)shape[0], (long long)shape[1], (long long)p->shape[0],
                       (long long)p->shape[1]);
    if (s->detector) {
        le_status status = fit_detector(s->detector, shape, s->pixel);
        if (status != LE_OK)
            return status;
    }
    for (int k = 0; k < 2; k++) {
        if (p->given[LE__SC_PIXEL1 + k])
            s->pixel[k] = p->number[LE__SC_PIXEL1 + k];
        if (!*s->file && !(s->pixel[k] > 0 && s->pixel[k] < 1))
            return le_fail(LE_ERR_ARGUMENT,
                           "pixel%d is %g m; give pixel1 and pixel2, or a detector", k + 1,
                           s->pixel[k]);
    }
    return LE_OK;
}

/* A detector's own dummy, in the type of the frames: -2 is 65534 in u16. */
static double dummy_as(double dummy, le_dtype dtype) {
    switch (dtype) {
    case LE_U8:
        return (double)(uint8_t)(int64_t)dummy;
    case LE_U16:
        return (double)(uint16_t)(int64_t)dummy;
    case LE_U32:
        return (double)(uint32_t)(int64_t)dummy;
    default:
        return dummy;
    }
}

/* Frames of u64 are read as f64, where a detector's dummy, just below 2^64, is 2^64 like all that
 * rounds to it; -2 it is in frames that were f64 before. */
static float limit_of(const le__sc_detector *d, le_dtype dtype) {
    return dtype == LE_F64 && d->dummy < 0 ? 0x1p64f : INFINITY;
}

static void find_dummy(const le_call *call, le_dtype dtype, le__sc_setup *s) {
    s->limit = INFINITY;
    if (s->detector && s->detector->has_dummy) {
        s->has_dummy = true;
        s->dummy = dummy_as(s->detector->dummy, dtype);
        s->delta_dummy = s->detector->delta_dummy;
        s->limit = limit_of(s->detector, dtype);
    }
    if (le_call_given(call, SC_DUMMY)) {
        s->has_dummy = true;
        s->dummy = le_call_f64(call, SC_DUMMY);
        s->delta_dummy = 0;
        s->limit = INFINITY;
    }
    if (le_call_given(call, SC_DELTA_DUMMY))
        s->delta_dummy = le_call_f64(call, SC_DELTA_DUMMY);
}

/* ------------------------------------------------------------------------------------ ranges -- */

static bool get_range(const le_call *call, int arg, double out[2]) {
    if (!le_call_given(call, arg))
        return false;
    size_t n;
    const double *list = le_call_f64s(call, arg, &n);
    out[0] = list[0];
    out[1] = list[1];
    return true;
}

static le_status find_ranges(const le_call *call, le__sc_setup *s) {
    double *r = s->radial_range, *a = s->azimuth_range;
    s->has_radial_range = get_range(call, SC_RADIAL_RANGE, r);
    if (s->has_radial_range && (!(r[0] < r[1]) || !isfinite(r[0]) || !isfinite(r[1])))
        return le_fail(LE_ERR_ARGUMENT, "radial_range is %g,%g, expected two rising numbers", r[0],
                       r[1]);
    s->has_azimuth_range = get_range(call, SC_AZIMUTH_RANGE, a);
    if (!s->has_azimuth_range)
        return LE_OK;
    if (!(fabs(a[0]) <= 720) || !(fabs(a[1]) <= 720))
        return le_fail(LE_ERR_ARGUMENT, "azimuth_range is %g,%g, expected degrees", a[0], a[1]);
    while (a[1] <= a[0])
        a[1] += 360;
    if (a[1] - a[0] > 360 * (1 + 1e-12))
        return le_fail(LE_ERR_ARGUMENT, "azimuth_range is %g,%g, more than a turn", a[0], a[1]);
    /* Ranges that are whole turns apart have the same pixels, whatever is rounded later. */
    s->azimuth_from = 360 * ceil((a[0] + a[1]) / 720 - 0.5);
    a[0] -= s->azimuth_from;
    a[1] -= s->azimuth_from;
    return LE_OK;
}

static void put_ranges(le__sc_setup *s, int64_t npt, int64_t npt_azim) {
    s->bins.radial.n = npt;
    s->bins.azimuth.n = npt_azim;
    if (s->has_radial_range)
        s->bins.radial = le__sc_axis_of(s->radial_range[0], s->radial_range[1], npt);
    if (!s->has_azimuth_range)
        return;
    const double lo = s->azimuth_range[0] * (pi / 180), hi = s->azimuth_range[1] * (pi / 180);
    if (npt_azim > 0)
        s->bins.azimuth = le__sc_axis_of(lo, hi, npt_azim);
    else
        s->bins.azimuth = (le__sc_axis){.lo = lo, .hi = hi};
    /* a turn takes all pixels, also those that rounding puts at its other end */
    s->bins.azimuth_limited = npt_azim == 0 && hi - lo < 2 * pi * (1 - 1e-12);
}

/* ------------------------------------------------------------------------------------- check -- */

static le_status check_images(const le_call *call, int64_t rows, int64_t cols) {
    static const char *const names[] = {"mask", "dark", "flat", "absorption", "variance"};
    for (int k = SC_MASK; k <= SC_VARIANCE; k++) {
        const le_tensor *t = le_call_given(call, k) ? le_call_in(call, k) : NULL;
        if (t && (t->shape[0] != rows || t->shape[1] != cols))
            return le_fail(LE_ERR_SHAPE, "%s of %lld x %lld pixels with frames of %lld x %lld",
                           names[k - SC_MASK], (long long)t->shape[0], (long long)t->shape[1],
                           (long long)rows, (long long)cols);
    }
    return LE_OK;
}

static le_status check_options(const le_call *call, le__sc_setup *s) {
    s->model = (le__sc_model)word_of(call, SC_ERROR_MODEL, le__sc_error_models);
    if ((s->model == LE__SC_MODEL_VARIANCE) != le_call_given(call, SC_VARIANCE))
        return le_fail(LE_ERR_ARGUMENT,
                       s->model == LE__SC_MODEL_VARIANCE
                           ? "error_model variance needs the image 'variance'"
                           : "the image 'variance' goes with error_model=variance");
    if (le_call_given(call, SC_DELTA_DUMMY) && !s->has_dummy)
        return le_fail(LE_ERR_ARGUMENT, "delta_dummy goes with a dummy");
    s->normalization = (double)(float)le_call_f64(call, SC_NORMALIZATION_FACTOR);
    if (!isfinite(s->normalization) || s->normalization == 0)
        return le_fail(LE_ERR_ARGUMENT, "normalization_factor is %g",
                       le_call_f64(call, SC_NORMALIZATION_FACTOR));
    s->polarized = le_call_given(call, SC_POLARIZATION);
    s->polarization = s->polarized ? le_call_f64(call, SC_POLARIZATION) : 0;
    s->solid_angle = le_call_i64(call, SC_SOLID_ANGLE) != 0;
    s->weighted = le_call_i64(call, SC_WEIGHTED) != 0;
    return LE_OK;
}

static void put_geometry(const le__sc_poni *p, le__sc_setup *s) {
    le__sc_geometry *g = &s->geometry;
    g->distance = p->number[LE__SC_DISTANCE];
    g->poni1 = p->number[LE__SC_PONI1];
    g->poni2 = p->number[LE__SC_PONI2];
    g->rot1 = p->number[LE__SC_ROT1];
    g->rot2 = p->number[LE__SC_ROT2];
    g->rot3 = p->number[LE__SC_ROT3];
    g->wavelength = p->number[LE__SC_WAVELENGTH];
    s->orientation = p->orientation ? p->orientation : 3;
}

static le_status fill(const le_call *call, int64_t npt_azim, le__sc_setup *s) {
    le__sc_poni poni;
    le_status status = read_poni(call, &poni);
    s->geometry.unit = (le__sc_unit)word_of(call, SC_UNIT, le__sc_units);
    s->bins.splitting = (le__sc_splitting)word_of(call, SC_SPLITTING, le__sc_splittings);
    if (status == LE_OK)
        status = check_numbers(&poni, s->geometry.unit);
    if (status == LE_OK)
        status = find_detector(call, &poni, s);
    if (status == LE_OK)
        status = find_pixels(&poni, s);
    if (status == LE_OK)
        status = find_ranges(call, s);
    if (status != LE_OK)
        return status;
    put_geometry(&poni, s);
    put_ranges(s, le_call_i64(call, SC_NPT), npt_azim);
    return check_images(call, s->geometry.rows, s->geometry.cols);
}

le_status le__sc_setup_check(le_call *call, int ndim, const int64_t *shape, le_dtype dtype,
                             int64_t npt_azim) {
    const int64_t rows = shape[ndim - 2], cols = shape[ndim - 1];
    if (rows < 1 || cols < 1 || rows * cols > INT32_MAX)
        return le_fail(LE_ERR_SHAPE, "frames of %lld x %lld pixels", (long long)rows,
                       (long long)cols);
    le__sc_setup *s = calloc(1, sizeof *s);
    if (!s)
        return le_fail(LE_ERR_MEMORY, "no memory for the setup of an integration");
    s->frames = 1;
    s->stack_axes = ndim - 2;
    for (int d = 0; d < s->stack_axes; d++) {
        s->stack[d] = shape[d];
        s->frames *= shape[d];
    }
    s->geometry.rows = rows;
    s->geometry.cols = cols;
    le_status status = fill(call, npt_azim, s);
    if (status == LE_OK) {
        find_dummy(call, dtype, s);
        status = check_options(call, s);
    }
    if (status != LE_OK) {
        free(s);
        return status;
    }
    le_call_attach(call, s, free);
    return LE_OK;
}

const le__sc_setup *le__sc_setup_of(const le_call *call) {
    return le_call_attached(call);
}

int64_t le__sc_setup_bins(const le__sc_setup *s) {
    return s->bins.radial.n * (s->bins.azimuth.n > 0 ? s->bins.azimuth.n : 1);
}

static le_status set_axis(le_call *call, int arg, int64_t n) {
    return le_call_given(call, arg) ? le_call_set_out(call, arg, LE_F64, 1, &n) : LE_OK;
}

le_status le__sc_setup_outputs(le_call *call) {
    const le__sc_setup *s = le__sc_setup_of(call);
    int64_t shape[LE__SC_STACK + 2];
    int ndim = 0;
    while (ndim < s->stack_axes) {
        shape[ndim] = s->stack[ndim];
        ndim++;
    }
    if (s->bins.azimuth.n > 0)
        shape[ndim++] = s->bins.azimuth.n;
    shape[ndim++] = s->bins.radial.n;
    le_status status = set_axis(call, SC_RADIAL, s->bins.radial.n);
    if (status == LE_OK && s->bins.azimuth.n > 0)
        status = set_axis(call, SC_AZIMUTHAL, s->bins.azimuth.n);
    for (int k = SC_INTENSITY; k < SC_COMMON && status == LE_OK; k++)
        if (le_call_given(call, k))
            status = le_call_set_out(call, k, LE_F64, ndim, shape);
    return status;
}

/* ------------------------------------------------------------------------------------ places -- */

static le_status load_edges(le__sc_loaded *out) {
    le__sc_setup *s = &out->setup;
    const int64_t n[2] = {s->geometry.rows, s->geometry.cols};
    double *edges = malloc((size_t)(n[0] + n[1] + 2) * sizeof *edges);
    if (!edges)
        return le_fail(LE_ERR_MEMORY, "no memory for the edges of pixels");
    double *of[2] = {edges, edges + n[0] + 1};
    out->places = edges;
    for (int k = 0; k < 2; k++) {
        le__sc_detector_edges(s->detector, k, n[k], s->pixel[k], of[k]);
        /* 1: turned along both axes, 2: along the first, 4: along the second */
        const bool turned = s->orientation == 1 || s->orientation == (k == 0 ? 2 : 4);
        for (int64_t i = 0; turned && i < n[k] - i; i++) {
            const double swap = of[k][i];
            of[k][i] = of[k][n[k] - i];
            of[k][n[k] - i] = swap;
        }
    }
    s->geometry.edges1 = of[0];
    s->geometry.edges2 = of[1];
    return LE_OK;
}

/* Where programs keep a detector: pyFAI's export, where the detector's own name is that of a group,
 * and shorter forms. */
static const char *const detector_groups[] = {"/entry_0000/pyFAI/Detector",
                                              "/entry_0000/Detector",
                                              "/entry/instrument/detector",
                                              "/entry/detector",
                                              "",
                                              "/...",
                                              NULL};

enum { PLACE = 4200 };

static const char *place_of(const le__sc_setup *s, const char *group, const char *name,
                            char out[PLACE]) {
    snprintf(out, PLACE, "%s:%s/%s", s->file, group, name);
    return out;
}

static bool has_member(const le__sc_setup *s, const char *group, const char *name) {
    char place[PLACE];
    int64_t shape[LE_MAX_DIMS];
    le_dtype dtype;
    int ndim;
    return le_io_peek(place_of(s, group, name, place), &dtype, &ndim, shape) == LE_OK;
}

/* Of all members, so that none is another detector's; NULL: there is none. */
static const char *group_of(const le__sc_setup *s) {
    const char *const *group = detector_groups;
    while (*group && !has_member(s, *group, "pixel_corners") &&
           !has_member(s, *group, "pixel_size"))
        group++;
    return *group;
}

static le_status read_member(const le__sc_setup *s, const char *group, const char *name,
                             unsigned dtypes, le_tensor *out) {
    const le_io_options options = {.struct_size = sizeof options, .dtypes = dtypes};
    char place[PLACE];
    return le_io_read(NULL, place_of(s, group, name, place), &options, out);
}

static le_status wrong_member(const le__sc_setup *s, const char *name, le_tensor *t,
                              const char *shape) {
    char text[128];
    le_tensor_describe(t, text, sizeof text);
    le_tensor_free(t);
    return le_fail(LE_ERR_SHAPE, "detector file '%s': %s are %s, expected [%lld,%lld%s]", s->file,
                   name, text, (long long)s->geometry.rows, (long long)s->geometry.cols, shape);
}

/* A PONI file that turns the detector counts more. */
static void find_turn(le__sc_setup *s, const char *group) {
    le_tensor t = {0};
    if (s->orientation != 3 ||
        read_member(s, group, "orientation", LE_DTYPE_BIT(LE_I32), &t) != LE_OK)
        return;
    const double turn = le_tensor_count(&t) == 1 ? le_tensor_get(&t, 0) : 0;
    le_tensor_free(&t);
    if (turn >= 1 && turn <= 4)
        s->orientation = (int)turn;
}

/* A flat detector with pixels of one size. */
static le_status load_sizes(le__sc_loaded *out, const char *group) {
    le__sc_setup *s = &out->setup;
    le_tensor t = {0};
    if (read_member(s, group, "pixel_size", LE_DTYPE_BIT(LE_F64), &t) != LE_OK || t.ndim != 1 ||
        t.shape[0] != 2) {
        le_tensor_free(&t);
        return le_fail(LE_ERR_IO,
                       "detector file '%s': no pixel_corners and no pixel_size that can be read",
                       s->file);
    }
    for (int k = 0; k < 2; k++)
        s->pixel[k] = s->pixel[k] > 0 ? s->pixel[k] : le_tensor_get(&t, k);
    le_tensor_free(&t);
    if (!(s->pixel[0] > 0 && s->pixel[0] < 1 && s->pixel[1] > 0 && s->pixel[1] < 1))
        return le_fail(LE_ERR_IO, "detector file '%s': pixel_size is %g, %g m", s->file,
                       s->pixel[0], s->pixel[1]);
    find_turn(s, group);
    return load_edges(out);
}

/* Some programs write f64. */
static le_status narrow(le_tensor *t) {
    le_tensor to = {0};
    le_status status = le_tensor_alloc(&to, LE_F32, t->ndim, t->shape);
    if (status != LE_OK)
        return status;
    const double *from = t->data;
    float *of = to.data;
    for (int64_t k = 0, n = le_tensor_count(t); k < n; k++)
        of[k] = (float)from[k];
    le_tensor_free(t);
    *t = to;
    return LE_OK;
}

static le_status load_corners(le__sc_loaded *out, const char *group) {
    le__sc_setup *s = &out->setup;
    le_status status = read_member(s, group, "pixel_corners", LE_DTYPE_BIT(LE_F32), &out->corners);
    if (status == LE_OK && out->corners.dtype == LE_F64)
        status = narrow(&out->corners);
    if (status != LE_OK)
        return status;
    const le_tensor *t = &out->corners;
    if (t->dtype != LE_F32 || t->ndim != 4 || t->shape[0] != s->geometry.rows ||
        t->shape[1] != s->geometry.cols || t->shape[2] != 4 || t->shape[3] != 3)
        return wrong_member(s, "pixel_corners", &out->corners, ",4,3");
    find_turn(s, group);
    if (s->orientation != 3)
        return le_fail(LE_ERR_DATA,
                       "detector file '%s': orientation %d of a detector with pixel corners is not "
                       "supported",
                       s->file, s->orientation);
    s->geometry.corners = t->data;
    return LE_OK;
}

/* The file's own mask, if it has one. */
static le_status load_gaps(le__sc_loaded *out, const char *group) {
    le__sc_setup *s = &out->setup;
    le_tensor *t = &out->gaps;
    if (!has_member(s, group, "mask"))
        return LE_OK;
    le_status status = read_member(s, group, "mask", LE_DTYPES_ALL | LE_DTYPE_BIT(LE_I8), t);
    if (status != LE_OK)
        return status;
    if (t->ndim != 2 || t->shape[0] != s->geometry.rows || t->shape[1] != s->geometry.cols)
        return wrong_member(s, "mask", t, "");
    s->gaps = (le__sc_image){t->data, t->dtype};
    return LE_OK;
}

static le_status load_file(le__sc_loaded *out) {
    const char *group = group_of(&out->setup);
    if (!group)
        return le_fail(LE_ERR_IO,
                       "detector file '%s': no pixel_corners and no pixel_size that can be read",
                       out->setup.file);
    le_status status = has_member(&out->setup, group, "pixel_corners") ? load_corners(out, group)
                                                                       : load_sizes(out, group);
    return status == LE_OK ? load_gaps(out, group) : status;
}

le_status le__sc_setup_load(const le__sc_setup *setup, le__sc_loaded *out) {
    *out = (le__sc_loaded){.setup = *setup, .widest = INFINITY};
    return *setup->file ? load_file(out) : load_edges(out);
}

void le__sc_setup_unload(le__sc_loaded *loaded) {
    free(loaded->places);
    le_tensor_free(&loaded->corners);
    le_tensor_free(&loaded->gaps);
    loaded->places = NULL;
}

void le__sc_setup_key(const le__sc_setup *s, char *out, size_t size) {
    const le__sc_geometry *g = &s->geometry;
    snprintf(out, size,
             "%lldx%lld unit %d split %d npt %lld %lld geometry %a %a %a %a %a %a %a pixel %a %a "
             "%d detector %s file %s %llx radial %d %a %a azimuth %d %a %a corrections %d %d %a %a",
             (long long)g->rows, (long long)g->cols, (int)g->unit, (int)s->bins.splitting,
             (long long)s->bins.radial.n, (long long)s->bins.azimuth.n, g->distance, g->poni1,
             g->poni2, g->rot1, g->rot2, g->rot3, g->wavelength, s->pixel[0], s->pixel[1],
             s->orientation, s->detector ? s->detector->names : "-", *s->file ? s->file : "-",
             (unsigned long long)s->version, s->has_radial_range, s->radial_range[0],
             s->radial_range[1], s->has_azimuth_range, s->azimuth_range[0], s->azimuth_range[1],
             s->solid_angle, s->polarized, s->polarization, s->normalization);
}
