/* SPDX-License-Identifier: Apache-2.0 */
/* What a producer tells of itself and its buffers, beside its frames (version 6). */
#include <string.h>

#include "gralloc/buffer.h"
#include "window/remote/connection.h"

static int
refuse_version(struct kr_remote_consumer *remote)
{
	return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL, "a message of another version");
}

static int
handle_frame_rate(struct kr_remote_consumer *remote, const struct kr_dp_frame_rate *message)
{
	struct kr_notice notice = {.kind = KR_NOTICE_RATE};

	memcpy(&notice.rate.rate, message->rate, sizeof(notice.rate.rate));
	notice.rate.compatibility = (int8_t)message->compatibility;
	notice.rate.strategy = (int8_t)message->strategy;
	if (!remote->info.hears_rates || kr_frame_rate_check(&notice.rate))
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL,
			"a frame rate that is none, or that nobody listens to");
	kr_remote_notice(remote, &notice);
	return 0;
}

static int
handle_activity(struct kr_remote_consumer *remote, const struct kr_dp_activity *message)
{
	/* What was said before it heard that nobody wants to hear it any more is passed over. */
	if (message->slot >= KR_QUEUE_SLOTS || !remote->buffers[message->slot])
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_PROTOCOL, "it draws into a slot without a buffer");
	if (remote->info.hears_activity)
		kr_remote_notice_buffer(remote,
			message->cancelled ? KR_NOTICE_CANCELLED : KR_NOTICE_DEQUEUED,
			message->slot, remote->buffers[message->slot]);
	return 0;
}

static int
handle_disconnected(struct kr_remote_consumer *remote)
{
	remote->said_disconnected = true;
	kr_remote_notice(remote, &(struct kr_notice){.kind = KR_NOTICE_DISCONNECTED});
	return 0;
}

int
kr_remote_handle_told(struct kr_remote_consumer *remote, const struct kr_dp_message *message)
{
	if (remote->version < 6)
		return refuse_version(remote);
	switch (message->type) {
	case KR_DP_FRAME_RATE:
		return handle_frame_rate(remote, &message->frame_rate);
	case KR_DP_GENERATION:
		remote->generation = message->generation.number;
		return 0;
	case KR_DP_ACTIVITY:
		return handle_activity(remote, &message->activity);
	default:
		return handle_disconnected(remote);
	}
}
