/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What a call asks for: its arguments, the PONI file and the detector put together.
 */
#ifndef LE_SCATTERING_SETUP_H
#define LE_SCATTERING_SETUP_H

#include "scattering/arguments.h"
#include "scattering/detectors.h"
#include "scattering/poni.h"

typedef enum le__sc_model {
    LE__SC_MODEL_NONE,
    LE__SC_MODEL_POISSON,
    LE__SC_MODEL_AZIMUTHAL,
    LE__SC_MODEL_VARIANCE
} le__sc_model;

typedef struct le__sc_image {
    const void *data; /* NULL: not given */
    le_dtype dtype;
} le__sc_image;

enum { LE__SC_STACK = 2 }; /* the most axes in front of those of a frame */

typedef struct le__sc_setup {
    le__sc_geometry geometry; /* edges and corners once it is loaded */
    le__sc_bins bins;         /* ends of axes once it is loaded */
    le__sc_model model;
    const le__sc_detector *detector; /* NULL: none with a name */
    double pixel[2];
    int orientation;
    int64_t frames;              /* 1 of [H,W] */
    int stack_axes;              /* in front of those of a frame */
    int64_t stack[LE__SC_STACK]; /* of these: how long they are */
    bool has_radial_range, has_azimuth_range;
    /* In the unit; in degrees, rising, in the turn whose middle is next to 0. The one of the call
     * is so many degrees on. */
    double radial_range[2], azimuth_range[2], azimuth_from;
    bool has_dummy;
    double dummy, delta_dummy;
    float limit; /* values this far from 0 are no data */
    bool polarized, solid_angle, weighted;
    double polarization, normalization;
    char file[4096];   /* NeXus detector; "" */
    uint64_t version;  /* of that file: its size and time */
    le__sc_image gaps; /* its mask, once it is loaded */
} le__sc_setup;

/* For le_operation.check: reads the PONI file, checks everything that needs no data, and keeps the
 * setup with the call. shape: of the frames, whose last two axes are those of a frame. dtype: of
 * their pixels; npt_azim 0: one dimension. */
le_status le__sc_setup_check(le_call *call, int ndim, const int64_t *shape, le_dtype dtype,
                             int64_t npt_azim);
/* Of a call that was checked. */
const le__sc_setup *le__sc_setup_of(const le_call *call);

/* Shapes of the results: [npt] or [npt_azim,npt], behind the axes of the stack. */
le_status le__sc_setup_outputs(le_call *call);
int64_t le__sc_setup_bins(const le__sc_setup *setup);

/* A copy with the pixels' places: edges, or corners from the file. */
typedef struct le__sc_loaded {
    le__sc_setup setup;
    void *places;            /* owned */
    le_tensor corners, gaps; /* owned */
    double widest;           /* radial extent of a pixel; INFINITY: nobody has looked */
} le__sc_loaded;

le_status le__sc_setup_load(const le__sc_setup *setup, le__sc_loaded *out);
void le__sc_setup_unload(le__sc_loaded *loaded);

/* Writes what tables of pixels and bins depend on. */
void le__sc_setup_key(const le__sc_setup *setup, char *out, size_t size);

#endif
