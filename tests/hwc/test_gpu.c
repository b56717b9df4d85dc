/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device gpu, with a painter of this process: which pictures it draws, and what becomes of the
 * others when it dies of one's buffer (W-11).
 */
#include "rig.h"

#include <errno.h>
#include <poll.h>

#include "fake_painter.h"
#include "hwc/drawing.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

/* More than KR_BRUSH_LEAST_BYTES takes. */
#define WIDTH  1024
#define HEIGHT 512

static const ARect all = {0, 0, WIDTH, HEIGHT};
static const ARect left_half = {0, 0, WIDTH / 2, HEIGHT};
static const ARect right_half = {WIDTH / 2, 0, WIDTH, HEIGHT};

static struct kr_hwc_drawing
drawing(struct rig *rig)
{
	struct kr_hwc_drawing drawing;

	assert_int_equal(kr_hwc_get_drawing(rig->composer, rig->display, &drawing), 0);
	return drawing;
}

static void
show(struct rig *rig)
{
	unsigned shown = rig->screen.shown;
	int fence = rig_present(rig);

	rig_wait_shown(rig, shown + 1);
	assert_int_equal(rig_wait_fence(fence), KR_FENCE_SIGNALLED);
}

static void
begin(struct rig *rig, const char *device)
{
	fake_painters = (struct fake_painters){0};
	rig_begin(rig, device, WIDTH, HEIGHT);
}

static void
finish(struct rig *rig)
{
	rig_end(rig);
	assert_int_equal(fake_painters.alive, 0);
	assert_int_equal(fake_painters.known, 0);
	assert_int_equal(fake_painters.lent, 0);
}

static uint32_t
pixel(const struct rig *rig, uint32_t x, uint32_t y)
{
	assert_non_null(rig->screen.pixels);
	return rig->screen.pixels[y * WIDTH + x];
}

/* Two windows of a GPU are drawn by the painter, from their memory there; a CPU's isn't read. */
static void
memory_of_a_gpu_is_drawn_by_the_painter(void **state)
{
	AHardwareBuffer *a = fake_gpu_buffer(WIDTH / 2, HEIGHT, 0xff102030, FAKE_GOOD, true, 0);
	AHardwareBuffer *b = fake_gpu_buffer(WIDTH / 2, HEIGHT, 0xff405060, FAKE_GOOD, false, 0);
	struct rig rig;

	begin(&rig, "gpu:forced");
	assert_int_equal(fake_painters.started, 1);
	rig_layer(&rig, a, left_half, 0);
	rig_layer(&rig, b, right_half, 1);
	show(&rig);
	assert_int_equal(pixel(&rig, 3, 4), 0x102030);
	assert_int_equal(pixel(&rig, WIDTH - 3, 4), 0x405060);
	assert_null(rig.screen.last.buffer);
	assert_int_equal(drawing(&rig).pictures, 1);
	assert_true(drawing(&rig).now);
	assert_string_equal(drawing(&rig).device, "a fake");
	AHardwareBuffer_release(a);
	AHardwareBuffer_release(b);
	finish(&rig);
}

/* One buffer that is the picture is handed over as ever; without pixels for CPUs it is drawn. */
static void
one_buffer_is_handed_over(void **state)
{
	AHardwareBuffer *a =
		fake_gpu_buffer(WIDTH, HEIGHT, 0xff102030, FAKE_GOOD, true, 0xff708090);
	krafla_layer_t layer;
	struct rig rig;

	begin(&rig, "gpu:forced");
	layer = rig_layer(&rig, a, all, 0);
	rig_show(&rig);
	assert_ptr_equal(rig.screen.last.buffer, a);
	assert_int_equal(pixel(&rig, 0, 0), 0x708090);
	assert_int_equal(krafla_layer_set_buffer(rig.composer, rig.display, layer, a, -1), 0);
	assert_int_equal(kr_hwc_set_no_pixels(rig.composer, rig.display, layer), 0);
	show(&rig);
	assert_int_equal(pixel(&rig, 0, 0), 0x102030);
	assert_int_equal(drawing(&rig).pictures, 1);
	assert_false(drawing(&rig).now); /* pixels would spare that */
	AHardwareBuffer_release(a);
	finish(&rig);
}

