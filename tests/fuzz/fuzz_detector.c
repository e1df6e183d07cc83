/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * NeXus detector files, by the operation that reads their corners of pixels.
 */
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static le_engine *engine(void) {
    static le_engine *e;
    if (!e) {
        le_options o;
        le_default_options(&o);
        o.db_path = ":memory:";
        o.devices = "cpu";
        o.threads = 1;
        if (le_open(&e, &o) != LE_OK)
            abort();
    }
    return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    float frame[4 * 6];
    const char *path = fuzz_put(".h5", data, size);
    for (int i = 0; i < 24; i++)
        frame[i] = (float)i;
    le_tensor in = le_tensor_of(frame, LE_F32, 2, (int64_t[]){4, 6}), out = {0};
    le_status status = le_engine_run(
        engine(), "azimuthal_integrate", LE_IN("frames", &in), LE_STR("detector", path),
        LE_F64("distance", 0.1), LE_F64("poni1", 0.001), LE_F64("poni2", 0.001), LE_I64("npt", 5),
        LE_STR("unit", "2th_deg"), LE_OUT("intensity", &out),
        LE_OPT_IMPLEMENTATION("reference"));
    if (status != LE_OK && *le_error_message() == '\0')
        abort(); /* an error without a text */
    if (status != LE_OK && out.data)
        abort(); /* a result of a call that failed */
    le_tensor_free(&out);
    unlink(path);
    return 0;
}
