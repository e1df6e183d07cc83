/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the author of an operation or of an implementation needs.
 *
 * An operation is a const le_operation; an implementation a const le_implementation in a file of
 * its own, listed by one line of methods/FAMILY/CMakeLists.txt (or given to le_register_* at run
 * time).
 *
 *     reading a call:  le_call_in, le_call_out, le_call_f64, ... by the index in the descriptor
 *     CPU work:        range functions over items; the engine owns threads and schedules
 *     OpenCL work:     le_cl_kernel + le_cl_launch; the engine owns contexts, queues and transfers
 *     errors:          return le_fail(LE_ERR_..., "operation: what was given, what is expected")
 *
 * Threads: every function of a descriptor may be called by several threads at once with different
 * calls; it keeps its state in the call or in what prepare returns, never in statics.
 */
#ifndef LIQUID_ENGINE_LE_METHOD_H
#define LIQUID_ENGINE_LE_METHOD_H

#include "liquid_engine/le.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of descriptors: grows when they do. New fields come last in each struct; modules built for an
 * earlier one, down to LE_METHOD_ABI_OLDEST, are taken as they are. */
#define LE_METHOD_ABI        5
#define LE_METHOD_ABI_OLDEST 1
#define LE_MAX_ARGS          48

typedef struct le_call le_call;   /* a bound call: arguments checked, defaults filled in */
typedef struct le_chain le_chain; /* see le_chain.h */

/* Sets this thread's error text (printf style) and returns status. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
LE_API le_status
le_fail(le_status status, const char *format, ...);

/* As strtod in the C locale, whatever locale the program has set: for numbers within text
 * arguments. */
LE_API double le_number(const char *text, char **end);

/* ------------------------------------------------------------------------- reading a call ---- */

/* arg is the index of the argument in the operation's descriptor. */
LE_API bool le_call_given(const le_call *call, int arg); /* false: optional and absent */
LE_API const le_tensor *le_call_in(const le_call *call, int arg);
/* Allocated once the call runs. Of a counted output shape[0] is the room, in le_operation.compare
 * the number of rows. */
LE_API le_tensor *le_call_out(const le_call *call, int arg);
LE_API double le_call_f64(const le_call *call, int arg);
LE_API int64_t le_call_i64(const le_call *call, int arg);
LE_API const char *le_call_str(const le_call *call, int arg); /* NULL when a number was given */
LE_API const double *le_call_f64s(const le_call *call, int arg, size_t *count);
/* A table: row-major, f64, in host memory, valid as long as the call and the same in all its
 * functions, check, work, key, applicable and part included. An absent one is all zero (data NULL).
 */
LE_API const le_tensor *le_call_table(const le_call *call, int arg);
/* Value of a tunable of the implementation that runs, by its index in the descriptor. */
LE_API int64_t le_call_param(const le_call *call, int tunable);
/* The `user` pointers of the descriptors that this call goes by: of the operation always, of the
 * implementation in applicable and while it runs, else NULL. */
LE_API void *le_call_user_operation(const le_call *call);
LE_API void *le_call_user_implementation(const le_call *call);
/* Tolerance that this call asks for. */
LE_API double le_call_atol(const le_call *call);
LE_API double le_call_rtol(const le_call *call);

/* For le_operation.check: shape of an output. An output that the caller allocated must have it, and
 * keeps its own dtype; an unallocated one gets dtype. */
LE_API le_status le_call_set_out(le_call *call, int arg, le_dtype dtype, int ndim,
                                 const int64_t *shape);
/* For le_operation.check: an output whose number of rows (shape[0]) is known only when it has been
 * made: sources in an image, peaks of a profile. shape[0] is how many rows there is to be room for
 * at first: a guess, or the most that there can be. It belongs to the problem, and work, memory and
 * applicable see it. An output that the caller allocated may have any number of rows; the rest of
 * the shape must agree.
 *
 * The implementation finds the room as le_call_out(call, arg)->shape[0], which may be more than was
 * asked for, and 0. It writes the rows in the order that the operation's documentation states
 * (first pixel first, row-major, say: the order is a part of the result), stores nothing beyond the
 * room, counts on when that is full, and says how many rows there are with le_call_set_count. When
 * these are more than the room it is run once more, with room for them; what was too little is
 * learnt. Contents of rows between the count and the room do not matter.
 *
 * The caller gets exactly so many rows: an unallocated tensor as it is, another one with shape[0]
 * set to the count and its further rows untouched. One that is too small is LE_ERR_SHAPE, "needs
 * 1234 rows, 1000 given", and untouched. */
LE_API le_status le_call_set_out_upto(le_call *call, int arg, le_dtype dtype, int ndim,
                                      const int64_t *shape);
/* In run or release, at the end, for each counted output that was given. On OpenCL le_cl_count may
 * do it. */
LE_API void le_call_set_count(le_call *call, int arg, int64_t rows);
/* The same where a value of an input says how many there are: what they go by and what is expected,
 * a text that stays, for the error where there is no memory for so many. */
LE_API void le_call_set_count_by(le_call *call, int arg, int64_t rows, const char *what);
/* For le_operation.check: keeps data derived from the arguments (a parsed transfer function) with
 * the call; release is called once when the call ends, NULL for static data. */
LE_API void le_call_attach(le_call *call, void *data, void (*release)(void *));
LE_API void *le_call_attached(const le_call *call);

/* --------------------------------------------------------------------------- operations ------ */