/* A picture is lent until whoever holds it lets go; it isn't drawn into meanwhile. */
static void
pictures_are_lent(void **state)
{
	AHardwareBuffer *buffers[6];
	struct rig rig;
	krafla_layer_t layer = 0;

	begin(&rig, "gpu:forced");
	for (uint32_t i = 0; i < 6; i++) {
		buffers[i] = fake_gpu_buffer(8, 8, 0xff000010 + i, FAKE_GOOD, false, 0);
		if (!layer)
			layer = rig_layer(&rig, buffers[i], all, 0);
		else
			assert_int_equal(krafla_layer_set_buffer(
						 rig.composer, rig.display, layer, buffers[i], -1),
				0);
		rig.screen.hold = i == 0;
		show(&rig);
		assert_int_equal(pixel(&rig, 5, 5), 0x10 + i);
	}
	assert_int_equal(rig.screen.held, 1);
	assert_int_equal(fake_painters.lent, 2); /* and the last one, until the next is drawn */
	krafla_picture_hold_drop(rig.screen.holds[0]);
	rig.screen.held = 0;
	assert_int_equal(
		krafla_layer_set_buffer(rig.composer, rig.display, layer, buffers[0], -1), 0);
	show(&rig);
	assert_int_equal(fake_painters.lent, 1);
	for (uint32_t i = 0; i < 6; i++)
		AHardwareBuffer_release(buffers[i]);
	finish(&rig);
}

/* A hold outlives the composer, and what it holds. */
static void
a_hold_outlives_the_composer(void **state)
{
	AHardwareBuffer *a = fake_gpu_buffer(8, 8, 0xff102030, FAKE_GOOD, false, 0);
	struct krafla_picture_hold *hold;
	struct rig rig;

	begin(&rig, "gpu:forced");
	rig_layer(&rig, a, all, 0);
	rig.screen.hold = true;
	show(&rig);
	assert_int_equal(rig.screen.held, 1);
	hold = rig.screen.holds[0];
	rig.screen.held = 0;
	finish(&rig);
	krafla_picture_hold_drop(hold);
	AHardwareBuffer_release(a);
}

/* What a layer that is gone had is forgotten at once, and what wasn't shown for long. */
static void
buffers_are_forgotten(void **state)
{
	AHardwareBuffer *buffers[20];
	krafla_layer_t layer = 0;
	struct rig rig;

	begin(&rig, "gpu:forced");
	for (uint32_t i = 0; i < 20; i++) {
		buffers[i] = fake_gpu_buffer(8, 8, 0xff000010 + i, FAKE_GOOD, false, 0);
		if (!layer)
			layer = rig_layer(&rig, buffers[i], all, 0);
		else
			assert_int_equal(krafla_layer_set_buffer(
						 rig.composer, rig.display, layer, buffers[i], -1),
				0);
		show(&rig);
		assert_true(fake_painters.known <= 8);
	}
	assert_int_equal(krafla_display_destroy_layer(rig.composer, rig.display, layer), 0);
	for (int i = 0; i < 1000 && fake_painters.known; i++)
		poll(NULL, 0, 5);
	assert_int_equal(fake_painters.known, 0);
	for (uint32_t i = 0; i < 20; i++)
		AHardwareBuffer_release(buffers[i]);
	finish(&rig);
}

/* What can't be used by the painter is drawn by the memory of CPUs; without, it has no content. */
static void
refused_memory_is_read_by_the_cpu(void **state)
{
	AHardwareBuffer *a =
		fake_gpu_buffer(WIDTH / 2, HEIGHT, 0xff102030, FAKE_REFUSED, true, 0xff708090);
	AHardwareBuffer *b = fake_gpu_buffer(WIDTH / 2, HEIGHT, 0xff405060, FAKE_GOOD, false, 0);
	krafla_layer_t layer;
	struct rig rig;

	begin(&rig, "gpu:forced");
	layer = rig_layer(&rig, a, left_half, 0);
	rig_layer(&rig, b, right_half, 1);
	show(&rig);
	assert_int_equal(pixel(&rig, 3, 4), 0x708090);
	assert_int_equal(pixel(&rig, WIDTH - 3, 4), 0x405060);
	assert_int_equal(drawing(&rig).refused, layer);
	assert_int_equal(drawing(&rig).refused, 0); /* told once */
	assert_int_equal(krafla_layer_set_buffer(rig.composer, rig.display, layer, a, -1), 0);
	assert_int_equal(kr_hwc_set_no_pixels(rig.composer, rig.display, layer), 0);
	show(&rig);
	assert_true(rig.screen.last.older);
	assert_int_equal(pixel(&rig, 3, 4), 0x708090);
	AHardwareBuffer_release(a);
	AHardwareBuffer_release(b);
	finish(&rig);
}

