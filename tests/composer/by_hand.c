/* SPDX-License-Identifier: Apache-2.0 */
/* See by_hand.h. */
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
#include "util/fd.h"

static int
count_picture(void *data, const struct kr_composed_frame *frame)
{
	struct hand *hand = data;
	struct kr_display_stats stats;

	hand->pictures++;
	kr_display_get_stats(hand->display, &stats);
	hand->way = stats.drawn > hand->drawn       ? HAND_DRAWN
		: stats.handed_over > hand->buffers ? HAND_BUFFER
						    : HAND_UNTOUCHED;
	hand->drawn = stats.drawn;
	hand->buffers = stats.handed_over;
	hand->layers = frame->layers;
	hand->format = frame->format;
	if (frame->pixels)
		rig_read_picture(frame, hand->seen);
	return 0;
}

static int
group_of(void *data, int pid)
{
	return 0;
}

void
hand_begin(struct hand *hand, enum kr_display_clock clock, uint32_t width, uint32_t height)
{
	static const struct kr_display_hooks hooks = {
		.group_of = group_of, .frame_pixels = true, .frame = count_picture};
	struct kr_display_config config = rig_config(clock);

	*hand = (struct hand){
		.now = kr_clock_now(), .seen = calloc((size_t)width * height, sizeof(uint32_t))};
	assert_non_null(hand->seen);
	config.width = width;
	config.height = height;
	config.socket_path = kr_test_file("by hand", "");
	unlink(config.socket_path);
	assert_int_equal(kr_display_create(&config, &hooks, hand, &hand->display), 0);
	rig_corner(hand->display);
	hand->display->grid.from_ns = clock == KR_CLOCK_REAL ? hand->now : 0;
}

void
hand_end(struct hand *hand)
{
	kr_display_destroy(hand->display);
	free(hand->seen);
}

bool
hand_say(struct hand_client *client, const struct kr_dp_message *message, int fd)
{
	int err = kr_remote_send(client->socket, message, fd);

	assert_true(err == 0 || err == -EPIPE);
	return !err;
}

static void
join(struct hand *hand, struct hand_client *client, const struct kr_dp_message *hello,
	const struct kr_buffer_desc *desc, uint32_t slots)
{
	struct kr_dp_message message = {.type = KR_DP_BUFFER};
	int pair[2];

	*client = (struct hand_client){.release_fence = -1,
		.frame = {.format = (int32_t)desc->format},
		.slots = slots,
		.version = hello->type == KR_DP_HELLO ? 1
			: hello->type == KR_DP_HELLO2 ? 2
						      : 3};
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	client->socket = pair[0];
	assert_int_equal(kr_producer_create(hand->display, pair[1]), 0);
	assert_true(hand_say(client, hello, -1));
	assert_int_equal(kr_buffer_allocate(desc, &client->buffer), 0);
	message.buffer.id = kr_buffer_get_info(client->buffer)->id;
	memcpy(message.buffer.handle, kr_buffer_handle(client->buffer)->data + KR_HANDLE_FDS,
		sizeof(message.buffer.handle));
	for (; message.buffer.slot < slots; message.buffer.slot++)
		assert_true(hand_say(client, &message, kr_buffer_get_info(client->buffer)->fd));
}

