/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Client targets that the processor copies into memory of the card's own, because the card doesn't
 * take theirs. Their mappings are kept for the last few.
 */
#ifndef KR_OUTPUTS_KMS_TARGET_H
#define KR_OUTPUTS_KMS_TARGET_H

#include <stdint.h>
#include "gralloc/buffer.h"
#include "hwc/device.h"
#include "outputs/kms/framebuffer.h"
#include "util/macros.h"

#define KMS_MAX_TARGETS 3

struct kms_target {
	struct kr_buffer *buffer; /* the host's, with a reference; NULL: free */
	struct kr_buffer *own;    /* the same memory, by our copy of the platform */
	uint64_t used;
};

struct kms_targets {
	const struct kr_hwc_host *host;
	uint64_t count;
	struct kms_target entries[KMS_MAX_TARGETS];
};

void kms_targets_finish(struct kms_targets *targets);
/*
 * Copies the host's buffer, whose fence has signalled, into `dumb`, which has its size. 0 or
 * -errno.
 */
int kms_targets_copy(struct kms_targets *targets, struct kr_buffer *buffer, struct kms_dumb *dumb)
	KR_MUST_CHECK;

#endif
