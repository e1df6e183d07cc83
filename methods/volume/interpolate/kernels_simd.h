/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kernels of `interpolate`, compiled once for each instruction set: packets of neighbouring columns,
 * depth by depth, from the volume or from a plane blended once an image row.
 */
#include "volume/interpolate/simd.h"
#include "volume/packet_simd.h"

typedef struct packet {
    const le__interpolation *x;
    int64_t ix, iz;
    le__packet_columns columns;
    vi begin, end;               /* depths of each lane inside the volume */
    bool whole;                  /* every lane at every depth is inside, away from the edges */
    const float *plane;          /* axis form; NULL: rays form */
} packet;

static vm lanes_inside(const packet *p, int32_t depth)
{
    return vm_and(vi_gt(p->end, vi_set(depth)), vi_gt(vi_set(depth + 1), p->begin));
}

static void store(const packet *p, int64_t iy, vf v)
{
    const le_tensor *out = p->x->out;
    int64_t columns = p->x->camera->size - p->iz;
    int64_t at = iy * out->strides[0] + p->ix * out->strides[1] + p->iz * out->strides[2];
    if (columns >= VW && out->dtype == LE_F32 && out->strides[2] == 1) {
        vf_store((float *)out->data + at, v);
        return;
    }
    float lanes[VW];
    vf_store(lanes, v);
    for (int64_t i = 0; i < VW && i < columns; i++)
        le__store(out->data, out->dtype, at + i * out->strides[2], (double)lanes[i]);
}

static void plane_packet(const packet *p)
{
    const le__interpolation *x = p->x;
    const vf fill = vf_set((float)x->camera->fill);
    for (int32_t iy = 0; iy < (int32_t)x->camera->size; iy++) {
        vi f[3];
        le__weights w;
        vm in = lanes_inside(p, iy);
        vi at = vi_select(in, le__packet_at(&p->columns, &x->view, iy, 1, x->strides, f), vi_set(0));
        v_weights(f[1], &w.lower[1], &w.upper[1]);
        v_weights(f[2], &w.lower[2], &w.upper[2]);
        store(p, iy, vf_select(in, le__sample_plane(p->plane, x->strides[1], at, &w), fill));
    }
}

#define DEFINE_PACKET(dtype, s)                                                                    \
    static void packet_##s(const packet *p)                                                        \
    {                                                                                              \
        const le__interpolation *x = p->x;                                                         \
        const vf fill = vf_set((float)x->camera->fill);                                            \
        const int64_t *n = x->camera->shape, *t = x->strides;                                      \
        for (int32_t iy = 0; iy < (int32_t)x->camera->size; iy++) {                                \
            vi f[3], at;                                                                           \
            le__weights w;                                                                         \
            if (p->whole) {                                                                        \
                at = le__packet_at(&p->columns, &x->view, iy, 0, t, f);                            \
                le__packet_weights(f, &w);                                                         \
            } else {                                                                               \
                at = le__packet_at_clamped(&p->columns, &x->view, iy, n, t, &w);                   \
            }                                                                                      \
            const bool watch = le__dtype_is_signed(dtype);                                         \
            vf bounds = vf_set(0.0f);                                                              \
            vf v = le__sample_##s(&x->volume, t[0], t[1], at, &w, watch ? &bounds : NULL);         \
            if (watch)                                                                             \
                v = le__packet_exact(v, bounds, &x->volume, x->camera, x->view.view, iy, p->ix,    \
                                     p->iz);                                                       \
            store(p, iy, p->whole ? v : vf_select(lanes_inside(p, iy), v, fill));                  \
        }                                                                                          \
    }
#define DEFINE_PACKET_OF(D, T, s) DEFINE_PACKET(D, s)
LE__DTYPE_LIST(DEFINE_PACKET_OF)
DEFINE_PACKET(x->volume.dtype, apart)

static void ray_packet(const packet *p)
{
    const le__voxels *volume = &p->x->volume;
    (volume->lines ? LE__FOR_DTYPE(packet, volume->dtype) : packet_apart)(p);
}

