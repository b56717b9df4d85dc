/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes both ends of the display protocol. The input is a list of packets: a byte that picks what
 * descriptor goes along, a byte of length, the bytes. They are fed to the codec, to a display's
 * end, and to a producer's end that has frames out. Bit 6 of the very first byte says hello in
 * front: bits 2 to 4 that it is one of version 6, 2 and 3 of 5, else bit 2 of 4, bit 3 of 3, bit 4
 * of 2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/native_memory.h"
#include "window/remote/remote.h"
#include "window/queue/wants.h"
#include "window/remote/message.h"
#include "wire/packet.h"

#define MAX_PACKETS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct kr_remote_display info = {.width = 64,
	.height = 32,
	.refresh_ns = 1,
	.consumer_usage = 3 | KR_USAGE_GPU_MEMORY,
	.max_acquired = 1,
	.format = 1,
	.abilities =
		{
			.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT),
			.transforms = KR_ABILITY_TRANSFORMS,
			.alphas = KR_ABILITY_ALL(KR_ALPHA_COUNT),
			.scalings = KR_ABILITY_ALL(KR_SCALING_COUNT),
			.gravities = KR_ABILITY_ALL(KR_GRAVITY_COUNT),
			.counters = KR_ABILITY_VBLANK,
			.colours = KR_ABILITY(KR_COLOUR_SRGB) | KR_ABILITY(KR_COLOUR_BT2020_PQ),
			.tells_shown = true,
		},
	.timing = {.targets = KR_TIMING_TARGETS, .events = KR_TIMING_EVENTS},
	.hears_rates = true,
	.hears_activity = true};
static struct kr_buffer *sample;

static void
check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_display: %s\n", what);
	abort();
}

static void
check_codec(const uint8_t *data, size_t size, size_t fds)
{
	struct kr_dp_message message;
	uint8_t again[KR_DP_MAX_SIZE];

	if (kr_dp_decode(data, size, fds, &message))
		return;
	check(kr_dp_encode(&message, again) == size && !memcmp(again, data, size),
		"a message isn't what it was read from");
}

static int
pick_fd(uint8_t kind, int socket)
{
	switch (kind % 4) {
	case 1:
		return kr_buffer_get_info(sample)->fd;
	case 2:
		return socket;
	case 3:
		return STDERR_FILENO;
	default:
		return -1;
	}
}

/*
 * A buffer's id is drawn anew in each process: put into what could announce the sample, so that the
 * corpus can get past it.
 */
static void
patch_id(uint8_t *packet, size_t size)
{
	struct kr_dp_message message;

	const uint64_t id = kr_buffer_get_info(sample)->id;

	if (kr_dp_decode(packet, size, 1, &message))
		return;
	if (message.type == KR_DP_BUFFER) {
		message.buffer.id = id;
		memcpy(message.buffer.handle + KR_HANDLE_INT_ID, &id, sizeof(id));
	} else if (message.type == KR_DP_ATTACH) {
		message.attach.id = id;
		memcpy(message.attach.handle + KR_HANDLE_INT_ID, &id, sizeof(id));
	} else {
		return;
	}
	kr_dp_encode(&message, packet);
}

/* Sends the packets of the input and lets `dispatch` take them in until it has had enough. */
static void
feed(const uint8_t *data, size_t size, int socket, int (*dispatch)(void *), void *end)
{
	for (int i = 0; i < MAX_PACKETS && size > 2; i++) {
		int fd = pick_fd(data[0], socket);
		size_t length = KR_MIN((size_t)data[1] + (size_t)(data[0] >> 7) * 200, size - 2);
		uint8_t packet[512];

		check_codec(data + 2, length, fd >= 0);
		memcpy(packet, data + 2, length);
		if (data[0] & 0x20)
			patch_id(packet, length);
		if (length && kr_packet_send(socket, packet, length, &fd, fd >= 0))
			return;
		if (dispatch(end))
			return;
		data += 2 + length;
		size -= 2 + length;
	}
}

/* Gives the producer a buffer, and next time takes it back, or has done with it. */
static void
exchange(struct kr_consumer *consumer)
{
	static struct kr_consumer *of;
	static struct kr_frame attached;
	static unsigned turn;
	struct kr_buffer *back = NULL;

	if (of != consumer) {
		of = kr_consumer_attach(consumer, sample, &attached) ? NULL : consumer;
		return;
	}
	of = NULL;
	if (turn++ % 2) {
		(void)(kr_consumer_release(consumer, &attached, -1) != 0);
	} else if (!kr_consumer_detach(consumer, &attached, &back)) {
		check(back == sample, "another buffer than was attached");
		kr_buffer_unref(back);
	}
}

static int
dispatch_consumer(void *end)
{
	struct kr_buffer *buffer;
	struct kr_frame frame;
	int err = kr_consumer_dispatch(end);

	exchange(end);
	while (!kr_consumer_acquire(end, &frame)) {
		check(frame.slot < KR_QUEUE_SLOTS && frame.number && frame.buffer, "a bad frame");
		check(frame.damage_count <= KR_FRAME_MAX_DAMAGE, "too much damage");
		check(frame.presentation.mode < KR_PRESENT_MODE_COUNT, "a bad mode");
		kr_fd_close(&frame.acquire_fence);
		kr_consumer_shown(end, frame.number, 1);
		kr_consumer_vblank(end, frame.number, 1);
		check(frame.target.kind < KR_TARGET_COUNT && frame.target.time_ns >= 0,
			"a bad time");
		if (frame.presentation.tell_events)
			kr_consumer_tell_events(end,
				&(struct kr_frame_events){.number = frame.number, .known = 63});
		if (frame.number % 5 == 4 && !kr_consumer_detach(end, &frame, &buffer)) {
			kr_buffer_unref(buffer);
			continue;
		}
		/* What is shared stays for a while. */
		if (frame.number % 3 && kr_present_mode_is_shared(frame.presentation.mode))
			continue;
		if (kr_consumer_release(end, &frame, -1) && !err)
			return -1;
	}
	return err;
}

