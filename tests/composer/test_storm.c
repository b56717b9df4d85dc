/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients that say what comes to their mind, most of it allowed, while places, sizes and turns
 * change under them: the display goes on, and in the end nothing is left of them. What is wrong
 * then a sanitizer says, or the descriptors that the runner counts. STORM_FROM and STORM_COUNT say
 * which seeds.
 */
#include "by_hand.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

#define CLIENTS 4
#define SLOTS   6
#define FENCES  8
#define ROUNDS  4000

static uint64_t seed;

static uint32_t
draw(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % below;
}

struct client {
	int socket;
	struct kr_buffer *buffers[SLOTS];
	uint64_t out[SLOTS]; /* the number that the display has it by; 0: none */
	bool shared[SLOTS];
	bool crosses[SLOTS]; /* it was queued again: a release of the one before may come */
	uint64_t number;
	bool watches;        /* for a vertical blank */
	bool wrong;          /* it said what isn't allowed */
	int signals[FENCES]; /* -1: none */
};

static const struct {
	uint32_t width, height, format;
} sizes[] = {
	{16, 16, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM},
	{64, 48, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM},
	{100, 7, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM},
	{1, 1, AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM},
	{4096, 4096, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT},
};

/* Whether it does something wrong now. */
static bool
rarely(struct client *client)
{
	bool does = !draw(200);

	client->wrong |= does;
	return does;
}

static void
say(struct client *client, const struct kr_dp_message *message, int fd)
{
	int err = kr_remote_send(client->socket, message, fd);

	assert_true(err == 0 || err == -EPIPE);
}

static void
announce(struct client *client, uint32_t slot)
{
	struct kr_dp_message message = {.type = KR_DP_BUFFER, .buffer = {.slot = slot}};
	uint32_t size = draw(KR_ARRAY_LEN(sizes));
	const struct kr_buffer_desc desc = {sizes[size].width, sizes[size].height, 1,
		sizes[size].format,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};

	kr_buffer_unref(client->buffers[slot]);
	assert_int_equal(kr_buffer_allocate(&desc, &client->buffers[slot]), 0);
	message.buffer.id = kr_buffer_get_info(client->buffers[slot])->id;
	memcpy(message.buffer.handle, kr_buffer_handle(client->buffers[slot])->data + KR_HANDLE_FDS,
		sizeof(message.buffer.handle));
	say(client, &message, kr_buffer_get_info(client->buffers[slot])->fd);
}

static void
join(struct hand *hand, struct client *client)
{
	const struct kr_dp_message hello = {.type = KR_DP_HELLO3,
		.hello3 = {.hello2 = {.hello = {.version = 3, .label = "storm"},
				   .queued = draw(3) ? 0 : draw(1000)}}};
	int pair[2];

	*client = (struct client){0};
	for (unsigned i = 0; i < FENCES; i++)
		client->signals[i] = -1;
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	client->socket = pair[0];
	assert_int_equal(kr_producer_create(hand->display, pair[1]), 0);
	say(client, &hello, -1);
	for (uint32_t i = 0; i < SLOTS; i++)
		announce(client, i);
}

static void
leave(struct client *client)
{
	kr_fd_close(&client->socket);
	for (unsigned i = 0; i < SLOTS; i++)
		kr_buffer_unref(client->buffers[i]);
	for (unsigned i = 0; i < FENCES; i++)
		kr_fd_close(&client->signals[i]);
}

/* False: it was cut off. */
static bool
hear(struct client *client)
{
	static const struct kr_dp_message configured = {.type = KR_DP_CONFIGURED};
	struct kr_dp_message message;
	int fd, err;

	while (!(err = kr_remote_receive(client->socket, &message, &fd))) {
		kr_fd_close(&fd);
		if (message.type == KR_DP_ERROR) {
			if (!client->wrong)
				fail_msg("cut off: %s", message.error.text);
			return false;
		}
		client->watches &= message.type != KR_DP_VBLANK;
		if (message.type == KR_DP_CONFIGURE)
			say(client, &configured, -1);
		if (message.type != KR_DP_RELEASE || message.release.slot >= SLOTS)
			continue;
		if (client->crosses[message.release.slot] &&
			message.release.number < client->out[message.release.slot])
			continue;
		if (!client->wrong)
			assert_int_equal(client->out[message.release.slot], message.release.number);
		client->out[message.release.slot] = 0;
		client->shared[message.release.slot] = false;
	}
	return err == -EAGAIN;
}

