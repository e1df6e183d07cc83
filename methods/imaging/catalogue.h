/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rows of a catalogue of sources: what is summed up over the pixels of a label,
 * and the columns that are made from that.
 */
#ifndef LE_IMAGING_CATALOGUE_H
#define LE_IMAGING_CATALOGUE_H

#include "imaging/double_double.h"
#include "imaging/pixels.h"

#include <math.h>

/* Of numbers as much smaller no sum is beyond doubles, and of large ones nothing is lost. */
#define LE__IM_LESS 0x1p-64

/* Of the pixels of one label. For the deviation numbers are summed up as differences from the
 * first pixel, places as differences from where that lies, so that neither far
 * offsets nor far corners cost digits. */
typedef struct le__im_sums {
    int64_t area;               /* 0: nothing else is set */
    double origin;              /* value of the first pixel */
    int64_t at[LE__IM_AXES];    /* its place */
    le__dd total;               /* of x, once its parts are added, but for what is in large */
    le__dd large;               /* of LE__IM_LESS x: of runs whose sum may be beyond doubles */
    double sum, squares;        /* of x - origin; of x less the mean, squared */
    double moment[LE__IM_AXES]; /* of x times the place's difference */
    double second[3];           /* of x times rows squared, rows times columns, columns squared */
    double minimum, maximum;
    int64_t minimum_at, maximum_at; /* first of them, in row-major order */
    int64_t begin[LE__IM_AXES], end[LE__IM_AXES];
    bool nan;
} le__im_sums;

/* Adds `count` pixels of a line, from column `col`; lines of one label in
 * row-major order. */
void le__im_add_run(le__im_sums *s, le__im_shape shape, int64_t line, int64_t col, int64_t count,
                    const double *values);

/* What a catalogue has. Axes of sums are planes, rows, columns; of a catalogue those of its image.
 */
typedef struct le__im_table {
    le__im_shape shape;
    int ndim;
    bool extended;     /* with second moments and flags, of images with two axes */
    double saturation; /* pixels from there on are saturated */
} le__im_table;

enum { LE__IM_AT_EDGE = 1, LE__IM_SATURATED = 2, LE__IM_NOT_NUMBER = 4 }; /* flags */

void le__im_catalogue_row(const le__im_sums *s, const le__im_table *table, double label,
                          double *out);
/* Half axes and angle (from axis 1 towards axis 0) of the ellipse with these second moments. A half
 * axis along which the moment is negative, as pixels below 0 can make it, is 0. */
void le__im_ellipse(const double moments[3], double out[3]);
/* For le_arg_desc.column. */
const char *le__im_column(int64_t columns, int64_t i);

extern const char *const le__im_columns_words[]; /* standard, extended */
#define LE__IM_COLUMNS_ARG                                                                         \
    {                                                                                              \
        .name = "columns", .type = LE_TYPE_STR, .optional = true, .words = le__im_columns_words,   \
        .doc = "extended: also second moments, axes and angle of the ellipse that has them, and "  \
               "flags (1 at the edge, 2 saturated, 4 not a number); two axes only",                \
        .default_str = "standard"                                                                  \
    }
#define LE__IM_SATURATION_ARG                                                                      \
    {                                                                                              \
        .name = "saturation",                                                                      \
        .doc = "pixels from there on are flagged as saturated; infinite ones always are",          \
        .type = LE_TYPE_F64, .optional = true, .has_default = true, .default_f64 = INFINITY        \
    }
/* From the arguments of a call. */
le__im_table le__im_table_of(const le_call *call, int image, int columns, int saturation);
/* Sets the catalogue's shape; with a message where an image has no such columns. */
le_status le__im_check_catalogue(le_call *call, const char *who, int catalogue, int64_t rows,
                                 const le__im_table *table);

#define LE__IM_CATALOGUE_OUT(is_optional)                                                          \
    {                                                                                              \
        .name = "catalogue",                                                                       \
        .doc = "a row each label: label, area, sum, mean, standard_deviation, "                    \
               "minimum, maximum, "                                                                \
               "minimum_position_0 .., maximum_position_0 .., center_of_mass_0 "                   \
               ".., bbox_0_start, "                                                                \
               "bbox_0_stop .., lon, lat; extended: moment_00, moment_01, moment_11, semi_major, " \
               "semi_minor, theta, flags",                                                         \
        .type = LE_TYPE_OUT, .optional = is_optional, .dtypes = LE_DTYPE_BIT(LE_F64),              \
        .min_ndim = 2, .max_ndim = 2, .shape = "[n, 9 + 5 axes], extended [n, 26]",                \
        .column = le__im_column                                                                    \
    }

/* How far two catalogues are apart: INFINITY when labels, areas, extrema or
 * boxes differ, else the largest difference of sums, relative to what rounding
 * allows. */
double le__im_compare_catalogues(const le_tensor *answer, const le_tensor *trusted, int ndim);

#endif