static void
fuzz_consumer(const uint8_t *data, size_t size)
{
	static const struct kr_dp_message hello = {.type = KR_DP_HELLO, .hello = {.version = 1}};
	static const struct kr_dp_message hello2 = {
		.type = KR_DP_HELLO2, .hello2 = {.hello = {.version = 2}, .queued = UINT64_MAX}};
	static const struct kr_dp_message hello3 = {
		.type = KR_DP_HELLO3, .hello3 = {.hello2 = {.hello = {.version = 3}}}};
	static const struct kr_dp_message hello4 = {
		.type = KR_DP_HELLO4, .hello4.hello3 = {.hello2 = {.hello = {.version = 4}}}};
	static const struct kr_dp_message hello5 = {
		.type = KR_DP_HELLO5, .hello5.hello4.hello3.hello2.hello = {.version = 5}};
	static const struct kr_dp_message hello6 = {
		.type = KR_DP_HELLO6, .hello6.hello5.hello4.hello3.hello2.hello = {.version = 6}};
	static const struct kr_wants wants = {.from = 2, .every = 3};
	struct kr_consumer *consumer;
	int pair[2];

	check(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), "socketpair");
	check(!kr_consumer_remote_create(pair[1], &info, false, NULL, NULL, &consumer), "consumer");
	if (size && data[0] & 0x40)
		check(!kr_remote_send(pair[0],
			      (data[0] & 0x1c) == 0x1c           ? &hello6
				      : (data[0] & 0x0c) == 0x0c ? &hello5
				      : data[0] & 0x04           ? &hello4
				      : data[0] & 0x08           ? &hello3
				      : data[0] & 0x10           ? &hello2
								 : &hello,
			      -1),
			"hello");
	for (uint32_t i = 1; size && i < 4; i++)
		kr_consumer_configure(consumer, 64 * i, 32, data[0] % KR_TRANSFORMS);
	feed(data, size, pair[0], dispatch_consumer, consumer);
	kr_consumer_configure(consumer, 1, 1, 0);
	check(kr_consumer_set_wants(consumer, &wants) <= 0, "wants");
	check(kr_consumer_set_max_acquired(consumer, 2) <= 0, "limits");
	kr_consumer_discard_free(consumer);
	kr_fd_close(&pair[0]);
	kr_consumer_destroy(consumer);
}

static int
dispatch_queue(void *end)
{
	struct kr_notice notice;
	struct kr_buffer *buffer;
	uint64_t ticket = 0;
	int fence;

	while (!kr_queue_next_notice(end, &notice)) {
		check(notice.kind < KR_NOTICE_KINDS && notice.slot < KR_QUEUE_SLOTS,
			"a bad notice");
		check(notice.ticket > ticket, "a ticket that is no later");
		ticket = notice.ticket;
		if (notice.kind == KR_NOTICE_BROUGHT && notice.ticket % 2 &&
			!kr_queue_detach_next(end, &buffer, &fence)) {
			kr_buffer_unref(buffer);
			kr_fd_close(&fence);
		}
	}
	(void)kr_queue_next_wanted(end);
	(void)kr_queue_last_shown(end);
	(void)(kr_queue_frame_times(end, 1, &(struct kr_frame_times){0}) != 0);
	return kr_queue_alive(end) ? 0 : -1;
}

static void
queue_frame(struct kr_queue *queue)
{
	struct kr_queue_request request = {0};
	struct kr_queue_input input = {.presentation.tell_events = true};
	struct kr_buffer *buffer;
	uint32_t slot;
	int fence;

	if (kr_queue_dequeue(queue, &request, &slot, &buffer, &fence))
		return;
	kr_fd_close(&fence);
	check(!kr_queue_queue(queue, slot, &input, -1, NULL), "queue");
}

static void
fuzz_producer(const uint8_t *data, size_t size)
{
	const struct kr_remote_session session = {.version = !size ? 1
			: (data[0] & 0x1c) == 0x1c                 ? 6
			: (data[0] & 0x0c) == 0x0c                 ? 5
			: data[0] & 0x08                           ? 3
			: data[0] & 0x10                           ? 2
								   : 1,
		.events = info.timing.events,
		.wants = {.every = 1}};
	struct kr_queue_config config = {
		.default_width = 64,
		.default_height = 32,
		.default_format = 1,
		.consumer_usage = 3,
		.max_acquired = 1,
		.refresh_ns = 1,
		.abilities = info.abilities,
	};
	struct kr_queue *queue;
	struct kr_sink *sink;
	int pair[2], watched;

	check(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), "socketpair");
	check(!kr_sink_remote_create(pair[0], &session, &sink), "sink");
	check(!kr_queue_create(&config, sink, &queue), "queue");
	check(!kr_queue_connect(queue, 1), "connect");
	check(!kr_queue_watch(queue, (UINT32_C(1) << KR_NOTICE_KINDS) - 1, &watched), "watch");
	queue_frame(queue);
	queue_frame(queue);
	check(kr_queue_wait_vblank(queue, &(uint64_t){0}, &(int64_t){0}, 0) < 0, "vblank");
	feed(data, size, pair[1], dispatch_queue, queue);
	kr_queue_unref(queue);
	kr_fd_close(&pair[1]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};

	if (!sample)
		check(!kr_buffer_allocate(&desc, &sample), "buffer");
	fuzz_consumer(data, size);
	fuzz_producer(data, size);
	return 0;
}
