/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How a call is cut for other processes: what each part reads, and what of its results is kept.
 */
#include "core.h"

#include "liquid_engine/le_method.h"

/* (axis, [(first, end), ...]): elements that lie one after the other in the part. */
static PyObject *reads_of(const le_slabs *s, size_t arg, const le_slab_range *r) {
    PyObject *list = PyList_New(0);
    for (int64_t at = r->low, n, from; list && at < r->high; at += n) {
        n = le_slab_stretch(s, r, at, &from);
        PyObject *one =
            Py_BuildValue("LL", (long long)le_slab_elements(s, arg, from),
                          (long long)le_slab_elements(s, arg, from + n) + s->args[arg].ends);
        if (!one || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list ? Py_BuildValue("iN", s->args[arg].axis - 1, list) : NULL;
}

/* (axis, first, end): of what the part makes. */
static PyObject *keeps_of(const le_slabs *s, size_t arg, const le_slab_range *r) {
    return Py_BuildValue("iLL", s->args[arg].axis - 1,
                         (long long)le_slab_elements(s, arg, r->begin - r->low),
                         (long long)le_slab_elements(s, arg, r->end - r->low));
}

static PyObject *part_dict(const le_slabs *s, const le_operation *op, const le_slab_range *r) {
    PyObject *reads = PyDict_New(), *keeps = PyDict_New();
    bool good = reads && keeps;
    for (size_t a = 0; good && a < op->n_args; a++) {
        const bool out = op->args[a].type == LE_TYPE_OUT;
        if (!s->args[a].axis)
            continue;
        PyObject *one = out ? keeps_of(s, a, r) : reads_of(s, a, r);
        good = one && PyDict_SetItemString(out ? keeps : reads, op->args[a].name, one) == 0;
        Py_XDECREF(one);
    }
    if (good)
        return Py_BuildValue("{s:L,s:L,s:N,s:N}", "begin", (long long)r->begin, "end",
                             (long long)r->end, "reads", reads, "keeps", keeps);
    Py_XDECREF(reads);
    Py_XDECREF(keeps);
    return NULL;
}

/* Nearly equal parts that begin at multiples: at most so many. */
static PyObject *parts_list(const le_slabs *s, const le_operation *op, int64_t parts) {
    const int64_t multiple = s->multiple > 0 ? s->multiple : 1;
    const int64_t blocks = (s->items + multiple - 1) / multiple;
    const int64_t n = parts < 1 ? 1 : parts < blocks ? parts : blocks;
    PyObject *list = PyList_New(0);
    for (int64_t k = 0; list && k < n; k++) {
        const int64_t end = blocks * (k + 1) / n * multiple;
        const le_slab_range r =
            le_slab_range_of(s, blocks * k / n * multiple, end < s->items ? end : s->items);
        PyObject *one = part_dict(s, op, &r);
        if (!one || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* How outputs are put together, by name. */
static PyObject *joins_dict(const le_slabs *s, const le_operation *op) {
    static const char *const merges[] = {"none", "sum", "mean", "max", "min", "append"};
    PyObject *joins = PyDict_New();
    for (size_t a = 0; joins && a < op->n_args; a++) {
        if (op->args[a].type != LE_TYPE_OUT)
            continue;
        PyObject *one = Py_BuildValue(
            "{s:i,s:s,s:k,s:i}", "axis", s->args[a].axis - 1, "merge",
            s->args[a].merge <= LE_MERGE_APPEND ? merges[s->args[a].merge] : "none", "places",
            (unsigned long)s->args[a].places, "scale", s->args[a].scale ? s->args[a].scale : 1);
        if (!one || PyDict_SetItemString(joins, op->args[a].name, one) != 0)
            Py_CLEAR(joins);
        Py_XDECREF(one);
    }
    return joins;
}

static PyObject *cut_dict(const le_slabs *s, const le_operation *op, int64_t parts) {
    PyObject *joins = joins_dict(s, op), *list = joins ? parts_list(s, op, parts) : NULL;
    if (list)
        return Py_BuildValue("{s:N,s:N}", "joins", joins, "parts", list);
    Py_XDECREF(joins);
    return NULL;
}

/* What cannot be cut: why. */
static PyObject *objection(const le_slabs *s) {
    return PyUnicode_FromString(s->why ? s->why : "");
}

PyObject *core_cut(core_call *c, int64_t parts) {
    const char *name = core_function_operation(c->function);
    le_slabs cuts[2];
    le_status status = le_call_cut(c->engine->engine, name, c->args, c->n, &cuts[0], &cuts[1]);
    const le_operation *op = le_engine_operation(c->engine->engine, name);
    PyObject *list = core_call_check(c, status) ? PyList_New(2) : NULL;
    for (int k = 0; list && k < 2; k++) {
        PyObject *one = cuts[k].items > 0 ? cut_dict(&cuts[k], op, parts) : objection(&cuts[k]);
        if (!one || PyList_SetItem(list, k, one) != 0)
            Py_CLEAR(list);
    }
    return list;
}
