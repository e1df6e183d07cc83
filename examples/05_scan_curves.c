/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A scan of compressed detector frames to diffraction curves: chunks go from the file as they are
 * stored through integrate_stored, batch by batch, and the curves to a sink in order.
 *
 *     05_scan_curves SCAN.h5:/DATASET DETECTOR.poni
 */
#include <liquid_engine/le_stream.h>

#include <stdio.h>

enum { NPT = 200 };

static int failed(void) {
    fprintf(stderr, "%s\n", le_error_message());
    return 1;
}

/* Prints where each curve is highest. */
static le_status print_peaks(le_sink *sink, int64_t first, int64_t items, const le_tensor *curves) {
    const double *radial = sink->data, *q = curves->data;
    for (int64_t k = 0; k < items; k++, q += NPT) {
        int peak = 0;
        for (int b = 1; b < NPT; b++)
            peak = q[b] > q[peak] ? b : peak;
        printf("frame %lld: %.2f at %.3f/nm\n", (long long)(first + k), q[peak],
               radial ? radial[peak] : peak);
    }
    return LE_OK;
}

/* The step, for chunks that are declared by an example of one: their lengths are their own. */
static le_chain *build(const le_stored_info *scan, const char *poni) {
    double chunk[LE_MAX_DIMS];
    le_chain *chain;
    for (int d = 0; d < scan->ndim; d++)
        chunk[d] = (double)scan->chunk[d];
    if (le_chain_new(&chain, NULL, "curves") != LE_OK)
        return NULL;
    le_value bytes = le_chain_input(chain, "bytes", LE_U8, 1, &scan->chunk_bytes);
    le_value offsets = le_chain_input(chain, "offsets", LE_I64, 1, (int64_t[]){2});
    le_value skipped = le_chain_input(chain, "skipped", LE_U32, 1, (int64_t[]){1});
    le_value curves = le_chain_temp(chain);
    le_chain_add(chain, "integrate_stored", LE_VALUE_IN("frames", bytes),
                 LE_VALUE_IN("offsets", offsets), LE_VALUE_IN("skipped", skipped),
                 LE_F64S("chunk", chunk, (size_t)scan->ndim),
                 LE_STR("type", le_dtype_name(scan->dtype)), LE_STR("poni", poni),
                 LE_I64("npt", NPT), LE_F64S("radial_range", ((double[]){0.5, 8}), 2),
                 LE_F64("dummy", 65535), LE_VALUE_OUT("intensity", curves));
    le_chain_output(chain, "curves", curves);
    return chain;
}

int main(int argc, char **argv) {
    le_source *scan;
    if (argc != 3) {
        fprintf(stderr, "usage: %s SCAN.h5:/DATASET DETECTOR.poni\n", argv[0]);
        return 2;
    }
    if (le_io_source(NULL, argv[1], LE_SOURCE_STORED, &scan) != LE_OK)
        return failed();
    double radial[NPT];
    for (int b = 0; b < NPT; b++)
        radial[b] = 0.5 + 7.5 * (b + 0.5) / NPT;
    le_sink sink = {.put = print_peaks, .data = radial};
    le_chain *chain = build(le_io_source_stored(scan), argv[2]);
    if (!chain || le_chain_stream(chain, LE_SOURCE("bytes", scan, 0), LE_SOURCE("offsets", scan, 1),
                                  LE_SOURCE("skipped", scan, 2), LE_SINK("curves", &sink)) != LE_OK)
        return failed();
    le_chain_free(&chain);
    le_source_close(&scan);
    le_shutdown();
    return 0;
}
