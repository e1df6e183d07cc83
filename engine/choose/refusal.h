/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Why nobody may answer a call, in words.
 */
#ifndef LE_REFUSAL_H
#define LE_REFUSAL_H

#include "choose/question.h"

/* LE_ERR_NO_CANDIDATE with the reason of each implementation; of those that were asked for by name
 * alone where there are such. Mutex of the operation held. */
le_status le__refusal(const le__question *q, const le_call *call);

#endif
