/* SPDX-License-Identifier: Apache-2.0 */
/* Windows whose buffers are dma-bufs (fake devices: buffer_rig.h) that the vendor imports. */
#include "rig.h"

#include "buffer_rig.h"

static void
show_and_see(struct rig *rig, unsigned from, unsigned count)
{
	for (unsigned picture = from; picture < from + count; picture++) {
		assert_true(rig_show(rig, picture));
		rig_see(rig, picture);
	}
}

/* With the first frame it is looked which way is faster; so the other one is made slow. */
static void
blit_open(struct rig *rig)
{
	rig_begin_with("dma-heap");
	fake.imports = true;
	rig_open(rig, FAKE_RGBA, 1);
}

static void
test_the_gpu_copies(void **state)
{
	struct rig rig;

	fake.read_ms = 20;
	blit_open(&rig);
	show_and_see(&rig, 1, 8);
	assert_int_equal(fake.reads, 1);
	assert_int_equal(fake.blits, 9);
	/* One image for each buffer. */
	assert_in_range(fake.images, 1, 3);
	rig_close(&rig);
	rig_end();
}

static void
test_the_gpu_copies_damage(void **state)
{
	static const EGLint rows[] = {0, 30 - 9, 40, 4};
	unsigned pictures[30];
	struct krafla_image image;
	struct rig rig;

	fake.read_ms = 20;
	blit_open(&rig);
	show_and_see(&rig, 1, 8);
	for (unsigned i = 0; i < 30; i++)
		pictures[i] = 8;
	for (unsigned frame = 9; frame < 20; frame++) {
		for (unsigned i = 5; i < 9; i++)
			pictures[i] = frame;
		/* The others are what nobody copies, once all buffers hold what they were. */
		fake_paint(frame > 11 ? 77 : 8);
		fake_paint_rows(frame, 5, 9);
		assert_true(kr_egl_surface_swap(rig.display, rig.surface, rows, 1));
		rig_take(&rig, &image);
		rig_expect_rows(&rig, &image, pictures);
		rig_give_back(&rig, &image, -1);
	}
	assert_int_equal(fake.reads, 1);
	rig_close(&rig);
	rig_end();
}

static void
test_a_slow_gpu_does_not(void **state)
{
	struct rig rig;

	fake.blit_ms = 20;
	blit_open(&rig);
	show_and_see(&rig, 1, 4);
	assert_int_equal(fake.blits, 2);
	assert_int_equal(fake.reads, 4);
	rig_close(&rig);
	rig_end();
}

static void
test_a_wrong_gpu_does_not(void **state)
{
	struct rig rig;

	fake.read_ms = 20;
	fake.wrong_blits = true;
	blit_open(&rig);
	show_and_see(&rig, 1, 4);
	assert_int_equal(fake.blits, 2);
	assert_int_equal(fake.reads, 4);
	rig_close(&rig);
	rig_end();
}

/* Images of buffers that the window doesn't give any more aren't kept. */
static void
test_images_follow_the_window(void **state)
{
	struct rig rig;

	fake.read_ms = 5;
	blit_open(&rig);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(ANativeWindow_setBuffersGeometry(rig.window, 20 + i, 10,
					 AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM),
			0);
		show_and_see(&rig, (unsigned)i * 3 + 1, 3);
		assert_in_range(fake.images, 1, 3);
	}
	rig_close(&rig);
	rig_end();
}

/* Memory that no driver can import is read, as ever. */
static void
test_other_memory_is_read(void **state)
{
	struct rig rig;

	rig_begin_with("memfd");
	fake.imports = true;
	rig_open(&rig, FAKE_RGBA, 1);
	show_and_see(&rig, 1, 3);
	assert_int_equal(fake.blits, 0);
	assert_int_equal(fake.images, 0);
	rig_close(&rig);
	rig_end();
}

static const struct kr_test tests[] = {
	KR_TEST(test_the_gpu_copies),
	KR_TEST(test_the_gpu_copies_damage),
	KR_TEST(test_a_slow_gpu_does_not),
	KR_TEST(test_a_wrong_gpu_does_not),
	KR_TEST(test_images_follow_the_window),
	KR_TEST(test_other_memory_is_read),
};
FAKE_MAIN(tests)
