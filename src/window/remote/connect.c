/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer's way to a display: connecting and the handshake, each within the caller's deadline.
 */
#include "window/remote/remote.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/native_memory.h"
#include "window/remote/account.h"
#include "window/remote/message.h"
#include "wire/connect.h"

static int
say_hello(int socket, uint32_t version, const char *label, uint64_t queued, bool asks)
{
	struct kr_dp_hello2 hello = {.hello = {.version = version}, .queued = queued};
	struct kr_dp_message message;

	snprintf(hello.hello.label, sizeof(hello.hello.label), "%s", label ? label : "");
	switch (version) {
	case 1:
		message.type = KR_DP_HELLO;
		message.hello = hello.hello;
		break;
	case 2:
		message.type = KR_DP_HELLO2;
		message.hello2 = hello;
		break;
	case 3:
		message.type = KR_DP_HELLO3;
		message.hello3 = (struct kr_dp_hello3){.hello2 = hello, .asks = asks};
		break;
	case 4:
		message.type = KR_DP_HELLO4;
		message.hello4.hello3 = (struct kr_dp_hello3){.hello2 = hello, .asks = asks};
		break;
	case 5:
		message.type = KR_DP_HELLO5;
		message.hello5.hello4.hello3 = (struct kr_dp_hello3){.hello2 = hello, .asks = asks};
		break;
	default:
		message.type = KR_DP_HELLO6;
		message.hello6.hello5.hello4.hello3 =
			(struct kr_dp_hello3){.hello2 = hello, .asks = asks};
		break;
	}
	return kr_remote_send(socket, &message, -1);
}

/* An older display doesn't know what a newer version begins with, and says so. */
static int
refused(uint32_t version, const struct kr_dp_error *error)
{
	if (version > 1 &&
		(error->code == KR_REMOTE_ERROR_PROTOCOL || error->code == KR_REMOTE_ERROR_VERSION))
		return -EPROTONOSUPPORT;
	kr_error("window: the display refuses: %s", error->text);
	return error->code == KR_REMOTE_ERROR_RESOURCES ? -EBUSY : -EPROTO;
}

/* The display's first message. -ETIMEDOUT, -EBUSY, -EPROTO, -EPIPE, -EPROTONOSUPPORT. */
static int
await_welcome(int socket, uint32_t version, int64_t deadline_ns, struct kr_dp_welcome6 *newest)
{
	static const enum kr_dp_type welcomes[] = {[1] = KR_DP_WELCOME,
		[2] = KR_DP_WELCOME2,
		[3] = KR_DP_WELCOME3,
		[4] = KR_DP_WELCOME4,
		[5] = KR_DP_WELCOME5,
		[6] = KR_DP_WELCOME6};
	struct kr_dp_welcome3 *welcome = &newest->welcome5.welcome4.welcome3;
	struct pollfd p = {.fd = socket, .events = POLLIN};
	struct kr_dp_message message;
	int fd = -1;
	int err;

	_Static_assert(KR_ARRAY_LEN(welcomes) == KR_DP_VERSION + 1, "welcomes");
	for (;;) {
		err = kr_remote_receive(socket, &message, &fd);
		if (err != -EAGAIN)
			break;
		err = kr_fd_poll(&p, 1, deadline_ns);
		if (err <= 0)
			return err ? err : -ETIMEDOUT;
	}
	kr_fd_close(&fd);
	if (err)
		return err == -EPIPE ? -EPIPE : -EPROTO;
	if (message.type == KR_DP_ERROR)
		return refused(version, &message.error);
	if (message.type != welcomes[version])
		return -EPROTO;
	/* Version 1 doesn't say what it wants: all. Nor do the first two say what they can. */
	*newest = (struct kr_dp_welcome6){0};
	welcome->welcome2.wants_every = 1;
	if (version == 1)
		welcome->welcome2.welcome = message.welcome;
	else if (version == 2)
		welcome->welcome2 = message.welcome2;
	else if (version <= 4)
		*welcome = version == 3 ? message.welcome3 : message.welcome4.welcome3;
	else if (version == 5)
		newest->welcome5 = message.welcome5;
	else
		*newest = message.welcome6;
	return welcome->welcome2.welcome.version == version ? 0 : -EPROTO;
}

