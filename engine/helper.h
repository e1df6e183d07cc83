/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the program le-trial is.
 */
#ifndef LE_HELPER_H
#define LE_HELPER_H

#include "liquid_engine/le.h"

/* Serves trials until the other side of its socket is gone. argv[1]: le__trial_identity of the
 * library that started it. Returns an exit status when that is another one. Visible in libraries
 * without a list of what they export: those of wheels. */
LE_API int le__trial_main(int argc, char **argv);

#endif
