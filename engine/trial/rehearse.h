/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rehearsals: a kernel that no process for trials knows, because it was registered late or because
 * its reference lives in this process, is launched there once as it will be launched here: the
 * text, the arguments with their data, the sizes. So what crashes the driver or never ends does it
 * there. Whether the values are right is found out here, afterwards.
 */
#ifndef LE_REHEARSE_H
#define LE_REHEARSE_H

#include "call/case.h"
#include "trial/trial_server.h"

/* Whether there is anything to rehearse: the implementation is one kernel (le_cl_simple). */
bool le__can_be_rehearsed(const le__candidate *c);
/* True: it may be tried here. False: *out says why not. */
bool le__rehearse(le__trial_server *s, le__operation_entry *entry, const le__candidate *c,
                  const le_call *like, const le_case *sample, le__trial_result *out);

#endif
