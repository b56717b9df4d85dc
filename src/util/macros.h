/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations and small macros that every room uses. */
#ifndef KR_UTIL_MACROS_H
#define KR_UTIL_MACROS_H

#include <stddef.h>

/* Exported from a shared library; everything else is hidden. */
#define KR_EXPORT __attribute__((visibility("default")))
/*
 * Of libkrafla.so.0, for the libraries of this very version of the platform (lib/krafla.map.in).
 * What else it is linked into hides it, as it does KR_EXPORT.
 */
#define KR_PRIVATE KR_EXPORT
/* The result says whether it worked: ignoring it is a defect. */
#define KR_MUST_CHECK        __attribute__((warn_unused_result))
#define KR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/*
 * Checked by clang's -Wthread-safety; nothing for gcc. In C, clang finds a lock that is a member of
 * the same struct only with -fexperimental-late-parse-attributes (clang 20): until then
 * KR_GUARDED_BY is for the reader.
 */
#define KR_GUARDED_BY(lock)
#ifdef __clang__
#define KR_CAPABILITY       __attribute__((capability("mutex")))
#define KR_REQUIRES(...)    __attribute__((requires_capability(__VA_ARGS__)))
#define KR_EXCLUDES(...)    __attribute__((locks_excluded(__VA_ARGS__)))
#define KR_ACQUIRE(...)     __attribute__((acquire_capability(__VA_ARGS__)))
#define KR_RELEASE(...)     __attribute__((release_capability(__VA_ARGS__)))
#define KR_NO_THREAD_SAFETY __attribute__((no_thread_safety_analysis))
#else
#define KR_CAPABILITY
#define KR_REQUIRES(...)
#define KR_EXCLUDES(...)
#define KR_ACQUIRE(...)
#define KR_RELEASE(...)
#define KR_NO_THREAD_SAFETY
#endif

#define KR_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#define KR_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Each argument is evaluated once: a clock that is read twice may give a time left that is positive
 * when it is compared and negative when it is used.
 */
#define KR_MIN(a, b)              KR_PICK(a, b, <, __COUNTER__)
#define KR_MAX(a, b)              KR_PICK(a, b, >, __COUNTER__)
#define KR_PICK(a, b, op, number) KR_PICK_(a, b, op, number)
#define KR_PICK_(a, b, op, number)                                                                 \
	__extension__({                                                                            \
		__typeof__(a) kr_a##number = (a);                                                  \
		__typeof__(b) kr_b##number = (b);                                                  \
		kr_a##number op kr_b##number ? kr_a##number : kr_b##number;                        \
	})

#define kr_container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#endif
