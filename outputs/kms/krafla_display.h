/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "kms:krafla_display": the display of Krafla's own kernel module (kernel/display) as a device of
 * the composer, with one display that has no planes.
 */
#ifndef KR_OUTPUTS_KMS_KRAFLA_DISPLAY_H
#define KR_OUTPUTS_KMS_KRAFLA_DISPLAY_H

#include "hwc/device.h"
#include "util/macros.h"

#define KMS_KRAFLA_DISPLAY "krafla_display"

/* 0 or -errno (logged). */
int kms_krafla_display_open(const struct kr_hwc_host *host, struct kr_hwc_device **device)
	KR_MUST_CHECK;

#endif
