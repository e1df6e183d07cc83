/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What builds with a sanitizer need: which they are, and when they may fork.
 */
#ifndef LE_ENGINE_SANITIZER_H
#define LE_ENGINE_SANITIZER_H

/* LE__SANITIZED: with AddressSanitizer or ThreadSanitizer; LE__TSAN: with the latter. */
#if defined(__has_feature)
#define LE__SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#define LE__TSAN      __has_feature(thread_sanitizer)
#elif defined(__SANITIZE_THREAD__)
#define LE__SANITIZED 1
#define LE__TSAN      1
#elif defined(__SANITIZE_ADDRESS__)
#define LE__SANITIZED 1
#define LE__TSAN      0
#else
#define LE__SANITIZED 0
#define LE__TSAN      0
#endif

/* Before a fork: waits, for a second at most, until no other thread of the process runs. The
 * sanitizers' allocators are not made ready for forks, and one in use would be locked in the child
 * for ever. Nothing in other builds. */
void le__sanitizer_rest(void);

#endif