typedef enum le_arg_type {
    LE_TYPE_IN = 1, /* tensor */
    LE_TYPE_OUT,    /* tensor */
    LE_TYPE_F64,
    LE_TYPE_I64,
    LE_TYPE_STR,        /* one of words, or free text where words is NULL */
    LE_TYPE_F64S,       /* list of numbers */
    LE_TYPE_STR_OR_F64, /* one of words or a number */
    LE_TYPE_TABLE       /* a small tensor that may be looked at, see le_call_table */
} le_arg_type;

#define LE_DTYPE_BIT(d) (1u << (d))
/* The real dtypes of up to 32 bits, and f64: what most operations take. An operation that takes i8,
 * i64, u64, c64 or c128 names them with LE_DTYPE_BIT. */
#define LE_DTYPES_ALL                                                                              \
    (LE_DTYPE_BIT(LE_U8) | LE_DTYPE_BIT(LE_I16) | LE_DTYPE_BIT(LE_U16) | LE_DTYPE_BIT(LE_I32) |    \
     LE_DTYPE_BIT(LE_U32) | LE_DTYPE_BIT(LE_F32) | LE_DTYPE_BIT(LE_F64))
#define LE_DTYPES_FLOAT   (LE_DTYPE_BIT(LE_F32) | LE_DTYPE_BIT(LE_F64))
#define LE_DTYPES_COMPLEX (LE_DTYPE_BIT(LE_C64) | LE_DTYPE_BIT(LE_C128))

typedef struct le_arg_desc {
    const char *name;
    const char *doc; /* one line: meaning, unit, range */
    le_arg_type type;
    bool optional; /* absent: the default below, or le_call_given is false */
    bool cost;     /* changes the time, by its value or, of a list, its values: becomes a part of
                    * the problem. Of other lists only their length does. */
    /* Of an optional number: to leave it out is to give default_f64, 0 too, which help texts and
     * bindings state. Without it absence has a meaning of its own. */
    bool has_default;
    /* Of an optional output, where all are optional: bindings that give back results make it when
     * the caller names none. Without such ones it is the first output. */
    bool usual;
    /* tensors */
    uint32_t dtypes; /* mask of LE_DTYPE_BIT; of tables ignored: any real dtype, copied to f64 */
    int8_t min_ndim, max_ndim; /* of tables, too */
    const char *shape;         /* for help texts: "[nx,ny,nz]" */
    /* numbers, of lists and tables each; min and max are checked when min < max; both ends are
     * allowed
     */
    double min, max;
    double default_f64;          /* LE_TYPE_F64, LE_TYPE_I64 */
    size_t min_count, max_count; /* LE_TYPE_F64S, LE_TYPE_TABLE; max_count 0: any */
    /* text */
    const char *const *words; /* NULL-ended */
    const char *default_str;
    /* Mask of axes (1u << axis) whose extent differs from call to call without making another kind
     * of problem: bytes of a compressed chunk, rows of a catalogue. In the problem such an extent
     * is rounded up to three significant bits (1793 to 2048 are 2048), so that calls share what is
     * learnt; work, memory, check and the implementation see the true one. For inputs and outputs.
     */
    uint32_t elastic;
    /* Of outputs that are tables, [rows, columns]: the name of column i where there are so many:
     * letters, digits and _, static text. Files with a header get it (le_io_write_with). NULL: the
     * columns have no names. */
    const char *(*column)(int64_t columns, int64_t i);
} le_arg_desc;

/* Estimated cost of one call, for prediction: used relative to other calls of the same operation.
 */
typedef struct le_work {
    double operations; /* arithmetic operations, > 0 */
    double bytes;      /* bytes that must be read and written at least once */
} le_work;

/* How a result is compared with the reference: |a-b| <= atol*scale + rtol*|b|. NaN equals NaN only.
 * Differences of i64 and u64 are exact, where doubles would see none beyond 2^53; of complex
 * numbers |a-b| and |b| are magnitudes. The reference answers in f64 (complex: c128) where the
 * output's dtypes allow it, but in i64 and u64 where these were asked for. */
typedef enum le_norm {
    LE_NORM_ABS = 0, /* scale 1 */
    LE_NORM_MAX      /* scale = max |b| over the output, or the smallest normal number, or
                        le_operation.least_scale, if that is more; 1 where b is 0 everywhere and
                        has no least scale */
} le_norm;

/* Builds the arguments of a sample call; see le_case_* below. */
typedef struct le_case le_case;

typedef enum le_case_kind {
    LE_CASE_CHECK, /* number `index` of the random and edge cases for testing */
    LE_CASE_TRIAL, /* small, of the same kind (dtypes, words) as `like` */
    LE_CASE_BENCH  /* typical data, main dimension `size` */
} le_case_kind;

typedef struct le_case_request {
    le_case_kind kind;
    uint64_t seed;
    int64_t index;       /* LE_CASE_CHECK: 0, 1, 2 ... */
    int64_t size;        /* LE_CASE_BENCH: the operation's main dimension; 0: its usual one */
    le_dtype dtype;      /* LE_CASE_CHECK, LE_CASE_BENCH: of the main input; 0: any allowed */
    const le_call *like; /* LE_CASE_TRIAL; may be NULL */
} le_case_request;

/* For le_operation.part. */
#define LE_PART_APART INT64_C(-1)

/* How a call can be worked off in slabs along one axis, when it does not fit a memory limit or when
 * its input comes frame by frame. A slab is a call of the same operation on a part of the data. */
