/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * numpy arrays as tensors, tensors as numpy arrays, and tensors that stay with the engine.
 */
#include "core.h"

#include <stdint.h>
#include <string.h>

PyTypeObject *core_tensor_type, *core_stream_type, *core_value_type;

/* -------------------------------------------------------------------------------- dtypes ----- */

static const struct {
    le_dtype dtype;
    int numpy;
} types[] = {{LE_U8, NPY_UINT8},    {LE_I16, NPY_INT16},     {LE_U16, NPY_UINT16},
             {LE_I32, NPY_INT32},   {LE_U32, NPY_UINT32},    {LE_F32, NPY_FLOAT32},
             {LE_F64, NPY_FLOAT64}, {LE_I8, NPY_INT8},       {LE_I64, NPY_INT64},
             {LE_U64, NPY_UINT64},  {LE_C64, NPY_COMPLEX64}, {LE_C128, NPY_COMPLEX128}};

int core_numpy_type(le_dtype dtype) {
    return dtype >= LE_U8 && dtype <= LE_DTYPE_LAST ? types[dtype - LE_U8].numpy : NPY_NOTYPE;
}

/* 0: there is none. C has two types of 64 bits, which numpy tells apart. */
static le_dtype of_numpy(int type) {
    switch (type) {
    case NPY_BOOL:
        return LE_U8;
    case NPY_LONGLONG:
        return LE_I64;
    case NPY_ULONGLONG:
        return LE_U64;
    default:
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (types[i].numpy == type)
                return types[i].dtype;
        return (le_dtype)0;
    }
}

PyObject *core_dtype_object(le_dtype dtype) {
    return (PyObject *)PyArray_DescrFromType(core_numpy_type(dtype));
}

bool core_dtype_from(PyObject *object, le_dtype *out) {
    PyArray_Descr *d = NULL;
    const char *name = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, NULL) : NULL;
    if (!PyArray_DescrConverter(object, &d)) { /* numpy's "i8" has eight bytes */
        if (!name || !le_dtype_from_name(name, out))
            return false;
        PyErr_Clear();
        return true;
    }
    *out = of_numpy(d->type_num);
    Py_DECREF((PyObject *)d);
    if (!*out)
        PyErr_Format(PyExc_TypeError, "there is no tensor of dtype %R", object);
    return *out != 0;
}

/* ------------------------------------------------------------------------ from arrays -------- */

static bool wrong(PyObject *type, const char *operation, const char *what, const char *text) {
    PyErr_Format(type, "%s: argument '%s' %s", operation, what, text);
    return false;
}

bool core_hides_elements(PyObject *array) {
    PyObject *mask = PyObject_GetAttrString(array, "mask");
    PyObject *any = mask ? PyObject_CallMethod(mask, "any", NULL) : NULL;
    bool hides = any && PyObject_IsTrue(any) == 1;
    Py_XDECREF(any);
    Py_XDECREF(mask);
    PyErr_Clear();
    return hides;
}

/* Says why an array is no tensor. */
static bool refuse(PyArrayObject *a, le_dtype dtype, const char *operation, const char *what) {
    if (PyArray_ISBYTESWAPPED(a))
        return wrong(
            PyExc_ValueError, operation, what,
            "is not in the machine's byte order: give x.astype(x.dtype.newbyteorder('='))");
    if (PyArray_TYPE(a) == NPY_FLOAT16)
        return wrong(PyExc_TypeError, operation, what,
                     "has dtype float16: give x.astype(numpy.float32)");
    if (!dtype) {
        PyErr_Format(PyExc_TypeError, "%s: argument '%s' has dtype %S, which no operation takes",
                     operation, what, (PyObject *)PyArray_DESCR(a));
        return false;
    }
    if (PyArray_NDIM(a) > LE_MAX_DIMS)
        return wrong(PyExc_ValueError, operation, what, "has more than 8 dimensions");
    return wrong(PyExc_ValueError, operation, what, CORE_HIDES_ELEMENTS);
}

