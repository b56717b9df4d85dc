/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of client targets that "kms:krafla_display" can't read itself. */
#ifndef KR_OUTPUTS_KMS_KRAFLA_COPIES_H
#define KR_OUTPUTS_KMS_KRAFLA_COPIES_H

#include "gralloc/buffer.h"
#include "hwc/device.h"
#include "outputs/kms/target.h"
#include "util/clock.h"
#include "util/macros.h"

#define KMS_KRAFLA_COPIES 3
/* That a fence of user space is waited for. */
#define KMS_KRAFLA_USER_FENCE_NS (100 * KR_NSEC_PER_MSEC)

/* A copy, and the fence of its leaving the screen. */
struct kms_krafla_copy {
	struct kr_buffer *buffer;
	int left;
};

struct kms_krafla_copies {
	struct kms_targets targets;
	struct kms_krafla_copy copies[KMS_KRAFLA_COPIES];
	unsigned next;
};

void kms_krafla_copies_init(struct kms_krafla_copies *copies, const struct kr_hwc_host *host);
void kms_krafla_copies_finish(struct kms_krafla_copies *copies);
/* Their size is another one from now on. */
void kms_krafla_copies_drop(struct kms_krafla_copies *copies);
/*
 * Copies the display's target into the next, whose last showing must be over. 0 or -errno: also
 * -ETIMEDOUT, of fences.
 */
int kms_krafla_copies_fill(struct kms_krafla_copies *copies,
	const struct kr_hwc_display_state *display, const struct kr_buffer_info **info)
	KR_MUST_CHECK;
/* It is shown until the fence `left` signals, which is borrowed. */
void kms_krafla_copies_shown(struct kms_krafla_copies *copies, int left);

#endif