/* Of version 3. What a display can that isn't known here, nobody will ask it for. */
static int
read_abilities(const struct kr_dp_welcome3 *welcome, struct kr_remote_display *info)
{
	if (!(welcome->modes & KR_ABILITY(KR_PRESENT_FIFO)) ||
		welcome->transform_hint >= KR_TRANSFORMS)
		return -EPROTO;
	info->abilities = (struct kr_abilities){
		.modes = welcome->modes & KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT),
		.transforms = welcome->transforms & KR_ABILITY_TRANSFORMS,
		.alphas = welcome->alphas & KR_ABILITY_ALL(KR_ALPHA_COUNT),
		.scalings = welcome->scalings & KR_ABILITY_ALL(KR_SCALING_COUNT),
		.gravities = welcome->gravities & KR_ABILITY_ALL(KR_GRAVITY_COUNT),
		.counters = welcome->counters & KR_ABILITY_VBLANK,
		.tells_shown = welcome->tells_shown,
	};
	kr_abilities_complete(&info->abilities);
	info->transform_hint = welcome->transform_hint;
	info->width_mm = welcome->width_mm;
	info->height_mm = welcome->height_mm;
	info->refresh_mhz = welcome->refresh_mhz;
	_Static_assert(sizeof(info->name) == sizeof(welcome->name), "name");
	kr_remote_copy_printable(info->name, welcome->name);
	return 0;
}

/* The slowest display that there is has a refresh of that (1 mHz). */
#define LONGEST_NS (1000 * KR_NSEC_PER_SEC)

bool
kr_remote_is_refresh(int64_t ns)
{
	return ns >= 0 && ns <= LONGEST_NS;
}

/* Of version 5; likewise. */
static int
read_timing(const struct kr_dp_welcome5 *welcome, struct kr_remote_display *info)
{
	if (welcome->phase_ns < 0 || !kr_remote_is_refresh(welcome->latency_ns))
		return -EPROTO;
	info->abilities.colours |= welcome->colours & KR_ABILITY_ALL(KR_COLOUR_COUNT);
	info->timing.targets = welcome->targets & KR_TIMING_TARGETS;
	info->timing.events = welcome->events & KR_TIMING_EVENTS;
	info->timing.phase_ns = welcome->phase_ns;
	info->timing.latency_ns = welcome->latency_ns;
	return 0;
}

/* Of version 6. A queue's producer has a buffer, too. */
static int
read_queue(const struct kr_dp_welcome6 *welcome, struct kr_remote_display *info)
{
	if (welcome->max_buffers <= info->max_acquired || welcome->max_buffers > KR_QUEUE_SLOTS)
		return -EPROTO;
	info->dataspace = welcome->dataspace;
	info->max_buffers = welcome->max_buffers;
	info->by_app = welcome->by_app;
	info->is_protected = welcome->is_protected;
	info->hears_rates = welcome->hears_rates;
	info->hears_activity = welcome->hears_activity;
	return 0;
}

/* What the display said, if a queue can be made of it. */
static int
read_welcome(const struct kr_dp_welcome *welcome, struct kr_remote_display *info)
{
	struct kr_buffer_desc desc = {
		.width = welcome->width,
		.height = welcome->height,
		.layers = 1,
		.format = welcome->format,
		.usage = welcome->consumer_usage,
	};

	if (kr_buffer_check_shown(&desc) || !kr_remote_is_refresh(welcome->refresh_ns) ||
		!welcome->max_acquired || welcome->max_acquired > KR_QUEUE_SLOTS - 2)
		return -EPROTO;
	*info = (struct kr_remote_display){
		.width = welcome->width,
		.height = welcome->height,
		.refresh_ns = welcome->refresh_ns,
		.virtual_clock = welcome->virtual_clock,
		.timing = {.virtual_clock = welcome->virtual_clock},
		.consumer_usage = welcome->version < 4
			? welcome->consumer_usage & ~KR_USAGE_GPU_MEMORY
			: welcome->consumer_usage,
		.max_acquired = welcome->max_acquired,
		.format = welcome->format,
	};
	return 0;
}