/* Items are 1, 2, 4, 8 or 16 bytes long. */
static int log2_of(npy_intp size) {
    int log2 = 0;
    while (size >> log2 > 1)
        log2++;
    return log2;
}

/* The same, wherever its memory begins. */
static bool view_of(PyObject *array, const char *operation, const char *what, le_tensor *out) {
    PyArrayObject *a = (PyArrayObject *)array;
    const npy_intp *shape = PyArray_DIMS(a), *strides = PyArray_STRIDES(a);
    out->dtype = of_numpy(PyArray_TYPE(a));
    out->ndim = PyArray_NDIM(a);
    if (!out->dtype || out->ndim > LE_MAX_DIMS || PyArray_ISBYTESWAPPED(a) ||
        (!PyArray_CheckExact(array) && core_hides_elements(array)))
        return refuse(a, out->dtype, operation, what);
    const int log2 = log2_of(PyArray_ITEMSIZE(a));
    const npy_intp rest = ((npy_intp)1 << log2) - 1;
    out->data = PyArray_DATA(a);
    out->storage = NULL;
    out->offset = 0;
    for (int i = 0; i < out->ndim; i++) {
        if (strides[i] & rest)
            return wrong(PyExc_ValueError, operation, what,
                         "has strides that are no multiples of its item size (a field of a "
                         "structured array?): give x.copy()");
        out->shape[i] = shape[i];
        out->strides[i] = strides[i] / ((npy_intp)1 << log2);
    }
    return true;
}

bool core_tensor_of_array(PyObject *array, const char *operation, const char *what,
                          le_tensor *out) {
    if (!view_of(array, operation, what, out))
        return false;
    return PyArray_ISALIGNED((PyArrayObject *)array) ||
           wrong(PyExc_ValueError, operation, what, "is not aligned to its dtype");
}

PyObject *core_tensor_of_input(PyObject *array, const char *operation, const char *what,
                               le_tensor *out) {
    PyArrayObject *a = (PyArrayObject *)array;
    if (!view_of(array, operation, what, out))
        return NULL;
    PyObject *holder = PyArray_ISALIGNED(a) ? Py_NewRef(array) : PyArray_NewCopy(a, NPY_KEEPORDER);
    if (holder && holder != array && !core_tensor_of_array(holder, operation, what, out))
        Py_CLEAR(holder);
    return holder;
}

/* Whether the array, of whole numbers, has the values of the other one; it raises where not. */
static bool same_values(PyObject *array, PyObject *of, const char *operation, const char *what) {
    PyObject *equal = PyObject_RichCompare(array, of, Py_EQ);
    PyObject *all = equal ? PyObject_CallMethod(equal, "all", NULL) : NULL;
    const bool same = all && PyObject_IsTrue(all) == 1;
    Py_XDECREF(all);
    Py_XDECREF(equal);
    if (!same && !PyErr_Occurred())
        PyErr_Format(PyExc_OverflowError, "%s: argument '%s' has numbers that %S does not hold",
                     operation, what, (PyObject *)PyArray_DESCR((PyArrayObject *)array));
    return same;
}

/* Of lists the engine's caller does not choose the dtype: numbers become what is taken and holds them. Whole
 * numbers become smaller ones only where a single dtype is taken. */
