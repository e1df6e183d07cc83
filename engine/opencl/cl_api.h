/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The OpenCL loader, opened at run time: a table of its functions, and the meaning of its error
 * codes.
 */
#ifndef LE_CL_API_H
#define LE_CL_API_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "core/error.h"

/* clang-format off */
#define LE__CL_FUNCTIONS(X)                                                                        \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo)                  \
    X(clCreateContext) X(clReleaseContext) X(clGetContextInfo) X(clCreateCommandQueue)             \
    X(clReleaseCommandQueue) X(clCreateProgramWithSource) X(clCreateProgramWithBinary)             \
    X(clBuildProgram) X(clGetProgramBuildInfo) X(clGetProgramInfo) X(clReleaseProgram)             \
    X(clCreateKernel) X(clReleaseKernel) X(clSetKernelArg) X(clEnqueueNDRangeKernel)               \
    X(clCreateBuffer) X(clCreateSubBuffer) X(clCreateImage) X(clRetainMemObject)                   \
    X(clReleaseMemObject) X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer)    \
    X(clEnqueueFillBuffer) X(clEnqueueWriteImage) X(clEnqueueCopyBufferToImage)                    \
    X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrierWithWaitList) X(clFlush) X(clFinish)          \
    X(clGetEventInfo) X(clGetEventProfilingInfo) X(clReleaseEvent) X(clWaitForEvents)              \
    X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject)
/* clang-format on */

typedef struct le__cl_api {
#define LE_X(name) __typeof__(&name) name;
    LE__CL_FUNCTIONS(LE_X)
#undef LE_X
    char file[256];
    struct le__cl_api *next;
} le__cl_api;

/* The table of the loader that LE_OPENCL_LIBRARY names, else of libOpenCL.so.1; NULL with an error
 * text when it cannot be opened. Tables live until the process ends: drivers do not survive
 * dlclose. Thread-safe. */
const le__cl_api *le__cl_api_open(void);
/* LE_ERR_UNSUPPORTED with a text in a process that was forked from one that had opened it. */
le_status le__cl_api_check_process(void);

/* "CL_OUT_OF_RESOURCES"; "an unknown code" when it is not in the list. */
const char *le__cl_code_name(cl_int code);
/* Which of our statuses a failing code is. */
le_status le__cl_code_status(cl_int code);

#endif
