/* SPDX-License-Identifier: Apache-2.0 */
/* Producers that ask for more than a display can do: the others are shown all the same. */
#include "rig.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "composer/display.h"
#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "window/remote.h"

#define HONEST_FRAMES 40

struct attacker {
	const struct rig *rig;
	pthread_t thread;
	atomic_bool stop;
	atomic_uint queued;
};

/* Frames of 1 GiB each, of which nothing was ever written, as fast as they are taken. */
static void *
attack(void *data)
{
	struct attacker *attacker = data;
	struct kr_queue *queue = rig_window(attacker->rig, "attacker");
	const struct kr_queue_input input = {
		.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW,
		.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
	};

	while (!atomic_load(&attacker->stop)) {
		const struct kr_queue_request request = {
			.width = 16384,
			.height = 8192,
			.format = AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT,
			.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
			.deadline_ns = kr_clock_now() + 100 * KR_NSEC_PER_MSEC,
		};
		struct kr_buffer *buffer;
		uint32_t slot;
		int fence;

		if (kr_queue_dequeue(queue, &request, &slot, &buffer, &fence) < 0)
			continue;
		assert_int_equal(fence, -1);
		assert_int_equal(kr_queue_queue(queue, slot, &input, -1, NULL), 0);
		atomic_fetch_add(&attacker->queued, 1);
	}
	rig_close(queue);
	return NULL;
}

