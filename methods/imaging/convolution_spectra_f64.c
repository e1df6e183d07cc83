/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions by transforms in double precision, for images and tolerances that need it and for
 * taps that cancel.
 */
#define LE__SPECTRA_F64 1
#include "imaging/convolution_spectra.h"

#define SUMMARY "Fourier transforms of overlapping tiles in double precision; " LE__ISA_TITLE
LE__CONV_FFT(convolve2d, fft_f64_, SUMMARY);
LE__CONV_FFT(correlate2d, fft_f64_, SUMMARY);
LE__CONV_FFT(convolve, fft_f64_, SUMMARY);
