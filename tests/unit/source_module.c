/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A library with an implementation's function.
 */
int le_test_run(void *call);

__attribute__((visibility("default"))) int le_test_run(void *call) {
    return call == (void *)0;
}
