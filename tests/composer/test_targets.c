/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A display as the client of hardware composers: a device that hands layers back at random, and
 * several targets of one frame.
 */
#include "by_hand.h"

#include <errno.h>
#include <fcntl.h>
#include <krafla/hardware_buffer.h>
#include <krafla/window.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "composer/output/queue.h"
#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

#define RGBA   AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define FRAMES 24

/* --- random --- */

/* Three windows over each other that move, turn and change their order, on a turned screen. */
static void
show_turned_scene(struct rig *rig, const char *device, int32_t transform, float alpha,
	struct kr_display_stats *stats)
{
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	struct kr_display_window windows[3];
	struct kr_queue *queues[3];

	config.device = device;
	config.transform = transform;
	rig->laid_out = true;
	rig_start_with(rig, &config);
	for (unsigned i = 0; i < 3; i++) {
		queues[i] = rig_window(rig, "window");
		rig_wait_stat(rig, producers, i + 1);
	}
	assert_int_equal(kr_display_list_windows(rig->display, windows, 3), 3);
	for (unsigned n = 0; n < FRAMES; n++) {
		struct kr_layout_place place = {
			.set = KR_PLACE_POSITION | KR_PLACE_Z | KR_PLACE_ALPHA,
			.x = (int32_t)(n * 3) - 10,
			.y = (int32_t)(n % 7) - 3,
			.z = (int32_t)(n / 6 % 2),
			.alpha = alpha,
		};
		const struct rig_frame full = {.fence = -1};
		const struct rig_frame part = {
			.width = 30, .height = 20, .transform = (int32_t)(n / 4 % 8), .fence = -1};
		const struct rig_frame scaled = {.width = 16,
			.height = 9,
			.scaling_mode = NATIVE_WINDOW_SCALING_MODE_SCALE_CROP,
			.presentation = {.scaling = (uint8_t)(transform ? n % 4 : 0),
				.gravity_x = (uint8_t)(n % 3),
				.gravity_y = (uint8_t)(n / 3 % 3)},
			.window_width = transform ? 24 : 0,
			.window_height = transform ? 19 : 0,
			.fence = -1};

		assert_int_equal(kr_display_place_window(rig->display, windows[1].id, &place), 0);
		place = (struct kr_layout_place){
			.set = KR_PLACE_SIZE, .width = 20 + n / 3, .height = 20};
		assert_int_equal(kr_display_place_window(rig->display, windows[2].id, &place), 0);
		rig_show(queues[0], &full, rig_gradient, n);
		rig_show(queues[1], &part, rig_gradient, 3 * n);
		rig_show(queues[2], &scaled, rig_gradient, 5 * n);
		rig_wait_frames(rig, n + 1);
	}
	for (unsigned i = 0; i < 3; i++)
		rig_close(queues[i]);
	rig_stop(rig, stats);
}

static void
show_scene(struct rig *rig, const char *device, float alpha, struct kr_display_stats *stats)
{
	show_turned_scene(rig, device, 0, alpha, stats);
}

/* Nor where the screen is turned, and windows have more room than their images take. */
static void
a_nasty_device_turns_as_well(void **state)
{
	static struct rig soft, random;
	struct kr_display_stats stats;
	uint64_t by_client = 0;
	char name[32];

	for (int32_t transform = 1; transform < 8; transform++) {
		memset(&soft, 0, sizeof(soft));
		memset(&random, 0, sizeof(random));
		snprintf(name, sizeof(name), "random:%d", transform);
		show_turned_scene(&soft, NULL, transform, 1, &stats);
		assert_int_equal(stats.client_layers, 0);
		show_turned_scene(&random, name, transform, 1, &stats);
		by_client += stats.client_layers;
		assert_int_equal(random.frames, soft.frames);
		for (unsigned i = 0; i < FRAMES; i++) {
			if (random.hashes[i] != soft.hashes[i])
				fail_msg("transform %d: picture %u differs", transform, i + 1);
		}
	}
	assert_true(by_client > 7 * FRAMES / 4);
}

