/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Liquid engine: run an operation with the fastest implementation this machine has.
 *
 *     le_tensor cube = le_tensor_of(data, LE_F32, 3, (int64_t[]){256, 256, 256});
 *     le_tensor frames = {0};                           // unallocated: the engine fills it in
 *     if (le_run("volume_render",
 *                LE_IN("volume", &cube), LE_OUT("images", &frames), LE_I64("size", 180),
 *                LE_F64S("angles", ((double[]){0, 9, 18}), 3)) != LE_OK)
 *         fprintf(stderr, "%s\n", le_error_message());
 *     le_tensor_free(&frames);
 *
 * Life:    le_open -> le_engine_run ... -> le_close; or just le_run, which opens a default engine
 * at its first call and closes it when the process exits (le_shutdown closes it early). Errors:
 * every call returns le_status, LE_OK is 0, errors are negative. le_error_message() has the text of
 * this thread's last error: what was given and what is expected. After an error no output argument
 * has been changed (but for LE_ERR_CANCELLED, see le_tick). The library never prints, exits or
 * aborts. Threads: one engine may be used by
 * any number of threads at once. le_open and le_close of the same engine must not overlap its use.
 * Fork: a child of fork() may use engines that it opens itself, and the default engine, which is
 * opened anew there; calls with an engine of its parent are LE_ERR_UNSUPPORTED, and le_close leaves
 * it alone. Tensors are not locked: do not write one that a call is reading. Memory:  arguments are
 * borrowed for the duration of a call. Tensors that the engine allocated (le_tensor.storage !=
 * NULL) are owned by the caller and released with le_tensor_free. C only:  the LE_ macros use C11
 * compound literals and _Generic; C++ fills le_arg arrays by hand.
 */
#ifndef LIQUID_ENGINE_LE_H
#define LIQUID_ENGINE_LE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "liquid_engine/le_version.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LE_API __attribute__((visibility("default")))
#else
#define LE_API
#endif

/* ------------------------------------------------------------------------------------ status -- */

#define LE_STATUS_MAP(X)                                                                           \
    X(LE_OK, 0, "no error")                                                                        \
    X(LE_ERR_ARGUMENT, -1, "bad argument")                                                         \
    X(LE_ERR_UNKNOWN, -2, "unknown name")                                                          \
    X(LE_ERR_SHAPE, -3, "bad shape")                                                               \
    X(LE_ERR_DTYPE, -4, "bad data type")                                                           \
    X(LE_ERR_DATA, -5, "data outside the operation's domain")                                      \
    X(LE_ERR_MEMORY, -6, "out of memory")                                                          \
    X(LE_ERR_DEVICE_MEMORY, -7, "out of device memory")                                            \
    X(LE_ERR_DEVICE_LOST, -8, "device lost")                                                       \
    X(LE_ERR_BUILD, -9, "kernel build failed")                                                     \
    X(LE_ERR_WRONG_RESULT, -10, "wrong result")                                                    \
    X(LE_ERR_TIMEOUT, -11, "time limit exceeded")                                                  \
    X(LE_ERR_CRASH, -12, "implementation crashed in its trial")                                    \
    X(LE_ERR_UNSUPPORTED, -13, "not supported")                                                    \
    X(LE_ERR_NO_CANDIDATE, -14, "no candidate satisfies the call")                                 \
    X(LE_ERR_IO, -15, "file could not be read or written")                                         \
    X(LE_ERR_CANCELLED, -16, "cancelled")                                                          \
    X(LE_ERR_INTERNAL, -17, "internal error")

typedef enum le_status {
#define LE_X(name, value, text) name = (value),
    LE_STATUS_MAP(LE_X)
#undef LE_X
} le_status;

/* The fixed text of a status; never NULL. */
LE_API const char *le_status_text(le_status status);
/* The text of this thread's last error; "" when there was none. Valid until the thread's next call.
 */
LE_API const char *le_error_message(void);
/* "0.1.0" of the library that is loaded; compare with LE_VERSION of the header. */
LE_API const char *le_version(void);

/* ----------------------------------------------------------------------------------- tensors -- */

#define LE_MAX_DIMS 8

/* Numbers in the machine's byte order. c64 and c128 are two f32 or f64, real part first, as
 * C's and numpy's complex numbers are. New ones are appended: the values never change. */