typedef enum le_merge { /* of an output that every slab computes in full; summed in doubles, complex
                           numbers part by part; they have no largest and no least */
                        LE_MERGE_NONE = 0,
                        LE_MERGE_SUM,
                        LE_MERGE_MEAN, /* weighted by the items of the slabs */
                        LE_MERGE_MAX,
                        LE_MERGE_MIN,
                        /* Counted outputs: the rows of the slabs one after the other, where that is
                           their order in the whole. */
                        LE_MERGE_APPEND
} le_merge;

typedef struct le_slabs {
    int64_t items;    /* slabs are ranges of [0, items) */
    int64_t halo;     /* items beyond each end of a slab that its results depend on */
    int64_t multiple; /* slabs begin at multiples of this; 0: anywhere */
    struct {
        int8_t axis;   /* 1 + the axis of this tensor that is cut; 0: whole in every slab. A list is
                          cut with 1 */
        int32_t scale; /* elements along the axis, numbers of a list, for each item; 0: 1 */
        int32_t divide; /* items for each element, a divisor of multiple; 0: 1 */
        uint8_t merge;  /* le_merge: outputs with axis 0 */
        uint8_t ends;   /* 1: an input with one element more than that, where items begin and end */
        /* LE_MERGE_APPEND: elements of a row (1u << element along the last axis) that are places
         * along the cut axis: `scale` times the item. To these the place where the slab begins is
         * added. With a halo the first of them says whether a row belongs to the slab; its other
         * rows are dropped. */
        uint32_t places;
    } args[LE_MAX_ARGS]; /* by index in the descriptor */
    /* Where it cannot be cut that way: what is in the way, a literal; NULL: nothing to say. */
    const char *why;
    /* Where the cut inputs have more or fewer elements along the axis than there are items: how
     * many. What a slab's call makes of e elements are e + items - extent; item b is its item
     * b - low, with low the first element that it was given. 0: as many as items. */
    int64_t extent;
    bool wraps; /* beyond an end of the inputs their other end goes on */
} le_slabs;

/* How a call over a volume can be worked off box by box (le_boxes.h): `part` is the operation that
 * makes the part of a box. Its arguments are those of this call by name, with the samples of the box
 * in place of the volume and without the output; two lists of three numbers, `begin`, the box's first
 * sample, and `whole`, the volume's shape; `parts` [views, rows, columns, 4], f32; and `owned`, i32,
 * whose sum is the number of samples that are the box's own. Views are the items of `slabs`. */
typedef struct le_bricks {
    int8_t input;  /* index of the volume, three axes, all of which are cut */
    int8_t output; /* index of the pictures, [views, rows, columns, 3]: clipped to [0,1] */
    const char *part;
    /* What a ray of a view goes on by towards its nearer end, in samples along the axes. */
    void (*step)(const le_call *call, int64_t view, double out[3]);
} le_bricks;

typedef struct le_operation {
    uint32_t abi;          /* LE_METHOD_ABI */
    const char *name;      /* one line of UTF-8 */
    const char *family;    /* "volume" */
    const char *summary;   /* one line */
    const char *reference; /* paper, program or page that defines the result */
    const le_arg_desc *args;
    size_t n_args;
    /* Checks what the descriptor cannot say and calls le_call_set_out for every output. Must not
     * read tensor data; tables are no tensor data. */
    le_status (*check)(le_call *call);
    void (*work)(const le_call *call, le_work *out);
    /* Adds to the problem's key what changes the time, or which implementations are applicable, but
     * is not in shapes, dtypes or cost scalars (for example "axis" when a rotation is about a grid
     * axis). Nothing of a table is in the problem but what this says of it ("31x31 rank 1", at most
     * 127 characters). NULL: nothing. */
    void (*key)(const le_call *call, char *buffer, size_t size);
    le_norm norm;
    double atol, rtol; /* default tolerance */
    le_status (*make_case)(le_case *out, const le_case_request *request);
    /* Composite operations: describes the call as a chain, which may also serve later calls with
     * the same shapes, dtypes, numbers, texts and tolerances. NULL: not composite. */
    le_status (*expand)(const le_call *call, le_chain *chain);
    /* A smaller call over the same data whose outputs are rows [*first, *first + their own count)
     * along axis 0 of this call's outputs (one of ten angles, say), for checking a large result
     * cheaply; random picks which. Where there are no such rows *first may be LE_PART_APART: a call
     * of the same kind (with fewer frames, say) that both sides answer, when the whole would take
     * too long. Built with le_case_borrow, le_case_like. NULL: only the whole is checked. */
    le_status (*part)(const le_call *call, uint64_t random, le_case *out, int64_t *first);
    /* Fills in how this call can be cut (*out is zeroed before); false: it cannot. NULL: never.
     * Must not read tensor data. */
    bool (*slabs)(const le_call *call, le_slabs *out);
    /* The same along another axis, for calls of which not even one item of a slab fits: rows of a
     * frame, say. NULL: never. */
    bool (*tiles)(const le_call *call, le_slabs *out);
    /* How far an answer is from a trusted one (the reference's, mostly) to the same call: the least
     * atol that allows it, in the operation's norm; 0: the same, INFINITY: another answer. For
     * outputs that may differ in ways that are no error: labels with other numbers, rows of a
     * catalogue whose order or presence hangs on the last bit. Both calls have all outputs that
     * were asked for, row-major and on the host, counted ones with as many rows as they have;
     * dtypes may differ. NULL: counted outputs have equally many rows, and each element is within
     * atol and rtol. Where it is given, or outputs are counted, `part` can only be of the kind
     * LE_PART_APART. */
    double (*compare)(const le_call *answer, const le_call *trusted);
    void *user; /* the author's: le_call_user_operation, le_case_user */
    /* For volumes that do not fit in memory; false: not this call. NULL: never. Must not read tensor
     * data. */
    bool (*bricks)(const le_call *call, le_bricks *out);
    /* For LE_NORM_MAX: what the scale of output `arg` is at least, in the units of its elements.
     * Where all results are small differences of large numbers (a constant image and a kernel whose
     * sum is 0), they are nothing but rounding, which no implementation shares with another, and
     * the largest of them is no scale. `trusted` has all that le_operation.compare has, and its
     * inputs on the host. What is not finite counts as 0. NULL: 0. */
    double (*least_scale)(const le_call *trusted, int arg);
} le_operation;

