/* SPDX-License-Identifier: Apache-2.0 */
/* eglSwapBuffers: pixels, fences, damage, sizes, ages. */
#include "rig.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "sync/fence/fork.h"
#include "util/clock.h"
#include "util/fd.h"

static void
show_and_see(enum fake_config config)
{
	struct rig rig;

	rig_open(&rig, config, 1);
	for (unsigned picture = 1; picture < 6; picture++) {
		assert_true(rig_show(&rig, picture));
		assert_int_equal(fake_error(), EGL_SUCCESS);
		rig_see(&rig, picture);
	}
	rig_close(&rig);
}

static void
test_pixels_of_every_format(void **state)
{
	for (enum fake_config config = FAKE_RGBA; config <= FAKE_HALF; config++)
		show_and_see(config);
	fake.bgra = true;
	show_and_see(FAKE_RGBA);
	show_and_see(FAKE_RGBX);
	fake.no_rows = true;
	show_and_see(FAKE_RGBA);
	show_and_see(FAKE_565);
	fake.bgra = false;
	show_and_see(FAKE_1010102);
	fake.no_565 = true;
	show_and_see(FAKE_565);
	fake.no_syncs = true;
	show_and_see(FAKE_RGBA);
	assert_int_equal(fake.finishes, 5);
}

/* The frame is queued, and the next one drawn, while the first isn't there. */
static void
test_the_frame_has_a_fence(void **state)
{
	struct krafla_image image;
	struct rig rig;

	fake.hold = true;
	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(rig_show(&rig, 1));
	fake_paint(2);
	rig_take(&rig, &image);
	assert_true(image.acquire_fence >= 0);
	assert_int_equal(kr_fence_status(image.acquire_fence), KR_FENCE_ACTIVE);
	fake_let_go();
	rig_expect(&rig, &image, 1);
	rig_give_back(&rig, &image, -1);
	assert_int_equal(fake_painted(), 2);
	rig_close(&rig);
}

static bool
is_pending(int fence)
{
	struct pollfd p = {.fd = fence, .events = POLLIN};

	return fence >= 0 && poll(&p, 1, 50) == 0;
}

/* Neither the program nor the queue waits for who reads the buffer: the copy does. */
static void
test_a_release_fence_is_waited_for(void **state)
{
	const struct kr_fence_label label = {.name = "release"};
	struct krafla_image image;
	int producer, fence;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(rig_show(&rig, 1));
	for (unsigned picture = 1; picture < 4; picture++) {
		rig_take(&rig, &image);
		rig_expect(&rig, &image, picture);
		assert_int_equal(kr_fence_create(&label, &producer, &fence), 0);
		rig_give_back(&rig, &image, fence);
		assert_true(rig_show(&rig, picture + 1));
		rig_take(&rig, &image);
		assert_true(is_pending(image.acquire_fence));
		kr_fence_signal(producer, picture == 2 ? -EIO : 1);
		rig_expect(&rig, &image, picture + 1);
		rig_give_back(&rig, &image, -1);
		assert_true(rig_show(&rig, picture + 1));
	}
	rig_close(&rig);
}

/* What the child of a fork has of it can't be shown, and holds up nobody: it has no copier. */
static void
use_the_parents(struct rig *rig)
{
	alarm(10);
	if (rig_show(rig, 2) || fake_error() != EGL_BAD_SURFACE)
		_exit(3);
	if (!fake_current(rig->display, EGL_NO_SURFACE, EGL_NO_CONTEXT) ||
		!kr_egl_surface_destroy(rig->display, rig->surface))
		_exit(4);
	fake_terminate(rig->display);
	_exit(0);
}

static void
test_a_fork_leaves_windows_to_the_parent(void **state)
{
	struct krafla_image image;
	int status = -1;
	struct rig rig;
	pid_t child;

	assert_int_equal(kr_sync_fork_init(), 0);
	fake.hold = true;
	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(rig_show(&rig, 1));
	child = fork();
	if (!child)
		use_the_parents(&rig);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	rig_take(&rig, &image);
	fake_let_go();
	rig_expect(&rig, &image, 1);
	rig_give_back(&rig, &image, -1);
	rig_close(&rig);
}

static void
test_damage_has_its_origin_at_the_top(void **state)
{
	static const EGLint rects[] = {1, 2, 3, 4, 10, 20, 30, 10};
	static const EGLint far[] = {INT_MIN, INT_MIN, INT_MAX, INT_MAX};
	EGLint many[17 * 4];
	struct krafla_image image;
	struct rig rig;

	for (unsigned i = 0; i < 17 * 4; i++)
		many[i] = 1;
	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(rig_show(&rig, 1));
	rig_see(&rig, 1);
	fake_paint(1);
	assert_true(kr_egl_surface_swap(rig.display, rig.surface, rects, 2));
	rig_take(&rig, &image);
	assert_int_equal(image.damage_count, 2);
	assert_memory_equal(&image.damage[0], (&(ARect){1, 24, 4, 28}), sizeof(ARect));
	assert_memory_equal(&image.damage[1], (&(ARect){10, 0, 40, 10}), sizeof(ARect));
	rig_expect(&rig, &image, 1);
	rig_give_back(&rig, &image, -1);
	/* More than can be told of is all of it; and so is none. */
	assert_true(kr_egl_surface_swap(rig.display, rig.surface, many, 17));
	rig_take(&rig, &image);
	assert_int_equal(image.damage_count, 0);
	rig_give_back(&rig, &image, -1);
	/* And what nobody can mean. */
	assert_true(kr_egl_surface_swap(rig.display, rig.surface, far, 1));
	rig_take(&rig, &image);
	assert_int_equal(image.damage_count, 0);
	rig_give_back(&rig, &image, -1);
	assert_false(kr_egl_surface_swap(rig.display, rig.surface, NULL, 1));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	assert_false(kr_egl_surface_swap(rig.display, rig.surface, rects, -1));
	assert_int_equal(fake_error(), EGL_BAD_PARAMETER);
	rig_close(&rig);
}