static PyObject *settle_dtype(PyObject *array, const char *operation, const char *what,
                              uint32_t dtypes) {
    const int type = PyArray_TYPE((PyArrayObject *)array);
    const le_dtype dtype = of_numpy(type);
    const bool whole = PyTypeNum_ISINTEGER(type) || PyTypeNum_ISBOOL(type);
    const bool real = !PyTypeNum_ISCOMPLEX(type);
    le_dtype only = LE_U8, wanted = dtype;
    while (only < LE_DTYPE_LAST && dtypes != LE_DTYPE_BIT(only))
        only++;
    if (!dtype || dtypes == 0 || dtypes & LE_DTYPE_BIT(dtype))
        return array;
    if (real && dtypes & LE_DTYPE_BIT(LE_F64))
        wanted = LE_F64;
    else if (real && dtypes & LE_DTYPE_BIT(LE_F32))
        wanted = LE_F32;
    else if (dtypes & LE_DTYPE_BIT(LE_C128))
        wanted = LE_C128;
    else if (dtypes & LE_DTYPE_BIT(LE_C64))
        wanted = LE_C64;
    else if (whole && dtypes == LE_DTYPE_BIT(only))
        wanted = only;
    PyObject *other =
        PyArray_FromAny(array, PyArray_DescrFromType(core_numpy_type(wanted)), 0, 0,
                        NPY_ARRAY_FORCECAST, NULL);
    if (other && whole && wanted == only && wanted != dtype &&
        PyTypeNum_ISINTEGER(core_numpy_type(wanted)) && !same_values(other, array, operation, what))
        Py_CLEAR(other);
    Py_DECREF(array);
    return other;
}

static bool has(PyObject *object, const char *name) {
    return PyObject_HasAttrString(object, name);
}

/* What numpy could make nothing of. */
static bool is_opaque(PyArrayObject *a) {
    int type = PyArray_TYPE(a);
    return type == NPY_OBJECT || type == NPY_STRING || type == NPY_UNICODE;
}

/* Views of torch's may stand for their elements with the sign changed, which DLPack does not tell.
 */
static bool is_negated(PyObject *object) {
    PyObject *answer = has(object, "is_neg") ? PyObject_CallMethod(object, "is_neg", NULL) : NULL;
    const bool negated = answer && PyObject_IsTrue(answer) == 1;
    Py_XDECREF(answer);
    PyErr_Clear();
    return negated;
}

PyObject *core_as_array(PyObject *object, const char *operation, const char *what,
                        uint32_t dtypes) {
    if (has(object, "__cuda_array_interface__") && !has(object, "__array__")) {
        wrong(PyExc_TypeError, operation, what,
              "is on a CUDA device: give a copy on the host (x.get(), x.cpu())");
        return NULL;
    }
    if (is_negated(object)) {
        wrong(PyExc_TypeError, operation, what,
              "is a view with the sign of its elements changed: give x.resolve_neg()");
        return NULL;
    }
    if (has(object, "__dlpack__") && !has(object, "__array_interface__")) {
        PyObject *numpy = PyImport_ImportModule("numpy");
        PyObject *a = numpy ? PyObject_CallMethod(numpy, "from_dlpack", "O", object) : NULL;
        Py_XDECREF(numpy);
        return a;
    }
    PyObject *a = PyArray_FromAny(object, NULL, 0, 0, 0, NULL);
    if (a && PyArray_NDIM((PyArrayObject *)a) == 0 && is_opaque((PyArrayObject *)a)) {
        PyErr_Format(PyExc_TypeError,
                     "%s: argument '%s': expected an array or a list of numbers, not %R", operation,
                     what, (PyObject *)Py_TYPE(object));
        Py_DECREF(a);
        return NULL;
    }
    bool list = a && (PyList_Check(object) || PyTuple_Check(object) || PyFloat_Check(object) ||
                      PyLong_Check(object) || PyRange_Check(object));
    return list ? settle_dtype(a, operation, what, dtypes) : a;
}

/* -------------------------------------------------------------------------- to arrays -------- */

