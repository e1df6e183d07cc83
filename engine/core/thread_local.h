/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Variables of a thread that every call reads: they are found without asking the loader, which takes
 * as long as other things that a call does. The loader keeps about a kilobyte for what all libraries
 * that a program opens at run time have for each thread, so that all of this library's is small.
 */
#ifndef LE_THREAD_LOCAL_H
#define LE_THREAD_LOCAL_H

#define LE__THREAD_LOCAL __attribute__((tls_model("initial-exec"))) _Thread_local

#endif