/* H-04 */
static void
a_nasty_device_changes_no_picture(void **state)
{
	static struct rig soft, random;
	struct kr_display_stats stats;
	uint64_t by_client = 0;
	char name[32];

	show_scene(&soft, NULL, 1, &stats);
	assert_int_equal(stats.client_layers, 0);
	for (unsigned seed = 1; seed <= 8; seed++) {
		memset(&random, 0, sizeof(random));
		snprintf(name, sizeof(name), "random:%u", seed);
		show_scene(&random, name, 1, &stats);
		assert_int_equal(random.frames, soft.frames);
		for (unsigned i = 0; i < FRAMES; i++) {
			if (random.hashes[i] != soft.hashes[i])
				fail_msg("seed %u: picture %u differs", seed, i + 1);
		}
		assert_int_equal(stats.queued, 3 * FRAMES);
		assert_int_equal(stats.shown + stats.hidden, 3 * FRAMES);
		by_client += stats.client_layers;
	}
	assert_true(by_client > 8 * FRAMES / 4);
}

/* Blended in two steps, and rounded in each. */
static void
a_nasty_device_blends_as_well(void **state)
{
	static struct rig soft, random;
	struct kr_display_stats stats;

	show_scene(&soft, NULL, 0.5f, &stats);
	show_scene(&random, "random:5", 0.5f, &stats);
	assert_true(stats.client_layers > 0);
	for (unsigned i = 0; i < RIG_WIDTH * RIG_HEIGHT; i++) {
		for (unsigned shift = 0; shift < 24; shift += 8) {
			int a = (int)(soft.last[i] >> shift & 0xff);
			int b = (int)(random.last[i] >> shift & 0xff);

			if (a - b > 2 || b - a > 2)
				fail_msg("pixel %u: %06x, not %06x", i, random.last[i] & 0xffffff,
					soft.last[i] & 0xffffff);
		}
	}
}

static void
devices_that_are_none_are_refused(void **state)
{
	static const struct kr_display_hooks none;
	static const struct {
		const char *name;
		int err;
	} rows[] = {{"no-such", -ENOENT}, {"", -ENOENT}, {"random:x", -EINVAL}};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		struct kr_display_config config = rig_config(KR_CLOCK_REAL);
		struct kr_display *display;

		config.device = rows[i].name;
		config.socket_path = kr_test_path("display");
		assert_int_equal(kr_display_create(&config, &none, NULL, &display), rows[i].err);
	}
}

/* --- a frame on two targets --- */

struct watcher {
	struct kr_display_output base; /* first */
	struct kr_picture_hold *hold;
};

static int
keep_first(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	struct watcher *watcher = (struct watcher *)output;

	if (!watcher->hold && kr_picture_hold_take(frame->hold))
		watcher->hold = frame->hold;
	return 0;
}

static const struct kr_display_output_impl keeps_first = {.name = "keeper", .show = keep_first};

struct connection {
	char socket[108];
	struct kr_display_queue *queue;
	int err;
	int done[2];
};

static void *
connect_main(void *data)
{
	struct connection *connection = data;

	connection->err = kr_display_queue_open(connection->socket, 8, 8, &connection->queue);
	kr_fd_close(&connection->done[1]);
	return NULL;
}