PyObject *core_array_over(const le_tensor *t, PyObject *base, bool writeable) {
    npy_intp shape[LE_MAX_DIMS], strides[LE_MAX_DIMS];
    npy_intp size = (npy_intp)le_dtype_size(t->dtype);
    for (int i = 0; i < t->ndim; i++) {
        shape[i] = (npy_intp)t->shape[i];
        strides[i] = (npy_intp)t->strides[i] * size;
    }
    PyObject *a = PyArray_NewFromDescr(
        &PyArray_Type, PyArray_DescrFromType(core_numpy_type(t->dtype)), t->ndim, shape, strides,
        t->data, writeable ? NPY_ARRAY_WRITEABLE : 0, NULL);
    if (!a) {
        Py_XDECREF(base);
        return NULL;
    }
    PyArray_UpdateFlags((PyArrayObject *)a,
                        NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED);
    if (base && PyArray_SetBaseObject((PyArrayObject *)a, base) != 0)
        Py_CLEAR(a);
    return a;
}

PyObject *core_tensor_new(le_tensor *t, PyObject *base) {
    core_tensor *self = (core_tensor *)PyType_GenericAlloc(core_tensor_type, 0);
    if (!self) {
        le_tensor_free(t);
        Py_XDECREF(base);
        return NULL;
    }
    self->t = *t;
    self->base = base;
    *t = (le_tensor){0};
    return (PyObject *)self;
}

static bool to_host(core_tensor *self) {
    le_status status = LE_OK;
    if (self->t.data || !self->t.storage)
        return true;
    core_outside outside;
    core_leave(&outside, NULL);
    status = le_tensor_to_host(&self->t);
    core_back(&outside);
    return core_check(status);
}

static PyObject *array_of_tensor(core_tensor *self) {
    if (!to_host(self))
        return NULL;
    return core_array_over(&self->t, Py_NewRef((PyObject *)self), !self->read_only);
}

PyObject *core_array_of(le_tensor *t) {
    core_tensor *self = (core_tensor *)core_tensor_new(t, NULL);
    PyObject *a = self ? array_of_tensor(self) : NULL;
    Py_XDECREF((PyObject *)self);
    return a;
}

/* ---------------------------------------------------------------------- the type Tensor ------ */

static void tensor_free(PyObject *o) {
    core_tensor *self = (core_tensor *)o;
    PyTypeObject *type = Py_TYPE(o);
    if (self->t.storage)
        le_tensor_free(&self->t);
    Py_XDECREF(self->base);
    core_free(o, type);
}

static PyObject *tensor_shape(PyObject *o, void *closure) {
    core_tensor *self = (core_tensor *)o;
    PyObject *shape = PyTuple_New(self->t.ndim);
    (void)closure;
    for (int i = 0; shape && i < self->t.ndim; i++)
        PyTuple_SetItem(shape, i, PyLong_FromLongLong(self->t.shape[i]));
    return shape;
}

static PyObject *tensor_dtype(PyObject *o, void *closure) {
    (void)closure;
    return core_dtype_object(((core_tensor *)o)->t.dtype);
}

static PyObject *tensor_nbytes(PyObject *o, void *closure) {
    core_tensor *self = (core_tensor *)o;
    (void)closure;
    return PyLong_FromLongLong(le_tensor_count(&self->t) * (int64_t)le_dtype_size(self->t.dtype));
}

static PyObject *tensor_ndim(PyObject *o, void *closure) {
    (void)closure;
    return PyLong_FromLong(((core_tensor *)o)->t.ndim);
}

static PyObject *tensor_device(PyObject *o, void *closure) {
    (void)closure;
    return PyUnicode_FromString(((core_tensor *)o)->t.data ? "cpu" : "opencl");
}

