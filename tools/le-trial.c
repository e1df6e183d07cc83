/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The helper program in which the library tries implementations: started by it, and of no use
 * otherwise.
 */
int le__trial_main(int argc, char **argv);

int main(int argc, char **argv) {
    return le__trial_main(argc, argv);
}