static struct krafla_reader *
connect_reader(struct connection *connection)
{
	struct krafla_reader_config config = {
		.size = sizeof(config), .width = 8, .height = 8, .max_images = 2};
	struct krafla_reader *reader;
	struct krafla_image image;
	pthread_t thread;

	*connection = (struct connection){.done = {-1, -1}};
	snprintf(connection->socket, sizeof(connection->socket), "%s", kr_test_path("reader"));
	config.socket = connection->socket;
	assert_int_equal(krafla_reader_open(&config, &reader), 0);
	assert_int_equal(pipe2(connection->done, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&thread, NULL, connect_main, connection), 0);
	for (;;) {
		struct pollfd fds[2] = {{.fd = connection->done[0], .events = POLLIN},
			{.fd = krafla_reader_get_fd(reader), .events = POLLIN}};

		assert_true(poll(fds, 2, 10000) > 0);
		if (fds[0].revents)
			break;
		assert_int_equal(krafla_reader_acquire_next(reader, &image), -EAGAIN);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	kr_fd_close(&connection->done[0]);
	assert_int_equal(connection->err, 0);
	return reader;
}

static uint32_t
read_image(struct krafla_reader *reader)
{
	struct pollfd ready = {.fd = krafla_reader_get_fd(reader), .events = POLLIN};
	struct krafla_image image;
	uint32_t pixel;
	void *data;

	for (;;) {
		int err = krafla_reader_acquire_next(reader, &image);

		if (!err)
			break;
		assert_int_equal(err, -EAGAIN);
		assert_int_equal(poll(&ready, 1, 10000), 1);
	}
	assert_int_equal(AHardwareBuffer_lock(image.buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
				 image.acquire_fence, NULL, &data),
		0);
	pixel = *(const uint32_t *)data & 0xffffff;
	assert_int_equal(AHardwareBuffer_unlock(image.buffer, NULL), 0);
	assert_int_equal(krafla_reader_release(reader, &image, -1), 0);
	return pixel;
}

/*
 * H-02, H-03: the screen's picture is the window's buffer, and somebody keeps it; a program gets a
 * copy. The buffer comes back with a fence for him who keeps it, and the program's pictures go on.
 */
static void
a_frame_goes_back_when_no_target_reads_it(void **state)
{
	struct watcher watcher = {.base = {&keeps_first, {.from = 1, .every = 1}}};
	struct connection connection;
	struct krafla_reader *reader = connect_reader(&connection);
	struct hand_client client;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, 32, 16);
	hand.display->hooks.frame_pixels = false;
	assert_int_equal(kr_display_add_output(hand.display, &watcher.base), 0);
	assert_int_equal(kr_display_add_queue(hand.display, connection.queue), 0);
	hand_join(&hand, &client, 32, 16, RGBA);
	for (uint32_t i = 1; i <= 6; i++) {
		hand_fill(&client, 0x010203 * i);
		assert_true(hand_send_frame(&client));
		hand_tick(&hand);
		hand_hear(&client);
		assert_int_equal(read_image(reader), 0x010203 * i);
		assert_int_equal(client.released, i - 1);
		if (i == 2)
			assert_int_equal(kr_fence_status(client.release_fence), KR_FENCE_ACTIVE);
		if (i == 2)
			kr_picture_hold_drop(watcher.hold);
		if (i == 2)
			assert_int_equal(kr_fence_status(client.release_fence), KR_FENCE_SIGNALLED);
	}
	hand_leave(&client);
	hand_end(&hand);
	assert_int_equal(kr_display_queue_get_stats(connection.queue).queued, 6);
	kr_display_queue_close(connection.queue);
	krafla_reader_close(reader);
}

/* Nobody looks at the screen; the program does. */
static void
a_program_alone_wants_pixels(void **state)
{
	struct connection connection;
	struct krafla_reader *reader = connect_reader(&connection);
	struct hand_client client;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, 32, 16);
	hand.display->hooks.frame_pixels = false;
	assert_int_equal(kr_display_wants(hand.display).every, 0);
	assert_int_equal(kr_display_add_queue(hand.display, connection.queue), 0);
	assert_int_equal(kr_display_wants(hand.display).every, 1);
	hand_join(&hand, &client, 32, 16, RGBA);
	hand_fill(&client, 0x123456);
	assert_true(hand_send_frame(&client));
	hand_tick(&hand);
	assert_int_equal(hand.way, HAND_UNTOUCHED);
	assert_int_equal(read_image(reader), 0x123456);
	hand_leave(&client);
	hand_end(&hand);
	kr_display_queue_close(connection.queue);
	krafla_reader_close(reader);
}

/* A program that takes no pictures costs the others none. */
static void
a_slow_program_costs_nobody_a_picture(void **state)
{
	struct connection connection;
	struct krafla_reader *reader = connect_reader(&connection);
	struct hand_client client;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_VIRTUAL, 32, 16);
	assert_int_equal(kr_display_add_queue(hand.display, connection.queue), 0);
	hand_join(&hand, &client, 32, 16, RGBA);
	for (uint32_t i = 1; i <= 20; i++) {
		hand_fill(&client, i);
		assert_true(hand_send_frame(&client));
		hand_tick(&hand);
		hand_hear(&client);
		assert_int_equal(hand.pictures, i);
		assert_int_equal(hand_seen(&hand, 3, 3), i << 16);
	}
	assert_true(kr_display_queue_get_stats(connection.queue).dropped > 0);
	hand_leave(&client);
	hand_end(&hand);
	kr_display_queue_close(connection.queue);
	krafla_reader_close(reader);
}

static const struct kr_test tests[] = {
	KR_TEST(a_nasty_device_changes_no_picture),
	KR_TEST(a_nasty_device_turns_as_well),
	KR_TEST(a_nasty_device_blends_as_well),
	KR_TEST_FLAGS(devices_that_are_none_are_refused, KR_TEST_KEEPS_MEMORY), /* dlerror's */
	KR_TEST(a_frame_goes_back_when_no_target_reads_it),
	KR_TEST(a_program_alone_wants_pixels),
	KR_TEST(a_slow_program_costs_nobody_a_picture),
};
KR_TEST_MAIN(tests)
