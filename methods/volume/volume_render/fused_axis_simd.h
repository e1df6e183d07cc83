/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kernels of the axis form. Four image rows go together: their samples differ in the plane alone, so
 * offsets and weights are found once for the four, and the planes are interleaved.
 */
#include "volume/quad_simd.h"
#include "volume/volume_render/fused_rays_simd.h"

enum { PARTS = 4 };                 /* vectors that VW columns of four rows fill */

/* VW columns of LE__ROWS rows: part k holds the columns from k * V_COLUMNS on. */
typedef struct group {
    packet p;                       /* the columns; begin and end are those of the columns */
    vi begin[PARTS], end[PARTS];    /* of the lanes, where p.clipped */
} group;

static inline void set_quad_columns(le__quad_columns *q, const le__packet_columns *columns,
                                    const le__fixed_view *view, int32_t depth,
                                    const int64_t strides[3], bool clipped, vm inside_columns)
{
    vi f[3];
    vf lower, upper;
    vi at = le__packet_at(columns, view, depth, 1, strides, f);
    if (clipped)
        at = vi_select(inside_columns, at, vi_set(0));
    vi_store(q->offset, at);
    v_weights(f[1], &lower, &upper);
    vf_store(q->lower_y, lower);
    vf_store(q->upper_y, upper);
    v_weights(f[2], &lower, &upper);
    vf_store(q->lower_z, lower);
    vf_store(q->upper_z, upper);
}

LE__INLINE void plane_depths(const group *g, le__kept *k, int32_t from, int32_t to, bool clipped,
                             le__keeping how)
{
    /* copies, because stores to the kept samples might alias anything else */
    const packet *p = &g->p;
    const le__packet_columns columns = p->columns;
    const le__fixed_view view = *p->view;
    const le__classify *c = &p->fused->classify;
    const le__thresholds thresholds = le__thresholds_of(c);
    const int64_t strides[3] = {0, p->fused->strides[1], p->fused->strides[2]};
    const float *planes = p->planes;
    const vf fill = vf_set((float)p->fused->camera->fill);
    const bool shows = p->fused->fill_shows;
    le__quad_columns q;
    int count[PARTS] = {0};
    for (int32_t d = to - 1; d >= from; d--) {
        set_quad_columns(&q, &columns, &view, d, strides, clipped,
                         clipped ? depth_inside(d, p->begin, p->end) : all_lanes());
        for (int part = 0; part < PARTS; part++) {
            vf v = v_sample_quads(planes, strides[1], &q, part * V_COLUMNS);
            vm in = all_lanes();
            if (clipped) {
                in = depth_inside(d, g->begin[part], g->end[part]);
                v = vf_select(in, v, fill);
                in = shows ? all_lanes() : in;
            }
            count[part] = le__keep(&k[part], count[part], c, &thresholds, how, v, in);
        }
    }
    for (int part = 0; part < PARTS; part++)
        k[part].count = count[part];
}

static void take_planes(const group *g, le__kept *k, int32_t from, int32_t to)
{
    switch (le__keeping_of(&g->p.fused->classify)) {
    case LE__KEEP_FEW:
        if (g->p.clipped)
            plane_depths(g, k, from, to, true, LE__KEEP_FEW);
        else
            plane_depths(g, k, from, to, false, LE__KEEP_FEW);
        break;
    case LE__KEEP_CLASSES:
        plane_depths(g, k, from, to, true, LE__KEEP_CLASSES);
        break;
    case LE__KEEP_RANGE:
        if (g->p.clipped)
            plane_depths(g, k, from, to, true, LE__KEEP_RANGE);
        else
            plane_depths(g, k, from, to, false, LE__KEEP_RANGE);
        break;
    }
}

static void store_group(const packet *p, const le__pixels *q)
{
    int64_t n = p->fused->camera->size;
    for (int part = 0; part < PARTS; part++) {
        float rgb[3][VW];
        store_clipped(&q[part], rgb);
        for (int lane = 0; lane < VW; lane++) {
            int64_t column = p->iz + part * V_COLUMNS + lane / LE__ROWS, row = p->ix + lane % LE__ROWS;
            if (column < n && row < n)
                store_pixel(p, row, column, rgb, lane);
        }
    }
}

