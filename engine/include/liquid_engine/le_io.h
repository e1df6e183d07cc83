/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tensors from and to files.
 *
 *     le_tensor cube = {0};
 *     if (le_io_read(NULL, "cube.h5:/density", NULL, &cube) != LE_OK)
 *         fprintf(stderr, "%s\n", le_error_message());
 *     le_io_write(NULL, "frames/web_%02d.png", &frames);
 *
 * A place is written as one text; the name's ending tells the format:
 *
 *     FILE.h5[:/DATASET][[SLICES]]
 *         HDF5 (.h5 .hdf5 .hdf .he5, or any name before ":/"). SLICES as in Python:
 *         cube.h5:/density[0:64,:,::2]; an index drops its axis; "..." stands for the axes not
 *         named; steps are positive. Without a dataset the file must hold exactly one (reading
 *         only).
 *     FILE.nrrd, FILE.nhdr
 *         NRRD, data attached or in a file beside it; raw and gzip. The fastest axis comes first in
 *         the header, last in the shape.
 *     FILE.raw:TYPE:N,N,...[:offset=BYTES][:big]
 *         Headerless (.raw .bin), little-endian unless `big`. TYPE: u8 i8 u16 i16 u32 i32 u64 i64
 *         f32 f64 c64 c128. For writing: FILE.raw.
 *     FILE.png
 *         8 bits a channel: [h,w], [h,w,3] or [h,w,4], u8, or f32 and f64 in [0,1] (clipped, NaN is
 *         0). A name with one %d (%02d, %4d ...; "%%" is a percent sign) is a stack numbered from 0
 *         along the first axis: [k,h,w], [k,h,w,3] or [k,h,w,4].
 *     FILE.tif
 *         TIFF (.tif .tiff), if the library was built with libtiff: every page a frame,
 *         [frames,h,w] or [frames,h,w,channels]; one page in colour is [h,w,3] or [h,w,4]. A tensor
 *         [h,w,3] or [h,w,4] is written as such a page.
 *
 * Types that le_dtype lacks are read as the nearest that holds them: 16-bit floats as f32, long
 * double as f64; 16-bit PNG files as u16. All others are read as they are, i64 and u64 with every
 * bit; le_io_options.dtypes names what the caller can use, and then the nearest of these is read.
 * Tensors are written in their own dtype. Complex numbers are, in HDF5, compounds of two floats r
 * and i, as h5py has them; in NRRD an axis of size 2 and of the kind complex; in raw files pairs.
 * PNG and TIFF have none (LE_ERR_DTYPE).
 *
 * Files are not trusted: dimensions are checked against overflow and max_bytes before anything is
 * allocated; HDF5 external storage and virtual datasets are refused, and so are NRRD data files
 * outside the header's folder. External links of HDF5 files, as in the master files of detectors, are
 * followed for reading, up to four one after the other, to files in the folder of the file with the
 * link or below it: relative names without "..".
 *
 * Writing: folders on the way are created. A file appears when it is complete: until then it has no
 * name, or a temporary one beside its place where the file system has no files without names (and for
 * stacks of more than 64 images). What replaces an existing file is on the disk before it does. In an
 * existing HDF5 file only the named dataset is replaced (the file is copied, changed and put in the
 * old one's place).
 *
 * Errors:  LE_ERR_ARGUMENT (the place is malformed), LE_ERR_IO (the file), LE_ERR_DTYPE,
 *          LE_ERR_SHAPE (not representable), LE_ERR_MEMORY, LE_ERR_UNSUPPORTED. Outputs are
 *          untouched on error.
 * Threads: all functions may be called at once by several threads; one stream by one thread at a
 *          time. Chunks are inflated and images compressed on the engine's threads; engine NULL
 * uses the calling thread only. HDF5 is called under one process-wide lock: a program that uses
 *          HDF5 itself from other threads needs an HDF5 library built thread-safe.
 * Fork:    HDF5 files are first opened in a child process, because the library may crash on damaged
 *          ones; LE_IO_TRUST=1 in the environment turns that off.
 */
#ifndef LIQUID_ENGINE_LE_IO_H
#define LIQUID_ENGINE_LE_IO_H

#include "liquid_engine/le.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct le_io_options {
    size_t struct_size; /* sizeof(le_io_options) */
    int64_t max_bytes;  /* largest tensor to allocate; 0: half of the machine's memory */
    uint32_t dtypes;    /* mask of 1u << le_dtype: what the caller can use. A type that is not
                           among them is read as the nearest of them that holds it (i8 as i16,
                           say; i64 and u64 as f64, exact up to 2^53), or as it is where none
                           does. 0: any. le_io_peek tells what is in the file */
    uint32_t reserved32;
    uint64_t reserved[5];
} le_io_options;

/* Reads the place into *out, which must be {0} or is overwritten (not released). The caller owns
 * the result: le_tensor_free. options may be NULL. */
LE_API le_status le_io_read(le_engine *engine, const char *place, const le_io_options *options,
                            le_tensor *out);

/* Writes a tensor of any strides; one that lives on a device is downloaded first. */
LE_API le_status le_io_write(le_engine *engine, const char *place, le_tensor *tensor);

/* What le_io_read would return, and nothing read but headers. shape has LE_MAX_DIMS entries. */
LE_API le_status le_io_peek(const char *place, le_dtype *dtype, int *ndim, int64_t *shape);

/* True when le_io_write could write to such a place: known format, one valid %d and so on. On false
 * le_error_message() says why. Touches no file. */
LE_API bool le_io_is_place(const char *place, bool for_writing);

/* True when writing to `output` would replace what reading `input` gives: the same dataset of an
 * HDF5 file, or for other formats a file of the input, whatever links and spellings the two places
 * use. Another dataset of the same HDF5 file is none. Of a stack with more than 4096 images the
 * first ones count. Reads headers. */
LE_API bool le_io_replaces(const char *output, const char *input);

/* Frame-wise reading along the first axis of an HDF5 dataset or TIFF stack. */
typedef struct le_io_stream le_io_stream;

typedef struct le_io_stream_info {
    le_dtype dtype;
    int ndim;                   /* with the frame axis */
    int64_t shape[LE_MAX_DIMS]; /* shape[0]: frames in all */
    int64_t block;              /* frames that are stored, and best read, together; >= 1 */
} le_io_stream_info;

LE_API le_status le_io_stream_open(le_engine *engine, const char *place,
                                   const le_io_options *options, le_io_stream **out);
LE_API const le_io_stream_info *le_io_stream_about(const le_io_stream *stream);
/* Reads the next frames, at most max_frames. *frames must be {0} or the result of an earlier call
 * of this stream, whose memory is used again. frames->shape[0] is the number read, 0 at the end. */
LE_API le_status le_io_stream_next(le_io_stream *stream, int64_t max_frames, le_tensor *frames);
/* Sets *stream to NULL; NULL is allowed. */
LE_API void le_io_stream_close(le_io_stream **stream);

#ifdef __cplusplus
}
#endif
#endif
