/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Why nobody may answer a call, in words.
 */
#ifndef LE_REFUSAL_H
#define LE_REFUSAL_H

#include "choose/question.h"
#include "core/text.h"

/* LE_ERR_NO_CANDIDATE with the reason of each implementation; of those that were asked for by name
 * alone where there are such. Mutex of the operation held. */
le_status le__refusal(const le__question *q, const le_call *call);
/* Those that are asked for and have no device to be candidates on. */
void le__refusal_without_device(le__text *text, const le__question *q, const le_call *call);

#endif
