/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 */
#ifndef LIQUID_ENGINE_LE_VERSION_H
#define LIQUID_ENGINE_LE_VERSION_H

#define LE_VERSION_MAJOR 0
#define LE_VERSION_MINOR 1
#define LE_VERSION_PATCH 0
#define LE_VERSION "0.1.0"
#define LE_VERSION_NUMBER (LE_VERSION_MAJOR * 10000 + LE_VERSION_MINOR * 100 + LE_VERSION_PATCH)

#endif