static void
signal_fence(struct client *client, unsigned at, int status)
{
	if (client->signals[at] >= 0)
		kr_fence_signal(client->signals[at], status);
	client->signals[at] = -1;
}

static int
make_fence(struct client *client)
{
	const struct kr_fence_label label = {"test", 1, "storm"};
	unsigned at = draw(FENCES);
	int fence = -1;

	if (draw(3))
		return -1;
	/* Its owner gives it up: that fails it. */
	kr_fd_close(&client->signals[at]);
	assert_int_equal(kr_fence_create(&label, &client->signals[at], &fence), 0);
	if (!draw(3))
		signal_fence(client, at, draw(2) ? KR_FENCE_SIGNALLED : -EIO);
	return fence;
}

static void
send_frame(struct client *client)
{
	struct kr_dp_message message = {.type = KR_DP_FRAME3};
	struct kr_dp_frame3 *frame = &message.frame3;
	struct kr_dp_frame *old = &frame->frame2.frame;
	uint32_t slot = draw(SLOTS);
	const struct kr_buffer_info *info = kr_buffer_get_info(client->buffers[slot]);
	uint8_t mode = (uint8_t)draw(KR_PRESENT_MODE_COUNT);
	int fence;

	if (client->out[slot] && !client->shared[slot] && !rarely(client))
		return;
	if (client->out[slot] && client->shared[slot])
		mode = KR_PRESENT_SHARED_DEMAND + (uint8_t)draw(2);
	/* What is shared goes on until there is another slot's frame. */
	for (unsigned i = 0; i < SLOTS; i++)
		client->shared[i] &= i == slot;
	client->shared[slot] = kr_present_mode_is_shared(mode);
	fence = make_fence(client);
	*old = (struct kr_dp_frame){
		.slot = slot,
		.number = client->number += 1 + draw(3),
		.droppable = kr_present_mode_drops(mode) != rarely(client),
		.has_fence = fence >= 0,
		.format = (int32_t)info->desc.format,
		.dataspace = draw(4) ? 0 : (int32_t)draw(1u << 30),
		.transform = (int32_t)draw(8),
		.scaling_mode = (int32_t)draw(4),
		.timestamp_ns = INT64_MIN,
		.queued_ns = draw(2) ? INT64_MAX : 0,
		.damage_count = (uint16_t)draw(4),
	};
	for (unsigned i = 0; i < old->damage_count; i++)
		old->damage[i] = (struct kr_dp_rect){(int32_t)draw(64) - 32, (int32_t)draw(64) - 32,
			(int32_t)draw(UINT32_MAX), (int32_t)draw(64)};
	if (draw(2)) {
		old->crop_right = 1 + (int32_t)draw(info->desc.width);
		old->crop_bottom = 1 + (int32_t)draw(info->desc.height);
	}
	frame->frame2.no_pixels = !draw(10);
	frame->mode = mode;
	frame->alpha = (uint8_t)draw(KR_ALPHA_COUNT);
	frame->scaling = (uint8_t)draw(KR_SCALING_COUNT);
	frame->gravity_x = (uint8_t)draw(KR_GRAVITY_COUNT);
	frame->gravity_y = (uint8_t)draw(KR_GRAVITY_COUNT);
	frame->tell_shown = draw(2);
	if (draw(2)) {
		frame->window_width = 1 + draw(draw(2) ? 100 : 32768);
		frame->window_height = 1 + draw(draw(2) ? 100 : 32768);
	}
	client->crosses[slot] = client->out[slot] != 0;
	client->out[slot] = old->number;
	say(client, &message, fence);
	kr_fd_close(&fence);
}

