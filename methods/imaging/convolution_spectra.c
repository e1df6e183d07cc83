/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions by transforms in single precision.
 */
#define LE__SPECTRA_F64 0
#include "imaging/convolution_spectra.h"

#define SUMMARY "Fourier transforms of overlapping tiles; " LE__ISA_WIDTH
LE__CONV_FFT(convolve2d, fft_, SUMMARY);
LE__CONV_FFT(correlate2d, fft_, SUMMARY);
LE__CONV_FFT(convolve, fft_, SUMMARY);
