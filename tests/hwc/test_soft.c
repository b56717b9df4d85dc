/* SPDX-License-Identifier: Apache-2.0 */
/* Device soft: what it makes at once, what is on its way, and what it doesn't touch. */
#include "rig.h"

#include <errno.h>

#include "sync/fence/fence.h"
#include "util/fd.h"

#define WIDTH  32
#define HEIGHT 16

static const ARect all = {0, 0, WIDTH, HEIGHT};

/* One opaque buffer that covers all, pixel for pixel, is the picture. */
static void
a_buffer_is_the_picture(void **state)
{
	AHardwareBuffer *buffer = rig_buffer(WIDTH, HEIGHT, RIG_RGBA, 0x80112233);
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	rig_layer(&rig, buffer, all, 0);
	rig_show(&rig);
	assert_int_equal(rig.screen.last.written_bytes, 0);
	assert_int_equal(rig.screen.last.number, 1);
	assert_ptr_equal(rig.screen.last.buffer, buffer);
	assert_int_equal(rig.screen.last.offset, 0);
	assert_memory_equal(&rig.screen.damage, &all, sizeof(all));
	assert_int_equal(rig.screen.last.format, RIG_RGBA);
	assert_int_equal(rig.screen.pixels[WIDTH * 3 + 5], 0x112233);
	AHardwareBuffer_release(buffer);
	rig_end(&rig);
}

/* Whoever holds it has it until he lets go; the release fence says when. */
static void
a_held_picture_delays_the_release(void **state)
{
	AHardwareBuffer *a = rig_buffer(WIDTH, HEIGHT, RIG_RGBA, 0xff112233);
	AHardwareBuffer *b = rig_buffer(WIDTH, HEIGHT, RIG_RGBA, 0xff445566);
	krafla_layer_t layer;
	struct rig rig;
	int release;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	rig.screen.hold = true;
	layer = rig_layer(&rig, a, all, 0);
	rig_show(&rig);
	assert_int_equal(rig.screen.held, 1);
	assert_int_equal(krafla_layer_set_buffer(rig.composer, rig.display, layer, b, -1), 0);
	rig_show(&rig);
	assert_int_equal(rig.screen.held, 1); /* another one of it is for copying */
	release = rig_release(&rig, layer);
	assert_int_equal(kr_fence_status(release), KR_FENCE_ACTIVE);
	krafla_picture_hold_drop(rig.screen.holds[0]);
	rig.screen.held = 0;
	assert_int_equal(kr_fence_status(release), KR_FENCE_SIGNALLED);
	kr_fd_close(&release);
	AHardwareBuffer_release(a);
	AHardwareBuffer_release(b);
	rig_end(&rig);
}

/* Only what has changed is drawn, and of that what is seen. */
static void
what_stays_is_not_drawn_again(void **state)
{
	AHardwareBuffer *below = rig_buffer(WIDTH, HEIGHT, RIG_RGBA, 0xff102030);
	AHardwareBuffer *above = rig_buffer(8, 8, RIG_RGBA, 0xff405060);
	const ARect damage = {2, 2, 4, 4};
	krafla_layer_t low, high;
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	low = rig_layer(&rig, below, all, 0);
	high = rig_layer(&rig, above, (ARect){0, 0, 8, 8}, 1);
	rig_show(&rig);
	assert_int_equal(rig.screen.last.written_bytes, WIDTH * HEIGHT * 4);
	assert_memory_equal(&rig.screen.damage, &all, sizeof(all));
	assert_int_equal(rig.screen.pixels[0], 0x405060);
	assert_int_equal(rig.screen.pixels[8], 0x102030);
	rig_show(&rig);
	assert_int_equal(rig.screen.last.written_bytes, 0);
	assert_int_equal(rig.screen.last.damage_count, 0);
	krafla_layer_set_buffer(rig.composer, rig.display, high, above, -1);
	krafla_layer_set_surface_damage(rig.composer, rig.display, high, 1, &damage);
	rig_show(&rig);
	assert_int_equal(rig.screen.last.written_bytes, 2 * 2 * 4);
	assert_int_equal(rig.screen.last.damage_count, 1);
	assert_memory_equal(&rig.screen.damage, &damage, sizeof(damage));
	assert_null(rig.screen.last.buffer);
	krafla_layer_set_buffer(rig.composer, rig.display, low, below, -1);
	rig_show(&rig);
	assert_int_equal(rig.screen.last.written_bytes, (WIDTH * HEIGHT - 8 * 8) * 4);
	assert_int_equal(krafla_display_destroy_layer(rig.composer, rig.display, high), 0);
	rig_show(&rig);
	assert_int_equal(rig.screen.pixels[0], 0x102030);
	AHardwareBuffer_release(below);
	AHardwareBuffer_release(above);
	rig_end(&rig);
}

