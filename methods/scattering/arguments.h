/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The arguments that the integrations have in common, by index, and their descriptions. Argument 0
 * is what is integrated, and the family's own.
 */
#ifndef LE_SCATTERING_ARGUMENTS_H
#define LE_SCATTERING_ARGUMENTS_H

#include "liquid_engine/le_method.h"
#include "scattering/split.h"

enum {
    SC_FRAMES,
    SC_PONI,
    SC_DISTANCE, /* the numbers of a PONI file, in the order of le__sc_number */
    SC_PONI1,
    SC_PONI2,
    SC_ROT1,
    SC_ROT2,
    SC_ROT3,
    SC_WAVELENGTH,
    SC_PIXEL1,
    SC_PIXEL2,
    SC_DETECTOR,
    SC_NPT,
    SC_UNIT,
    SC_SPLITTING,
    SC_MASK, /* images of the detector, to SC_VARIANCE */
    SC_DARK,
    SC_FLAT,
    SC_ABSORPTION,
    SC_VARIANCE,
    SC_SOLID_ANGLE,
    SC_POLARIZATION,
    SC_ERROR_MODEL,
    SC_RADIAL_RANGE,
    SC_AZIMUTH_RANGE,
    SC_DUMMY,
    SC_DELTA_DUMMY,
    SC_NORMALIZATION_FACTOR,
    SC_WEIGHTED,
    SC_RADIAL, /* outputs, to the last of the common ones */
    SC_INTENSITY,
    SC_SEM,
    SC_STD,
    SC_SUM_SIGNAL,
    SC_SUM_NORMALIZATION,
    SC_SUM_NORMALIZATION2,
    SC_SUM_VARIANCE,
    SC_COUNT,
    SC_COMMON, /* how many; an operation's own follow */
    SC_NPT_AZIM = SC_COMMON, /* of results in two dimensions */
    SC_AZIMUTHAL
};

extern const char *const le__sc_error_models[]; /* names, NULL-ended, in the order of le__sc_model */

#define LE__SC_IMAGE(the_name, the_doc)                                                            \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = LE_TYPE_IN, .optional = true,                    \
        .dtypes = LE_DTYPES_ALL | LE_DTYPE_BIT(LE_I8), .min_ndim = 2, .max_ndim = 2,               \
        .shape = "[H,W]"                                                                           \
    }
#define LE__SC_NUMBER(the_name, the_doc)                                                           \
    { .name = the_name, .doc = the_doc, .type = LE_TYPE_F64, .optional = true }
#define LE__SC_RESULT_OF(the_name, the_doc, the_most, the_shape, is_usual)                         \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = LE_TYPE_OUT, .optional = true,                   \
        .usual = is_usual, .dtypes = LE_DTYPES_FLOAT, .min_ndim = 1, .max_ndim = the_most,         \
        .shape = the_shape                                                                         \
    }
#define LE__SC_RESULT(the_name, the_doc, the_most, the_shape)                                      \
    LE__SC_RESULT_OF(the_name, the_doc, the_most, the_shape, false)
#define LE__SC_USUAL_RESULT(the_name, the_doc, the_most, the_shape)                                \
    LE__SC_RESULT_OF(the_name, the_doc, the_most, the_shape, true)
#define LE__SC_SWITCH(the_name, the_doc)                                                           \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = LE_TYPE_I64, .optional = true, .min = 0,         \
        .max = 1, .has_default = true, .default_f64 = 1                                            \
    }
#define LE__SC_FRAMES_IN                                                                           \
    {                                                                                              \
        .name = "frames", .doc = "detector frames", .type = LE_TYPE_IN, .dtypes = LE_DTYPES_ALL,   \
        .min_ndim = 2, .max_ndim = 4, .shape = "[H,W], [N,H,W] or [A,B,H,W]"                       \
    }