typedef enum le_dtype {
    LE_U8 = 1,
    LE_I16,
    LE_U16,
    LE_I32,
    LE_U32,
    LE_F32,
    LE_F64,
    LE_I8,
    LE_I64,
    LE_U64,
    LE_C64,
    LE_C128
} le_dtype;
#define LE_DTYPE_LAST LE_C128 /* of this header; a loop over all begins with LE_U8 */

typedef enum le_dtype_kind {
    LE_DTYPE_KIND_UNSIGNED = 1,
    LE_DTYPE_KIND_SIGNED,
    LE_DTYPE_KIND_FLOAT,
    LE_DTYPE_KIND_COMPLEX
} le_dtype_kind;

LE_API size_t le_dtype_size(le_dtype dtype);      /* bytes an element; 0 for an unknown dtype */
LE_API size_t le_dtype_alignment(le_dtype dtype); /* bytes; of c64 and c128 that of a part */
LE_API le_dtype_kind le_dtype_kind_of(le_dtype dtype); /* 0 for an unknown dtype */
LE_API const char *le_dtype_name(le_dtype dtype);      /* "u8", "f32", "c128" ... */
LE_API bool le_dtype_from_name(const char *name, le_dtype *out);

typedef struct le_storage le_storage; /* memory that the engine allocated, on host and devices */

/* An n-dimensional array. {0} is an unallocated tensor, which only LE_OUT takes.
 * shape[i] >= 0; strides are in elements and may be 0 or negative for inputs. Outputs that the
 * caller allocates must not overlap themselves or any input; counted ones, whose number of rows is
 * found by the call, may have rows to spare and get shape[0] set to what there is. data needs the
 * alignment of its dtype only. */
typedef struct le_tensor {
    void *data; /* element [0,...,0] on the host; NULL: unallocated or on a device */
    le_dtype dtype;
    int32_t ndim;
    int64_t shape[LE_MAX_DIMS];
    int64_t strides[LE_MAX_DIMS];
    le_storage *storage; /* NULL: borrowed memory */
    int64_t offset;      /* of element [0,...,0] in the storage, in elements */
} le_tensor;

/* A row-major tensor over borrowed memory. */
LE_API le_tensor le_tensor_of(const void *data, le_dtype dtype, int ndim, const int64_t *shape);
/* Allocates zeroed, row-major host memory of at least 64-byte alignment; *out, which is overwritten
 * (not released), is owned by the caller: le_tensor_free. LE_ERR_DTYPE, LE_ERR_SHAPE,
 * LE_ERR_MEMORY: *out is as it was, here and in the next one. */
LE_API le_status le_tensor_alloc(le_tensor *out, le_dtype dtype, int ndim, const int64_t *shape);
/* A row-major tensor over memory of somebody else, which has its contents and the alignment of the
 * dtype. Unlike borrowed memory it has copies on devices that later calls find there: see
 * le_tensor_touch. On success it is the tensor's until release(cookie), which is called once, when
 * the tensor has been freed (not while a call uses it) and nothing of the engine's shares its
 * memory: on any thread, perhaps the caller's of le_tensor_free, and without locks held. On failure
 * it stays the caller's; LE_ERR_ARGUMENT, too: data or release is NULL, or data is not aligned. */
LE_API le_status le_tensor_adopt(le_tensor *out, void *data, le_dtype dtype, int ndim,
                                 const int64_t *shape, void (*release)(void *cookie), void *cookie);
/* Releases the storage, if any, and sets *t to {0}. NULL is allowed. */
LE_API void le_tensor_free(le_tensor *t);
/* Number of elements; 1 for ndim 0; -1 when the product overflows. */
LE_API int64_t le_tensor_count(const le_tensor *t);
LE_API bool le_tensor_is_contiguous(const le_tensor *t);
/* Makes the host copy valid (downloads if the newest copy is on a device) and sets t->data.
 * On an error, LE_ERR_MEMORY or one of the device, *t is as it was. */
LE_API le_status le_tensor_to_host(le_tensor *t);
/* To be called after writing to t->data of a tensor with storage that a call has used before: its
 * copies on devices are then taken as stale. Borrowed memory needs no such call. */