/* How such a call can be cut, for those who work its parts off elsewhere: other processes, other
 * machines. What the operation's `slabs` and `tiles` say, items 0 where it cannot be cut that way,
 * with `why` then; either may be NULL. With LE_OPT_REPRODUCIBLE, not where the implementation that
 * answers the whole call gives a part other bits (LE_IMPL_BY_PLACE). The call is checked as
 * le_call_run checks it and not run. engine NULL: the default one. */
LE_API le_status le_call_cut(le_engine *engine, const char *operation, const le_arg *args,
                             size_t n_args, le_slabs *slabs, le_slabs *tiles);

/* The part of a call that makes the items [begin, end): a call of the same operation on the items
 * [low, high) of the cut inputs, which have halos, and go on beyond the ends where slabs.wraps. Of
 * what it makes, the wanted items are begin - low and those after it. */
typedef struct le_slab_range {
    int64_t begin, end, low, high;
} le_slab_range;

LE_API le_slab_range le_slab_range_of(const le_slabs *slabs, int64_t begin, int64_t end);
/* Elements along the cut axis of argument `arg`, or numbers of a list, for so many items. */
LE_API int64_t le_slab_elements(const le_slabs *slabs, size_t arg, int64_t items);
/* How many items from `at` on, range->low <= at < range->high, lie one after the other in the whole
 * inputs, and *from which one on: a part that wraps is made of several such stretches. */
LE_API int64_t le_slab_stretch(const le_slabs *slabs, const le_slab_range *range, int64_t at,
                               int64_t *from);
/* Input `arg` of the part, `t` being the whole in host memory: a view of it, or a tensor of its own
 * where stretches are put together. le_tensor_free releases either. LE_ERR_MEMORY. */
LE_API le_status le_slab_input(const le_slabs *slabs, size_t arg, const le_tensor *t,
                               const le_slab_range *range, le_tensor *out);

/* --- cases: tensors and texts live as long as the case --- */
/* Adds an argument; the tensor is row-major with unspecified contents, for the caller to fill. NULL
 * when out of memory (le_case_* then keep failing and make_case may return le_case_status). */
LE_API le_tensor *le_case_in(le_case *c, const char *name, le_dtype dtype, int ndim,
                             const int64_t *shape);
/* Adds an input over borrowed memory, which must outlive the case. */
LE_API void le_case_borrow(le_case *c, const char *name, const le_tensor *t);
/* Asks for an output of this dtype; the engine allocates it. */
LE_API void le_case_out(le_case *c, const char *name, le_dtype dtype);
LE_API void le_case_f64(le_case *c, const char *name, double value);
LE_API void le_case_i64(le_case *c, const char *name, int64_t value);
LE_API void le_case_str(le_case *c, const char *name, const char *value);
LE_API void le_case_f64s(le_case *c, const char *name, const double *values, size_t count);
/* Adds a table; the values, row-major, are copied. */
LE_API void le_case_table(le_case *c, const char *name, int ndim, const int64_t *shape,
                          const double *values);
/* Repeats the scalars, texts, lists and tables of another call that are not yet in the case. */
LE_API void le_case_like(le_case *c, const le_call *like);
LE_API le_status le_case_status(const le_case *c);
/* le_operation.user, in make_case and part. */
LE_API void *le_case_user(const le_case *c);
/* Deterministic numbers: uniform 64 bits; uniform [0,1); standard normal. */
LE_API uint64_t le_case_random(le_case *c);
LE_API double le_case_uniform(le_case *c);
LE_API double le_case_normal(le_case *c);
/* Writes value to element i (in row-major order) of a contiguous tensor of any dtype, rounding and
 * clamping to the range of integer dtypes; complex ones get the imaginary part 0. */
LE_API void le_tensor_set(le_tensor *t, int64_t i, double value);
/* Reads element i (in row-major order) of a tensor of any dtype and any strides: of complex dtypes
 * the real part, of i64 and u64 the nearest double. */
LE_API double le_tensor_get(const le_tensor *t, int64_t i);
/* The same in 64 bits, exact for every integer dtype; elements of u64 are the same 64 bits, as
 * (uint64_t)value. Other dtypes are rounded and clamped. */
LE_API void le_tensor_set_i64(le_tensor *t, int64_t i, int64_t value);
LE_API int64_t le_tensor_get_i64(const le_tensor *t, int64_t i);
/* The same with the imaginary part, which is 0 of real dtypes and is dropped by them. */
LE_API void le_tensor_set_complex(le_tensor *t, int64_t i, double re, double im);
LE_API void le_tensor_get_complex(const le_tensor *t, int64_t i, double out[2]);
/* The largest magnitude among the finite elements of a tensor on the host; 0 where there are none. */
LE_API double le_tensor_largest(const le_tensor *t);

