/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Transfer functions: from a sample's value v to colour and opacity.
 *
 * s is ln(v) or v itself. Two forms:
 *     Gaussians:  E_j = exp(-(s - centre_j)^2 / width_j);  rgb = sum rgb_j E_j,  alpha = sum alpha_j E_j
 *     table:      piecewise linear between knots (s, r, g, b, alpha), constant beyond the ends
 * A sample that is NaN or, on the log scale, not positive is transparent: all four are 0.
 *
 * As text: "mocz" (three Gaussians, the default); "MAP", "MAP:LOW:HIGH" or "MAP:LOW:HIGH:ALPHA" with a
 * colour map's name, over s from LOW to HIGH (default -5 to 5 on the log scale, 0 to 1 on the linear
 * one) with opacity rising linearly from 0 to ALPHA (default 0.1); the path of a JSON file; or the JSON
 * itself:
 *     {"gaussians": [{"centre": 9, "width": 1, "rgb": [1, 1, 0.1], "alpha": 0.6}, ...]}
 *     {"table": [[s, r, g, b, alpha], ...]}             s strictly ascending, 2 or more knots
 *     {"colormap": "viridis", "limits": [-5, 5], "alpha": 0.1}
 */
#ifndef LE_VOLUME_TRANSFER_H
#define LE_VOLUME_TRANSFER_H

#include "liquid_engine/le_method.h"

typedef struct le__gaussian {
    double centre, width;    /* width > 0 */
    double rgba[4];
} le__gaussian;

typedef struct le__knot {
    double s, rgba[4];
} le__knot;

typedef struct le__transfer {
    bool log;                /* s is ln(v) */
    bool table;
    size_t n;                /* Gaussians, or knots (>= 2) */
    const le__gaussian *gaussians;
    const le__knot *knots;
} le__transfer;

#define LE__TRANSFER_MAX 4096 /* Gaussians or knots */

/* Reads a transfer function from its text. On success *out is owned by the caller: free(). who begins
 * the error message. Thread safe. */
le_status le__transfer_read(le__transfer **out, const char *text, bool log, const char *who);

/* Colour and opacity of a value, in double precision. */
void le__transfer_at(const le__transfer *t, double value, double rgba[4]);

/* Whether all that shows is a normal number of single precision: a Gaussian on the log scale may show
 * others. *why says so where not. */
bool le__transfer_is_normal(const le__transfer *t, const char **why);

/* Whether no denormal number on the way to its colours shows: they may be computed without them. */
bool le__transfer_hides_denormals(const le__transfer *t);

/* What of it changes the work, and who can do it: "table", "gaussians3", "gaussians3,denormal". */
void le__transfer_key(const le__transfer *t, char *out, size_t size);

/* A transfer function with room for n Gaussians or knots, to be filled in; free(). NULL: no memory. */
le__transfer *le__transfer_new(bool log, bool table, size_t n);

/* From JSON text. As le__transfer_read. */
le_status le__transfer_from_json(le__transfer **out, const char *json, bool log, const char *who);

/* From a named colour map. As le__transfer_read. */
le_status le__transfer_from_map(le__transfer **out, const char *map, const double limits[2],
                                double alpha, bool log, const char *who);

#endif