static void
huge_frames_leave_others_their_display(enum kr_display_clock clock)
{
	struct rig rig = {0};
	struct attacker attacker = {.rig = &rig};
	struct kr_display_config config = rig_config(clock);
	struct kr_queue *queue;

	rig_start(&rig, &config);
	assert_int_equal(pthread_create(&attacker.thread, NULL, attack, &attacker), 0);
	rig_wait_stat(&rig, queued, 1);
	queue = rig_window(&rig, "honest");
	for (unsigned i = 0; i < HONEST_FRAMES; i++)
		rig_show_plain(queue, i);
	/* The two are shown, and the last frame of the attacker's too. */
	rig_wait_stat(&rig, shown, HONEST_FRAMES + 2);
	assert_true(kr_queue_alive(queue));
	atomic_store(&attacker.stop, true);
	pthread_join(attacker.thread, NULL);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static void
huge_frames_on_the_real_clock(void **state)
{
	huge_frames_leave_others_their_display(KR_CLOCK_REAL);
}

static void
huge_frames_on_the_virtual_clock(void **state)
{
	huge_frames_leave_others_their_display(KR_CLOCK_VIRTUAL);
}

/* --- a display whose ticks the test calls, so that no time is in it --- */

#define SLOTS 3

struct client {
	int socket;
	struct kr_buffer *buffer;
	struct kr_dp_frame frame;
	uint64_t released; /* the last number that came back */
};

struct by_hand {
	struct kr_display *display;
	int64_t now;
	unsigned pictures;
};

static int
count_picture(void *data, const struct kr_composed_frame *frame)
{
	struct by_hand *by_hand = data;

	by_hand->pictures++;
	return 0;
}

static void
begin(struct by_hand *by_hand, enum kr_display_clock clock, uint32_t width, uint32_t height)
{
	static const struct kr_display_hooks hooks = {.frame = count_picture};
	struct kr_display_config config = rig_config(clock);

	*by_hand = (struct by_hand){.now = kr_clock_now()};
	config.width = width;
	config.height = height;
	config.socket_path = kr_test_file("by hand", "");
	unlink(config.socket_path);
	assert_int_equal(kr_display_create(&config, &hooks, by_hand, &by_hand->display), 0);
	by_hand->display->epoch_ns = by_hand->now;
}

static void
end(struct by_hand *by_hand)
{
	kr_display_destroy(by_hand->display);
}

static void
say(struct client *client, const struct kr_dp_message *message, int fd)
{
	assert_int_equal(kr_remote_send(client->socket, message, fd), 0);
}

/* A window with one buffer in all of its slots; the caller writes the pixels, if it wants any. */
static void
join(struct by_hand *by_hand, struct client *client, uint32_t width, uint32_t height,
	uint32_t format)
{
	const struct kr_buffer_desc desc = {width, height, 1, format,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	struct kr_dp_message message = {
		.type = KR_DP_HELLO, .hello = {.version = KR_DP_VERSION, .label = "by hand"}};
	int pair[2];

	*client = (struct client){.frame = {.format = (int32_t)format}};
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	client->socket = pair[0];
	assert_int_equal(kr_producer_create(by_hand->display, pair[1]), 0);
	say(client, &message, -1);
	assert_int_equal(kr_buffer_allocate(&desc, &client->buffer), 0);
	message = (struct kr_dp_message){
		.type = KR_DP_BUFFER, .buffer = {.id = kr_buffer_info(client->buffer)->id}};
	memcpy(message.buffer.handle, kr_buffer_handle(client->buffer)->data + KR_HANDLE_FDS,
		sizeof(message.buffer.handle));
	for (uint32_t i = 0; i < SLOTS; i++) {
		message.buffer.slot = i;
		say(client, &message, kr_buffer_info(client->buffer)->fd);
	}
}

static void
leave(struct client *client)
{
	close(client->socket);
	kr_buffer_unref(client->buffer);
}

static void
fill(struct client *client, uint32_t colour)
{
	uint32_t *data;

	assert_int_equal(kr_buffer_map(client->buffer, (void **)&data), 0);
	for (size_t i = 0; i < kr_buffer_info(client->buffer)->size / sizeof(*data); i++)
		data[i] = colour;
}

static void
hear(struct client *client)
{
	struct kr_dp_message message;
	int fd;

	while (kr_remote_receive(client->socket, &message, &fd) == 0) {
		assert_int_not_equal(message.type, KR_DP_ERROR);
		if (message.type == KR_DP_RELEASE)
			client->released = message.release.number;
	}
}

/* As many frames as a queue of three has: one is on screen. Whether there was room. */
static bool
send_frame(struct client *client)
{
	struct kr_dp_message message = {.type = KR_DP_FRAME};

	hear(client);
	if (client->frame.number - client->released >= SLOTS)
		return false;
	client->frame.number++;
	client->frame.slot = (uint32_t)(client->frame.number % SLOTS);
	message.frame = client->frame;
	say(client, &message, -1);
	return true;
}

/* Takes in what was said, and ticks. */
static void
tick(struct by_hand *by_hand)
{
	struct kr_display *display = by_hand->display;
	struct kr_producer *producer, *next;

	kr_list_for_each_safe (producer, next, &display->producers, link) {
		kr_producer_dispatch(producer);
		kr_producer_update(producer, by_hand->now);
		if (kr_producer_spent(producer))
			kr_producer_destroy(producer);
	}
	by_hand->now = KR_MAX(by_hand->now + 1, kr_display_next_tick(display, by_hand->now));
	if (by_hand->now == KR_FOREVER)
		fail_msg("nothing is due");
	do
		assert_int_equal(kr_display_tick(display, by_hand->now), 0);
	while (display->drawing);
}

static uint32_t
seen(const struct by_hand *by_hand, uint32_t x, uint32_t y)
{
	const struct kr_canvas *canvas = &by_hand->display->picture.canvas;

	return canvas->pixels[y * canvas->width + x] & 0xffffff;
}

static uint64_t
shown(const struct by_hand *by_hand)
{
	struct kr_display_stats stats;

	kr_display_get_stats(by_hand->display, &stats);
	return stats.shown;
}

/* What a tick may do in all: its work, and the part for what takes longer. */
static uint64_t
bound(const struct by_hand *by_hand)
{
	const struct kr_picture *picture = &by_hand->display->picture;

	return picture->work + picture->work / KR_PICTURE_STAGE_PART;
}

/* Below or above: the honest window is in each picture, and the large one comes, too. */
static void
huge_frames_wait_and_come(void **state)
{
	for (int above = 0; above < 2; above++) {
		struct client honest, huge;
		struct by_hand by_hand;
		unsigned ticks = 0;

		begin(&by_hand, KR_CLOCK_REAL, 320, 200);
		if (above)
			join(&by_hand, &honest, 40, 30, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
		join(&by_hand, &huge, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
		if (!above)
			join(&by_hand, &honest, 40, 30, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
		huge.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
		for (unsigned i = 1; i <= 200; i++) {
			uint64_t before = shown(&by_hand);

			fill(&honest, i);
			assert_true(send_frame(&honest));
			while (send_frame(&huge))
				;
			tick(&by_hand);
			assert_int_equal(by_hand.pictures, i);
			/* The large one's are shown beside it, now and then. */
			assert_in_range(shown(&by_hand) - before, 1, 2);
			ticks += shown(&by_hand) - before == 2;
			if (!above)
				assert_int_equal(seen(&by_hand, 39, 29), i << 16);
			assert_true(by_hand.display->picture.spent <= bound(&by_hand));
		}
		/* 400 source rows of 128 KiB, and as much work again, at 1 MiB a tick. */
		assert_in_range(ticks, 1, 4);
		leave(&honest);
		leave(&huge);
		end(&by_hand);
	}
}

/* Virtual clock: each frame is in the picture that it is meant for. */
static void
huge_frames_are_in_their_picture(void **state)
{
	struct client huge, small;
	struct by_hand by_hand;
	uint32_t *data;

	begin(&by_hand, KR_CLOCK_VIRTUAL, 320, 200);
	join(&by_hand, &huge, 16384, 8192, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM);
	join(&by_hand, &small, 40, 30, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	huge.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	assert_int_equal(kr_buffer_map(huge.buffer, (void **)&data), 0);
	for (uint32_t y = 8190; y < 8192; y++) {
		for (uint32_t x = 0; x < 16384; x++)
			data[y * (kr_buffer_info(huge.buffer)->row_bytes / 4) + x] = 0x123456;
	}
	for (unsigned i = 1; i <= 3; i++) {
		fill(&small, i);
		assert_true(send_frame(&huge));
		assert_true(send_frame(&small));
		tick(&by_hand);
		assert_int_equal(by_hand.pictures, i);
		assert_int_equal(shown(&by_hand), 2 * i);
		assert_int_equal(seen(&by_hand, 0, 0), i << 16);
		assert_int_equal(seen(&by_hand, 319, 0), 0);
	}
	leave(&huge);
	leave(&small);
	end(&by_hand);
}

/* 60 that are each more than a tick can do: together they take no more of it than one. */
static void
crowds_of_costly_windows_share(void **state)
{
	struct client honest, crowd[60];
	struct by_hand by_hand;
	uint64_t before;

	begin(&by_hand, KR_CLOCK_REAL, 320, 200);
	for (int i = 0; i < 60; i++) {
		join(&by_hand, &crowd[i], 256, 256, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
		/* A step of each is seen. */
		crowd[i].frame.crop_right = crowd[i].frame.crop_bottom = 250 - 3 * i;
		crowd[i].frame.transform = NATIVE_WINDOW_TRANSFORM_ROT_90;
	}
	join(&by_hand, &honest, 40, 30, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	for (unsigned i = 1; i <= 60; i++) {
		fill(&honest, i);
		assert_true(send_frame(&honest));
		for (int k = 0; k < 60; k++)
			while (send_frame(&crowd[k]))
				;
		before = shown(&by_hand);
		tick(&by_hand);
		assert_int_equal(by_hand.pictures, i);
		assert_true(shown(&by_hand) > before);
		assert_int_equal(seen(&by_hand, 0, 0), i << 16);
		assert_true(by_hand.display->picture.spent <= bound(&by_hand));
	}
	for (int i = 0; i < 60; i++) {
		hear(&crowd[i]);
		assert_true(crowd[i].released > 0);
		leave(&crowd[i]);
	}
	leave(&honest);
	end(&by_hand);
}

/* What doesn't change isn't drawn again, and neither is what nobody sees. */
static void
only_changes_that_are_seen_cost(void **state)
{
	const uint32_t rgba = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	struct client large, small, hidden;
	struct by_hand by_hand;
	uint64_t first;

	begin(&by_hand, KR_CLOCK_REAL, 320, 200);
	join(&by_hand, &hidden, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
	join(&by_hand, &large, 320, 200, rgba);
	join(&by_hand, &small, 32, 20, rgba);
	hidden.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	fill(&large, 5);
	fill(&small, 7);
	assert_true(send_frame(&large) && send_frame(&small));
	tick(&by_hand);
	first = by_hand.display->picture.spent;
	assert_true(first > 0);
	assert_true(send_frame(&small));
	tick(&by_hand);
	assert_true(by_hand.display->picture.spent <= first / 100 + 8);
	assert_true(send_frame(&hidden));
	tick(&by_hand);
	assert_int_equal(shown(&by_hand), 4);
	assert_int_equal(by_hand.display->picture.spent, 0);
	assert_int_equal(seen(&by_hand, 0, 0), 7 << 16);
	assert_int_equal(seen(&by_hand, 31, 20), 5 << 16);
	leave(&large);
	leave(&small);
	leave(&hidden);
	end(&by_hand);
}

/* What lay on top goes: the one below is seen again, a costly one bit by bit, and then black. */
static void
what_is_uncovered_is_drawn(void **state)
{
	const uint32_t rgba = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	struct client below, cover, other;
	struct by_hand by_hand;
	uint32_t *data;

	begin(&by_hand, KR_CLOCK_REAL, 320, 200);
	join(&by_hand, &below, 16384, 8192, rgba);
	join(&by_hand, &cover, 320, 190, rgba);
	join(&by_hand, &other, 10, 10, rgba);
	below.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	assert_int_equal(kr_buffer_map(below.buffer, (void **)&data), 0);
	for (uint32_t y = 3256; y < 3328; y++) {
		for (uint32_t x = 0; x < 16384; x++)
			data[y * (kr_buffer_info(below.buffer)->row_bytes / 4) + x] = 0x40;
	}
	fill(&cover, 9);
	assert_true(send_frame(&cover) && send_frame(&below));
	for (unsigned i = 0; i < 4; i++) {
		assert_true(send_frame(&other));
		tick(&by_hand);
	}
	assert_int_equal(shown(&by_hand), 6);
	assert_int_equal(seen(&by_hand, 319, 80), 9 << 16);
	leave(&cover);
	for (unsigned i = 0; i < 40; i++) {
		assert_true(send_frame(&other));
		tick(&by_hand);
		assert_true(by_hand.display->picture.spent <= bound(&by_hand));
	}
	assert_int_equal(seen(&by_hand, 319, 80), 0x40 << 16);
	assert_int_equal(seen(&by_hand, 319, 60), 0);
	leave(&below);
	assert_true(send_frame(&other));
	tick(&by_hand);
	assert_int_equal(seen(&by_hand, 319, 80), 0);
	leave(&other);
	end(&by_hand);
}

/* Who goes while a frame of his is prepared leaves nothing behind; and what he sent is shown first. */
static void
a_producer_that_goes_is_shown_first(void **state)
{
	struct by_hand by_hand;
	struct client huge;

	begin(&by_hand, KR_CLOCK_REAL, 320, 200);
	join(&by_hand, &huge, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
	huge.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	assert_true(send_frame(&huge));
	tick(&by_hand);
	leave(&huge);
	for (unsigned i = 0; i < 400 && !shown(&by_hand); i++)
		tick(&by_hand);
	assert_int_equal(shown(&by_hand), 1);
	join(&by_hand, &huge, 16384, 8192, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT);
	huge.frame.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
	assert_true(send_frame(&huge));
	tick(&by_hand);
	leave(&huge);
	end(&by_hand);
}

static const struct kr_test tests[] = {
	KR_TEST(huge_frames_on_the_real_clock),
	KR_TEST(huge_frames_on_the_virtual_clock),
	KR_TEST(huge_frames_wait_and_come),
	KR_TEST(huge_frames_are_in_their_picture),
	KR_TEST(crowds_of_costly_windows_share),
	KR_TEST(only_changes_that_are_seen_cost),
	KR_TEST(what_is_uncovered_is_drawn),
	KR_TEST(a_producer_that_goes_is_shown_first),
};
KR_TEST_MAIN(tests)