/* ----------------------------------------------------------------------- implementations ----- */

typedef enum le_isa { /* bits of le_implementation.isa: all must be there */
                      LE_ISA_SSE2 = 1u << 0,
                      LE_ISA_AVX2 = 1u << 1,  /* with FMA and F16C */
                      LE_ISA_AVX512 = 1u << 2 /* F, CD, BW, DQ, VL */
} le_isa;

typedef enum le_device_kind { LE_DEVICE_CPU = 0, LE_DEVICE_OPENCL } le_device_kind;

typedef enum le_implementation_flag {
    LE_IMPL_REFERENCE = 1u << 0,    /* double precision; what the others are compared with */
    LE_IMPL_REPRODUCIBLE = 1u << 1, /* the same bits for any thread count and schedule */
    LE_IMPL_LOSSY = 1u << 2,  /* approximates on purpose: only for calls that allow its error */
    LE_IMPL_SERIAL = 1u << 3, /* one thread only: range gets its parts in order, one by one */
    LE_IMPL_NEEDS_IMAGES = 1u << 4, /* OpenCL image support */
    LE_IMPL_NEEDS_F64 = 1u << 5,    /* OpenCL double precision */
    /* OpenCL: f64 tensors are fine on devices without double precision, because no kernel sees
     * their doubles (images hold floats). Without it an implementation is left out there for calls
     * with an f64 tensor. */
    LE_IMPL_F64_ANYWHERE = 1u << 6,
    /* Cannot run in a forked child, because it needs what only this process has (an interpreter and
     * its lock, say): tried in this process, on guarded outputs. What hangs or crashes does so
     * here. A reference that has it answers here, too, before a child is forked for another CPU
     * implementation of the operation; those for devices are then tried here. The operation's
     * make_case and the reference's functions are called in this process only. LE_ERR_CANCELLED
     * from one that has it ends the call, for it may have been interrupted by itself. */
    LE_IMPL_IN_PROCESS = 1u << 7,
    /* The bits of a result depend on where it lies in the call (transforms of tiles that begin at
     * the first row, say), so that a part of the call gives others: reproducible calls that it
     * answers are not shared out over processes. */
    LE_IMPL_BY_PLACE = 1u << 8
} le_implementation_flag;

typedef struct le_tunable {
    const char *name;      /* "tile" */
    const int64_t *values; /* allowed values, one or more */
    size_t n_values;
    int64_t default_value; /* one of values */
} le_tunable;

typedef struct le_cl_source { /* made by the build from a file under cl/ */
    const char *name;         /* "volume/interpolate" */
    const char *text;         /* includes expanded */
    size_t size;
    const char *sha256;
} le_cl_source;

typedef void (*le_range_fn)(void *context, size_t begin, size_t end, int worker);

typedef struct le_implementation {
    uint32_t abi; /* LE_METHOD_ABI */
    const char *operation;
    const char *name; /* stable: the key in the database. One line of UTF-8 without '@', '[', ']' */
    /* "reference", "c", "simd", "exact" (the bits of another program), "fused", "opencl",
     * "staged"; of functions that Python brings "numpy" and "numba". Others are refused
     * when it is registered. ("slabs" is of implementations that the engine makes.) */
    const char *run_type;
    const char *summary;  /* one line */
    le_device_kind device;
    uint32_t isa;   /* le_isa bits */
    uint32_t flags; /* le_implementation_flag bits */
    /* Expected speed relative to the operation's scalar C implementation on the same number of
     * cores (that one: 1). Only a first guess; 0 means 1. Of a reference 0.1 is assumed unless
     * something below 1 is stated. For OpenCL: on a GPU; the engine corrects
     * it for CPU-type devices. */
    double speed;
    const le_tunable *tunables;
    size_t n_tunables; /* 8 at most, with 96 combinations of values at most; a candidate's text, such
                        * as "avx2@cpu[threads=2,schedule=dynamic,tile=8]", has at most 191
                        * characters. LE_ERR_ARGUMENT otherwise */
    const le_cl_source *const *sources; /* OpenCL: NULL-ended, for the source hash */
    /* A pure predicate of the call's problem and le_cl_device: of shapes, strides, dtypes, words,
     * which tensors and tables are given, whether integers have 32 bits, numbers and lists with
     * `cost`, and what le_operation.key says. What else differs (an extent within an elastic one, a
     * number without `cost`, what is in a table) must not decide, for it is asked once a problem,
     * not in each call. On false *why names the reason in a few words (static text). NULL: always. */
    bool (*applicable)(const le_call *call, const char **why);
    /* Bytes of working memory beside the arguments; of the problem, likewise. NULL: 0. */
    int64_t (*memory)(const le_call *call);
    /* Either items and range (CPU only): range is called for disjoint parts of [0, items) by
     * several workers. prepare (may be NULL) makes the context, release ends it; without prepare
     * the context is the call itself. */
    le_status (*prepare)(le_call *call, void **context);
    size_t (*items)(const le_call *call);
    le_range_fn range;
    void (*release)(void *context);
    /* Or run: several phases with le_parallel_for, or OpenCL. Where one fails another implementation
     * answers, unless it is the caller's mistake: LE_ERR_DATA, _ARGUMENT, _SHAPE, _DTYPE. */
    le_status (*run)(le_call *call);
    /* For le_register_implementation: tells versions of the code apart, as a version number, a hash
     * or the source's text. When it changes, what was measured becomes a prior and verdicts end.
     * NULL: that happens whenever the program or library that holds the functions is built anew
     * (its build ID, else its size and time of change). Of OpenCL kernels `sources` tells. */
    const char *source;
    void *user; /* the author's: le_call_user_implementation */
    /* `speed` for one call, where shapes or tables decide which implementation is the faster: a
     * pure function of the call, as `applicable`, that reads no tensor data. Anything but a positive
     * number means `speed`. NULL: always. */
    double (*speed_of)(const le_call *call);
} le_implementation;