LE_API void le_tensor_touch(le_tensor *t);
/* Writes "f32[256,256,256]" to buffer, NUL-terminated. */
LE_API void le_tensor_describe(const le_tensor *t, char *buffer, size_t size);
/* DLPack (https://dmlc.github.io/dlpack) without a copy: include liquid_engine/le_dlpack.h. */

/* --------------------------------------------------------------------------------- arguments -- */

typedef enum le_kind {
    LE_KIND_IN = 1, /* const le_tensor * */
    LE_KIND_OUT,    /* le_tensor * */
    LE_KIND_F64,
    LE_KIND_I64,
    LE_KIND_STR,    /* NUL-terminated */
    LE_KIND_F64S,   /* a list of numbers */
    LE_KIND_OPTION, /* of the call, not of the operation: see the LE_OPT_ macros */
    LE_KIND_TABLE   /* const le_tensor *: small, copied when the call begins */
} le_kind;

/* Options that any call takes. A run type, implementation or device that does not exist is
 * LE_ERR_NO_CANDIDATE, with a text that names what there is. */
typedef enum le_option {
    LE_OPTION_RTOL = 1, /* |result - reference| <= atol + rtol*|reference|, each element; where the
                           operation's norm is LE_NORM_MAX (le_method.h) atol counts in largest
                           |reference|. Of two of which one is given the other is 0 */
    LE_OPTION_ATOL,
    LE_OPTION_RUN_TYPE,       /* "simd", "opencl", ... */
    LE_OPTION_IMPLEMENTATION, /* an implementation's name, or a candidate: "avx2[threads=2]" */
    LE_OPTION_DEVICE,         /* "cpu", "opencl:0", "opencl" (any), or part of a device's name */
    LE_OPTION_MODE,           /* le_mode */
    LE_OPTION_OBJECTIVE,      /* le_objective */
    LE_OPTION_MEMORY_LIMIT,   /* bytes of working memory, host and device each; 0 = none */
    LE_OPTION_REPRODUCIBLE,   /* 1: the same bits for the same input, whatever has been measured */
    LE_OPTION_KEEP_ON_DEVICE, /* 1: outputs the engine allocates may stay on the device, where
                                 they lie when they are given again */
    LE_OPTION_TICK /* const le_tick *: hears that the call is under way, and may end it */
} le_option;
#define LE_OPTION_LAST LE_OPTION_TICK /* of this header */

/* To hear from time to time that a call is still at work, and to end it: for a progress bar, a
 * button, a signal. fn is called on the thread that called the library, about every 50 ms and never
 * more often; calls that take less than that call it not at all. done: share of the call that is
 * done, 0 to 1, never less than before; NaN where it is not known. It should be quick, and must not
 * call the engine that is at work.
 *
 * When fn returns false the call ends with LE_ERR_CANCELLED, mostly within 50 ms: between items of
 * work on the CPU, between kernels on a device, between blocks of a file. Nothing is held against
 * the implementation, nothing is measured by it, and no data are kept half-built. Outputs that the
 * engine should have allocated stay unallocated, files stay as they were; memory of the caller's
 * that was given for outputs then has unspecified contents. */
typedef struct le_tick {
    bool (*fn)(void *context, double done);
    void *context;
} le_tick;

/* The tick of all that this thread asks of the library from now on (calls, chains, files,
 * benchmarks, waiting for trials), but for calls with LE_OPT_TICK, which have their own. *tick is
 * borrowed until another is set. NULL: none, here and in LE_OPT_TICK. Returns the one before. */
LE_API const le_tick *le_set_tick(const le_tick *tick);

typedef struct le_arg {
    const char *name; /* of the operation's argument; NULL for options */
    int32_t kind;     /* le_kind */
    int32_t option;   /* le_option, for LE_KIND_OPTION */
    union {
        const le_tensor *in;
        le_tensor *out;
        double f64;
        int64_t i64;
        const char *str;
        const double *f64s;
        const le_tick *tick;
        struct le_source *source; /* le_stream.h */
        struct le_sink *sink;
    } value;
    size_t count; /* of f64s; of a source: which of its parts */
} le_arg;

#define LE_TABLE_MAX 1048576

#ifndef __cplusplus
/* A wrong kind of value does not compile. */
#define LE_IN(n, t)                                                                                \
    ((le_arg){.name = (n), .kind = LE_KIND_IN,                                                     \
              .value.in = _Generic((t), le_tensor *: (t), const le_tensor *: (t))})
