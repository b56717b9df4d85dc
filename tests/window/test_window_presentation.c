/* SPDX-License-Identifier: Apache-2.0 */
/* How frames are shown, said and asked through an ANativeWindow (window.h). */
#include "help.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "window/window.h"

static struct fake_sink sink;

static const struct kr_abilities everything = {
	.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT),
	.transforms = KR_ABILITY_TRANSFORMS,
	.alphas = KR_ABILITY_ALL(KR_ALPHA_COUNT),
	.scalings = KR_ABILITY_ALL(KR_SCALING_COUNT),
	.gravities = KR_ABILITY_ALL(KR_GRAVITY_COUNT),
	.counters = KR_ABILITY_VBLANK,
	.colours = KR_ABILITY_ALL(KR_COLOUR_COUNT),
	.tells_shown = true,
};

static void
connect_window(ANativeWindow *window)
{
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT, INT64_C(0)), 0);
	assert_int_equal(ANativeWindow_setBufferCount(window, 4), 0);
}

static ANativeWindow *
open_window(const struct kr_abilities *abilities)
{
	struct kr_queue_config config = help_config;
	struct kr_queue *queue;
	ANativeWindow *window;

	if (abilities)
		config.abilities = *abilities;
	fake_sink_init(&sink, false);
	assert_int_equal(kr_queue_create(&config, &sink.base, &queue), 0);
	assert_int_equal(kr_window_create(queue, &window), 0);
	kr_queue_unref(queue);
	connect_window(window);
	return window;
}

static void
close_window(ANativeWindow *window)
{
	ANativeWindow_release(window);
	fake_sink_finish(&sink, NULL);
}

static const struct kr_frame *
show(ANativeWindow *window)
{
	ANativeWindowBuffer *buffer;
	int fence;

	assert_int_equal(ANativeWindow_dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(ANativeWindow_queueBuffer(window, buffer, -1), 0);
	return &sink.frames[sink.frame_count - 1];
}

static void
what_was_said_holds_until_the_disconnect(void **state)
{
	const struct kr_presentation said = {.mode = KR_PRESENT_FIFO_RELAXED,
					     .alpha = KR_ALPHA_PREMULTIPLIED,
					     .scaling = KR_SCALING_STRETCH,
					     .gravity_x = KR_GRAVITY_CENTRED,
					     .gravity_y = KR_GRAVITY_MAX,
					     .tell_shown = true},
				     nothing = {0};
	ANativeWindow *window = open_window(&everything);
	const struct kr_frame *frame;

	assert_int_equal(window->perform(window, KR_WINDOW_SET_PRESENTATION, &said), 0);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_WINDOW_SIZE, 640, 480), 0);
	for (int i = 0; i < 2; i++) {
		frame = show(window);
		assert_memory_equal(&frame->presentation, &said, sizeof(said));
		assert_int_equal(frame->window_width, 640);
		assert_int_equal(frame->window_height, 480);
	}
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_EGL), 0);
	connect_window(window);
	frame = show(window);
	assert_memory_equal(&frame->presentation, &nothing, sizeof(nothing));
	/* That is the window's, whoever draws into it. */
	assert_int_equal(frame->window_width, 640);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_WINDOW_SIZE, 0, 0), 0);
	assert_int_equal(show(window)->window_width, 0);
	close_window(window);
}