/* Hello and welcome. */
static int
greet(int socket, uint32_t version, const char *label, uint64_t queued, bool asks,
	int64_t deadline_ns, struct kr_remote_display *info, struct kr_wants *wants)
{
	struct kr_dp_welcome6 newest;
	const struct kr_dp_welcome3 *welcome = &newest.welcome5.welcome4.welcome3;
	int err = say_hello(socket, version, label, queued, asks);

	if (!err)
		err = await_welcome(socket, version, deadline_ns, &newest);
	if (!err)
		err = read_welcome(&welcome->welcome2.welcome, info);
	if (!err && version >= 3)
		err = read_abilities(welcome, info);
	if (!err && version >= 5)
		err = read_timing(&newest.welcome5, info);
	if (!err && version >= 6)
		err = read_queue(&newest, info);
	if (!err)
		*wants = (struct kr_wants){
			welcome->welcome2.wants_from, welcome->welcome2.wants_every};
	return err;
}

/* Over a connected socket, which it owns; as it does the account. */
static int
shake_hands(int take_socket, const char *label, struct kr_remote_session *take_session,
	int64_t deadline_ns, struct kr_sink **sink, struct kr_remote_display *info)
{
	struct kr_remote_display read;
	struct kr_wants wants;
	int err = greet(take_socket, take_session->version, label,
		kr_account_frames(take_session->account), false, deadline_ns, &read, &wants);

	if (err) {
		kr_account_close(take_session->account);
		kr_fd_close(&take_socket);
		return err;
	}
	take_session->virtual_clock = read.virtual_clock;
	take_session->wants = wants;
	take_session->events = read.timing.events;
	take_session->hears_rates = read.hears_rates;
	take_session->hears_activity = read.hears_activity;
	take_session->gpu_memory = read.consumer_usage & KR_USAGE_GPU_MEMORY;
	err = kr_sink_remote_create(take_socket, take_session, sink);
	if (!err)
		*info = read;
	return err;
}

int
kr_sink_remote_attach(int take_socket, const char *label, int64_t deadline_ns,
	struct kr_sink **sink, struct kr_remote_display *info)
{
	struct kr_remote_session session = {.version = KR_DP_VERSION};

	return shake_hands(take_socket, label, &session, deadline_ns, sink, info);
}

int
kr_sink_remote_connect(const char *socket_path, const char *label, int64_t deadline_ns,
	struct kr_sink **sink, struct kr_remote_display *info)
{
	int err = -EPROTONOSUPPORT;

	for (uint32_t version = KR_DP_VERSION; version && err == -EPROTONOSUPPORT; version--) {
		struct kr_remote_session session = {.version = version};
		int socket;

		err = kr_packet_connect(socket_path, deadline_ns, &socket);
		if (err)
			return err;
		session.account = kr_account_open(socket_path);
		err = shake_hands(socket, label, &session, deadline_ns, sink, info);
	}
	return err;
}

int
kr_remote_ask(const char *socket_path, int64_t deadline_ns, struct kr_remote_display *info)
{
	int err = -EPROTONOSUPPORT;

	for (uint32_t version = KR_DP_VERSION; version && err == -EPROTONOSUPPORT; version--) {
		struct kr_wants wants;
		int socket;

		err = kr_packet_connect(socket_path, deadline_ns, &socket);
		if (err)
			return err;
		err = greet(socket, version, "", 0, true, deadline_ns, info, &wants);
		kr_fd_close(&socket);
	}
	return err;
}
