/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * When OpenCL is opened.
 */
#ifndef LE_DISCOVER_H
#define LE_DISCOVER_H

#include "liquid_engine/le.h"

#include <stdbool.h>

/* Opens OpenCL if that has not been done and LE_DEVICE allows it. Thread-safe. */
void le__engine_discover(le_engine *engine);
/* Whether the machine may have a GPU: without one OpenCL has the CPU's own cores at most. */
bool le__machine_may_have_gpu(void);
/* Whether learning may do so unasked: it explores, and there may be a GPU. */
bool le__engine_may_discover(const le_engine *engine, le_mode mode);

#endif