#define LE_OUT(n, t)                                                                               \
    ((le_arg){.name = (n), .kind = LE_KIND_OUT, .value.out = _Generic((t), le_tensor * : (t))})
#define LE_F64(n, v) ((le_arg){.name = (n), .kind = LE_KIND_F64, .value.f64 = LE_NUMBER_(v)})
#define LE_I64(n, v) ((le_arg){.name = (n), .kind = LE_KIND_I64, .value.i64 = LE_INTEGER_(v)})
#define LE_STR(n, s)                                                                               \
    ((le_arg){.name = (n), .kind = LE_KIND_STR,                                                    \
              .value.str = _Generic((s), char *: (s), const char *: (s))})
#define LE_F64S(n, list, c)                                                                        \
    ((le_arg){.name = (n), .kind = LE_KIND_F64S, .count = (c),                                     \
              .value.f64s = _Generic((list), double *: (list), const double *: (list))})
/* For an argument that is a table (a convolution kernel, say): a tensor of any real dtype and
 * strides, with at most LE_TABLE_MAX elements. Tables of one axis may be given with LE_F64S, too.
 */
#define LE_TABLE(n, t)                                                                             \
    ((le_arg){.name = (n), .kind = LE_KIND_TABLE,                                                  \
              .value.in = _Generic((t), le_tensor *: (t), const le_tensor *: (t))})
#define LE_OPT_RTOL(v)           LE_OPT_F64_(LE_OPTION_RTOL, v)
#define LE_OPT_ATOL(v)           LE_OPT_F64_(LE_OPTION_ATOL, v)
#define LE_OPT_RUN_TYPE(s)       LE_OPT_STR_(LE_OPTION_RUN_TYPE, s)
#define LE_OPT_IMPLEMENTATION(s) LE_OPT_STR_(LE_OPTION_IMPLEMENTATION, s)
#define LE_OPT_DEVICE(s)         LE_OPT_STR_(LE_OPTION_DEVICE, s)
#define LE_OPT_MODE(m)           LE_OPT_I64_(LE_OPTION_MODE, m)
#define LE_OPT_OBJECTIVE(o)      LE_OPT_I64_(LE_OPTION_OBJECTIVE, o)
#define LE_OPT_MEMORY_LIMIT(b)   LE_OPT_I64_(LE_OPTION_MEMORY_LIMIT, b)
#define LE_OPT_REPRODUCIBLE()    LE_OPT_I64_(LE_OPTION_REPRODUCIBLE, 1)
#define LE_OPT_KEEP_ON_DEVICE()  LE_OPT_I64_(LE_OPTION_KEEP_ON_DEVICE, 1)
#define LE_OPT_TICK(t)                                                                             \
    ((le_arg){.kind = LE_KIND_OPTION, .option = LE_OPTION_TICK, .value.tick = (t)})

#define LE_NUMBER_(v)                                                                              \
    _Generic((v), float                                                                            \
             : (v), double                                                                         \
             : (v), int                                                                            \
             : (v), unsigned                                                                       \
             : (v), long                                                                           \
             : (v), unsigned long                                                                  \
             : (v), long long                                                                      \
             : (v), unsigned long long                                                             \
             : (v))
#define LE_INTEGER_(v)                                                                             \
    _Generic((v), int                                                                              \
             : (int64_t)(v), unsigned                                                              \
             : (int64_t)(v), long                                                                  \
             : (int64_t)(v), unsigned long                                                         \
             : (int64_t)(v), long long                                                             \
             : (int64_t)(v), unsigned long long                                                    \
             : (int64_t)(v))
#define LE_OPT_F64_(o, v)                                                                          \
    ((le_arg){.kind = LE_KIND_OPTION, .option = (o), .value.f64 = LE_NUMBER_(v)})
#define LE_OPT_I64_(o, v)                                                                          \
    ((le_arg){.kind = LE_KIND_OPTION, .option = (o), .value.i64 = (int64_t)(v)})
#define LE_OPT_STR_(o, s) ((le_arg){.kind = LE_KIND_OPTION, .option = (o), .value.str = (s)})
#endif

/* ------------------------------------------------------------------------------------ engine -- */

typedef struct le_engine le_engine;

