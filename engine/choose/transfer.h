/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What moving arguments costs. Samples are without it; it is added by where a call's inputs lie and
 * where its outputs are wanted.
 */
#ifndef LE_TRANSFER_H
#define LE_TRANSFER_H

#include "choose/question.h"

enum { LE__TRANSFER_SIZES = 4 };

typedef struct le__transfer { /* of one device */
    bool loaded, tried, measured;
    double up[LE__TRANSFER_SIZES], down[LE__TRANSFER_SIZES];
} le__transfer;

/* Seconds to bring bytes to a device (up) or from it: as measured on this machine, if need be now
 * where may_measure says so. */
double le__transfer_seconds(le_engine *engine, le__device *device, bool up, int64_t bytes,
                            bool may_measure);
/* Seconds that the call's arguments would be under way if the arm ran it: what was seen on this
 * question, else by their sizes. Mutex of the operation held. */
double le__transfers_expected(const le__question *q, const le_call *call, const le__arm *arm);

#endif
