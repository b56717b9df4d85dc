/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the small libraries that these tests deliver. */
#ifndef KR_TESTS_DELIVERY_LIBS_H
#define KR_TESTS_DELIVERY_LIBS_H

#include "util/macros.h"

KR_EXPORT int krd_base(void);
KR_EXPORT int krd_base_two(void);
KR_EXPORT int krd_mid(void);
KR_EXPORT int krd_driver(void);
KR_EXPORT int krd_driver_base(void);
KR_EXPORT int krd_runtime(void);
KR_EXPORT int krd_open_runtime(void);
KR_EXPORT int krd_nowhere(void);
KR_EXPORT void *vk_icdGetInstanceProcAddr(void *instance, const char *name);

#endif