static void
what_nobody_wants_is_not_touched(void **state)
{
	AHardwareBuffer *buffer = rig_buffer(8, 8, RIG_BGRA, 0xff102030);
	int producer, acquire = rig_fence(&producer);
	krafla_layer_t layer;
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	rig.screen.unwanted = true;
	layer = rig_layer(&rig, NULL, (ARect){4, 4, 12, 12}, 0);
	krafla_layer_set_buffer(rig.composer, rig.display, layer, buffer, acquire);
	rig_show(&rig); /* its fence isn't waited for, either */
	assert_null(rig.screen.pixels);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	rig.screen.unwanted = false;
	rig_show(&rig);
	assert_int_equal(rig.screen.last.written_bytes, 8 * 8 * 4);
	assert_int_equal(rig.screen.pixels[WIDTH * 4 + 4], 0x102030);
	assert_int_equal(rig.screen.pixels[0], 0);
	kr_fd_close(&acquire);
	AHardwareBuffer_release(buffer);
	rig_end(&rig);
}

/* H-01, H-03: with an active fence the picture is on its way; two may be. */
static void
pictures_wait_for_fences_behind_each_other(void **state)
{
	AHardwareBuffer *a = rig_buffer(WIDTH, HEIGHT, RIG_RGBA, 0xff112233);
	AHardwareBuffer *b = rig_buffer(WIDTH, HEIGHT, RIG_RGBA, 0xff445566);
	int producer, acquire = rig_fence(&producer), first, second, third = -2, release;
	uint32_t types, requests;
	krafla_layer_t layer;
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	layer = rig_layer(&rig, NULL, all, 0);
	krafla_layer_set_buffer(rig.composer, rig.display, layer, a, acquire);
	kr_fd_close(&acquire);
	first = rig_present(&rig);
	krafla_layer_set_buffer(rig.composer, rig.display, layer, b, -1);
	second = rig_present(&rig);
	release = rig_release(&rig, layer);
	assert_int_equal(kr_fence_status(first), KR_FENCE_ACTIVE);
	assert_int_equal(kr_fence_status(second), KR_FENCE_ACTIVE);
	assert_int_equal(kr_fence_status(release), KR_FENCE_ACTIVE);
	assert_int_equal(krafla_display_validate(rig.composer, rig.display, &types, &requests), 0);
	assert_int_equal(krafla_display_present(rig.composer, rig.display, &third),
		KRAFLA_COMPOSER_NO_RESOURCES);
	assert_int_equal(rig.screen.shown, 0);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	rig_wait_shown(&rig, 2);
	assert_int_equal(rig.screen.corners[0], 0x112233);
	assert_int_equal(rig.screen.corners[1], 0x445566);
	assert_int_equal(rig_wait_fence(first), KR_FENCE_SIGNALLED);
	assert_int_equal(rig_wait_fence(release), KR_FENCE_SIGNALLED);
	assert_int_equal(rig_wait_fence(second), KR_FENCE_SIGNALLED);
	rig_show(&rig);
	AHardwareBuffer_release(a);
	AHardwareBuffer_release(b);
	rig_end(&rig);
}