/* dtype and copy as numpy 2 gives them. */
static PyObject *tensor_array(PyObject *o, PyObject *args, PyObject *names) {
    static char *keywords[] = {"dtype", "copy", NULL};
    PyObject *dtype = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, names, "|OO", keywords, &dtype, &copy))
        return NULL;
    PyArray_Descr *wanted = NULL;
    if (dtype != Py_None && !PyArray_DescrConverter(dtype, &wanted))
        return NULL;
    PyObject *a = array_of_tensor((core_tensor *)o);
    bool same = a && (!wanted || PyArray_EquivTypes(PyArray_DESCR((PyArrayObject *)a), wanted));
    if (a && !same && copy == Py_False)
        PyErr_SetString(PyExc_ValueError, "another dtype needs a copy, and copy=False was given");
    PyObject *r = !a || PyErr_Occurred()    ? NULL
                  : same && copy != Py_True ? Py_NewRef(a)
                  : same                    ? PyArray_NewCopy((PyArrayObject *)a, NPY_KEEPORDER)
                         : PyObject_CallMethod(a, "astype", "O", (PyObject *)wanted);
    Py_XDECREF(a);
    Py_XDECREF((PyObject *)wanted);
    return r;
}

static PyObject *word_of(PyObject *names, const char *name) {
    PyObject *value = names ? PyDict_GetItemString(names, name) : NULL;
    return value == Py_None ? NULL : value;
}

/* What numpy before 2.1, whose arrays know none of these words, would do with them. */
static bool old_words(PyObject *names, PyObject **array) {
    PyObject *device = word_of(names, "dl_device"), *copy = word_of(names, "copy");
    int kind = 1, number = 0;
    if (device && !PyArg_ParseTuple(device, "ii", &kind, &number))
        return false;
    if (kind != 1 || number != 0) {
        PyErr_SetString(PyExc_BufferError, "the memory is the host's: device (1, 0)");
        return false;
    }
    if (copy && PyObject_IsTrue(copy) == 1) {
        PyObject *other = PyArray_NewCopy((PyArrayObject *)*array, NPY_CORDER);
        Py_DECREF(*array);
        *array = other;
    }
    return *array != NULL;
}

/* numpy knows the versions of the protocol. */
static PyObject *tensor_dlpack(PyObject *o, PyObject *args, PyObject *names) {
    PyObject *a = array_of_tensor((core_tensor *)o);
    if (a && PyArray_GetNDArrayCFeatureVersion() < NPY_2_1_API_VERSION) {
        if (!old_words(names, &a)) {
            Py_XDECREF(a);
            return NULL;
        }
        names = NULL;
    }
    PyObject *method = a ? PyObject_GetAttrString(a, "__dlpack__") : NULL;
    PyObject *capsule = method ? PyObject_Call(method, args, names) : NULL;
    Py_XDECREF(method);
    Py_XDECREF(a);
    return capsule;
}

static PyObject *tensor_dlpack_device(PyObject *o, PyObject *none) {
    (void)o;
    (void)none;
    return Py_BuildValue("(ii)", 1, 0); /* kDLCPU */
}

static PyObject *tensor_touch(PyObject *o, PyObject *none) {
    (void)none;
    le_tensor_touch(&((core_tensor *)o)->t);
    Py_RETURN_NONE;
}

static PyObject *tensor_repr(PyObject *o) {
    char text[128];
    core_tensor *self = (core_tensor *)o;
    le_tensor_describe(&self->t, text, sizeof text);
    return PyUnicode_FromFormat("<liquid_engine.Tensor %s on %s>", text,
                                self->t.data ? "cpu" : "opencl");
}

static Py_ssize_t tensor_length(PyObject *o) {
    core_tensor *self = (core_tensor *)o;
    if (self->t.ndim > 0)
        return (Py_ssize_t)self->t.shape[0];
    PyErr_SetString(PyExc_TypeError, "a tensor without dimensions has no length");
    return -1;
}

/* The last reference to adopted memory may go on a thread of the engine's. An interpreter that has
 * ended takes no reference back. */
static void release_array(void *array) {
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)array);
    PyGILState_Release(state);
}

