/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Classification and compositing, front to back, of a chunk of kept samples of one packet.
 */
#ifndef LE_VOLUME_CLASSIFY_SIMD_H
#define LE_VOLUME_CLASSIFY_SIMD_H

#include "volume/simd_math.h"
#include "volume/volume_render/fused.h"

/* Samples of a packet that can show, nearest first. */
typedef struct le__kept {
    float value[LE__CHUNK][VW];
    int32_t class[LE__CHUNK][VW];  /* LE__FORM_CLASSES only */
    vm_stored mask[LE__CHUNK];
    int count;
} le__kept;

typedef struct le__pixels {
    vf red, green, blue, through;  /* through: T, what is left of the light from behind */
} le__pixels;

static inline le__pixels le__pixels_start(void)
{
    return (le__pixels){vf_set(0.0f), vf_set(0.0f), vf_set(0.0f), vf_set(1.0f)};
}

static inline void le__over(le__pixels *p, vf red, vf green, vf blue, vf alpha)
{
    vf weight = vf_mul(alpha, p->through);
    p->through = vf_sub(p->through, weight);
    p->red = vf_fma(weight, red, p->red);
    p->green = vf_fma(weight, green, p->green);
    p->blue = vf_fma(weight, blue, p->blue);
}

/* Thresholds of a classification in registers: the first classes' alone where there are at most
 * LE__FEW. */
enum { LE__FEW = 3 };
typedef struct le__thresholds {
    vf lows[LE__FEW], highs, low, high;
} le__thresholds;

static inline le__thresholds le__thresholds_of(const le__classify *c)
{
    le__thresholds t = {.highs = vf_load(c->highs), .low = vf_set(c->low), .high = vf_set(c->high)};
    for (int i = 0; i < LE__FEW; i++)
        t.lows[i] = vf_set(c->lows[i + 1]);
    return t;
}

/* How samples are kept: by at most LE__FEW classes, by classes, by one range. */
typedef enum le__keeping { LE__KEEP_FEW, LE__KEEP_CLASSES, LE__KEEP_RANGE } le__keeping;

static inline le__keeping le__keeping_of(const le__classify *c)
{
    return c->form != LE__FORM_CLASSES ? LE__KEEP_RANGE
           : c->n_classes <= LE__FEW   ? LE__KEEP_FEW
                                       : LE__KEEP_CLASSES;
}

/* Appends the lanes of v (of those in inside) that can show; count samples are kept so far. Returns the
 * new count. */
static inline int le__keep(le__kept *k, int count, const le__classify *c, const le__thresholds *t,
                           le__keeping how, vf v, vm inside)
{
    vm visible;
    vf_store(k->value[count], v);
    if (how == LE__KEEP_RANGE) {
        visible = vm_and(inside, vm_and(vf_ge(v, t->low), vf_le(v, t->high)));
    } else {
        vi class = vi_set(0);
        for (int i = 0; how == LE__KEEP_FEW && i < LE__FEW; i++)
            class = vi_count(class, vf_ge(v, t->lows[i]));
        for (int i = 1; how == LE__KEEP_CLASSES && i <= c->n_classes; i++)
            class = vi_count(class, vf_ge(v, vf_set(c->lows[i])));
        visible = vm_and(inside, vf_le(v, vf_lookup(t->highs, class)));
        vi_store(k->class[count], class);
    }
    k->mask[count] = vm_store(visible);
    return count + vm_any(visible);
}

/* d = log2(v / 1.5) - centre; v is positive and normal */
static inline vf le__log_distance(vf v, vf centre)
{
    vf x = vf_sub(vf_mantissa_normal(v), vf_set(1.5f));
    return vf_fma(le__log2_slope(x), x, vf_sub(vf_exponent_normal(v), centre));
}