static void
what_the_far_end_has_not_is_refused(void **state)
{
	const struct kr_presentation relaxed = {.mode = KR_PRESENT_FIFO_RELAXED},
				     none = {.mode = KR_PRESENT_MODE_COUNT},
				     scaled = {.scaling = KR_SCALING_ASPECT};
	const struct kr_abilities few = {.modes = KR_ABILITY(KR_PRESENT_FIFO),
		.transforms = KR_ABILITY(NATIVE_WINDOW_TRANSFORM_ROT_180)};
	struct kr_abilities abilities;
	ANativeWindow *window = open_window(&few);

	assert_int_equal(
		window->perform(window, KR_WINDOW_SET_PRESENTATION, &relaxed), -EOPNOTSUPP);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_PRESENTATION, &scaled), -EOPNOTSUPP);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_PRESENTATION, &none), -EINVAL);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_PRESENTATION, NULL), -EINVAL);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_WINDOW_SIZE, 1, 0), -EINVAL);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_WINDOW_SIZE, 40000, 1), -EINVAL);
	assert_int_equal(window->perform(window, KR_WINDOW_GET_ABILITIES, NULL), -EINVAL);
	assert_int_equal(window->perform(window, KR_WINDOW_GET_ABILITIES, &abilities), 0);
	assert_int_equal(abilities.modes, 1 << KR_PRESENT_FIFO);
	assert_int_equal(abilities.alphas, 1 << KR_ALPHA_INHERIT);
	/* Identity always is. */
	for (int t = 0; t < 8; t++)
		assert_int_equal(ANativeWindow_setBuffersTransform(window, t),
			t == 0 || t == NATIVE_WINDOW_TRANSFORM_ROT_180 ? 0 : -ENOSYS);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_SHARED_BUFFER_MODE, 1), -ENOSYS);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_AUTO_REFRESH, 1), -ENOSYS);
	close_window(window);
	/* Who says nothing of it can what it could. */
	window = open_window(NULL);
	assert_int_equal(window->perform(window, KR_WINDOW_GET_ABILITIES, &abilities), 0);
	assert_int_equal(abilities.modes, 7);
	assert_int_equal(abilities.transforms, 0xff);
	assert_false(abilities.tells_shown);
	close_window(window);
}

static void
all_transforms_reach_the_far_end(void **state)
{
	ANativeWindow *window = open_window(&everything);

	for (int t = 0; t < 8; t++) {
		assert_int_equal(ANativeWindow_setBuffersTransform(window, t), 0);
		assert_int_equal(show(window)->transform, t);
		fake_sink_release(&sink, -1);
	}
	close_window(window);
}

/* Who says how frames are shown isn't overruled by who only wanted the buffer for it. */
static void
the_swap_interval_leaves_what_was_said(void **state)
{
	const struct kr_presentation fifo = {.mode = KR_PRESENT_FIFO};
	ANativeWindow *window = open_window(NULL);

	assert_int_equal(ANativeWindow_setSwapInterval(window, 0), 0);
	assert_int_equal(show(window)->presentation.mode, KR_PRESENT_MAILBOX);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_PRESENTATION, &fifo), 0);
	assert_int_equal(show(window)->presentation.mode, KR_PRESENT_FIFO);
	assert_false(sink.frames[1].droppable);
	assert_int_equal(ANativeWindow_setSwapInterval(window, 0), 0);
	assert_int_equal(show(window)->presentation.mode, KR_PRESENT_FIFO);
	close_window(window);
}

static void
shared_buffer_mode_is_androids(void **state)
{
	ANativeWindow *window = open_window(&everything);
	ANativeWindowBuffer *buffer, *again;
	int fence;

	assert_int_equal(ANativeWindow_setSharedBufferMode(window, true), 0);
	assert_int_equal(ANativeWindow_setSharedBufferMode(NULL, true), -EINVAL);
	assert_int_equal(ANativeWindow_setAutoRefresh(NULL, true), -EINVAL);
	assert_int_equal(ANativeWindow_dequeueBuffer(window, &buffer, &fence), 0);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(ANativeWindow_setAutoRefresh(window, i & 1), 0);
		assert_int_equal(ANativeWindow_queueBuffer(window, buffer, -1), 0);
		assert_int_equal(sink.frames[i].presentation.mode,
			i & 1 ? KR_PRESENT_SHARED_CONTINUOUS : KR_PRESENT_SHARED_DEMAND);
		assert_int_equal(ANativeWindow_dequeueBuffer(window, &again, &fence), 0);
		assert_ptr_equal(again, buffer);
		assert_int_equal(fence, -1);
	}
	close_window(window);
}

