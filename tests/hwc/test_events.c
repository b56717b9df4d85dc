/* SPDX-License-Identifier: Apache-2.0 */
/* What a composer tells, and screens: hotplug, vsync, power, sizes, and a show that fails. */
#include "rig.h"

#include <errno.h>
#include <poll.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

#define WIDTH  32
#define HEIGHT 16

static const ARect all = {0, 0, WIDTH, HEIGHT};

struct told {
	struct krafla_composer *composer;
	unsigned count;
	krafla_display_t display;
	enum krafla_connection connection;
	unsigned vsyncs;
	int64_t last_ns;
	int64_t period_ns;
};

static void
hotplug(void *data, krafla_display_t display, enum krafla_connection connection)
{
	struct told *told = data;
	int type;

	told->count++;
	told->display = display;
	told->connection = connection;
	/* Callbacks may call. */
	assert_int_equal(krafla_display_get_type(told->composer, display, &type),
		connection == KRAFLA_CONNECTED ? KRAFLA_COMPOSER_NONE
					       : KRAFLA_COMPOSER_BAD_DISPLAY);
}

static void
vsync(void *data, krafla_display_t display, int64_t time_ns, int64_t period_ns)
{
	struct told *told = data;

	assert_true(time_ns > told->last_ns);
	assert_true(time_ns <= kr_clock_now());
	if (told->vsyncs)
		assert_int_equal((time_ns - told->last_ns) % period_ns, 0);
	told->vsyncs++;
	told->last_ns = time_ns;
	told->period_ns = period_ns;
	told->display = display;
}

static void
listen(struct told *told, struct krafla_composer *composer)
{
	const struct krafla_composer_callbacks callbacks = {
		.size = sizeof(callbacks),
		.data = told,
		.hotplug = hotplug,
		.vsync = vsync,
	};

	*told = (struct told){.composer = composer};
	assert_int_equal(krafla_composer_register(composer, &callbacks), 0);
}

static bool
is_readable(struct krafla_composer *composer)
{
	struct pollfd poll = {.fd = krafla_composer_get_fd(composer), .events = POLLIN};

	return kr_fd_poll(&poll, 1, 0) == 1;
}