static void
test_the_age_is_that_of_the_pixels(void **state)
{
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	for (unsigned frame = 1; frame < 6; frame++) {
		EGLint age = rig_query(&rig, EGL_BUFFER_AGE_EXT);

		assert_int_equal(age, frame < 3 ? 0 : 2);
		if (age)
			assert_int_equal(fake_painted(), frame - (unsigned)age);
		assert_true(rig_show(&rig, frame));
		rig_see(&rig, frame);
	}
	rig_close(&rig);
}

static void
test_preserved_pixels_stay(void **state)
{
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(rig_show(&rig, 1));
	rig_see(&rig, 1);
	assert_true(kr_egl_surface_set(
		rig.display, rig.surface, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED));
	assert_int_equal(rig_query(&rig, EGL_SWAP_BEHAVIOR), EGL_BUFFER_PRESERVED);
	for (unsigned frame = 2; frame < 5; frame++) {
		assert_true(rig_show(&rig, frame));
		assert_int_equal(fake_painted(), frame);
		assert_int_equal(rig_query(&rig, EGL_BUFFER_AGE_EXT), 1);
		rig_see(&rig, frame);
	}
	/* One of another size has none. */
	assert_int_equal(ANativeWindow_setBuffersGeometry(
				 rig.window, 20, 10, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM),
		0);
	assert_true(rig_show(&rig, 9));
	assert_int_equal(rig_query(&rig, EGL_WIDTH), 20);
	assert_int_equal(rig_query(&rig, EGL_BUFFER_AGE_EXT), 0);
	rig_see(&rig, 9);
	rig_close(&rig);
}

/* The frame that was drawn in the old size is shown in it. */
static void
test_the_surface_follows_its_window(void **state)
{
	struct krafla_image image;
	AHardwareBuffer_Desc desc;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	for (unsigned i = 0; i < 8; i++) {
		int width = 40 + (int)i * 3, height = 30 - (int)i;

		assert_int_equal(ANativeWindow_setBuffersGeometry(rig.window, width, height,
					 AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM),
			0);
		assert_true(rig_show(&rig, i + 1));
		assert_int_equal(rig_query(&rig, EGL_WIDTH), width);
		assert_int_equal(rig_query(&rig, EGL_HEIGHT), height);
		assert_int_equal(rig_query(&rig, EGL_BUFFER_AGE_EXT), i ? 0 : 0);
		rig_take(&rig, &image);
		AHardwareBuffer_describe(image.buffer, &desc);
		assert_int_equal(desc.width, i ? width - 3 : 40);
		rig_expect(&rig, &image, i + 1);
		rig_give_back(&rig, &image, -1);
	}
	rig_close(&rig);
}

static void
test_without_an_interval_frames_are_replaced(void **state)
{
	struct krafla_presentation presentation = {.size = sizeof(presentation)};
	struct krafla_image image;
	struct rig rig;

	rig_open(&rig, FAKE_RGBA, 1);
	assert_true(kr_egl_surface_interval(rig.display, -3));
	for (unsigned picture = 1; picture < 9; picture++)
		assert_true(rig_show(&rig, picture));
	rig_take(&rig, &image);
	assert_int_equal(krafla_reader_get_presentation(rig.reader, &image, &presentation), 0);
	assert_int_equal(presentation.mode, KRAFLA_PRESENT_MAILBOX);
	rig_expect(&rig, &image, 8);
	rig_give_back(&rig, &image, -1);
	/* Clamped to what the window has. */
	assert_true(kr_egl_surface_interval(rig.display, 5));
	assert_true(rig_show(&rig, 9));
	rig_take(&rig, &image);
	assert_int_equal(krafla_reader_get_presentation(rig.reader, &image, &presentation), 0);
	assert_int_equal(presentation.mode, KRAFLA_PRESENT_FIFO);
	rig_give_back(&rig, &image, -1);
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(test_pixels_of_every_format),
	KR_TEST(test_the_frame_has_a_fence),
	KR_TEST(test_a_release_fence_is_waited_for),
	KR_TEST(test_a_fork_leaves_windows_to_the_parent),
	KR_TEST(test_damage_has_its_origin_at_the_top),
	KR_TEST(test_the_age_is_that_of_the_pixels),
	KR_TEST(test_preserved_pixels_stay),
	KR_TEST(test_the_surface_follows_its_window),
	KR_TEST(test_without_an_interval_frames_are_replaced),
};
FAKE_MAIN(tests)
