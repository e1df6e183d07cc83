/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How long calls may take whose programs do not say so.
 */
#ifndef LE_MPI_DEADLINE_H
#define LE_MPI_DEADLINE_H

#include "liquid_engine/le.h"

/* LE_MPI_DEADLINE, in seconds; 0: there is none. LE_ERR_ARGUMENT, and 0: it is no such number. */
le_status le__deadline_given(double *seconds);

#endif