/* Depths of each lane inside axes [axis, 3); and whether the packet is whole. */
static void set_ranges(packet *p, int axis)
{
    const le__camera *c = p->x->camera;
    const le__view *v = &c->views[0];
    int32_t begin[VW], end[VW];
    int64_t last = c->size - 1;
    p->whole = true;
    for (int64_t i = 0; i < VW; i++) {
        int64_t first = 0, stop = c->size, iz = p->iz + i < last ? p->iz + i : last;
        if (c->has_fill)
            le__view_ray(c, v, axis, p->ix, iz, &first, &stop);
        begin[i] = (int32_t)first;
        end[i] = (int32_t)stop;
        p->whole = p->whole && first == 0 && stop == c->size;
        for (int a = axis; a < 3; a++)
            for (int64_t iy = 0; iy <= last; iy += last > 0 ? last : 1) {
                double index = le__view_index(v, a, iy, p->ix, iz);
                p->whole = p->whole && index > LE__EDGE_VOXELS &&
                           index < (double)(c->shape[a] - 1) - LE__EDGE_VOXELS;
            }
    }
    p->begin = vi_load(begin);
    p->end = vi_load(end);
}

static void load_line(const le__voxels *volume, int64_t at, int64_t count, float *out)
{
    if (volume->lines)
        le__load_f32(volume->data, volume->dtype, at, count, out);
    else
        le__load_strided_f32(volume->data, volume->dtype, at, count, volume->strides[2], out);
}

/* The plane of an image row, with le__past_last at its ends. Returns whether a voxel is negative. */
static bool make_plane(const le__interpolation *x, int64_t ix, float *plane)
{
    const int64_t *n = x->camera->shape, *t = x->volume.strides, pitch = x->strides[1];
    double weight, index = le__view_index(&x->camera->views[0], 0, 0, ix, 0);
    int64_t cell = le__index_cell(index, n[0], &weight);
    const vf lower = vf_set((float)(1.0 - weight)), upper = vf_set((float)weight);
    vf least = vf_set(0.0f);
    for (int64_t r = 0; r < n[1] + 2; r++) {
        int64_t y = r == 0 ? 0 : r > n[1] ? n[1] - 1 : r - 1, at = cell * t[0] + y * t[1];
        float *row = plane + r * pitch;
        for (int64_t z = 0; z < n[2]; z += VW) {
            float a[VW] = {0}, b[VW] = {0};
            int64_t count = n[2] - z < VW ? n[2] - z : VW;
            load_line(&x->volume, at + z * t[2], count, a);
            load_line(&x->volume, at + z * t[2] + t[0], count, b);
            vf_store(row + 1 + z, vf_fma(vf_load(b), upper, vf_mul(vf_load(a), lower)));
            /* the second operand is kept where the first is NaN */
            least = vf_min(vf_load(b), vf_min(vf_load(a), least));
        }
        row[0] = row[1];
        row[n[2] + 1] = le__past_last(row[n[2]], row[n[2] - 1]);
    }
    float *end = plane + (n[1] + 1) * pitch;
    for (int64_t z = 0; z < n[2] + 2; z++)
        end[z] = le__past_last(end[z], end[z - 2 * pitch]);
    return vm_any(vf_lt(least, vf_set(0.0f)));
}

static void run_row(const le__interpolation *x, int64_t ix, float *plane)
{
    const le__camera *c = x->camera;
    packet p = {.x = x, .ix = ix, .plane = plane};
    bool row_inside = true;
    if (plane) {
        row_inside = le__index_inside(le__view_index(&c->views[0], 0, 0, ix, 0), c->shape[0]);
        if (row_inside && make_plane(x, ix, plane) && x->signed_rays) {
            run_row(x->signed_rays, ix, NULL);
            return;
        }
    }
    for (p.iz = 0; p.iz < c->size; p.iz += VW) {
        set_ranges(&p, plane ? 1 : 0);
        if (!row_inside)
            p.begin = p.end = vi_set(0);
        le__packet_set(&p.columns, &x->view, ix, p.iz, x->strides);
        if (plane)
            plane_packet(&p);
        else
            ray_packet(&p);
    }
}

static void rays_range(void *interpolation, size_t begin, size_t end, int worker)
{
    (void)worker;
    for (size_t ix = begin; ix < end; ix++)
        run_row(interpolation, (int64_t)ix, NULL);
}

static void axis_range(void *interpolation, size_t begin, size_t end, int worker)
{
    const le__interpolation *x = interpolation;
    for (size_t ix = begin; ix < end; ix++)
        run_row(x, (int64_t)ix, x->planes + worker * x->plane_floats);
}