/* Closing ends all: present fences fail, release fences signal. */
static void
closing_ends_fences(void **state)
{
	AHardwareBuffer *buffer = rig_buffer(WIDTH, HEIGHT, RIG_RGBA, 0xff112233);
	int producer, acquire = rig_fence(&producer), first, second, release;
	krafla_layer_t layer;
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	layer = rig_layer(&rig, NULL, all, 0);
	krafla_layer_set_buffer(rig.composer, rig.display, layer, buffer, acquire);
	first = rig_present(&rig);
	krafla_layer_set_buffer(rig.composer, rig.display, layer, NULL, -1);
	second = rig_present(&rig);
	release = rig_release(&rig, layer);
	rig_end(&rig);
	assert_int_equal(rig_wait_fence(first), -ECANCELED);
	assert_int_equal(rig_wait_fence(second), -ECANCELED);
	assert_int_equal(rig_wait_fence(release), KR_FENCE_SIGNALLED);
	kr_fd_close(&acquire);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	AHardwareBuffer_release(buffer);
}

/* More than 16 MiB of it. */
static void
much_work_is_not_done_in_present(void **state)
{
	AHardwareBuffer *buffer = rig_buffer(2048, 2048, RIG_RGBA, 0x80400000);
	krafla_layer_t layer;
	struct rig rig;
	int fence;

	rig_begin(&rig, "soft", 2048, 2048);
	layer = rig_layer(&rig, buffer, (ARect){0, 0, 2048, 2048}, 0);
	krafla_layer_set_blend_mode(rig.composer, rig.display, layer, KRAFLA_BLEND_PREMULTIPLIED);
	fence = rig_present(&rig);
	assert_int_not_equal(fence, -1);
	assert_int_equal(rig.screen.shown, 0);
	rig_wait_shown(&rig, 1);
	assert_int_equal(rig_wait_fence(fence), KR_FENCE_SIGNALLED);
	assert_int_equal(rig.screen.pixels[2048 * 1000 + 77], 0x400000);
	AHardwareBuffer_release(buffer);
	rig_end(&rig);
}

/* H-03: the output buffer is written when the present fence signals, opaque, and once. */
static void
a_virtual_display_writes_its_output(void **state)
{
	AHardwareBuffer *output = rig_buffer(WIDTH, HEIGHT, RIG_RGBA, 0);
	int32_t format = AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM;
	int producer, ready = rig_fence(&producer), fence;
	uint32_t types, requests;
	struct rig rig;

	rig_begin(&rig, "soft", WIDTH, HEIGHT);
	assert_int_equal(krafla_composer_create_virtual_display(
				 rig.composer, WIDTH, HEIGHT, &format, &rig.display),
		0);
	assert_int_equal(format, RIG_RGBA);
	assert_int_equal(krafla_display_validate(rig.composer, rig.display, &types, &requests), 0);
	assert_int_equal(krafla_display_present(rig.composer, rig.display, &fence),
		KRAFLA_COMPOSER_NO_RESOURCES);
	assert_int_equal(
		krafla_display_set_output_buffer(rig.composer, rig.display, output, ready), 0);
	fence = rig_present(&rig);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	assert_int_equal(rig_pixel(output, 3, 3), 0);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	assert_int_equal(rig_wait_fence(fence), KR_FENCE_SIGNALLED);
	assert_int_equal(rig_pixel(output, 3, 3), 0xff000000);
	assert_int_equal(krafla_display_present(rig.composer, rig.display, &fence),
		KRAFLA_COMPOSER_NO_RESOURCES);
	kr_fd_close(&ready);
	AHardwareBuffer_release(output);
	rig_end(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(a_buffer_is_the_picture),
	KR_TEST(a_held_picture_delays_the_release),
	KR_TEST(what_stays_is_not_drawn_again),
	KR_TEST(what_nobody_wants_is_not_touched),
	KR_TEST(pictures_wait_for_fences_behind_each_other),
	KR_TEST(closing_ends_fences),
	KR_TEST(much_work_is_not_done_in_present),
	KR_TEST(a_virtual_display_writes_its_output),
};

KR_TEST_MAIN(tests)