static inline void le__composite_classes(le__pixels *p, const le__kept *k, const le__classify *c,
                                         bool log)
{
    vf centre = vf_load(c->centre), factor = vf_load(c->factor), alpha = vf_load(c->rgba[3]);
    vf red = vf_load(c->rgba[0]), green = vf_load(c->rgba[1]), blue = vf_load(c->rgba[2]);
    le__pixels q = *p;
    for (int i = 0; i < k->count; i++) {
        vf v = vf_load(k->value[i]);
        vi class = vi_load(k->class[i]);
        vf d = log ? le__log_distance(v, vf_lookup(centre, class))
                   : vf_sub(v, vf_lookup(centre, class));
        vf t = vf_mul(vf_mul(d, vf_lookup(factor, class)), d);
        vf e = vf_scale_near(vm_load(k->mask[i]), le__exp2_fraction(vf_fraction(t)), t);
        vf weight = vf_mul(vf_mul(e, vf_lookup(alpha, class)), q.through);
        q.through = vf_sub(q.through, weight);
        weight = vf_mul(weight, e);
        q.red = vf_fma(weight, vf_lookup(red, class), q.red);
        q.green = vf_fma(weight, vf_lookup(green, class), q.green);
        q.blue = vf_fma(weight, vf_lookup(blue, class), q.blue);
    }
    *p = q;
}

static inline void le__composite_gaussians(le__pixels *p, const le__kept *k, const le__classify *c,
                                           bool log)
{
    const vf least = vf_set(-126.0f), zero = vf_set(0.0f);
    for (int i = 0; i < k->count; i++) {
        vm mask = vm_load(k->mask[i]);
        /* lanes that are not kept may hold anything: 1 keeps them finite */
        vf v = vf_select(mask, vf_load(k->value[i]), vf_set(1.0f));
        vf s = log ? le__log_distance(v, zero) : v;
        vf red = zero, green = zero, blue = zero, alpha = zero;
        const float *g = c->gaussians;
        for (size_t j = 0; j < c->n_gaussians; j++, g += LE__GAUSSIAN_FLOATS) {
            vf d = vf_sub(s, vf_set(g[0]));
            vf t = vf_max(vf_mul(vf_mul(d, vf_set(g[1])), d), least);
            vf e = vf_scale_near(mask, le__exp2_fraction(vf_fraction(t)), t);
            red = vf_fma(e, vf_set(g[2]), red);
            green = vf_fma(e, vf_set(g[3]), green);
            blue = vf_fma(e, vf_set(g[4]), blue);
            alpha = vf_fma(e, vf_set(g[5]), alpha);
        }
        le__over(p, red, green, blue, alpha);
    }
}

static inline vf le__segment_value(const float *segments, vi at, int channel, vf s)
{
    vf base = vf_gather(segments + 1 + channel, at), slope = vf_gather(segments + 5 + channel, at);
    return vf_fma(s, slope, base);
}

static inline void le__composite_table(le__pixels *p, const le__kept *k, const le__classify *c)
{
    const vf first = vf_set(c->first), last = vf_set(c->last);
    for (int i = 0; i < k->count; i++) {
        vm mask = vm_load(k->mask[i]);
        vf v = vf_select(mask, vf_load(k->value[i]), vf_set(1.0f));
        vf s = vf_min(vf_max(c->log ? le__ln(v) : v, first), last);
        vi cell = vi_truncate(vf_mul(vf_sub(s, first), vf_set(c->scale)));
        vi segment = vi_gather(c->cells, vi_min(cell, vi_set(c->n_cells - 1)));
        vi at = vi_sll(segment, 4);
        for (int32_t step = 0; step < c->steps; step++) {
            vi next = vi_min(vi_add(at, vi_set(LE__SEGMENT_FLOATS)),
                             vi_set((c->n_segments - 1) * LE__SEGMENT_FLOATS));
            at = vi_select(vf_ge(s, vf_gather(c->segments, next)), next, at);
        }
        vf d = vf_sub(s, vf_gather(c->segments, at));
        vf alpha = vf_keep(mask, le__segment_value(c->segments, at, 3, d));
        le__over(p, le__segment_value(c->segments, at, 0, d),
                 le__segment_value(c->segments, at, 1, d), le__segment_value(c->segments, at, 2, d),
                 alpha);
    }
}

static inline void le__composite_kept(le__pixels *p, const le__kept *k, const le__classify *c)
{
    switch (c->form) {
    case LE__FORM_CLASSES:
        if (c->log)
            le__composite_classes(p, k, c, true);
        else
            le__composite_classes(p, k, c, false);
        break;
    case LE__FORM_GAUSSIANS:
        if (c->log)
            le__composite_gaussians(p, k, c, true);
        else
            le__composite_gaussians(p, k, c, false);
        break;
    case LE__FORM_TABLE:
        le__composite_table(p, k, c);
        break;
    }
}

#endif