typedef enum le_mode {
    LE_MODE_DEFAULT = 0, /* the engine's; for the engine: LE_MODE, else learn */
    LE_MODE_ESTIMATE,    /* never measure: predict from what is known */
    LE_MODE_LEARN,       /* answer at once, learn within a budget */
    LE_MODE_MEASURE,     /* benchmark before answering a problem not yet measured */
    LE_MODE_FROZEN       /* replay stored choices; measure and write nothing */
} le_mode;

typedef enum le_objective {
    LE_OBJECTIVE_TIME = 0, /* least time: the mean of its logarithm, which a late run hardly moves */
    LE_OBJECTIVE_P99,      /* least time that one run in a hundred takes or exceeds */
    LE_OBJECTIVE_MEMORY,   /* least peak working memory: as announced, or more where that was seen */
    LE_OBJECTIVE_CPU_TIME  /* fewest CPU seconds */
} le_objective;

typedef enum le_log_level { LE_LOG_ERROR, LE_LOG_WARNING, LE_LOG_INFO, LE_LOG_DEBUG } le_log_level;
typedef void (*le_log_fn)(void *cookie, le_log_level level, const char *text);

/* Zero or NULL means: the environment variable in brackets, else the default. Numbers below 0 are
 * LE_ERR_ARGUMENT. */
typedef struct le_options {
    size_t struct_size; /* set by le_default_options; may be another version's */
    /* Relative names are meant from the folder that the process is in at le_open. */
    const char *db_path;        /* [LE_DB] timings database; ":memory:" keeps nothing */
    const char *site_db_path;   /* [LE_SITE_DB] folders of read-only databases, ':' between */
    const char *cache_dir;      /* [LE_CACHE_DIR] compiled kernels */
    const char *cl_dir;         /* [LE_CL_DIR] kernels on disk, before the embedded ones */
    const char *devices;        /* [LE_DEVICE] as LE_OPTION_DEVICE, for every call */
    const char *run_type;       /* [LE_RUN_TYPE] of calls that force neither this */
    const char *implementation; /* [LE_IMPLEMENTATION] nor that */
    le_mode mode;               /* [LE_MODE] */
    int32_t threads;            /* [LE_THREADS] at most, up to 4095; default: the process's cores */
    double explore_share;       /* [LE_EXPLORE_SHARE] exploring time / answering time; 1.0 */
    double trial_limit_s;       /* [LE_TRIAL_LIMIT] by which failing trials may delay a call; 2 */
    int64_t memory_limit_bytes; /* [LE_MEMORY_LIMIT] host working memory of any call */
    int64_t device_memory_limit_bytes; /* [LE_DEVICE_MEMORY_LIMIT] default: 80 % of the device */
    uint64_t seed;                     /* [LE_SEED] of trials and benchmarks */
    le_log_fn log; /* called from any thread, must not call the engine; NULL: silent, or stderr if
                      [LE_LOG] */
    void *log_cookie;
    /* Around each fork of this process by which the engine tries candidates, with fork_cookie: for
     * programs whose locks the code of a candidate may need (as pthread_atfork, which sees all
     * forks of the process). Any may be NULL. */
    void (*fork_prepare)(void *cookie); /* before the fork */
    void (*fork_parent)(void *cookie);  /* after it, in this process, also when it failed */
    void (*fork_child)(void *cookie);   /* after it, in the child */
    void *fork_cookie;
    /* Who this machine is in the timings database, instead of a hash of its name: machines that are
     * alike in all else are one where they have the same text. NULL: the hash. */
    const char *host;
    uint64_t reserved[3];
} le_options;

LE_API void le_default_options(le_options *options);
/* Opens an engine. options may be NULL. On error *out is NULL. */
LE_API le_status le_open(le_engine **out, const le_options *options);
/* Waits for pending writes, releases everything and sets *engine to NULL. NULL is allowed. */
LE_API void le_close(le_engine **engine);
/* Closes the default engine that le_run opened. No call may be under way. */
LE_API void le_shutdown(void);

/* Runs an operation. Use the macros le_run and le_engine_run. engine NULL: the default engine. */
LE_API le_status le_call_run(le_engine *engine, const char *operation, const le_arg *args,
                             size_t n_args);