static void
act(struct hand *hand, struct client *client)
{
	static const struct kr_dp_message others[] = {
		{.type = KR_DP_WAITING}, {.type = KR_DP_PING}, {.type = KR_DP_WATCH_VBLANK}};
	struct kr_dp_message gone = {.type = KR_DP_BUFFER_GONE};
	uint32_t slot = draw(SLOTS);

	switch (draw(12)) {
	case 0:
		slot = draw(!client->watches || rarely(client) ? 3 : 2);
		client->watches |= slot == 2;
		say(client, &others[slot], -1);
		break;
	case 1:
		if (client->out[slot] && !rarely(client))
			break;
		gone.buffer_gone.slot = slot;
		say(client, &gone, -1);
		announce(client, slot);
		client->out[slot] = 0;
		break;
	case 2:
		signal_fence(client, draw(FENCES), KR_FENCE_SIGNALLED);
		break;
	case 3:
		if (draw(20))
			break;
		leave(client);
		join(hand, client);
		break;
	default:
		send_frame(client);
	}
}

static void
change_display(struct hand *hand)
{
	struct kr_display *display = hand->display;
	struct kr_layout_place place = {.set = draw(32),
		.x = (int32_t)draw(100) - 50,
		.y = (int32_t)draw(100) - 50,
		.width = 1 + draw(100),
		.height = 1 + draw(100),
		.z = (int32_t)draw(5),
		.alpha = (float)draw(3) / 2,
		.visible = draw(2)};

	switch (draw(5)) {
	case 4:
		assert_int_equal(kr_display_set_size(display, 1 + draw(64), 1 + draw(48)), 0);
		break;
	case 0:
		kr_display_set_layout(display, (enum kr_layout)draw(4));
		break;
	case 1:
		assert_int_equal(kr_display_set_transform(display, (int32_t)draw(8)), 0);
		break;
	case 2:
		(void)!kr_display_place_window(
			display, 1 + draw((uint32_t)display->connections), &place);
		break;
	default:
		assert_int_equal(kr_display_set_group(display, 0, &place), 0);
	}
}

/* What a display's loop does in a turn, without waiting. */
static void
turn(struct hand *hand)
{
	struct kr_display *display = hand->display;
	int64_t tick;

	assert_int_equal(kr_display_hear_targets(display, NULL), 0);
	if (display->asks)
		kr_display_tell_shown(display, kr_display_on_the_way(display));
	kr_display_tell_blank(display, hand->now);
	if (kr_display_take_size(display))
		kr_display_tell_screen(display);
	hand_dispatch(hand);
	tick = kr_display_next_tick(display, hand->now);
	hand->now += draw(KR_NSEC_PER_MSEC * 20);
	if (tick <= hand->now)
		assert_int_equal(kr_display_tick(display, hand->now), 0);
	if (display->withdrawn && kr_display_on_the_way(display) < KR_TARGET_PENDING) {
		display->withdrawn = false;
		kr_display_withdraw(display);
	}
}

static void
storm(enum kr_display_clock clock, uint64_t begin)
{
	struct client clients[CLIENTS];
	struct hand hand;
	unsigned cut_off = 0;

	seed = begin;
	hand_begin(&hand, clock, 64, 48);
	hand.display->config.idle_ns = 30 * KR_NSEC_PER_MSEC;
	for (unsigned i = 0; i < CLIENTS; i++)
		join(&hand, &clients[i]);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct client *client = &clients[draw(CLIENTS)];

		act(&hand, client);
		if (!draw(50))
			change_display(&hand);
		if (!draw(3))
			turn(&hand);
		if (hear(client))
			continue;
		cut_off++;
		leave(client);
		join(&hand, client);
	}
	for (unsigned i = 0; i < CLIENTS; i++)
		leave(&clients[i]);
	fprintf(stderr, "# seed %llu: %u pictures, %u cut off\n", (unsigned long long)begin,
		hand.pictures, cut_off);
	hand_end(&hand);
}

static void
storms(enum kr_display_clock clock)
{
	const char *from = getenv("STORM_FROM"), *count = getenv("STORM_COUNT");
	uint64_t first = from ? strtoull(from, NULL, 0) : 1;
	uint64_t seeds = count ? strtoull(count, NULL, 0) : 3;

	for (uint64_t i = first; i < first + seeds; i++)
		storm(clock, i);
}

static void
on_the_real_clock(void **state)
{
	storms(KR_CLOCK_REAL);
}

static void
on_the_virtual_clock(void **state)
{
	storms(KR_CLOCK_VIRTUAL);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(on_the_real_clock, 0, 600),
	KR_TEST_SLOW(on_the_virtual_clock, 0, 600),
};
KR_TEST_MAIN(tests)