/* Arguments SC_PONI to SC_WEIGHTED; the usual splitting, the error models and the usual one. */
#define LE__SC_INPUTS_OF(the_splitting, the_models, the_model)                                     \
    [SC_PONI] = {.name = "poni", .doc = "PONI file with the geometry; the numbers beside it count "\
                                        "more",                                                    \
                 .type = LE_TYPE_STR, .optional = true},                                           \
    [SC_DISTANCE] = LE__SC_NUMBER("distance", "from the sample to the detector, m"),               \
    [SC_PONI1] = LE__SC_NUMBER("poni1", "point of normal incidence along the rows' axis, m"),      \
    [SC_PONI2] = LE__SC_NUMBER("poni2", "the same along the columns' axis, m"),                    \
    [SC_ROT1] = LE__SC_NUMBER("rot1", "first rotation of the detector, rad"),                      \
    [SC_ROT2] = LE__SC_NUMBER("rot2", "second rotation, rad"),                                     \
    [SC_ROT3] = LE__SC_NUMBER("rot3", "third rotation, about the beam, rad"),                      \
    [SC_WAVELENGTH] = LE__SC_NUMBER("wavelength", "of the beam, m"),                               \
    [SC_PIXEL1] = LE__SC_NUMBER("pixel1", "height of a pixel, m"),                                 \
    [SC_PIXEL2] = LE__SC_NUMBER("pixel2", "width of a pixel, m"),                                  \
    [SC_DETECTOR] = {.name = "detector",                                                           \
                     .doc = "name of a detector (Eiger4M ...), which brings pixels, gaps and "     \
                            "dummy, or a NeXus detector file",                                     \
                     .type = LE_TYPE_STR, .optional = true},                                       \
    [SC_NPT] = {.name = "npt", .doc = "bins of the radial axis", .type = LE_TYPE_I64,              \
                .cost = true, .min = 1, .max = 1 << 20},                                           \
    [SC_UNIT] = {.name = "unit", .doc = "of the radial axis", .type = LE_TYPE_STR,                 \
                 .optional = true, .words = le__sc_units, .default_str = "q_nm^-1"},               \
    [SC_SPLITTING] = {.name = "splitting",                                                         \
                      .doc = "of pixels among bins: by area, by bounding box, or none",            \
                      .type = LE_TYPE_STR, .optional = true, .cost = true,                         \
                      .words = le__sc_splittings, .default_str = the_splitting},                   \
    [SC_MASK] = LE__SC_IMAGE("mask", "other than 0: the pixel is left out"),                       \
    [SC_DARK] = LE__SC_IMAGE("dark", "subtracted from the frames, as f32"),                    \
    [SC_FLAT] = LE__SC_IMAGE("flat", "relative response of the pixels; 0: left out"),              \
    [SC_ABSORPTION] = LE__SC_IMAGE("absorption", "relative transmission or efficiency"),           \
    [SC_VARIANCE] = LE__SC_IMAGE("variance", "of the frames, for error_model variance"),           \
    [SC_SOLID_ANGLE] = LE__SC_SWITCH("solid_angle", "1: correct for the solid angle of pixels"),   \
    [SC_POLARIZATION] = {.name = "polarization",                                                   \
                         .doc = "polarization factor of the beam; absent: no correction",          \
                         .type = LE_TYPE_F64, .optional = true, .min = -1, .max = 1},              \
    [SC_ERROR_MODEL] = {.name = "error_model",                                                     \
                        .doc = "where sem and std come from: counting, the spread within a bin, "  \
                               "or given variances",                                               \
                        .type = LE_TYPE_STR, .optional = true, .cost = true,                       \
                        .words = the_models, .default_str = the_model},                            \
    [SC_RADIAL_RANGE] = {.name = "radial_range", .doc = "first and last value, in the unit",       \
                         .type = LE_TYPE_F64S, .optional = true, .min_count = 2, .max_count = 2},  \
    [SC_AZIMUTH_RANGE] = {.name = "azimuth_range",                                                 \
                          .doc = "first and last azimuth in degrees; may cross 180",               \
                          .type = LE_TYPE_F64S, .optional = true, .min_count = 2,                  \
                          .max_count = 2},                                                         \
    [SC_DUMMY] = LE__SC_NUMBER("dummy", "value of pixels without data"),                           \
    [SC_DELTA_DUMMY] = {.name = "delta_dummy", .doc = "how near to dummy counts as dummy",         \
                        .type = LE_TYPE_F64, .optional = true, .min = 0, .max = 1e300},            \
    [SC_NORMALIZATION_FACTOR] = {.name = "normalization_factor",                                   \
                                 .doc = "a monitor, say; intensities are divided by it",           \
                                 .type = LE_TYPE_F64, .optional = true, .has_default = true,       \
                                 .default_f64 = 1},                                                \
    [SC_WEIGHTED] = LE__SC_SWITCH("weighted",                                                      \
                                  "1: ratio of sums; 0: mean of the corrected pixels"),            \
    [SC_RADIAL] = LE__SC_USUAL_RESULT("radial", "centres of the bins, in the unit", 1, "[npt]")
#define LE__SC_INPUTS LE__SC_INPUTS_OF("full", le__sc_error_models, "none")

/* Arguments SC_INTENSITY to SC_COUNT */
#define LE__SC_RESULTS(most, shape)                                                                \
    [SC_INTENSITY] = LE__SC_USUAL_RESULT("intensity", "mean corrected signal; 0 in empty bins",    \
                                         most, shape),                                             \
    [SC_SEM] = LE__SC_RESULT("sem", "standard error of the mean", most, shape),                    \
    [SC_STD] = LE__SC_RESULT("std", "standard deviation of the pixels", most, shape),              \
    [SC_SUM_SIGNAL] = LE__SC_RESULT("sum_signal", "of frame less dark", most, shape),              \
    [SC_SUM_NORMALIZATION] =                                                                       \
        LE__SC_RESULT("sum_normalization", "of the products of corrections", most, shape),         \
    [SC_SUM_NORMALIZATION2] = LE__SC_RESULT("sum_normalization2", "of their squares", most,        \
                                            shape),                                                \
    [SC_SUM_VARIANCE] = LE__SC_RESULT("sum_variance", "of the variances", most, shape),            \
    [SC_COUNT] = LE__SC_RESULT("count", "of pixels, by their shares", most, shape)

#endif