/* Defines the descriptor that a line of methods/ lists, with the fields that its names give; the
 * others follow:
 *
 *     LE_IMPLEMENTATION(composite, blocked, .run_type = "c", .summary = "...", .range = range);
 */
#define LE_IMPLEMENTATION(the_operation, the_name, ...)                                            \
    LE_IMPLEMENTATION_OF(the_operation, the_name, __VA_ARGS__)
#define LE_IMPLEMENTATION_OF(the_operation, the_name, ...) /* its arguments expanded */            \
    extern const le_implementation le_implementation_##the_operation##__##the_name;                \
    const le_implementation le_implementation_##the_operation##__##the_name = {                    \
        .abi = LE_METHOD_ABI, .operation = #the_operation, .name = #the_name, __VA_ARGS__}

/* Runs fn over [0, items) with the threads and schedule of the candidate, on the host of another
 * device with all threads; returns when all is done. fn must not call it again. worker is in
 * [0, le_call_threads).
 *
 * A run may have to end before it is done: it has taken too long to be worth trying, or the
 * caller's tick says so. Then no further item is begun, LE_ERR_CANCELLED is returned here and at
 * once by each later loop of the run, and le_call_cancelled is true. What the loop should have
 * written is there in part: nothing may be read from it (as an index, say); return the error. What
 * such a run has written is dropped, whatever it returns. Items of a millisecond or so are short
 * enough to end between them. */
LE_API le_status le_parallel_for(le_call *call, size_t items, le_range_fn fn, void *context);
LE_API int le_call_threads(const le_call *call);
/* Whether LE_OPT_REPRODUCIBLE was given: what is slower, and keeps the bits of a frame (a row, a
 * view) the same whatever else the call has, is to be done then. */
LE_API bool le_call_reproducible(const le_call *call);
/* 64-byte aligned memory, contents unspecified, that lives until the call ends; counted in the peak
 * memory. NULL when out of memory, and beyond a limit of the call's. Not for range functions: call
 * it in prepare or run. */
LE_API void *le_call_scratch(le_call *call, size_t bytes);
/* Data that many calls need and that take long to derive from scalars, texts and tables: the
 * coefficients of an integration, a list of bad pixels, an FFT plan. Built by the first call that
 * wants them, kept in the engine, the longest unused going first: at most a quarter of the engine's
 * memory limit (without one an eighth of the machine's memory) beyond what is in use. key says all
 * that the data depend on ("1000 bins, mask 8f3a"); operation and `fill` belong to it anyway:
 * implementations with the same function share the data. fill writes the data, 64-byte aligned
 * memory of `bytes`, and may use le_parallel_for; what it returns but LE_OK is returned here, and
 * the next call tries again, as it does when the run has to end meanwhile.
 * The data are read only, may be shared with other calls at the same time, and stay until the run
 * ends. The time to build them, or to wait for a call that does, counts as set-up, not as the time
 * of the run. For prepare and run, not for range functions; le_operation.check may ask, too: what
 * it gets stays until it returns, and le_parallel_for is not for its `fill`. Of those that nobody
 * uses at most 256 stay. *out is NULL on error. */
typedef le_status (*le_keep_fn)(le_call *call, void *data, size_t bytes, void *cookie);
LE_API le_status le_call_keep(le_call *call, const char *key, size_t bytes, le_keep_fn fill,
                              void *cookie, const void **out);
/* Contents of an input as row-major memory of its own dtype: the tensor's own memory when it is
 * contiguous, else a scratch copy; of an empty input something that is not to be read. NULL when out
 * of memory, or when the run has to end meanwhile: it has failed as ended then, whatever it returns. */
LE_API const void *le_call_contiguous(le_call *call, int arg);
/* The same a piece at a time, for any thread and without a copy of the whole: elements [begin,
 * begin + count) of a tensor on the host in row-major order, which are there. They are its own
 * memory where they lie one after another, as one element does, else a copy in `room`, of count
 * elements of its dtype. */
LE_API const void *le_tensor_elements(const le_tensor *t, int64_t begin, int64_t count, void *room);
/* Whether the run has to end before it is done. For loops without le_parallel_for, to be asked each
 * millisecond or so: a run that asks neither way cannot be ended. Return LE_ERR_CANCELLED then. */
LE_API bool le_call_cancelled(const le_call *call);

/* -------------------------------------------------------------------------------- OpenCL ----- */

typedef struct le_cl_kernel
    le_cl_kernel; /* built once per device and options, kept by the engine */
typedef struct le_cl_buffer le_cl_buffer; /* lives until the call ends */