static void
frames_are_waited_for_by_their_numbers(void **state)
{
	const struct kr_presentation told = {.tell_shown = true};
	ANativeWindow *window = open_window(&everything);
	uint64_t number = 0, shown = 7;
	int64_t time_ns;

	assert_int_equal(window->perform(window, KR_WINDOW_SET_PRESENTATION, &told), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_GET_NEXT_FRAME_ID, &number), 0);
	show(window);
	assert_int_equal(
		window->perform(window, KR_WINDOW_WAIT_SHOWN, number, kr_clock_now()), -ETIMEDOUT);
	assert_int_equal(window->perform(window, KR_WINDOW_LAST_SHOWN, &shown), 0);
	assert_int_equal(shown, 0);
	kr_queue_shown(sink.queue, number, kr_clock_now());
	assert_int_equal(window->perform(window, KR_WINDOW_WAIT_SHOWN, number, kr_clock_now()), 0);
	assert_int_equal(window->perform(window, KR_WINDOW_LAST_SHOWN, &shown), 0);
	assert_int_equal(shown, number);
	assert_int_equal(window->perform(window, KR_WINDOW_LAST_SHOWN, NULL), -EINVAL);
	assert_int_equal(
		window->perform(window, KR_WINDOW_WAIT_VBLANK, &shown, &time_ns, kr_clock_now()),
		-ETIMEDOUT);
	assert_int_equal(window->perform(window, KR_WINDOW_WAIT_VBLANK, NULL, NULL, kr_clock_now()),
		-EINVAL);
	kr_queue_abandon(sink.queue);
	assert_int_equal(
		window->perform(window, KR_WINDOW_WAIT_SHOWN, number + 1, KR_FOREVER), -ENODEV);
	close_window(window);
}

/* W-13 */
static void
usage_reaches_the_handle(void **state)
{
	const uint64_t asked = UINT64_C(0x8001000200000000) | 1 << 29;
	ANativeWindow *window = open_window(NULL);
	ANativeWindowBuffer *buffer;
	struct kr_buffer_info info;
	AHardwareBuffer_Desc desc;
	int fence;

	assert_int_equal(ANativeWindow_setUsage(window, asked), 0);
	assert_int_equal(ANativeWindow_dequeueBuffer(window, &buffer, &fence), 0);
	assert_true(buffer->usage == (asked | help_config.consumer_usage));
	assert_int_equal(kr_buffer_info_from_handle(buffer->handle, &info), 0);
	assert_true(info.desc.usage == buffer->usage);
	AHardwareBuffer_describe(ANativeWindowBuffer_getHardwareBuffer(buffer), &desc);
	assert_true(desc.usage == buffer->usage);
	assert_int_equal(ANativeWindow_cancelBuffer(window, buffer, -1), 0);
	assert_int_equal(
		ANativeWindow_setUsage(window, AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT), 0);
	/* With the consumer's reading by the CPU there is no such thing at all. */
	assert_int_equal(ANativeWindow_dequeueBuffer(window, &buffer, &fence), -EINVAL);
	close_window(window);
}

/* The same, and the buffer comes back. */
static struct kr_frame
show_once(ANativeWindow *window)
{
	struct kr_frame frame = *show(window);

	fake_sink_release(&sink, -1);
	return frame;
}

static void
dataspaces_are_what_the_far_end_shows(void **state)
{
	static const int32_t all[] = {HAL_DATASPACE_UNKNOWN, HAL_DATASPACE_ARBITRARY, 513,
		HAL_DATASPACE_SRGB, HAL_DATASPACE_SRGB_LINEAR, HAL_DATASPACE_SCRGB,
		HAL_DATASPACE_SCRGB_LINEAR, HAL_DATASPACE_DISPLAY_P3, HAL_DATASPACE_DCI_P3,
		HAL_DATASPACE_DCI_P3_LINEAR, HAL_DATASPACE_BT2020_LINEAR,
		HAL_DATASPACE_BT2020_LINEAR_EXTENDED, HAL_DATASPACE_BT2020_PQ,
		HAL_DATASPACE_BT2020_HLG, HAL_DATASPACE_ADOBE_RGB, HAL_DATASPACE_ADOBE_RGB_LINEAR};
	const struct kr_abilities few = {.modes = 1, .colours = KR_ABILITY(KR_COLOUR_BT2020_HLG)};
	ANativeWindow *window = open_window(&everything);

	for (size_t i = 0; i < KR_ARRAY_LEN(all); i++) {
		assert_int_equal(ANativeWindow_setBuffersDataSpace(window, all[i]), 0);
		assert_int_equal(ANativeWindow_getBuffersDataSpace(window), all[i]);
		assert_int_equal(show_once(window).dataspace, all[i]);
	}
	assert_int_equal(ANativeWindow_getBuffersDefaultDataSpace(window), HAL_DATASPACE_UNKNOWN);
	/* BT.601, and BT.2020 PQ in video range, which nobody has. */
	assert_int_equal(ANativeWindow_setBuffersDataSpace(window, 0x10c40000), -ENOSYS);
	assert_int_equal(ANativeWindow_setBuffersDataSpace(window, 0x11c60000), -ENOSYS);
	assert_int_equal(ANativeWindow_setBuffersDataSpace(window, -1), -EINVAL);
	close_window(window);

	window = open_window(&few);
	for (size_t i = 0; i < KR_ARRAY_LEN(all); i++)
		assert_int_equal(ANativeWindow_setBuffersDataSpace(window, all[i]),
			i < 4 || all[i] == HAL_DATASPACE_BT2020_HLG ? 0 : -ENOSYS);
	close_window(window);
}