/*
 * However many have come with such memory, and gone while a picture of theirs was on its way: the
 * pictures of those that come later are drawn.
 */
static void
refused_memory_of_many_owners(void **state)
{
	AHardwareBuffer *odd = fake_gpu_buffer(8, 8, 0xff102030, FAKE_REFUSED, true, 0xff708090);
	krafla_layer_t layer;
	struct rig rig;

	begin(&rig, "gpu:forced");
	for (unsigned i = 0; i < 80; i++) {
		unsigned shown = rig.screen.shown, looked = fake_painters.looked;
		int fence;

		fake_painters.slow = true;
		layer = rig_layer(&rig, odd, all, 0);
		fence = rig_present(&rig);
		for (unsigned wait = 0; wait < 1000 && fake_painters.looked == looked; wait++)
			poll(NULL, 0, 5);
		assert_int_equal(krafla_display_destroy_layer(rig.composer, rig.display, layer), 0);
		fake_painters.slow = false;
		fake_painter_go_on();
		rig_wait_shown(&rig, shown + 1);
		kr_fd_close(&fence);
	}
	rig_layer(&rig, odd, left_half, 0);
	rig_layer(&rig, odd, right_half, 1);
	show(&rig);
	assert_int_equal(pixel(&rig, 3, 4), 0x708090);
	assert_int_equal(pixel(&rig, WIDTH - 3, 4), 0x708090);
	AHardwareBuffer_release(odd);
	finish(&rig);
}

/* It is known whose buffer it was; the others go on. */
static void
who_kills_by_a_look_is_found(void **state)
{
	AHardwareBuffer *a =
		fake_gpu_buffer(WIDTH / 2, HEIGHT, 0xff102030, FAKE_DEADLY_TO_LOOK_AT, false, 0);
	AHardwareBuffer *b = fake_gpu_buffer(WIDTH / 2, HEIGHT, 0xff405060, FAKE_GOOD, false, 0);
	krafla_layer_t layer;
	struct rig rig;

	begin(&rig, "gpu:forced");
	layer = rig_layer(&rig, a, left_half, 0);
	rig_layer(&rig, b, right_half, 1);
	show(&rig);
	assert_int_equal(fake_painters.started, 2);
	assert_true(rig.screen.last.older);
	assert_int_equal(pixel(&rig, 3, 4), 0);
	assert_int_equal(pixel(&rig, WIDTH - 3, 4), 0x405060);
	assert_int_equal(drawing(&rig).guilty, layer);
	assert_int_equal(drawing(&rig).guilty, 0);
	assert_false(drawing(&rig).lost);
	show(&rig);
	assert_int_equal(fake_painters.started, 2); /* it wasn't shown to this one */
	AHardwareBuffer_release(a);
	AHardwareBuffer_release(b);
	finish(&rig);
}

/* Of several none is found when each alone does no harm: after the last one it is the CPU. */
static void
painters_come_to_an_end(void **state)
{
	AHardwareBuffer *a = fake_gpu_buffer(
		WIDTH / 2, HEIGHT, 0xff102030, FAKE_DEADLY_TO_DRAW, true, 0xff112233);
	AHardwareBuffer *b =
		fake_gpu_buffer(WIDTH / 2, HEIGHT, 0xff405060, FAKE_GOOD, true, 0xff445566);
	struct rig rig;

	begin(&rig, "gpu:forced");
	rig_layer(&rig, a, left_half, 0);
	rig_layer(&rig, b, right_half, 1);
	show(&rig);
	assert_int_equal(fake_painters.started, 4);
	assert_int_equal(fake_painters.alive, 0);
	assert_int_equal(pixel(&rig, 3, 4), 0x112233);
	assert_int_equal(pixel(&rig, WIDTH - 3, 4), 0x445566);
	assert_true(drawing(&rig).lost);
	assert_false(drawing(&rig).possible);
	assert_string_equal(drawing(&rig).why, "it was told to");
	AHardwareBuffer_release(a);
	AHardwareBuffer_release(b);
	finish(&rig);
}

