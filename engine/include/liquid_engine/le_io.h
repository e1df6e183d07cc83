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
 *         named; steps are positive. For reading: without a dataset the file must hold exactly
 *         one; as FILE.h5:/.../NAME it is the only one called NAME, in whichever group.
 *     FILE.nrrd, FILE.nhdr
 *         NRRD, data attached or in a file beside it; raw and gzip. The fastest axis comes first in
 *         the header, last in the shape.
 *     FILE.npy[[SLICES]]
 *         NumPy: truth values, integers, floats of 32 and 64 bits and complex numbers, either order
 *         of axes and bytes; written in C order.
 *     FILE.edf  FILE.edf.gz
 *         EDF, the ESRF data format: its image, or its images, of one shape and type, as a stack
 *         along a new first axis; their own COMPRESSION is none. For reading.
 *     FILE.raw:TYPE:N,N,...[:offset=BYTES][:big][[SLICES]]
 *         Headerless (.raw .bin), little-endian unless `big`. TYPE: u8 i8 u16 i16 u32 i32 u64 i64
 *         f32 f64 c64 c128. For writing: FILE.raw.
 *     FILE.png
 *         8 bits a channel: [h,w], [h,w,3] or [h,w,4], u8, or f32 and f64 in [0,1] (clipped, NaN is
 *         0). A name with one %d (%02d, %4d ...; "%%" is a percent sign) is a stack numbered from 0
 *         along the first axis: [k,h,w], [k,h,w,3] or [k,h,w,4].
 *     FILE.csv[[SLICES]], FILE.csv[COLUMN]
 *         Numbers in lines, with commas: f64 (f32 for who takes no f64) [lines, columns], or
 *         [lines] of the column of that name. A first line with anything but numbers has names.
 *         Empty fields are NaN; blank lines and those that begin with # are left out. Tables [n]
 *         and [n, columns] of real numbers are written, with a line of names and as many digits as
 *         bring every number back.
 *     FILE.fits[[HDU]][[SLICES]], FILE.fits[HDU][COLUMN][[SLICES]]
 *         FITS (.fits .fit .fts, with .gz for reading, .fits.fz), if the library was built with
 *         CFITSIO. HDU is a number from 0, or a name, or NAME,VERSION; without it the first HDU with
 *         an image is meant, of two axes at least where there is one. The fastest axis comes first
 *         in the header, last in the shape; axes of length 1 are dropped, and slices are of the
 *         others. Tiles are inflated; scaled integers, and integers with BLANK, become f32 (of 8 and
 *         16 bits) or f64, BLANK NaN; those that BZERO makes unsigned or signed stay integers. An
 *         HDU with a table, binary or ASCII, is f64 (f32 for who takes no f64) [rows, columns], or
 *         [rows] of the column of that name (TTYPE, in whatever case; not a number alone): integers
 *         and floats with TSCAL and TZERO, those without a value (TNULL) NaN. Columns that are asked
 *         for and hold text, truth values, bits, complex numbers or arrays are refused. Every
 *         dtype but complex ones is written; a table with names of columns becomes a binary table.
 *     FILE.vot
 *         VOTable (.vot .xml), for writing: tables as in CSV.
 *     FILE.tif
 *         TIFF (.tif .tiff), if the library was built with libtiff: every page a frame,
 *         [frames,h,w] or [frames,h,w,channels]; one page in colour is [h,w,3] or [h,w,4]. A tensor
 *         [h,w,3] or [h,w,4] is written as such a page. Stacks of which ImageJ describes the first
 *         page only, as it does beyond 4 GiB, are read whole.
 *
 * Types that le_dtype lacks are read as the nearest that holds them in HDF5 files (16-bit floats as
 * f32, long double as f64) and refused in others; truth values are u8, 16-bit PNG files u16. All
 * others are read as they are, i64 and u64 with every
 * bit; le_io_options.dtypes names what the caller can use, and then the nearest of these is read.
 * Tensors are written in their own dtype. Complex numbers are, in HDF5, compounds of two floats r
 * and i, as h5py has them; in NRRD an axis of size 2 and of the kind complex; in raw files pairs.
 * PNG and TIFF have none (LE_ERR_DTYPE).
 *
 * Files are not trusted: dimensions are checked against overflow and max_bytes before anything is
 * allocated; HDF5 external storage is refused, and so are NRRD data files outside the header's
 * folder. External links of HDF5 files, as in the master files of detectors, are followed for
 * reading, up to four one after the other, to files in the folder of the file with the link or below
 * it: relative names without "..". Soft links may lead to them. Virtual datasets are read through
 * their parts under the same rule; a part whose file is missing or broken is an error that names it
 * (HDF5 itself would return the fill value). Parts may be virtual themselves, within up to four
 * others; those that grow with their files or number them (%b) are refused.
 *
 * Writing: folders on the way are created. A file appears when it is complete: until then it has no
 * name, or a temporary one beside its place where the file system has no files without names (and for
 * stacks of more than 64 images). What replaces an existing file is on the disk before it does; one
 * without permission to write is not replaced, and links stay what they are. In an existing HDF5 file
 * only the named dataset is replaced (the file is copied, changed and put in the old one's place).
 *
 * Errors:  LE_ERR_ARGUMENT (the place is malformed), LE_ERR_IO (the file), LE_ERR_DTYPE,
 *          LE_ERR_SHAPE (not representable), LE_ERR_MEMORY, LE_ERR_UNSUPPORTED. Outputs are
 *          untouched on error.
 * Threads: all functions may be called at once by several threads; one stream by one thread at a
 *          time. Chunks are inflated and images compressed on the engine's threads; engine NULL
 *          uses the calling thread only. HDF5 and CFITSIO are called under one process-wide lock: a
 *          program that uses HDF5 itself from other threads needs an HDF5 library built thread-safe.
 * Fork:    HDF5 and FITS files are first opened in a child process, because the libraries may crash
 *          on damaged ones, and tiles and tables of FITS files are read there; LE_IO_TRUST=1 in the
 *          environment turns that off.
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

/* Of a stored chunk (le_stream.h), beside the filters that it skipped: it could not be read. */
#define LE_STORED_UNREADABLE 0x80000000u

/* Reads the place into *out, which must be {0} or is overwritten (not released). The caller owns
 * the result: le_tensor_free. options may be NULL. */
LE_API le_status le_io_read(le_engine *engine, const char *place, const le_io_options *options,
                            le_tensor *out);

/* Writes a tensor of any strides; one that lives on a device is downloaded first. */
LE_API le_status le_io_write(le_engine *engine, const char *place, le_tensor *tensor);

typedef struct le_io_write_options {
    size_t struct_size; /* sizeof(le_io_write_options) */
    /* Of a table [rows, n_columns]: the names of its columns, for formats that have them. NULL:
     * column_0, column_1 ... where the format needs names. */
    const char *const *columns;
    size_t n_columns;
    /* A FITS image, as a place, whose sky coordinates are the tensor's too: a FITS image that is
     * written gets its cards. Other places, and other formats: ignored. NULL: none. */
    const char *like;
    uint64_t reserved[6];
} le_io_write_options;

/* The same with options, which may be NULL. Names of columns go to CSV, FITS (then a binary table
 * instead of an image) and VOTable files, and to HDF5 as the dataset's attribute `columns`; other
 * formats drop them. LE_ERR_ARGUMENT when there are not as many as columns. */
LE_API le_status le_io_write_with(le_engine *engine, const char *place, le_tensor *tensor,
                                  const le_io_write_options *options);

/* An axis of a plot. */
typedef struct le_io_axis {
    const char *name, *units, *long_name; /* units and long_name may be NULL */
    const le_tensor *values;              /* [n], on the host, without strides */
} le_io_axis;

/* A plot of a dataset that an HDF5 file holds, as NeXus describes it (NXdata). */
typedef struct le_io_plot {
    size_t struct_size;
    const char *group;            /* FILE.h5:/ENTRY/GROUP; one that an earlier call made is made anew */
    const char *title;            /* NULL: none */
    const char *signal, *errors;  /* datasets of the file, /ENTRY/DATASET; errors NULL: none */
    const char *name;             /* of the signal in the group; that of errors has "_errors" behind */
    const char *interpretation;   /* "spectrum", "image" ...: what the signal's last axes are */
    const le_io_axis *axes;       /* of the signal's last axes */
    size_t n_axes;
    uint64_t reserved[4];
} le_io_plot;

/* Makes a group of the class NXdata with the axes and with links to signal and errors, and lets the
 * attributes `default` from the root on lead there, which programs follow that show such files. What
 * anybody else has put there stays: the group gets a number behind its name (GROUP_1), and so does an
 * entry that is no group. Errors as of le_io_write. */
LE_API le_status le_io_write_plot(const le_io_plot *plot);

/* What le_io_read would return, and nothing read but headers. shape has LE_MAX_DIMS entries. */
LE_API le_status le_io_peek(const char *place, le_dtype *dtype, int *ndim, int64_t *shape);

/* True when le_io_write could write to such a place: known format, one valid %d and so on; HDF5 only
 * where the library was built with it. On false le_error_message() says why. Touches no file. */
LE_API bool le_io_is_place(const char *place, bool for_writing);
/* Whether the format of a place takes tensors of this dtype and shape: LE_OK, or what le_io_write
 * would say, as of an image for a table. shape[0] below 1: it is not known yet. Touches no file. */
LE_API le_status le_io_may_write(const char *place, le_dtype dtype, int ndim, const int64_t *shape);

/* The name of the file that a place is in, for free(): scan.h5 of scan.h5:/entry/data[3]; with one %d
 * in it that of numbered files. On error (LE_ERR_ARGUMENT, LE_ERR_MEMORY) *file is NULL. Touches no
 * file. */
LE_API le_status le_io_place_file(const char *place, char **file);

/* True when writing to `output` would replace what reading `input` gives: the same dataset of an
 * HDF5 file (of a group any that it has or links to), or for other formats a file of the input,
 * whatever links and spellings the two places use. Another dataset of the same HDF5 file is none.
 * What is not there yet counts as it will be, so that two outputs can be compared, one way and the
 * other. An output that is no place, or an HDF5 file without a dataset, is a file that is replaced as a
 * whole. Reads headers. */
LE_API bool le_io_replaces(const char *output, const char *input);

/* Longitudes and latitudes on the sky, in degrees, of positions in the image of a FITS file, by
 * WCSLIB: every projection and SIP's distortions. positions: [n, axes], in pixels that count from 0
 * at their centres, axis 0 first, of the tensor that le_io_read gives for the place, slices
 * included. sky: [n, 2], longitude and latitude in the system of the header, NaN where the position
 * is not finite or not on the sky. LE_ERR_UNSUPPORTED: no FITS file, no longitude and latitude in the
 * header, or the library was built without CFITSIO or WCSLIB. */
LE_API le_status le_io_sky(const char *place, const double *positions, int64_t n, int axes,
                           double *sky);

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
/* Leaves out the next frames, at most all that there are, without reading them: some that
 * le_io_stream_next could not read, say. */
LE_API void le_io_stream_leave(le_io_stream *stream, int64_t frames);
/* Sets *stream to NULL; NULL is allowed. */
LE_API void le_io_stream_close(le_io_stream **stream);

#ifdef __cplusplus
}
#endif
#endif