static void render_group(const group *g)
{
    const packet *p = &g->p;
    le__kept kept[PARTS];
    le__pixels q[PARTS];
    for (int part = 0; part < PARTS; part++)
        q[part] = le__pixels_start();
    bool more = true;
    for (int32_t to = p->to; more && to > p->from; to -= LE__CHUNK) {
        int32_t from = to - LE__CHUNK > p->from ? to - LE__CHUNK : p->from;
        if (may_skip(p) && skip_chunk(p, from, to))
            continue;
        take_planes(g, kept, from, to);
        more = false;
        for (int part = 0; part < PARTS; part++)
            more |= finish_chunk(p, &kept[part], &q[part]);
    }
    store_group(p, q);
}

/* --------------------------------------------------------------------------------- planes ---- */

/* VW voxels of a line from `offset` on as floats, `count` of them valid. */
static inline vf load_values(const le__fused *f, int64_t offset, int64_t count)
{
    const le__voxels *v = &f->volume;
    float values[VW] = {0};
    if (v->dtype == LE_F32 && count >= VW && v->lines)
        return vf_load((const float *)v->data + offset);
    count = count < VW ? count : VW;
    if (v->lines)
        le__load_f32(v->data, v->dtype, offset, count, values);
    else
        le__load_strided_f32(v->data, v->dtype, offset, count, v->strides[2], values);
    return vf_load(values);
}

typedef struct plane_rows {
    int64_t cell[LE__ROWS];         /* plane of the volume before the row */
    float lower[LE__ROWS], upper[LE__ROWS];
    int inside;                     /* bits: rows inside the volume */
} plane_rows;

static void find_rows(const le__fused *f, int64_t ix, plane_rows *rows)
{
    rows->inside = 0;
    for (int r = 0; r < LE__ROWS; r++) {
        double weight, index = le__view_index(f->views[0].view, 0, 0, ix + r, 0);
        bool in = le__index_inside(index, f->camera->shape[0]);
        /* rows past the image are not stored; they count as inside so as not to cost a mask */
        rows->inside |= (in || ix + r >= f->camera->size) << r;
        rows->cell[r] = le__index_cell(in ? index : 0.0, f->camera->shape[0], &weight);
        rows->upper[r] = (float)weight;
        rows->lower[r] = (float)(1.0 - weight);
    }
}

/* Quads of the line y of the volume, columns [z0, z1), written from `out` on; up to VW - 1 more.
 * Returns whether a voxel of them is negative. */
static bool blend_line(const le__fused *f, const plane_rows *rows, int64_t y, int64_t z0, int64_t z1,
                       float *out)
{
    const int64_t *n = f->camera->shape, *t = f->volume.strides;
    vf least = vf_set(0.0f);
    for (int64_t z = z0; z < z1; z += VW) {
        vf v[LE__ROWS];
        for (int r = 0; r < LE__ROWS; r++) {
            int64_t at = rows->cell[r] * t[0] + y * t[1] + z * t[2];
            vf a = load_values(f, at, n[2] - z), b = load_values(f, at + t[0], n[2] - z);
            v[r] = vf_fma(b, vf_set(rows->upper[r]), vf_mul(a, vf_set(rows->lower[r])));
            /* the second operand is kept where the first is NaN */
            least = vf_min(b, vf_min(a, least));
        }
        v_store_quads(out + LE__ROWS * (z - z0), v[0], v[1], v[2], v[3]);
    }
    return vm_any(vf_lt(least, vf_set(0.0f)));
}

/* The planes of the rows, padded by one voxel all round, with le__past_last at the far ends. Returns
 * whether a voxel is negative. */