/* Alone in the picture it is known at once. */
static void
who_kills_alone_is_found(void **state)
{
	AHardwareBuffer *a =
		fake_gpu_buffer(8, 8, 0xff102030, FAKE_DEADLY_TO_DRAW, true, 0xff112233);
	krafla_layer_t layer;
	struct rig rig;

	begin(&rig, "gpu:forced");
	layer = rig_layer(&rig, a, all, 0);
	show(&rig);
	assert_int_equal(drawing(&rig).guilty, layer);
	assert_int_equal(pixel(&rig, 3, 4), 0x112233); /* by its memory of CPUs */
	AHardwareBuffer_release(a);
	finish(&rig);
}

/* One that somebody kills has died of nobody's buffer. */
static void
who_is_there_when_it_is_killed_is_not_guilty(void **state)
{
	AHardwareBuffer *a =
		fake_gpu_buffer(8, 8, 0xff102030, FAKE_DEADLY_TO_DRAW, true, 0xff112233);
	struct rig rig;

	begin(&rig, "gpu:forced");
	fake_painters.killed = true;
	rig_layer(&rig, a, all, 0);
	show(&rig);
	assert_int_equal(fake_painters.started, 4);
	assert_int_equal(drawing(&rig).guilty, 0);
	AHardwareBuffer_release(a);
	finish(&rig);
}

/* One that dies while nothing is drawn is replaced, too, and nobody is guilty. */
static void
an_idle_painter_is_replaced(void **state)
{
	AHardwareBuffer *a = fake_gpu_buffer(8, 8, 0xff102030, FAKE_GOOD, false, 0);
	struct rig rig;

	begin(&rig, "gpu:forced");
	rig_layer(&rig, a, all, 0);
	show(&rig);
	fake_painters.die = true;
	fake_painter_go_on();
	for (int i = 0; i < 1000 && fake_painters.started < 2; i++) {
		krafla_composer_dispatch(rig.composer);
		poll(NULL, 0, 5);
	}
	assert_int_equal(fake_painters.started, 2);
	show(&rig);
	assert_int_equal(pixel(&rig, 3, 4), 0x102030);
	assert_int_equal(drawing(&rig).pictures, 2);
	assert_int_equal(drawing(&rig).guilty, 0);
	AHardwareBuffer_release(a);
	finish(&rig);
}

/* What was demanded and can't be had is an error. */
static void
no_painter_no_device(void **state)
{
	struct krafla_composer *composer;

	fake_painters = (struct fake_painters){.start_error = -2};
	assert_int_equal(krafla_composer_open("gpu:forced", &composer), -ENODEV);
	assert_int_equal(krafla_composer_open("gpu:", &composer), -EINVAL);
	assert_int_equal(krafla_composer_open("gpu:what", &composer), -EINVAL);
}

static const struct kr_test tests[] = {
	KR_TEST(memory_of_a_gpu_is_drawn_by_the_painter),
	KR_TEST(one_buffer_is_handed_over),
	KR_TEST(pictures_are_lent),
	KR_TEST(a_hold_outlives_the_composer),
	KR_TEST(buffers_are_forgotten),
	KR_TEST(refused_memory_is_read_by_the_cpu),
	KR_TEST(refused_memory_of_many_owners),
	KR_TEST(who_kills_by_a_look_is_found),
	KR_TEST(painters_come_to_an_end),
	KR_TEST(who_kills_alone_is_found),
	KR_TEST(who_is_there_when_it_is_killed_is_not_guilty),
	KR_TEST(an_idle_painter_is_replaced),
	KR_TEST(no_painter_no_device),
};

KR_TEST_MAIN(tests)
