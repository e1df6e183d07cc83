/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the fused implementations prepare once a call: coordinate tables, the classified transfer
 * function, planes and the sums of visible bricks.
 */
#include "volume/volume_render/fused_prepare.h"

#include <math.h>
#include <string.h>

#include "common/load.h"

static const le__render *render_of(const le_call *call)
{
    return le_call_attached(call);
}

static int64_t plane_floats(const int64_t shape[3])
{
    return (shape[1] + 3) * le__plane_pitch(shape, LE__ROWS);
}

bool le__fused_axis_applicable(const le_call *call, const char **why)
{
    const le__camera *c = render_of(call)->camera;
    if (!le__transfer_is_normal(render_of(call)->transfer, why))
        return false;
    *why = c->axis0 ? "a plane of the volume is too large" : "a rotation is not about axis 0";
    return c->axis0 && plane_floats(c->shape) < INT32_MAX / 2;
}

bool le__fused_rays_applicable(const le_call *call, const char **why)
{
    const le_tensor *volume = le_call_in(call, ARG_VOLUME);
    const int64_t *n = volume->shape;
    if (!le__transfer_is_normal(render_of(call)->transfer, why))
        return false;
    *why = "the volume is too large for 32-bit offsets";
    return n[0] < 32768 && n[1] < 32768 && n[2] < 32768 && le__voxels_near(volume);
}

static bool has_signed_rays(const le_call *call, bool axis)
{
    const char *why;
    return axis && le__render_watches(call) && le__fused_rays_applicable(call, &why);
}

size_t le__fused_row_groups(const le_call *call)
{
    return (size_t)((render_of(call)->camera->size + LE__ROWS - 1) / LE__ROWS);
}

size_t le__fused_view_rows(const le_call *call)
{
    return render_of(call)->camera->n_views * (size_t)render_of(call)->camera->size;
}

static int64_t brick_count(int64_t voxels)
{
    return (voxels + LE__BRICK - 1) / LE__BRICK;
}

static int64_t sums_bytes(const int64_t shape[3])
{
    return (brick_count(shape[0]) + 1) * (brick_count(shape[1]) + 1) * (brick_count(shape[2]) + 1) *
           (int64_t)sizeof(int32_t);
}

static int64_t memory_of(const le_call *call, bool axis, bool bricks)
{
    const le__render *r = render_of(call);
    const le__camera *c = le__render_camera(r);
    int64_t bytes = (int64_t)(c->n_views * (le__fixed_bytes(c) + 256));
    bytes *= has_signed_rays(call, axis) ? 2 : 1;
    bytes += (int64_t)le__classify_bytes(r->transfer) + 4096;
    if (axis)
        bytes += plane_floats(c->shape) * 4 * le_call_threads(call) + 8 * (c->shape[1] + 2);
    if (bricks)
        bytes += sums_bytes(c->shape);
    return bytes;
}

int64_t le__fused_axis_memory(const le_call *call)
{
    return memory_of(call, true, false);
}

int64_t le__fused_rays_memory(const le_call *call)
{
    return memory_of(call, false, false);
}

int64_t le__fused_axis_bricks_memory(const le_call *call)
{
    return memory_of(call, true, true);
}

int64_t le__fused_rays_bricks_memory(const le_call *call)
{
    return memory_of(call, false, true);
}

static bool fill_shows(const le__classify *c, double fill)
{
    return (float)fill >= c->low && (float)fill <= c->high;
}

/* Widens a plane row's span by the columns of a segment a-b of a view's outline, as far as it lies
 * within one row of y. Points are (y, z) indices. */
static void widen(int32_t span[2], double y, const double a[2], const double b[2], int64_t n2)
{
    double t0 = 0.0, t1 = 1.0, dy = b[0] - a[0];
    if (fabs(dy) > 1e-12) {
        double u = (y - 1.5 - a[0]) / dy, v = (y + 1.5 - a[0]) / dy;
        t0 = fmax(t0, fmin(u, v));
        t1 = fmin(t1, fmax(u, v));
    } else if (fabs(a[0] - y) > 1.5) {
        return;
    }
    if (t0 > t1)
        return;
    double z0 = a[1] + t0 * (b[1] - a[1]), z1 = a[1] + t1 * (b[1] - a[1]);
    double low = floor(fmin(z0, z1)) - 1.0, high = ceil(fmax(z0, z1)) + 2.0;
    double last = (double)(n2 + 1);
    int32_t begin = (int32_t)fmin(fmax(low + 1.0, 0.0), last);
    int32_t end = (int32_t)fmin(fmax(high + 2.0, 0.0), last + 1.0);
    span[0] = begin < span[0] ? begin : span[0];
    span[1] = end > span[1] ? end : span[1];
}

