/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * PNG images and numbered stacks of them, compressed and decompressed on several threads.
 */
#include "files/io.h"

#include "call/tensor.h"
#include "core/os.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PNG_SIDE_MAX = 1 << 20,
    /* With the "up" filter a sixth of the time of level 6 for a fifth more bytes on rendered
       images. */
    PNG_LEVEL = 1,
    PNG_CHUNK_BYTES_MAX = 8 << 20 /* of text and profiles, which are not read */
};

/* libpng reports by longjmp; its text is kept for the caller. */
typedef struct report {
    char text[200];
} report;

static void on_error(png_structp png, png_const_charp text) {
    report *r = png_get_error_ptr(png);
    snprintf(r->text, sizeof r->text, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png, (void)text;
}

/* --------------------------------------------------------------------------------- reading -- */

typedef struct png_info_8 {
    le_dtype dtype;
    int64_t height, width;
    int channels;
} png_info_8;

/* Reads the header, and the pixels too when data is not NULL; what[...] must then match. */
static bool read_file(FILE *f, png_info_8 *what, unsigned char *data, report *problem) {
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, problem, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        if (!info)
            snprintf(problem->text, sizeof problem->text, "out of memory");
        png_destroy_read_struct(png ? &png : NULL, info ? &info : NULL, NULL);
        return false;
    }
    png_set_user_limits(png, PNG_SIDE_MAX, PNG_SIDE_MAX);
    png_set_chunk_malloc_max(png, PNG_CHUNK_BYTES_MAX);
    png_init_io(png, f);
    png_read_info(png, info);
    png_set_expand(png);
    if (png_get_bit_depth(png, info) == 16)
        png_set_swap(png);
    const int colours = png_get_color_type(png, info);
    if (colours == PNG_COLOR_TYPE_GRAY_ALPHA ||
        (colours == PNG_COLOR_TYPE_GRAY && png_get_valid(png, info, PNG_INFO_tRNS)))
        png_set_gray_to_rgb(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    png_info_8 found = {png_get_bit_depth(png, info) == 16 ? LE_U16 : LE_U8,
                        png_get_image_height(png, info), png_get_image_width(png, info),
                        png_get_channels(png, info)};
    if (!data)
        *what = found;
    else if (found.dtype != what->dtype || found.height != what->height ||
             found.width != what->width || found.channels != what->channels)
        png_error(png, "its size or type differs from the first image's");
    size_t row_bytes = png_get_rowbytes(png, info);
    for (int pass = 0; data && pass < passes; pass++)
        for (int64_t y = 0; y < found.height; y++)
            png_read_row(png, data + (size_t)y * row_bytes, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    return true;
}

static le_status read_one(const char *file, png_info_8 *what, void *data) {
    int64_t size;
    report problem = {""};
    int fd = le__io_open(file, &size);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
    if (!f) {
        if (fd >= 0)
            close(fd);
        return fd < 0 ? LE_ERR_IO : le_fail(LE_ERR_MEMORY, "%s: out of memory", file);
    }
    bool good = read_file(f, what, data, &problem);
    fclose(f);
    return good ? LE_OK : le_fail(LE_ERR_IO, "%s: %s", file, problem.text);
}

typedef struct stack_job {
    const le__io_place *place;
    bool numbered;
    png_info_8 what;
    char *data;
    int64_t image_bytes;
    le__io_failure failure;
} stack_job;

static char *image_name(const le__io_place *place, int64_t number) {
    return le__io_name_number(place->file, number); /* also turns %% into % */
}

static void read_images(void *context, size_t begin, size_t end, int worker) {
    stack_job *job = context;
    (void)worker;
    for (size_t i = begin; i < end && !job->failure.status; i++) {
        png_info_8 what = job->what;
        char *name = image_name(job->place, (int64_t)i);
        le__io_failure_note(&job->failure,
                            name ? read_one(name, &what, job->data + (int64_t)i * job->image_bytes)
                                 : le_fail(LE_ERR_MEMORY, "out of memory"));
        free(name);
    }
}

/* Number of consecutive files from 0 on. */
static int64_t count_images(const le__io_place *place) {
    for (int64_t k = 0;; k++) {
        char *name = image_name(place, k);
        bool there = name && access(name, F_OK) == 0;
        free(name);
        if (!there)
            return k;
    }
}

/* Finds dtype and shape of the image or stack. */
static le_status survey(const le__io_place *place, stack_job *job, int *ndim, int64_t *shape) {
    int64_t images = 1;
    *job = (stack_job){.place = place};
    le_status status = le__io_name_check(place->file, &job->numbered);
    if (status == LE_OK && job->numbered && (images = count_images(place)) == 0)
        status = le_fail(LE_ERR_IO, "%s: there is no image number 0", place->text);
    if (status != LE_OK)
        return status;
    char *name = image_name(place, 0);
    status = name ? read_one(name, &job->what, NULL) : le_fail(LE_ERR_MEMORY, "out of memory");
    free(name);
    *ndim = 0;
    if (job->numbered)
        shape[(*ndim)++] = images;
    shape[(*ndim)++] = job->what.height;
    shape[(*ndim)++] = job->what.width;
    if (job->what.channels > 1)
        shape[(*ndim)++] = job->what.channels;
    return status;
}

le_status le__png_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    stack_job job;
    le_status status = survey(place, &job, ndim, shape);
    *dtype = job.what.dtype;
    return status;
}

le_status le__png_read(const le__io_request *r, le_tensor *out) {
    stack_job job;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    le_status status = survey(r->place, &job, &ndim, shape);
    if (status == LE_OK)
        status = le__io_room(out, r->place->text, job.what.dtype, ndim, shape, r->max_bytes);
    if (status != LE_OK)
        return status;
    int64_t images = job.numbered ? shape[0] : 1;
    job.data = out->data;
    job.image_bytes = le__tensor_size(out) / images;
    status = le__io_run(&r->parallel, r->place->text, (size_t)images, read_images, &job);
    return status == LE_OK ? le__io_failure_of(&job.failure) : status;
}

/* --------------------------------------------------------------------------------- writing -- */

static unsigned char level_of(double v) {
    return v > 0 ? v < 1 ? (unsigned char)(v * 255 + 0.5) : 255 : 0; /* NaN: 0 */
}

static void row_to_levels(const void *data, le_dtype dtype, int64_t at, int64_t count,
                          unsigned char *row) {
    if (dtype == LE_F32) {
        const float *p = (const float *)data + at;
        for (int64_t i = 0; i < count; i++)
            row[i] = level_of((double)p[i]);
    } else if (dtype == LE_F64) {
        const double *p = (const double *)data + at;
        for (int64_t i = 0; i < count; i++)
            row[i] = level_of(p[i]);
    } else {
        memcpy(row, (const unsigned char *)data + at, (size_t)count);
    }
}

typedef struct image {
    const void *data;
    le_dtype dtype;
    int64_t at; /* first element */
    int64_t height, width;
    int channels;
} image;

/* row has room for one row. */
static bool write_pixels(FILE *f, const image *m, unsigned char *row, report *problem) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, problem, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        if (!info)
            snprintf(problem->text, sizeof problem->text, "out of memory");
        png_destroy_write_struct(png ? &png : NULL, info ? &info : NULL);
        return false;
    }
    png_init_io(png, f);
    png_set_compression_level(png, PNG_LEVEL);
    png_set_filter(png, 0, PNG_FILTER_UP);
    png_set_user_limits(png, PNG_SIDE_MAX, PNG_SIDE_MAX);
    png_set_IHDR(png, info, (png_uint_32)m->width, (png_uint_32)m->height, 8,
                 m->channels == 1   ? PNG_COLOR_TYPE_GRAY
                 : m->channels == 3 ? PNG_COLOR_TYPE_RGB
                                    : PNG_COLOR_TYPE_RGB_ALPHA,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    int64_t per_row = m->width * m->channels;
    for (int64_t y = 0; y < m->height; y++) {
        row_to_levels(m->data, m->dtype, m->at + y * per_row, per_row, row);
        png_write_row(png, row);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

enum { OPEN_MAX_FILES = 64 };

/* What stays open is only begun, while others are compressed: all are synced together. */
static bool to_disk(FILE *f, bool now) {
    const bool good = fflush(f) == 0;
    if (good && !now)
        le__os_flush_begin(fileno(f));
    return good && (!now || fsync(fileno(f)) == 0);
}

static le_status write_one(const char *file, const image *m, bool named, le__outfile *temp) {
    report problem = {""};
    le_status status = le__io_temp_open(file, named, temp);
    if (status != LE_OK)
        return status;
    unsigned char *row = malloc((size_t)(m->width * m->channels));
    int fd = row ? named ? temp->fd : dup(temp->fd) : -1;
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!row) {
        status = le_fail(LE_ERR_MEMORY, "%s: out of memory", file);
    } else if (!f) {
        status = le_fail(LE_ERR_IO, "%s: cannot be written: %s", file, strerror(errno));
        if (fd >= 0 && !named)
            close(fd);
    } else {
        if (named)
            temp->fd = -1; /* now f's */
        errno = 0;
        bool good = write_pixels(f, m, row, &problem);
        if (!good)
            status = le__io_system_error(file, errno);
        if (!good && status == LE_OK)
            status = le_fail(LE_ERR_IO, "%s: %s", file, problem.text);
        if (good && temp->exists && !to_disk(f, named))
            status = le_fail(LE_ERR_IO, "%s: %s", file, strerror(errno));
        temp->on_disk = named;
        if (fclose(f) != 0 && status == LE_OK)
            status = le_fail(LE_ERR_IO, "%s: %s", file, strerror(errno));
    }
    free(row);
    if (status != LE_OK)
        le__outfile_abandon(temp);
    return status;
}

typedef struct write_job {
    const le__io_place *place;
    image first;
    int64_t image_elements;
    le__outfile *temps;
    bool named; /* too many to keep them all open */
    le__io_failure failure;
} write_job;

static void write_images(void *context, size_t begin, size_t end, int worker) {
    write_job *job = context;
    (void)worker;
    for (size_t i = begin; i < end && !job->failure.status; i++) {
        image m = job->first;
        m.at = (int64_t)i * job->image_elements;
        char *name = image_name(job->place, (int64_t)i);
        le__io_failure_note(&job->failure, name ? write_one(name, &m, job->named, &job->temps[i])
                                                : le_fail(LE_ERR_MEMORY, "out of memory"));
        free(name);
    }
}

/* Splits the tensor's axes into images; false when they make none. */
static bool split(const le_tensor *t, bool numbered, int64_t *images, image *m) {
    int ndim = t->ndim;
    const int64_t *shape = t->shape;
    *images = 1;
    if (ndim == 4 || (numbered && ndim == 3)) {
        *images = *shape++;
        ndim--;
    }
    m->channels = ndim == 3 ? (int)(shape[2] > 4 ? 0 : shape[2]) : 1;
    m->height = shape[0];
    m->width = ndim >= 2 ? shape[1] : 0;
    return (ndim == 2 || ndim == 3) && (m->channels == 1 || m->channels >= 3) && *images >= 0;
}

static le_status check_image(const le__io_place *place, const le_tensor *t, bool numbered,
                             int64_t *images, image *m) {
    char what[128];
    le_tensor_describe(t, what, sizeof what);
    if (t->dtype != LE_U8 && t->dtype != LE_F32 && t->dtype != LE_F64)
        return le_fail(LE_ERR_DTYPE, "%s: %s; PNG takes u8, or f32 and f64 in [0,1]", place->text,
                       what);
    if (t->ndim < 2 || !split(t, numbered, images, m))
        return le_fail(LE_ERR_SHAPE,
                       "%s: %s is no image; expected [h,w], [h,w,3], [h,w,4] or a stack of them",
                       place->text, what);
    if (*images > 1 && !numbered)
        return le_fail(LE_ERR_ARGUMENT,
                       "%s: %s is %lld images; put a number such as %%02d into the name",
                       place->text, what, (long long)*images);
    if (m->height < 1 || m->width < 1 || m->height > PNG_SIDE_MAX || m->width > PNG_SIDE_MAX)
        return le_fail(LE_ERR_SHAPE, "%s: an image of %lld x %lld; expected sides of 1 to %d",
                       place->text, (long long)m->height, (long long)m->width, PNG_SIDE_MAX);
    return LE_OK;
}

le_status le__png_write(const le__io_request *r, const le_tensor *t, const void *data) {
    write_job job = {.place = r->place, .first = {.data = data, .dtype = t->dtype}};
    bool numbered;
    int64_t images = 0;
    le_status status = le__io_name_check(r->place->file, &numbered);
    if (status == LE_OK)
        status = check_image(r->place, t, numbered, &images, &job.first);
    if (status != LE_OK || r->looks)
        return status;
    job.image_elements = job.first.height * job.first.width * job.first.channels;
    job.temps = calloc((size_t)(images ? images : 1), sizeof *job.temps);
    if (!job.temps)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", r->place->text);
    for (int64_t i = 0; i < images; i++)
        job.temps[i].fd = -1;
    job.named = images > OPEN_MAX_FILES;
    status = le__io_run(&r->parallel, r->place->text, (size_t)images, write_images, &job);
    if (status == LE_OK)
        status = le__io_failure_of(&job.failure);
    if (status == LE_OK)
        status = le__io_temps_commit(r->place->text, job.temps, (size_t)images);
    for (int64_t i = 0; status != LE_OK && i < images; i++)
        le__outfile_abandon(&job.temps[i]);
    free(job.temps);
    return status;
}
