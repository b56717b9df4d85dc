/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames as messages of each version of the display protocol. What older versions have no words
 * for is left out, and read as what it was before there were any.
 */
#ifndef KR_WINDOW_REMOTE_FRAME_MESSAGE_H
#define KR_WINDOW_REMOTE_FRAME_MESSAGE_H

#include <stdint.h>
#include "window/queue/frame.h"
#include "window/remote/message.h"

/* Its fence travels beside the message. */
void kr_remote_write_frame(
	struct kr_dp_message *message, uint32_t version, const struct kr_frame *frame);
/* What came, one of the four, in the newest version's words; which version it was first of. */
uint32_t kr_remote_newest_frame(const struct kr_dp_message *message, struct kr_dp_frame4 *newest);
/* Nothing is checked, but damage is cut to the buffer. The fence is -1. */
void kr_remote_read_frame(
	const struct kr_dp_frame4 *whole, struct kr_buffer *buffer, struct kr_frame *frame);

#endif
