/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation integrate_stored: diffraction curves of frames as they are stored.
 */
#include "scattering/integrate_stored.h"
#include "liquid_engine/le_chain.h"
#include "scattering/operation.h"

#include <string.h>

const le__sc_stored_args le__sc_integrate_stored_args = {
    SC_FRAMES,      SC_OFFSETS,     SC_SKIPPED, SC_CHUNK, SC_TYPE,
    SC_BIG_ENDIAN,  SC_COMPRESSION, SC_BLOCK,   SC_FILL,  SC_BAD};

static const char name[] = "integrate_stored";

static const le_arg_desc args[] = {
    [SC_FRAMES] = LE__SC_STORED_BYTES("frames"),
    LE__SC_INPUTS,
    LE__SC_RESULTS(2, "[N,npt]"),
    [SC_OFFSETS] = LE__SC_STORED_OFFSETS,
    [SC_SKIPPED] = LE__SC_STORED_SKIPPED,
    [SC_CHUNK] = LE__SC_STORED_CHUNK,
    [SC_TYPE] = LE__SC_STORED_TYPE,
    [SC_BIG_ENDIAN] = LE__SC_STORED_BIG_ENDIAN,
    [SC_COMPRESSION] = LE__SC_STORED_COMPRESSION,
    [SC_BLOCK] = LE__SC_STORED_BLOCK,
    [SC_FILL] = LE__SC_STORED_FILL,
    [SC_BAD] = LE__SC_STORED_BAD("bad_frames"),
};

int64_t le__sc_frames_of_chunk(const le_call *call) {
    const le__sc_setup *s = le__sc_setup_of(call);
    return s->frames / (le_call_in(call, SC_OFFSETS)->shape[0] - 1);
}

bool *le__sc_bad_frames(le_call *call, const le__sc_stored *stored) {
    const int64_t each = le__sc_frames_of_chunk(call);
    bool *bad = le_call_scratch(call, (size_t)(stored->n * each) * sizeof *bad);
    for (int64_t f = 0; bad && f < stored->n * each; f++)
        bad[f] = stored->wrong[f / each] != NULL;
    return bad;
}

static le_status check(le_call *call) {
    int64_t n, elements;
    size_t axes;
    le_status status =
        le__sc_stored_check(call, &le__sc_integrate_stored_args, name, &n, &elements);
    if (status != LE_OK)
        return status;
    const double *chunk = le_call_f64s(call, SC_CHUNK, &axes);
    const le_dtype dtype = le__sc_stored_dtype(call, &le__sc_integrate_stored_args);
    if (axes < 2)
        return le_fail(LE_ERR_ARGUMENT, "%s: chunk has one axis, expected whole frames", name);
    if (!(LE_DTYPES_ALL & LE_DTYPE_BIT(dtype)))
        return le_fail(LE_ERR_DTYPE, "%s: elements are %s, expected at most 32 bits, or f64", name,
                       le_dtype_name(dtype));
    const int64_t rows = (int64_t)chunk[axes - 2], cols = (int64_t)chunk[axes - 1];
    status = le__sc_check_results(call);
    if (status == LE_OK)
        status =
            le__sc_setup_check(call, 3, (int64_t[]){n * (elements / (rows * cols)), rows, cols}, dtype, 0);
    return status == LE_OK ? le__sc_setup_outputs(call) : status;
}

static void work(const le_call *call, le_work *out) {
    const le__sc_setup *s = le__sc_setup_of(call);
    const double pixels =
        (double)s->frames * (double)s->geometry.rows * (double)s->geometry.cols;
    out->operations = 12 * pixels;
    out->bytes = (double)le_call_in(call, SC_FRAMES)->shape[0] + pixels;
}

/* --- in two steps --- */

/* What both have under the same name, from `first` on. */
static size_t share(const le_call *call, le_chain *chain, int first, int end, le_arg *out) {
    size_t n = 0;
    for (int a = first; a < end; a++) {
        if (!le_call_given(call, a))
            continue;
        out[n++] = args[a].type == LE_TYPE_IN ? LE_VALUE_IN(args[a].name, le_chain_arg(chain, a))
                   : args[a].type == LE_TYPE_OUT
                       ? LE_VALUE_OUT(args[a].name, le_chain_arg(chain, a))
                       : le_chain_pass(call, a, args[a].name);
    }
    return n;
}

/* Frames are decoded, then integrated. */
static le_status expand(const le_call *call, le_chain *chain) {
    le_arg list[SC_BAD + 2];
    size_t axes, n;
    le_call_f64s(call, SC_CHUNK, &axes);
    if (axes != 3)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: decoded chunks of %zu axes are no frames", name,
                       axes);
    if (!strcmp(le_call_str(call, SC_BAD), "skip"))
        return le_fail(LE_ERR_UNSUPPORTED, "%s: of decoded frames nothing says which are bad",
                       name);
    const le_value decoded = le_chain_temp(chain);
    list[0] = LE_VALUE_IN("frames", le_chain_arg(chain, SC_FRAMES));
    list[1] = LE_VALUE_OUT("result", decoded);
    n = share(call, chain, SC_OFFSETS, SC_BAD, list + 2);
    le_chain_add_args(chain, "bitshuffle_lz4", list, n + 2);
    list[0] = LE_VALUE_IN("frames", decoded);
    n = share(call, chain, SC_PONI, SC_COMMON, list + 1);
    le_chain_add_args(chain, "azimuthal_integrate", list, n + 1);
    return le_chain_status(chain);
}

/* --- in slabs --- */

/* The bytes stay together: where chunks lie in them is not known here. */
static bool slabs(const le_call *call, le_slabs *out) {
    le__sc_slabs(call, le_call_in(call, SC_OFFSETS)->shape[0] - 1, out);
    for (int a = SC_INTENSITY; a < SC_COMMON; a++)
        out->args[a].scale = (int32_t)le__sc_frames_of_chunk(call);
    out->args[SC_OFFSETS].axis = out->args[SC_SKIPPED].axis = 1;
    out->args[SC_OFFSETS].ends = 1;
    return true;
}

static le_status make_case(le_case *c, const le_case_request *request) {
    return le__sc_make_case(c, request, LE__SC_CASE_STORED);
}

extern const le_operation le_operation_integrate_stored;
const le_operation le_operation_integrate_stored = {
    .abi = LE_METHOD_ABI,
    .name = "integrate_stored",
    .family = "scattering",
    .summary = "diffraction curves of compressed frames as they are stored",
    .reference = "bitshuffle_lz4, then azimuthal_integrate",
    .args = args,
    .n_args = sizeof args / sizeof args[0],
    .check = check,
    .work = work,
    .norm = LE_NORM_MAX,
    .atol = 1e-5,
    .make_case = make_case,
    .expand = expand,
    .slabs = slabs,
    .least_scale = le__sc_least_scale};