/* Checks a call and runs nothing: out[i] gets dtype, shape and row-major strides of args[i] where
 * that is an output, and {0} elsewhere. shape[0] of a counted output, whose number of rows is found
 * by the call, is -1. On error out is untouched. */
LE_API le_status le_call_shapes(le_engine *engine, const char *operation, const le_arg *args,
                                size_t n_args, le_tensor *out);

#ifndef __cplusplus
#define LE_ARGS_(...) ((const le_arg[]){__VA_ARGS__})
#define le_engine_run(engine, operation, ...)                                                      \
    le_call_run((engine), (operation), LE_ARGS_(__VA_ARGS__),                                      \
                sizeof LE_ARGS_(__VA_ARGS__) / sizeof(le_arg))
#define le_run(operation, ...) le_engine_run(NULL, operation, __VA_ARGS__)
#define le_engine_explain(engine, out, operation, ...)                                             \
    le_call_explain((engine), (out), (operation), LE_ARGS_(__VA_ARGS__),                           \
                    sizeof LE_ARGS_(__VA_ARGS__) / sizeof(le_arg))
#define le_explain(out, operation, ...) le_engine_explain(NULL, out, operation, __VA_ARGS__)
#endif

/* ----------------------------------------------------------------------------------- explain -- */

typedef struct le_explained_candidate {
    const char *candidate; /* "avx2@cpu[threads=2,schedule=dynamic]" */
    const char *implementation;
    const char *run_type;
    const char *device;
    bool applicable;      /* false: left_out says why */
    const char *left_out; /* "" or the reason: ISA, device, memory, error, quarantine, forced */
    double predicted_s;   /* seconds, with a 90 % interval; NaN when unknown */
    double low_s, high_s;
    double measured_s; /* geometric mean of own samples on this problem; NaN if none */
    int64_t samples;   /* of measured_s, 0 if none; taken on a busy machine they count for less */
    double error_max_abs; /* against the reference, in the operation's norm; NaN if unknown */
    const char *verdict;  /* "proven", "unproven", "failed", "quarantined" */
    double age_s;         /* since the last sample; NaN if none */
} le_explained_candidate;

typedef struct le_explanation {
    const char *operation;
    const char *problem; /* key of the call's shape */
    const char *choice;  /* candidate; "" if none is left */
    const char *why;     /* "measured", "predicted", "only", "frozen"; "" without a choice */
    double atol, rtol;   /* the constraint of the call */
    size_t n_candidates;
    const le_explained_candidate *candidates; /* best first, left-out ones last */
    const struct le_chain_plan *plan; /* composite operations: of the chain that `staged_planned`
                                         runs (le_chain.h); else NULL */
    size_t candidate_size; /* bytes from one of candidates to the next: later versions have more */
} le_explanation;

/* The i-th candidate, also where the library is newer than this header. */
static inline const le_explained_candidate *le_explanation_candidate(const le_explanation *e,
                                                                     size_t i) {
    return (const le_explained_candidate *)(const void *)((const char *)e->candidates +
                                                          i * e->candidate_size);
}

/* The evidence of the choice that a call with these arguments would get now. Runs nothing; outputs
 * are untouched. *out is owned by the caller: le_explanation_free. */
LE_API le_status le_call_explain(le_engine *engine, le_explanation **out, const char *operation,
                                 const le_arg *args, size_t n_args);
/* JSON text, owned by the caller (free()); NULL when out of memory. */
LE_API char *le_explanation_json(const le_explanation *explanation);
LE_API void le_explanation_free(le_explanation **explanation);

/* What the last le_run of this thread did; all zero before the first. */
typedef struct le_run_info {
    size_t struct_size;
    char candidate[256];
    char why[16]; /* "exploit", "explore", "probe", "only" (also of forced calls), "measure" */
    /* wall time with transfers, without what it built, proved and tried; of runs that last less
     * than a microsecond only each eighth is timed, and this is what they usually take */
    double seconds;
    double kernel_seconds; /* OpenCL events; 0 on the CPU */
    int64_t bytes_to_device, bytes_from_device;
    int64_t measurements; /* 1: others were tried, compared or raced for it, too; else 0 */
} le_run_info;
/* Set info->struct_size first: that much is filled, with 0 in what the library does not know. */
LE_API le_status le_last_run(le_run_info *info);

#ifdef __cplusplus
}
#endif
#endif