/* Columns of each row of the padded planes that any view reads. */
static void find_spans(const le__camera *c, int32_t *spans)
{
    int64_t last = c->size - 1;
    for (int64_t r = 0; r < c->shape[1] + 2; r++) {
        int32_t *span = spans + 2 * r;
        span[0] = INT32_MAX;
        span[1] = 0;
        for (size_t v = 0; v < c->n_views; v++)
            for (int edge = 0; edge < 4; edge++) {
                double ends[2][2];
                for (int e = 0; e < 2; e++) {
                    int corner = (edge + e) % 4;
                    int64_t iy = corner == 1 || corner == 2 ? last : 0, iz = corner >= 2 ? last : 0;
                    for (int a = 0; a < 2; a++)
                        ends[e][a] = le__view_index(&c->views[v], a + 1, iy, 0, iz);
                }
                widen(span, (double)(r - 1), ends[0], ends[1], c->shape[2]);
            }
        if (span[0] > span[1])
            span[0] = span[1] = 0;
    }
    /* row 0 and the last read their neighbours, also where rounding puts a sample there; with a fill,
     * samples outside are taken at voxel [0,0] */
    for (int k = 0; k < 2; k++) {
        int32_t *pad = spans + (k ? 2 * (c->shape[1] + 1) : 0);
        int32_t *next = k ? pad - 2 : pad + 2;
        int32_t begin = pad[0] < next[0] || next[0] == next[1] ? pad[0] : next[0];
        int32_t end = pad[1] > next[1] ? pad[1] : next[1];
        pad[0] = next[0] = begin;
        pad[1] = next[1] = end;
    }
}

static le_status prepare_axis(le_call *call, le__fused *f)
{
    const int64_t *n = f->camera->shape;
    f->plane_floats = plane_floats(n);
    size_t floats = (size_t)f->plane_floats * (size_t)le_call_threads(call);
    f->planes = le_call_scratch(call, floats * sizeof(float));
    f->spans = le_call_scratch(call, (size_t)(2 * (n[1] + 2)) * sizeof(int32_t));
    if (!f->planes || !f->spans)
        return le_fail(LE_ERR_MEMORY, "volume_render: no memory for planes");
    /* lanes that are masked out read [0,0] */
    memset(f->planes, 0, floats * sizeof(float));
    find_spans(f->camera, f->spans);
    return LE_OK;
}

static void make_views(le__fused *f, const le_tensor *volume, bool axis, int fraction_bits,
                       char *tables, size_t bytes)
{
    le__fixed_options options =
        le__fixed_options_of(volume, axis ? LE__ROWS : 0, fraction_bits);
    options.ranges = axis && f->camera->has_fill;
    memcpy(f->strides, options.strides, sizeof f->strides);
    for (size_t v = 0; v < f->camera->n_views; v++)
        le__fixed_make(&f->views[v], f->camera, v, &options, tables + v * bytes);
}

/* One form of a call; the transfer function is not prepared yet. */
static le_status make_form(le_call *call, bool axis, int fraction_bits, le__fused **out)
{
    const le__render *r = render_of(call);
    const le__camera *c = le__render_camera(r);
    const le_tensor *volume = le_call_in(call, ARG_VOLUME);
    le__fused *f = le_call_scratch(call, sizeof *f);
    size_t bytes = (le__fixed_bytes(c) + 63) / 64 * 64;
    char *tables = le_call_scratch(call, c->n_views * bytes);
    le__fixed_view *views = le_call_scratch(call, c->n_views * sizeof *views);
    if (!f || !tables || !views)
        return le_fail(LE_ERR_MEMORY, "volume_render: no memory for tables");
    *f = (le__fused){.call = call, .camera = c, .box = r->box, .whole = r->camera,
                     .volume = le__voxels_of(volume), .views = views,
                     .watch = le__render_watches(call),
                     .images = le_call_out(call, ARG_IMAGES)};
    make_views(f, volume, axis, fraction_bits, tables, bytes);
    *out = f;
    return LE_OK;
}

le_status le__fused_prepare(le_call *call, bool axis, const le__fused_isa *isa, le__fused **out)
{
    const le__render *r = render_of(call);
    le__fused *f = NULL, *rays = NULL;
    void *classify = le_call_scratch(call, le__classify_bytes(r->transfer));
    if (!classify)
        return le_fail(LE_ERR_MEMORY, "volume_render: no memory for a transfer function");
    le_status status = make_form(call, axis, isa->fraction_bits, &f);
    if (status != LE_OK)
        return status;
    le__classify_make(&f->classify, r->transfer, r->camera->size, le_call_atol(call),
                      le_call_rtol(call), isa->classes, classify);
    f->fill_shows = r->camera->has_fill && fill_shows(&f->classify, r->camera->fill);
    if (has_signed_rays(call, axis)) {
        status = make_form(call, false, isa->fraction_bits, &rays);
        if (status != LE_OK)
            return status;
        rays->classify = f->classify;
        rays->fill_shows = f->fill_shows;
        f->signed_rays = rays;
    }
    *out = f;
    return axis ? prepare_axis(call, f) : LE_OK;
}

/* ---------------------------------------------------------------------------------- bricks -- */

typedef struct marking {
    const le__fused *fused;
    int32_t *sums;
} marking;

