/* SPDX-License-Identifier: Apache-2.0 */
/* What the module tells people: by its host, whose log it is. */
#ifndef KR_OUTPUTS_KMS_LOG_H
#define KR_OUTPUTS_KMS_LOG_H

#include <stdint.h>
#include "hwc/device.h"
#include "util/log.h"
#include "util/macros.h"

/* Of the device that was opened last. */
void kms_log_set_host(const struct kr_hwc_host *host);
void kms_log(uint32_t bits, const char *fmt, ...) KR_PRINTF(2, 3);

#define kms_error(...) kms_log(KR_LOG_ERROR, __VA_ARGS__)
#define kms_warn(...)  kms_log(KR_LOG_WARN, __VA_ARGS__)
#define kms_info(...)  kms_log(KR_LOG_INFO, __VA_ARGS__)
#define kms_debug(...) kms_log(KR_LOG_DEBUG, __VA_ARGS__)

#endif