static const struct android_smpte2086_metadata mastering = {
	.displayPrimaryRed = {0.68f, 0.32f},
	.displayPrimaryGreen = {0.265f, 0.69f},
	.displayPrimaryBlue = {0.15f, 0.06f},
	.whitePoint = {0.3127f, 0.329f},
	.maxLuminance = 4000,
	.minLuminance = 0.5f,
};

/* In Android's two parts, each of which stays when the other is said. */
static void
metadata_is_said_in_two_parts(void **state)
{
	const struct android_cta861_3_metadata content = {1200, 350};
	struct android_smpte2086_metadata wrong = mastering;
	ANativeWindow *window = open_window(&everything);
	struct kr_frame frame;

	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_BUFFERS_CTA861_3_METADATA, &content), 0);
	assert_int_equal(show_once(window).hdr.has, KR_HDR_CONTENT);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_BUFFERS_SMPTE2086_METADATA, &mastering),
		0);
	wrong.maxLuminance = -1;
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_BUFFERS_SMPTE2086_METADATA, &wrong),
		-EINVAL);
	for (int i = 0; i < 2; i++) {
		frame = show_once(window);
		assert_int_equal(frame.hdr.has, KR_HDR_CONTENT | KR_HDR_MASTERING);
		assert_true(frame.hdr.green[0] == 0.265f && frame.hdr.white[1] == 0.329f);
		assert_true(frame.hdr.max_luminance == 4000 && frame.hdr.min_luminance == 0.5f);
		assert_true(frame.hdr.max_cll == 1200 && frame.hdr.max_fall == 350);
	}
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_BUFFERS_SMPTE2086_METADATA, NULL), 0);
	frame = show_once(window);
	assert_int_equal(frame.hdr.has, KR_HDR_CONTENT);
	assert_true(frame.hdr.max_cll == 1200 && frame.hdr.red[0] == 0);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_BUFFERS_CTA861_3_METADATA, NULL), 0);
	assert_int_equal(show_once(window).hdr.has, 0);
	close_window(window);
}

static void
metadata_is_said_as_a_whole(void **state)
{
	const struct kr_hdr_metadata said = {.has = KR_HDR_MASTERING, .max_luminance = 700},
				     wrong = {.has = 4};
	ANativeWindow *window = open_window(&everything);
	struct kr_frame frame;

	assert_int_equal(window->perform(window, KR_WINDOW_SET_HDR, &said), 0);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_HDR, &wrong), -EINVAL);
	frame = show_once(window);
	assert_memory_equal(&frame.hdr, &said, sizeof(said));
	assert_int_equal(window->perform(window, KR_WINDOW_SET_HDR, NULL), 0);
	assert_int_equal(show_once(window).hdr.has, 0);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_HDR, &said), 0);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_EGL), 0);
	connect_window(window);
	assert_int_equal(show_once(window).hdr.has, 0);
	close_window(window);
}

static const struct kr_test tests[] = {
	KR_TEST(dataspaces_are_what_the_far_end_shows),
	KR_TEST(metadata_is_said_in_two_parts),
	KR_TEST(metadata_is_said_as_a_whole),
	KR_TEST(what_was_said_holds_until_the_disconnect),
	KR_TEST(what_the_far_end_has_not_is_refused),
	KR_TEST(all_transforms_reach_the_far_end),
	KR_TEST(the_swap_interval_leaves_what_was_said),
	KR_TEST(shared_buffer_mode_is_androids),
	KR_TEST(frames_are_waited_for_by_their_numbers),
	KR_TEST(usage_reaches_the_handle),
};

KR_TEST_MAIN(tests)
