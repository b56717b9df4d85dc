/* SPDX-License-Identifier: Apache-2.0 */
/* What the card says by its descriptor: frames that are on the screen, vertical blanks. */
#ifndef KR_OUTPUTS_KMS_EVENTS_H
#define KR_OUTPUTS_KMS_EVENTS_H

#include <stdint.h>
#include "util/macros.h"

/* Whose events they are: named by the commit or request that asked for them. */
struct kms_listener {
	void (*flipped)(
		struct kms_listener *listener, uint32_t crtc, uint32_t sequence, int64_t time_ns);
	void (*vblank)(struct kms_listener *listener, uint64_t sequence, int64_t time_ns);
};

/* Takes the events that have come, without waiting. 0 or -errno. */
int kms_events_read(int drm) KR_MUST_CHECK;
/* Waits until there are some, or the deadline: 0, -ETIMEDOUT, -errno. */
int kms_events_wait(int drm, int64_t deadline_ns);

#endif