/* Takes over the reference to the array, also when it fails. */
static PyObject *adopt(PyObject *array, const le_tensor *view) {
    le_tensor t;
    if (!core_check(le_tensor_adopt(&t, view->data, view->dtype, view->ndim, view->shape,
                                    release_array, array))) {
        Py_DECREF(array);
        return NULL;
    }
    bool writeable = PyArray_ISWRITEABLE((PyArrayObject *)array);
    PyObject *made = core_tensor_new(&t, NULL);
    if (made)
        ((core_tensor *)made)->read_only = !writeable;
    return made;
}

/* check_array(array, operation, argument): raises what a call would that gets it. */
static PyObject *check_array(PyObject *module, PyObject *args) {
    PyObject *array;
    const char *operation, *what;
    le_tensor t;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!ss", &PyArray_Type, &array, &operation, &what))
        return NULL;
    return view_of(array, operation, what, &t) ? Py_NewRef(Py_None) : NULL;
}

/* dlpack_array(object): over the memory of who speaks DLPack, as arguments of calls are taken. */
static PyObject *dlpack_array(PyObject *module, PyObject *object) {
    (void)module;
    return core_as_array(object, "from_dlpack", "x", 0);
}

enum copying { COPY_NEVER, COPY_ALWAYS, COPY_IF_NEEDED };

/* -1: an exception is set */
static int copying_of(PyObject *copy) {
    return copy == Py_None ? COPY_IF_NEEDED : PyObject_IsTrue(copy);
}

static PyObject *row_major(PyObject *array, int copy) {
    bool ordered = PyArray_IS_C_CONTIGUOUS((PyArrayObject *)array);
    bool ready = ordered && PyArray_ISALIGNED((PyArrayObject *)array);
    if (ready && copy != COPY_ALWAYS)
        return Py_NewRef(array);
    if (copy == COPY_NEVER) {
        PyErr_Format(PyExc_ValueError,
                     "asarray: the elements are not %s, so that a copy is needed, and copy=False "
                     "was given",
                     ordered ? "aligned to their dtype" : "in row-major order");
        return NULL;
    }
    return PyArray_NewCopy((PyArrayObject *)array, NPY_CORDER);
}

/* A tensor over the memory of the array, whose copies on devices stay. */
static PyObject *as_tensor(PyObject *module, PyObject *args, PyObject *words) {
    static char *keywords[] = {"", "copy", NULL};
    PyObject *object, *wanted = Py_None;
    le_tensor view;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, words, "O|$O:asarray", keywords, &object, &wanted))
        return NULL;
    int copy = copying_of(wanted);
    if (copy < 0)
        return NULL;
    if (PyObject_TypeCheck(object, core_tensor_type) && copy != COPY_ALWAYS)
        return Py_NewRef(object);
    PyObject *a =
        PyArray_Check(object) ? Py_NewRef(object) : core_as_array(object, "asarray", "x", 0);
    PyObject *rows = a && view_of(a, "asarray", "x", &view) ? row_major(a, copy) : NULL;
    Py_XDECREF(a);
    if (rows && !core_tensor_of_array(rows, "asarray", "x", &view))
        Py_CLEAR(rows);
    return rows ? adopt(rows, &view) : NULL;
}