/* Whether a value between two others can show. */
static bool may_show(const le__classify *c, double least, double most)
{
    if (c->form != LE__FORM_CLASSES)
        return most >= (double)c->low && least <= (double)c->high;
    for (int i = 1; i <= c->n_classes; i++)
        if (most >= (double)c->lows[i] && least <= (double)c->highs[i])
            return true;
    return false;
}

enum { BLOCK_BRICKS = 64, BLOCK_VOXELS = BLOCK_BRICKS * LE__BRICK + 1 };

/* Least and largest values of lines, voxel by voxel. NaN is left out: a sample of it cannot show. */
typedef struct extremes {
    float least[BLOCK_VOXELS], most[BLOCK_VOXELS];
} extremes;

#define DEFINE_WIDEN(D, T, s)                                                                      \
    static void widen_##s(const void *data, int64_t offset, int64_t count, extremes *e)            \
    {                                                                                              \
        const T *line = (const T *)data + offset;                                                  \
        for (int64_t z = 0; z < count; z++) {                                                      \
            float v = (float)line[z];                                                              \
            e->least[z] = v < e->least[z] ? v : e->least[z];                                       \
            e->most[z] = v > e->most[z] ? v : e->most[z];                                          \
        }                                                                                          \
    }
LE__DTYPE_LIST(DEFINE_WIDEN)

static void widen_by_line(const le__voxels *v, int64_t offset, int64_t count, extremes *e)
{
    float line[BLOCK_VOXELS];
    if (v->lines) {
        LE__FOR_DTYPE(widen, v->dtype)(v->data, offset, count, e);
        return;
    }
    le__load_strided_f32(v->data, v->dtype, offset, count, v->strides[2], line);
    widen_f32(line, 0, count, e);
}

/* Marks the bricks [i, j, first to first + BLOCK_BRICKS) in visible[]. They reach one voxel further than
 * their own, because cells do. */
static void mark_block(const le__fused *f, int64_t i, int64_t j, int64_t first, int32_t *visible)
{
    const int64_t *n = f->camera->shape, *t = f->volume.strides;
    int64_t z0 = first * LE__BRICK, count = n[2] - z0 < BLOCK_VOXELS ? n[2] - z0 : BLOCK_VOXELS;
    extremes e;
    for (int64_t z = 0; z < count; z++) {
        e.least[z] = INFINITY;
        e.most[z] = -INFINITY;
    }
    for (int64_t x = i * LE__BRICK; x <= (i + 1) * LE__BRICK && x < n[0]; x++)
        for (int64_t y = j * LE__BRICK; y <= (j + 1) * LE__BRICK && y < n[1]; y++)
            widen_by_line(&f->volume, x * t[0] + y * t[1] + z0 * t[2], count, &e);
    for (int64_t k = 0; k < BLOCK_BRICKS && k * LE__BRICK < count; k++) {
        float least = INFINITY, most = -INFINITY;
        for (int64_t z = k * LE__BRICK; z <= (k + 1) * LE__BRICK && z < count; z++) {
            least = e.least[z] < least ? e.least[z] : least;
            most = e.most[z] > most ? e.most[z] : most;
        }
        visible[k] = may_show(&f->classify, (double)least, (double)most);
    }
}

/* one layer of bricks: its visible ones, as numbers */
static void mark_layer(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const marking *m = context;
    const le__fused *f = m->fused;
    const int64_t *b = f->bricks;
    for (int64_t i = (int64_t)begin; i < (int64_t)end; i++)
        for (int64_t j = 0; j < b[1]; j++) {
            int32_t *line = m->sums + ((i + 1) * (b[1] + 1) + j + 1) * (b[2] + 1) + 1;
            for (int64_t k = 0; k < b[2]; k += BLOCK_BRICKS)
                mark_block(f, i, j, k, line + k);
        }
}

static void accumulate(int32_t *sums, const int64_t b[3])
{
    int64_t nz = b[2] + 1, ny = (b[1] + 1) * nz;
    for (int64_t i = 1; i <= b[0]; i++)
        for (int64_t j = 1; j <= b[1]; j++)
            for (int64_t k = 1; k <= b[2]; k++) {
                int32_t *s = sums + i * ny + j * nz + k;
                *s += s[-1] + s[-nz] - s[-nz - 1] + s[-ny] - s[-ny - 1] - s[-ny - nz] +
                      s[-ny - nz - 1];
            }
}

le_status le__fused_make_bricks(le_call *call, le__fused *f)
{
    for (int a = 0; a < 3; a++)
        f->bricks[a] = brick_count(f->camera->shape[a]);
    size_t bytes = (size_t)sums_bytes(f->camera->shape);
    marking m = {f, le_call_scratch(call, bytes)};
    if (!m.sums)
        return le_fail(LE_ERR_MEMORY, "volume_render: no memory for bricks");
    memset(m.sums, 0, bytes);
    le_status status = le_parallel_for(call, (size_t)f->bricks[0], mark_layer, &m);
    if (status != LE_OK)
        return status;
    accumulate(m.sums, f->bricks);
    f->sums = m.sums;
    return LE_OK;
}
