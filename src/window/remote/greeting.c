/* SPDX-License-Identifier: Apache-2.0 */
/* A producer's hello, of each version, and what it is answered. */
#include <stdio.h>

#include "util/native_memory.h"
#include "window/remote/connection.h"

static void
say_abilities(const struct kr_remote_display *info, struct kr_dp_welcome3 *welcome)
{
	const struct kr_abilities *can = &info->abilities;

	*welcome = (struct kr_dp_welcome3){
		.tells_shown = can->tells_shown,
		.modes = can->modes,
		.transforms = can->transforms,
		.alphas = can->alphas,
		.scalings = can->scalings,
		.gravities = can->gravities,
		.counters = can->counters,
		.transform_hint = info->transform_hint,
		.width_mm = info->width_mm,
		.height_mm = info->height_mm,
		.refresh_mhz = info->refresh_mhz,
	};
	snprintf(welcome->name, sizeof(welcome->name), "%s", info->name);
}

static void
say_timing(const struct kr_remote_display *info, struct kr_dp_welcome5 *welcome)
{
	welcome->colours = info->abilities.colours;
	welcome->targets = info->timing.targets;
	welcome->events = info->timing.events;
	welcome->phase_ns = info->timing.phase_ns;
	welcome->latency_ns = info->timing.latency_ns;
}

static void
say_queue(const struct kr_remote_display *info, struct kr_dp_welcome6 *welcome)
{
	welcome->dataspace = info->dataspace;
	welcome->max_buffers = info->max_buffers ? info->max_buffers : KR_QUEUE_SLOTS;
	welcome->by_app = info->by_app;
	welcome->is_protected = info->is_protected;
	welcome->hears_rates = info->hears_rates;
	welcome->hears_activity = info->hears_activity;
}

/* Answers a hello of one of the versions. */
static int
welcome(struct kr_remote_consumer *remote)
{
	const struct kr_remote_display *info = &remote->info;
	const struct kr_dp_welcome said = {
		.version = remote->version,
		.width = info->width,
		.height = info->height,
		.refresh_ns = info->refresh_ns,
		.virtual_clock = info->virtual_clock,
		.consumer_usage = remote->version < 4 ? info->consumer_usage & ~KR_USAGE_GPU_MEMORY
						      : info->consumer_usage,
		.max_acquired = info->max_acquired,
		.format = info->format,
	};
	const struct kr_dp_welcome2 said2 = {
		.welcome = said,
		.wants_from = remote->wanted.last.from,
		.wants_every = remote->wanted.last.every,
	};
	struct kr_dp_message message = {.type = KR_DP_WELCOME};

	switch (remote->version) {
	case 1:
		message.welcome = said;
		break;
	case 2:
		message.type = KR_DP_WELCOME2;
		message.welcome2 = said2;
		break;
	case 3:
		message.type = KR_DP_WELCOME3;
		say_abilities(info, &message.welcome3);
		message.welcome3.welcome2 = said2;
		break;
	case 4:
		message.type = KR_DP_WELCOME4;
		say_abilities(info, &message.welcome4.welcome3);
		message.welcome4.welcome3.welcome2 = said2;
		break;
	case 5:
		message.type = KR_DP_WELCOME5;
		say_timing(info, &message.welcome5);
		say_abilities(info, &message.welcome5.welcome4.welcome3);
		message.welcome5.welcome4.welcome3.welcome2 = said2;
		break;
	default:
		message.type = KR_DP_WELCOME6;
		say_queue(info, &message.welcome6);
		say_timing(info, &message.welcome6.welcome5);
		say_abilities(info, &message.welcome6.welcome5.welcome4.welcome3);
		message.welcome6.welcome5.welcome4.welcome3.welcome2 = said2;
	}
	return kr_remote_reply(remote, &message, -1);
}

int
kr_remote_handle_hello(struct kr_remote_consumer *remote, const struct kr_dp_hello *hello,
	uint32_t version, uint64_t queued, bool asks)
{
	const char *unwelcome = NULL;

	if (remote->greeted)
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_PROTOCOL, "a second hello");
	if (hello->version != version)
		return kr_remote_refuse(
			remote, KR_REMOTE_ERROR_VERSION, "another version of the protocol");
	remote->version = version;
	if (asks) {
		remote->asked = true;
		(void)welcome(remote);
		return kr_remote_hang_up(remote);
	}
	kr_remote_copy_printable(remote->label, hello->label);
	if (remote->events.producer_greets)
		unwelcome = remote->events.producer_greets(remote->data);
	if (unwelcome)
		return kr_remote_refuse(remote, KR_REMOTE_ERROR_RESOURCES, unwelcome);
	remote->greeted = true;
	remote->queued = queued;
	return welcome(remote);
}
