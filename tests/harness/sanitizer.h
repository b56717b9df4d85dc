/* SPDX-License-Identifier: Apache-2.0 */
/* Which sanitizers this is built with, as gcc and clang say it: 0 or 1. */
#ifndef KR_TESTS_SANITIZER_H
#define KR_TESTS_SANITIZER_H

#if defined(__has_feature)
#define KR_TEST_HAS_FEATURE(name) __has_feature(name)
#else
#define KR_TEST_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || KR_TEST_HAS_FEATURE(address_sanitizer)
#define ADDRESS_SANITIZER 1
#else
#define ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || KR_TEST_HAS_FEATURE(thread_sanitizer)
#define THREAD_SANITIZER 1
#else
#define THREAD_SANITIZER 0
#endif

#define SANITIZED (ADDRESS_SANITIZER || THREAD_SANITIZER)

#endif