static PyMethodDef tensor_methods[] = {
    {"__array__", (PyCFunction)(void (*)(void))tensor_array, METH_VARARGS | METH_KEYWORDS, NULL},
    {"__dlpack__", (PyCFunction)(void (*)(void))tensor_dlpack, METH_VARARGS | METH_KEYWORDS, NULL},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, NULL},
    {"touch", tensor_touch, METH_NOARGS,
     "To be called after writing to the memory: copies on devices are taken as stale."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef tensor_attributes[] = {
    {"shape", tensor_shape, NULL, "Extents.", NULL},
    {"dtype", tensor_dtype, NULL, "numpy.dtype of the elements.", NULL},
    {"ndim", tensor_ndim, NULL, "Number of dimensions.", NULL},
    {"nbytes", tensor_nbytes, NULL, "Bytes of the elements.", NULL},
    {"device", tensor_device, NULL, "Where the newest copy is: cpu or opencl.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot tensor_slots[] = {
    {Py_tp_dealloc, tensor_free},
    {Py_tp_repr, tensor_repr},
    {Py_tp_methods, tensor_methods},
    {Py_tp_getset, tensor_attributes},
    {Py_sq_length, tensor_length},
    {Py_tp_doc, (void *)"An array of the engine's that may live on a device."},
    {0, NULL},
};
static PyType_Spec tensor_spec = {"liquid_engine.Tensor", sizeof(core_tensor), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  tensor_slots};

/* ------------------------------------------------------------------ Stream and Value --------- */

static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *names) {
    static char *keywords[] = {"place", NULL};
    PyObject *place, *text;
    if (!PyArg_ParseTupleAndKeywords(args, names, "O", keywords, &place))
        return NULL;
    text = PyOS_FSPath(place);
    core_stream *self = text ? (core_stream *)PyType_GenericAlloc(type, 0) : NULL;
    if (self)
        self->place = text;
    else
        Py_XDECREF(text);
    return (PyObject *)self;
}

static void stream_free(PyObject *o) {
    PyTypeObject *type = Py_TYPE(o);
    Py_XDECREF(((core_stream *)o)->place);
    core_free(o, type);
}

static PyObject *stream_repr(PyObject *o) {
    return PyUnicode_FromFormat("liquid_engine.stream(%R)", ((core_stream *)o)->place);
}

static PyType_Slot stream_slots[] = {
    {Py_tp_new, stream_new},
    {Py_tp_dealloc, stream_free},
    {Py_tp_repr, stream_repr},
    {Py_tp_doc,
     (void *)"stream(place)\n--\n\n"
             "A file that an operation reads frame by frame: memory does not grow with it.\n\n"
             "Parameters\n----------\nplace : str, bytes or path\n"
             "    \"movie.h5:/frames\" or \"stack.tif\", of HDF5 and TIFF files.\n"},
    {0, NULL},
};
static PyType_Spec stream_spec = {"liquid_engine.stream", sizeof(core_stream), 0,
                                  Py_TPFLAGS_DEFAULT, stream_slots};

/* Python gives it its contents. */
static PyType_Slot value_slots[] = {{0, NULL}};
static PyType_Spec value_spec = {"liquid_engine._core.Value", 0, 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, value_slots};

static PyMethodDef functions[] = {
    {"asarray", (PyCFunction)(void (*)(void))as_tensor, METH_VARARGS | METH_KEYWORDS,
     "asarray(x, /, *, copy=None)\n--\n\n"
     "A tensor over the memory of an array, whose copies on devices stay between calls.\n\n"
     "Call ``touch()`` after writing to the array.\n\n"
     "Parameters\n----------\n"
     "x : array_like\n    An array, or whoever speaks DLPack on the host.\n"
     "copy : bool, optional\n    True: always copied; False: an error where it would have to be; "
     "left out: copied\n    where it is not in row-major order.\n\n"
     "Returns\n-------\nTensor\n    Operations take it as they take arrays.\n"},
    {"check_array", check_array, METH_VARARGS, NULL},
    {"dlpack_array", dlpack_array, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

bool core_tensor_add(PyObject *module) {
    core_tensor_type = (PyTypeObject *)PyType_FromSpec(&tensor_spec);
    core_stream_type = (PyTypeObject *)PyType_FromSpec(&stream_spec);
    core_value_type = (PyTypeObject *)PyType_FromSpec(&value_spec);
    return core_tensor_type && core_stream_type && core_value_type &&
           PyModule_AddObjectRef(module, "Tensor", (PyObject *)core_tensor_type) == 0 &&
           PyModule_AddObjectRef(module, "stream", (PyObject *)core_stream_type) == 0 &&
           PyModule_AddObjectRef(module, "Value", (PyObject *)core_value_type) == 0 &&
           PyModule_AddFunctions(module, functions) == 0;
}