typedef struct le_cl_info {
    const char *name, *vendor, *driver, *version;
    bool is_cpu, has_images, has_f64, unified_memory;
    uint32_t compute_units, vector_width_f32;
    size_t max_work_group, local_bytes;
    size_t max_image3d[3];
    int64_t memory_bytes; /* the engine's limit for this device, not the device's own size */
    int64_t max_buffer_bytes;
} le_cl_info;

typedef enum le_cl_karg_kind {
    LE_CL_KARG_ARG = 1, /* device copy of a tensor argument, uploaded if it is not there yet */
    LE_CL_KARG_BUFFER,
    LE_CL_KARG_BYTES, /* a scalar, vector or struct by value; a struct must have no padding at its
                         end: some drivers count that in its size, others do not */
    LE_CL_KARG_LOCAL  /* local memory */
} le_cl_karg_kind;

typedef struct le_cl_karg {
    int32_t kind;
    int32_t arg;
    le_cl_buffer *buffer;
    size_t size;
    union {
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        float f32;
        double f64;
    } scalar;
    const void *bytes; /* NULL: the scalar */
} le_cl_karg;

#define LE_CL_ARG(a)    ((le_cl_karg){.kind = LE_CL_KARG_ARG, .arg = (a)})
#define LE_CL_BUF(b)    ((le_cl_karg){.kind = LE_CL_KARG_BUFFER, .buffer = (b)})
#define LE_CL_I32(v)    ((le_cl_karg){.kind = LE_CL_KARG_BYTES, .size = 4, .scalar.i32 = (v)})
#define LE_CL_U32(v)    ((le_cl_karg){.kind = LE_CL_KARG_BYTES, .size = 4, .scalar.u32 = (v)})
#define LE_CL_I64(v)    ((le_cl_karg){.kind = LE_CL_KARG_BYTES, .size = 8, .scalar.i64 = (v)})
#define LE_CL_F32(v)    ((le_cl_karg){.kind = LE_CL_KARG_BYTES, .size = 4, .scalar.f32 = (v)})
#define LE_CL_F64(v)    ((le_cl_karg){.kind = LE_CL_KARG_BYTES, .size = 8, .scalar.f64 = (v)})
#define LE_CL_STRUCT(p) ((le_cl_karg){.kind = LE_CL_KARG_BYTES, .size = sizeof *(p), .bytes = (p)})
#define LE_CL_LOCAL(n)  ((le_cl_karg){.kind = LE_CL_KARG_LOCAL, .size = (n)})

/* The device that runs the call, or that applicable is asked about; NULL: the CPU, or none yet. */
LE_API const le_cl_info *le_cl_device(const le_call *call);
/* The type of OpenCL C for a dtype, for options as "-DT=ulong": "uchar", "char", "float2" ...; NULL
 * for an unknown dtype. f64 and c128 need a device with has_f64. */
LE_API const char *le_dtype_cl_type(le_dtype dtype);
/* options: "-DTILE=8"; the engine adds dtype-independent ones. Kept by the engine. */
LE_API le_status le_cl_get_kernel(le_call *call, const le_cl_source *source, const char *kernel,
                                  const char *options, le_cl_kernel **out);
/* Enqueues; returns before the kernel ends. local NULL: the driver's choice. global is rounded up
 * to a multiple of local: kernels check their bounds. Where somebody may end the call, a launch that
 * takes long is cut into ranges of work-groups that run in order, and always one of more than 65,535
 * work-groups along an axis but the first, which not every device takes; numbers of items and groups
 * are as in one launch. Not so where the text asks for the size of the launch (get_global_size,
 * get_num_groups): it runs whole, and nobody is heard meanwhile. */
LE_API le_status le_cl_launch(le_call *call, le_cl_kernel *kernel, int ndim, const size_t *global,
                              const size_t *local, const le_cl_karg *kargs, size_t n_kargs);
LE_API le_status le_cl_scratch(le_call *call, size_t bytes, le_cl_buffer **out);
/* Copies; the host memory may be reused at once. */
LE_API le_status le_cl_upload(le_call *call, le_cl_buffer *buffer, size_t offset, const void *host,
                              size_t bytes);
/* The same of elements [begin, begin + count) of a tensor of any strides, in row-major order: a few
 * MiB at a time, without a copy of the whole. */
LE_API le_status le_cl_upload_elements(le_call *call, le_cl_buffer *buffer, size_t offset,
                                       const le_tensor *tensor, int64_t begin, int64_t count);
LE_API le_status le_cl_download(le_call *call, le_cl_buffer *buffer, size_t offset, void *host,
                                size_t bytes);
/* Fills with a repeated 1, 2, 4 or 8-byte pattern. */
LE_API le_status le_cl_fill(le_call *call, le_cl_buffer *buffer, const void *pattern,
                            size_t pattern_size, size_t offset, size_t bytes);
/* A single-channel float image of a 3-D argument: width is the last axis. Kept with the tensor's
 * device copy. Passed with LE_CL_BUF. */
LE_API le_status le_cl_image3d(le_call *call, int arg, le_cl_buffer **out);
/* le_call_keep in a buffer of the device, kept for each device: at most a quarter of its memory
 * limit, and less when a call needs the memory. fill uploads with le_cl_upload or launches kernels;
 * it need not wait for them. Pass the buffer with LE_CL_BUF, as read only. */
typedef le_status (*le_cl_keep_fn)(le_call *call, le_cl_buffer *buffer, size_t bytes, void *cookie);
LE_API le_status le_cl_keep(le_call *call, const char *key, size_t bytes, le_cl_keep_fn fill,
                            void *cookie, le_cl_buffer **out);