static bool make_planes(const le__fused *f, const plane_rows *rows, float *planes)
{
    bool negative = false;
    const int64_t *n = f->camera->shape, pitch = f->strides[1], step = f->strides[2];
    for (int64_t r = 0; r < n[1] + 2; r++) {
        int64_t begin = f->spans[2 * r], end = f->spans[2 * r + 1];
        int64_t y = r == 0 ? 0 : r > n[1] ? n[1] - 1 : r - 1;
        int64_t z0 = begin > 0 ? begin - 1 : 0, z1 = end - 1 < n[2] ? end - 1 : n[2];
        if (begin >= end || z0 >= z1)
            continue;
        float *line = planes + r * pitch;
        negative |= blend_line(f, rows, y, z0, z1, line + (z0 + 1) * step);
        for (int k = 0; k < LE__ROWS; k++) {
            line[k] = line[step + k];
            line[(n[2] + 1) * step + k] =
                le__past_last(line[n[2] * step + k], line[(n[2] - 1) * step + k]);
        }
    }
    float *last = planes + (n[1] + 1) * pitch, *before = last - 2 * pitch;
    const int32_t *span = f->spans + 2 * (n[1] + 1);
    for (int64_t i = span[0] * step; i < span[1] * step; i++)
        last[i] = le__past_last(last[i], before[i]);
    return negative;
}

/* Lanes of rows outside the volume have no depths. */
static void set_lane_ranges(group *g, int rows_inside)
{
    const packet *p = &g->p;
    int32_t column_begin[VW], column_end[VW], begin[VW], end[VW];
    vi_store(column_begin, p->begin);
    vi_store(column_end, p->end);
    for (int part = 0; part < PARTS; part++) {
        for (int lane = 0; lane < VW; lane++) {
            int column = part * V_COLUMNS + lane / LE__ROWS;
            bool in = rows_inside >> lane % LE__ROWS & 1;
            begin[lane] = in ? column_begin[column] : 0;
            end[lane] = in ? column_end[column] : 0;
        }
        g->begin[part] = vi_load(begin);
        g->end[part] = vi_load(end);
    }
}

static void set_group(group *g, int rows_inside)
{
    packet *p = &g->p;
    const int all = (1 << LE__ROWS) - 1;
    if (p->view->begin)
        set_ranges(p, p->view->begin + p->iz, p->view->end + p->iz);
    else
        set_full_range(p);
    /* the loop for more than a few classes is made for clipped packets only */
    if (rows_inside != all || le__keeping_of(&p->fused->classify) == LE__KEEP_CLASSES)
        p->clipped = true;
    if (p->clipped)
        set_lane_ranges(g, rows_inside);
    le__packet_set(&p->columns, p->view, p->ix, p->iz, p->fused->strides);
}

/* The rows of one item, ray by ray: blended planes do not tell which voxels cancelled. */
static void render_signed_rows(const le__fused *rays, int64_t ix)
{
    for (int64_t row = ix; row < ix + LE__ROWS && row < rays->camera->size; row++)
        for (size_t v = 0; v < rays->camera->n_views && !le_call_cancelled(rays->call); v++)
            ray_row(rays, &rays->views[v], row);
}

static void axis_range(void *fused, size_t begin, size_t end, int worker)
{
    const le__fused *f = fused;
    const unsigned before = flush_denormals(f);
    float *planes = f->planes + worker * f->plane_floats;
    int64_t n = f->camera->size;
    for (size_t item = begin; item < end; item++) {
        plane_rows rows;
        group g = {.p = {.fused = f, .ix = (int64_t)item * LE__ROWS, .rows = LE__ROWS, .planes = planes}};
        find_rows(f, g.p.ix, &rows);
        if (make_planes(f, &rows, planes) && f->signed_rays) {
            render_signed_rows(f->signed_rays, g.p.ix);
            continue;
        }
        for (size_t v = 0; v < f->camera->n_views && !le_call_cancelled(f->call); v++) {
            g.p.view = &f->views[v];
            for (g.p.iz = 0; g.p.iz < n; g.p.iz += VW) {
                set_group(&g, rows.inside);
                render_group(&g);
            }
        }
    }
    le__denormals_restore(before);
}