static void
devices_that_are_none_are_told(void **state)
{
	static const char *const wrong[] = {"", ":", "soft:", "soft:1", "random",
		"random:", "random:x", "random:1x", "random:-1", "random:99999999999999999999"};
	static const char *const nobody[] = {"", ":7", "nobody", "../soft", "Soft"};
	struct krafla_composer *composer = NULL;

	for (size_t i = 2; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(krafla_composer_open(wrong[i], &composer), -EINVAL);
	for (size_t i = 0; i < sizeof(nobody) / sizeof(nobody[0]); i++)
		assert_int_equal(krafla_composer_open(nobody[i], &composer), -ENOENT);
	assert_int_equal(krafla_composer_open(NULL, &composer), -EINVAL);
	assert_int_equal(krafla_composer_open("soft", NULL), -EINVAL);
	assert_null(composer);
	krafla_composer_close(NULL);
	assert_int_equal(krafla_composer_get_fd(NULL), -1);
	assert_int_equal(krafla_composer_dispatch(NULL), KRAFLA_COMPOSER_BAD_PARAMETER);
	kr_test_limit_fds(1);
	assert_int_equal(krafla_composer_open("soft", &composer), -EMFILE);
	kr_test_end_fd_limit();
}

static void
screens_come_and_go(void **state)
{
	struct krafla_screen screen;
	struct rig_screen shown = {.fence = -1};
	krafla_display_t second;
	struct told told;
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	listen(&told, rig.composer); /* what is there is told of before it returns, once */
	assert_int_equal(told.count, 1);
	assert_int_equal(told.display, rig.display);
	assert_int_equal(krafla_composer_dispatch(rig.composer), 0);
	assert_int_equal(told.count, 1);
	assert_false(is_readable(rig.composer));
	screen = rig_screen(&shown, 8, 8);
	assert_int_equal(krafla_composer_create_screen(rig.composer, &screen, &second), 0);
	assert_int_equal(told.count, 1); /* in dispatch alone */
	assert_true(is_readable(rig.composer));
	assert_int_equal(krafla_composer_dispatch(rig.composer), 0);
	assert_int_equal(told.count, 2);
	assert_int_equal(told.display, second);
	assert_int_equal(told.connection, KRAFLA_CONNECTED);
	assert_int_equal(krafla_composer_destroy_screen(rig.composer, second), 0);
	assert_int_equal(krafla_composer_dispatch(rig.composer), 0);
	assert_int_equal(told.count, 3);
	assert_int_equal(told.connection, KRAFLA_DISCONNECTED);
	/* One that nobody was told of goes without a word. */
	assert_int_equal(krafla_composer_create_screen(rig.composer, &screen, &second), 0);
	assert_int_equal(krafla_composer_destroy_screen(rig.composer, second), 0);
	assert_int_equal(krafla_composer_dispatch(rig.composer), 0);
	assert_int_equal(told.count, 3);
	rig_end(&rig);
}

static void
screens_are_checked(void **state)
{
	struct rig_screen shown = {.fence = -1};
	struct krafla_screen good = rig_screen(&shown, 8, 8), wrong;
	krafla_display_t display;
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	for (int what = 0; what < 8; what++) {
		wrong = good;
		wrong.size -= what == 0;
		wrong.width = what == 1 ? 0 : what == 2 ? 16385 : 8;
		wrong.height = what == 3 ? 0 : what == 4 ? 16385 : 8;
		wrong.vsync_period_ns = what == 5 ? 0 : what == 6 ? UINT32_MAX : 1;
		if (what == 7)
			wrong.show = NULL;
		assert_int_equal(krafla_composer_create_screen(rig.composer, &wrong, &display),
			KRAFLA_COMPOSER_BAD_PARAMETER);
	}
	assert_int_equal(krafla_composer_resize_screen(rig.composer, rig.display, 0, 8),
		KRAFLA_COMPOSER_BAD_PARAMETER);
	assert_int_equal(krafla_composer_resize_screen(rig.composer, rig.display, 8, 16385),
		KRAFLA_COMPOSER_BAD_PARAMETER);
	assert_int_equal(krafla_composer_set_screen_period(rig.composer, rig.display, 0),
		KRAFLA_COMPOSER_BAD_PARAMETER);
	assert_int_equal(
		krafla_composer_set_screen_period(rig.composer, rig.display, UINT32_C(1) << 31),
		KRAFLA_COMPOSER_BAD_PARAMETER);
	rig_end(&rig);
}

static void
virtual_displays_are_counted(void **state)
{
	krafla_display_t displays[64];
	int32_t format = RIG_RGBA;
	uint32_t most;
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	most = krafla_composer_max_virtual_displays(rig.composer);
	assert_in_range(most, 1, 64);
	assert_int_equal(
		krafla_composer_create_virtual_display(rig.composer, 0, 1, &format, &displays[0]),
		KRAFLA_COMPOSER_UNSUPPORTED);
	assert_int_equal(krafla_composer_create_virtual_display(
				 rig.composer, 16385, 1, &format, &displays[0]),
		KRAFLA_COMPOSER_UNSUPPORTED);
	for (uint32_t i = 0; i < most; i++)
		assert_int_equal(krafla_composer_create_virtual_display(
					 rig.composer, 8, 8, &format, &displays[i]),
			0);
	assert_int_equal(krafla_composer_create_virtual_display(
				 rig.composer, 8, 8, &format, &displays[most - 1]),
		KRAFLA_COMPOSER_NO_RESOURCES);
	assert_int_equal(krafla_composer_destroy_virtual_display(rig.composer, displays[0]), 0);
	assert_int_equal(
		krafla_composer_create_virtual_display(rig.composer, 8, 8, &format, &displays[0]),
		0);
	assert_int_equal(krafla_composer_destroy_virtual_display(rig.composer, rig.display),
		KRAFLA_COMPOSER_BAD_PARAMETER);
	rig_end(&rig);
}

/* A vsync is at a whole number of periods from the one before; off, none comes. */
static void
vsync_is_told_while_it_is_enabled(void **state)
{
	struct pollfd poll = {.events = POLLIN};
	struct told told;
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	listen(&told, rig.composer);
	krafla_composer_dispatch(rig.composer);
	poll.fd = krafla_composer_get_fd(rig.composer);
	assert_int_equal(krafla_display_set_vsync_enabled(rig.composer, rig.display, true), 0);
	while (told.vsyncs < 20) {
		assert_true(kr_fd_poll(&poll, 1, kr_deadline_in(10 * KR_NSEC_PER_SEC)) > 0);
		assert_int_equal(krafla_composer_dispatch(rig.composer), 0);
	}
	assert_int_equal(told.period_ns, 1000000);
	assert_int_equal(told.display, rig.display);
	assert_int_equal(krafla_display_set_vsync_enabled(rig.composer, rig.display, false), 0);
	krafla_composer_dispatch(rig.composer); /* what had come already */
	told.vsyncs = 0;
	assert_int_equal(kr_fd_poll(&poll, 1, kr_deadline_in(20 * KR_NSEC_PER_MSEC)), 0);
	assert_int_equal(told.vsyncs, 0);
	rig_end(&rig);
}

static void
wait_for_vsyncs(struct told *told, unsigned count)
{
	struct pollfd poll = {.fd = krafla_composer_get_fd(told->composer), .events = POLLIN};

	while (told->vsyncs < count) {
		assert_true(kr_fd_poll(&poll, 1, kr_deadline_in(10 * KR_NSEC_PER_SEC)) > 0);
		assert_int_equal(krafla_composer_dispatch(told->composer), 0);
	}
}

/* It goes on from the last blank, and neither what is validated nor what is shown notices. */
static void
a_screen_changes_its_period(void **state)
{
	static const uint32_t periods[] = {7000000, 3000000};
	AHardwareBuffer *buffer = rig_buffer(WIDTH, HEIGHT, RIG_RGBA, 0xff112233);
	krafla_config_t before, config;
	struct told told;
	struct rig rig;
	int32_t value;
	int fence;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	rig_layer(&rig, buffer, all, 0);
	rig_show(&rig);
	listen(&told, rig.composer);
	krafla_composer_dispatch(rig.composer);
	assert_int_equal(krafla_display_set_vsync_enabled(rig.composer, rig.display, true), 0);
	wait_for_vsyncs(&told, 3);
	for (size_t i = 0; i < KR_ARRAY_LEN(periods); i++) {
		int64_t last = told.last_ns;

		krafla_display_get_active_config(rig.composer, rig.display, &before);
		assert_int_equal(
			krafla_composer_set_screen_period(rig.composer, rig.display, periods[i]),
			0);
		krafla_display_get_active_config(rig.composer, rig.display, &config);
		assert_int_not_equal(config, before);
		krafla_display_get_attribute(
			rig.composer, rig.display, config, KRAFLA_ATTRIBUTE_VSYNC_PERIOD, &value);
		assert_int_equal(value, periods[i]);
		told.vsyncs = 0;
		wait_for_vsyncs(&told, 1);
		assert_int_equal(told.period_ns, periods[i]);
		assert_true(told.last_ns >= last + periods[i]);
		/* All of them are whole milliseconds. */
		assert_int_equal((told.last_ns - last) % 1000000, 0);
		wait_for_vsyncs(&told, 5);
	}
	assert_int_equal(krafla_display_present(rig.composer, rig.display, &fence), 0);
	assert_int_equal(fence, -1);
	AHardwareBuffer_release(buffer);
	rig_end(&rig);
}

static void
a_dark_screen_shows_nothing(void **state)
{
	AHardwareBuffer *buffer = rig_buffer(WIDTH, HEIGHT, RIG_RGBA, 0xff112233);
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	rig_layer(&rig, buffer, all, 0);
	assert_int_equal(
		krafla_display_set_power_mode(rig.composer, rig.display, KRAFLA_POWER_DOZE),
		KRAFLA_COMPOSER_UNSUPPORTED);
	assert_int_equal(
		krafla_display_set_power_mode(rig.composer, rig.display, KRAFLA_POWER_OFF), 0);
	assert_int_equal(rig_present(&rig), -1);
	assert_int_equal(rig.screen.shown, 0);
	assert_int_equal(
		krafla_display_set_power_mode(rig.composer, rig.display, KRAFLA_POWER_ON), 0);
	rig_show(&rig);
	assert_int_equal(rig.screen.last.number, 2);
	assert_int_equal(rig.screen.pixels[0], 0x112233);
	AHardwareBuffer_release(buffer);
	rig_end(&rig);
}

/* A screen of another size has another configuration; its picture is drawn anew. */
static void
a_screen_changes_its_size(void **state)
{
	AHardwareBuffer *buffer = rig_buffer(8, 8, RIG_RGBA, 0xff112233);
	krafla_config_t before, config;
	int producer, acquire = rig_fence(&producer), fence;
	krafla_layer_t layer;
	uint32_t count = 0;
	struct rig rig;
	int32_t value;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	layer = rig_layer(&rig, buffer, (ARect){4, 4, 12, 12}, 0);
	rig_show(&rig);
	krafla_display_get_active_config(rig.composer, rig.display, &before);
	krafla_layer_set_buffer(rig.composer, rig.display, layer, buffer, acquire);
	fence = rig_present(&rig); /* that is never shown */
	assert_int_equal(krafla_composer_resize_screen(rig.composer, rig.display, 20, 10), 0);
	assert_int_equal(rig_wait_fence(fence), -ECANCELED);
	assert_int_equal(krafla_display_present(rig.composer, rig.display, &fence),
		KRAFLA_COMPOSER_NOT_VALIDATED);
	krafla_display_get_configs(rig.composer, rig.display, &count, NULL);
	assert_int_equal(count, 1);
	krafla_display_get_configs(rig.composer, rig.display, &count, &config);
	assert_int_not_equal(config, before);
	krafla_display_get_attribute(
		rig.composer, rig.display, config, KRAFLA_ATTRIBUTE_WIDTH, &value);
	assert_int_equal(value, 20);
	assert_int_equal(krafla_display_get_attribute(
				 rig.composer, rig.display, before, KRAFLA_ATTRIBUTE_WIDTH, &value),
		KRAFLA_COMPOSER_BAD_CONFIG);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	rig_show(&rig);
	assert_int_equal(rig.screen.last.width, 20);
	assert_int_equal(rig.screen.last.height, 10);
	assert_int_equal(rig.screen.pixels[20 * 4 + 4], 0x112233);
	assert_int_equal(rig.screen.pixels[20 * 4 + 3], 0);
	kr_fd_close(&acquire);
	AHardwareBuffer_release(buffer);
	rig_end(&rig);
}

/* The picture is over, the next one is as if it had been shown. */
static void
a_show_that_fails_is_told(void **state)
{
	AHardwareBuffer *buffer = rig_buffer(8, 8, RIG_BGRA, 0xff112233);
	int producer, acquire = rig_fence(&producer), fence = -2;
	struct pollfd poll = {.events = POLLIN};
	uint32_t types, requests;
	krafla_layer_t layer;
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	layer = rig_layer(&rig, buffer, (ARect){4, 4, 12, 12}, 0);
	rig.screen.error = -EIO;
	assert_int_equal(krafla_display_validate(rig.composer, rig.display, &types, &requests), 0);
	assert_int_equal(krafla_display_present(rig.composer, rig.display, &fence),
		KRAFLA_COMPOSER_NO_RESOURCES);
	assert_int_equal(fence, -2);
	krafla_layer_set_buffer(rig.composer, rig.display, layer, buffer, acquire);
	fence = rig_present(&rig);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	poll.fd = krafla_composer_get_fd(rig.composer);
	while (rig.screen.shown < 2) { /* the hotplug that nobody listens to comes first */
		int error;

		assert_true(kr_fd_poll(&poll, 1, kr_deadline_in(10 * KR_NSEC_PER_SEC)) > 0);
		error = krafla_composer_dispatch(rig.composer);
		assert_int_equal(error,
			rig.screen.shown == 2 ? KRAFLA_COMPOSER_NO_RESOURCES
					      : KRAFLA_COMPOSER_NONE);
	}
	assert_int_equal(rig_wait_fence(fence), -EIO);
	rig.screen.error = 0;
	rig_show(&rig);
	assert_int_equal(rig.screen.last.number, 3);
	assert_int_equal(rig.screen.pixels[WIDTH * 4 + 4], 0x112233);
	kr_fd_close(&acquire);
	AHardwareBuffer_release(buffer);
	rig_end(&rig);
}

/* H-03: a screen that shows later says when by a fence of its own. */
static void
the_screen_says_when_a_picture_is_shown(void **state)
{
	AHardwareBuffer *buffer = rig_buffer(WIDTH, HEIGHT, RIG_RGBA, 0xff112233);
	int producer, acquire = rig_fence(&producer), shown, fence;
	krafla_layer_t layer;
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	layer = rig_layer(&rig, buffer, all, 0);
	rig.screen.fence = rig_fence(&shown);
	fence = rig_present(&rig);
	assert_int_equal(rig.screen.shown, 1);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	kr_fence_signal(shown, KR_FENCE_SIGNALLED);
	assert_int_equal(rig_wait_fence(fence), KR_FENCE_SIGNALLED);
	/* Of one that was on its way the fence was out before. */
	krafla_layer_set_buffer(rig.composer, rig.display, layer, buffer, acquire);
	rig.screen.fence = rig_fence(&shown);
	fence = rig_present(&rig);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	rig_wait_shown(&rig, 2);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	kr_fence_signal(shown, -EIO);
	assert_int_equal(rig_wait_fence(fence), -EIO);
	kr_fd_close(&acquire);
	AHardwareBuffer_release(buffer);
	rig_end(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(
		devices_that_are_none_are_told, KR_TEST_KEEPS_MEMORY), /* dlopen keeps its error */
	KR_TEST(screens_come_and_go),
	KR_TEST(screens_are_checked),
	KR_TEST(virtual_displays_are_counted),
	KR_TEST(vsync_is_told_while_it_is_enabled),
	KR_TEST(a_screen_changes_its_period),
	KR_TEST(a_dark_screen_shows_nothing),
	KR_TEST(a_screen_changes_its_size),
	KR_TEST(a_show_that_fails_is_told),
	KR_TEST_FLAGS(the_screen_says_when_a_picture_is_shown, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