static struct kr_buffer_desc
buffer_of(uint32_t width, uint32_t height, uint32_t format)
{
	return (struct kr_buffer_desc){width, height, 1, format,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
}

void
hand_join_with(struct hand *hand, struct hand_client *client, uint32_t width, uint32_t height,
	uint32_t format, uint32_t slots)
{
	const struct kr_dp_message hello = {
		.type = KR_DP_HELLO, .hello = {.version = 1, .label = "by hand"}};
	const struct kr_buffer_desc desc = buffer_of(width, height, format);

	join(hand, client, &hello, &desc, slots);
}

void
hand_join_second(struct hand *hand, struct hand_client *client, uint64_t queued)
{
	const struct kr_dp_message hello = {.type = KR_DP_HELLO2,
		.hello2 = {.hello = {.version = 2, .label = "by hand"}, .queued = queued}};
	const struct kr_buffer_desc desc = buffer_of(16, 16, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);

	join(hand, client, &hello, &desc, HAND_SLOTS);
}

void
hand_join_third(struct hand *hand, struct hand_client *client)
{
	const struct kr_dp_message hello = {.type = KR_DP_HELLO3,
		.hello3 = {.hello2 = {.hello = {.version = 3, .label = "by hand"}}}};
	const struct kr_buffer_desc desc = buffer_of(16, 16, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);

	join(hand, client, &hello, &desc, HAND_SLOTS);
}

void
hand_join(struct hand *hand, struct hand_client *client, uint32_t width, uint32_t height,
	uint32_t format)
{
	hand_join_with(hand, client, width, height, format, HAND_SLOTS);
}

void
hand_leave(struct hand_client *client)
{
	close(client->socket);
	kr_fd_close(&client->release_fence);
	kr_buffer_unref(client->buffer);
}

void
hand_fill(struct hand_client *client, uint32_t value)
{
	uint32_t *data;

	assert_int_equal(kr_buffer_map(client->buffer, (void **)&data), 0);
	for (size_t i = 0; i < kr_buffer_get_info(client->buffer)->size / sizeof(*data); i++)
		data[i] = value;
}

bool
hand_hear_one(struct hand_client *client)
{
	struct kr_dp_message message;
	int fd;

	if (kr_remote_receive(client->socket, &message, &fd))
		return false;
	if (message.type == KR_DP_RELEASE) {
		client->released = message.release.number;
		kr_fd_close(&client->release_fence);
		client->release_fence = fd;
		fd = -1;
	}
	kr_fd_close(&fd);
	if (message.type == KR_DP_WELCOME2) {
		client->liked_format = message.welcome2.welcome.format;
		client->wants = (struct kr_wants){
			message.welcome2.wants_from, message.welcome2.wants_every};
	}
	if (message.type == KR_DP_WANTS) {
		client->wants = (struct kr_wants){message.wants.from, message.wants.every};
		client->wants_changed++;
	}
	if (message.type != KR_DP_ERROR)
		return true;
	client->cut_off = true;
	snprintf(client->why, sizeof(client->why), "%s", message.error.text);
	return true;
}

void
hand_hear(struct hand_client *client)
{
	while (hand_hear_one(client))
		;
}

bool
hand_send_fenced(struct hand_client *client, int fence)
{
	struct kr_dp_message message = {.type = KR_DP_FRAME};

	if (!client->lags)
		hand_hear(client);
	if (client->frame.number - client->released >= client->slots)
		return false;
	client->frame.number++;
	client->frame.slot = (uint32_t)(client->frame.number % client->slots);
	client->frame.has_fence = fence >= 0;
	message.frame = client->frame;
	if (client->version == 2)
		message = (struct kr_dp_message){.type = KR_DP_FRAME2,
			.frame2 = {.frame = client->frame, .no_pixels = client->no_pixels}};
	return hand_say(client, &message, fence);
}

void
hand_send_third(struct hand_client *client, uint32_t slot, enum kr_present_mode mode, int fence)
{
	struct kr_dp_message message = {.type = KR_DP_FRAME3};

	client->frame.number++;
	client->frame.slot = slot;
	client->frame.has_fence = fence >= 0;
	client->frame.droppable = kr_present_mode_drops(mode);
	message.frame3 = (struct kr_dp_frame3){
		.frame2 = {.frame = client->frame, .no_pixels = client->no_pixels}, .mode = mode};
	assert_true(hand_say(client, &message, fence));
}

bool
hand_send_frame(struct hand_client *client)
{
	return hand_send_fenced(client, -1);
}

void
hand_dispatch(struct hand *hand)
{
	struct kr_producer *producer, *next;

	kr_display_take_places(hand->display);
	kr_list_for_each_safe (producer, next, &hand->display->producers, link) {
		/* As often as it takes; a loop of the display's own would poll. */
		for (int i = 0; i < 16 && !producer->gone; i++)
			kr_producer_dispatch(producer);
		kr_producer_update(producer, hand->now);
		if (kr_producer_spent(producer))
			kr_producer_destroy(producer);
	}
}

void
hand_tick(struct hand *hand)
{
	struct kr_display *display = hand->display;

	hand_dispatch(hand);
	hand->now = KR_MAX(hand->now + 1, kr_display_next_tick(display, hand->now));
	if (hand->now == KR_FOREVER)
		fail_msg("nothing is due");
	assert_int_equal(kr_display_tick(display, hand->now), 0);
	hand_settle(hand);
}

/* A picture that is made on a thread of its own comes when it is done. */
void
hand_settle(struct hand *hand)
{
	int64_t until = kr_clock_now() + 10 * KR_NSEC_PER_SEC;

	while (kr_display_on_the_way(hand->display)) {
		assert_true(kr_clock_now() < until);
		assert_int_equal(kr_display_hear_targets(hand->display, NULL), 0);
		poll(NULL, 0, 1);
	}
	assert_int_equal(kr_display_hear_targets(hand->display, NULL), 0);
}

uint32_t
hand_seen(const struct hand *hand, uint32_t x, uint32_t y)
{
	return hand->seen[y * hand->display->config.width + x] & 0xffffff;
}

uint64_t
hand_shown(const struct hand *hand)
{
	struct kr_display_stats stats;

	kr_display_get_stats(hand->display, &stats);
	return stats.shown + stats.hidden;
}
