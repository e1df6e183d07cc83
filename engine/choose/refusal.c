/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Why nobody may answer a call.
 */
#include "choose/refusal.h"

#include "call/engine.h"
#include "call/named.h"
#include "choose/slate.h"

#include <string.h>

/* Variants of one implementation mostly have the same reason. */
static bool is_told(const le__question *q, const le_call *call, size_t arm, const char *why) {
    const le__candidate *c = &q->op->arms[arm]->candidate;
    for (size_t i = 0; i < arm; i++) {
        const le__candidate *before = &q->op->arms[i]->candidate;
        const char *told = le__arm_objection(q, call, q->op->arms[i]);
        if (before->implementation == c->implementation && before->device == c->device && told &&
            !strcmp(told, why))
            return true;
    }
    return false;
}

static void tell(le__text *text, const char *name, const char *why) {
    le__text_add(text, "%s%s: %s", text->n ? "; " : "", name, why);
}

/* name: only those of the implementation with this name; NULL: all. */
static void tell_arms(le__text *text, const le__question *q, const le_call *call, bool unwanted,
                      const char *name) {
    for (size_t i = 0; i < q->n_arms; i++) {
        const le_implementation *impl = q->op->arms[i]->candidate.implementation;
        const char *why = le__arm_objection(q, call, q->op->arms[i]);
        if (why && le__candidate_is_unwanted(why) == unwanted && !is_told(q, call, i, why) &&
            (!name || le__implementation_is_named(impl, name)))
            tell(text, impl->name, why);
    }
}

static bool has_arm(const le__question *q, const le_implementation *impl) {
    for (size_t i = 0; i < q->n_arms; i++)
        if (q->op->arms[i]->candidate.implementation == impl)
            return true;
    return false;
}

void le__refusal_without_device(le__text *text, const le__question *q, const le_call *call) {
    const le__constraint *w = &call->want;
    const char *run_type = call->step ? w->liked_run_type : le__call_forces(call).run_type;
    const char *name = call->step ? w->liked_implementation : le__call_forces(call).implementation;
    for (size_t i = 0; (run_type || name) && i < call->entry->n_implementations; i++) {
        const le_implementation *impl = call->entry->implementations[i];
        if ((!run_type || !strcmp(impl->run_type, run_type)) &&
            (!name || le__implementation_is_named(impl, name)) && !has_arm(q, impl))
            tell(text, impl->name, "there is no OpenCL device");
    }
}

/* That another name was asked for is only said when there is no other reason. */
le_status le__refusal(const le__question *q, const le_call *call) {
    char buffer[900];
    le_status status = le__named_check_call(call);
    if (status == LE_OK)
        status = le__named_check_together(call);
    if (status != LE_OK)
        return status;
    le__text text = le__text_in(buffer, sizeof buffer);
    le__refusal_without_device(&text, q, call);
    tell_arms(&text, q, call, false, NULL);
    if (!text.n)
        tell_arms(&text, q, call, true, le__call_forces(call).implementation);
    if (!text.n)
        tell_arms(&text, q, call, true, NULL);
    return le_fail(LE_ERR_NO_CANDIDATE, "%s: no candidate is left (%s)", call->operation->name,
                   text.n ? buffer : "the operation has no implementation");
}