/* An i64 in a buffer of its own, 0 at first, in which kernels count the rows of a counted output:
 * at the end of the run the engine reads it and calls le_call_set_count. Kernels without 64-bit
 * atomics may count in its first half on little-endian devices. Pass it with LE_CL_BUF. */
LE_API le_status le_cl_count(le_call *call, int arg, le_cl_buffer **out);
LE_API le_status le_cl_finish(le_call *call);

/* An implementation that is one kernel: the engine builds it, passes the arguments and launches.
 *
 *     static const le_cl_simple kernel = {.source = {"own/soft", text, sizeof text - 1, NULL},
 *                                         .kernel = "soft", .local = "group"};
 *     static const le_cl_source *const sources[] = {&kernel.source, NULL};
 *     LE_IMPLEMENTATION(soft, opencl, .run_type = "opencl", .device = LE_DEVICE_OPENCL,
 *                       .sources = sources, .run = le_cl_run_simple, ...);
 *
 * The kernel takes the operation's arguments in their order: tensors as __global pointers to
 * row-major data, numbers as float (LE_TYPE_F64) and int (LE_TYPE_I64), and then those of `more`.
 * An optional output that the call has not is a null pointer; other types of arguments, inputs that
 * are not given, and integers of more than 32 bits are LE_ERR_UNSUPPORTED (`applicable` may leave
 * such calls out before): another candidate answers. The text knows the element type of argument x as
 * T_x, and each tunable by its name. */
typedef struct le_cl_simple {
    le_cl_source source; /* sha256 NULL: the engine tells versions of the text apart itself */
    const char *kernel;  /* its name in the text */
    /* Work-items, one to three dimensions, which are returned. NULL: the extents of the first
     * output, its last axis first; axes before its last three are one with the third. Rounded up to
     * multiples of the work-group's size: the kernel checks its bounds. */
    int (*global)(const le_call *call, size_t global[3]);
    /* The tunable that is the work-group's size along the first dimension, LOCAL_SIZE in the text;
     * NULL: the driver's choice. */
    const char *local;
    /* Writes further arguments, LE_CL_SIMPLE_MORE at most, and returns how many. NULL: none. */
    size_t (*more)(const le_call *call, le_cl_karg *kargs);
} le_cl_simple;
enum { LE_CL_SIMPLE_MORE = 16 };
/* For le_implementation.run: runs the le_cl_simple whose `source` is the first of `sources`. */
LE_API le_status le_cl_run_simple(le_call *call);

/* -------------------------------------------------------------------- run-time registration -- */

/* Adds an operation or an implementation to one engine; NULL: the default engine. The descriptors are
 * borrowed and must outlive the engine. Not while other threads use the engine. OpenCL
 * implementations that are no le_cl_simple: before the first call, else they are tried in this
 * process. LE_ERR_ARGUMENT: what is missing or wrong in a descriptor; LE_ERR_UNSUPPORTED: its abi;
 * LE_ERR_UNKNOWN: there is no operation for an implementation; LE_ERR_MEMORY. Nothing is added then.
 *
 * A name that was registered before is replaced: an operation with all its implementations, an
 * implementation alone. What is known of the others comes back from the database; of the new one,
 * too, if its version (le_implementation.source) is the same. Operations and implementations of the
 * library itself are not replaced: LE_ERR_ARGUMENT. Chains keep what they were built with, also as
 * operations; calls of composite operations (le_operation.expand) take the new one. */
LE_API le_status le_register_operation(le_engine *engine, const le_operation *operation);
LE_API le_status le_register_implementation(le_engine *engine,
                                            const le_implementation *implementation);
/* Takes away what was registered, under the same conditions; the descriptors must still outlive the
 * engine. LE_ERR_UNKNOWN: there is none of that name; LE_ERR_ARGUMENT: it is the library's own. */
LE_API le_status le_unregister_operation(le_engine *engine, const char *operation);
LE_API le_status le_unregister_implementation(le_engine *engine, const char *operation,
                                              const char *implementation);

/* What is registered, in order of registration; arrays are valid until the next registration. engine
 * NULL: the default engine. NULL, and *count 0: there is none of that name, or no engine. */
LE_API const le_operation *le_engine_operation(le_engine *engine, const char *name);
LE_API const le_operation *const *le_engine_operations(le_engine *engine, size_t *count);
LE_API const le_implementation *const *
le_engine_implementations(le_engine *engine, const char *operation, size_t *count);

/* -------------------------------------------------------------------------------- filters -- */

/* A filter of HDF5 files whose chunks the library decodes where HDF5 cannot: le_filter_NAME, listed by
 * le_add_filter(NAME SOURCE) in methods/FAMILY/CMakeLists.txt. values are those that a dataset was
 * created with. Called by several threads; must stand any bytes. */
typedef struct le_filter {
    uint32_t id; /* as registered with the HDF Group */
    const char *name;
    /* Bytes of the decoded chunk; -1: none can be. */
    int64_t (*decoded)(const uint32_t *values, size_t n_values, const uint8_t *in, int64_t bytes);
    /* Writes as many; NULL, or what is wrong in a few words. */
    const char *(*decode)(const uint32_t *values, size_t n_values, const uint8_t *in, int64_t bytes,
                          uint8_t *out, int64_t out_bytes);
} le_filter;

#ifdef __cplusplus
}
#endif
#endif
