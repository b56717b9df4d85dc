/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole `krafla run` on a kernel with all devices, over a driver with SYNC_FD, with buffers of
 * the kernel: the example cube is on the display as an offscreen rendering has it.
 */
#include <stdio.h>

#include "tests/integration/programs/capture.h"
#include "tests/integration/programs/images.h"
#include "tests/integration/programs/spawn.h"
#include "harness.h"

#define SIZE      "99x63" /* rows that don't come out even */
#define FRAMES    "3"
#define LAST      3
#define MAX_COLOR 1 /* a channel: drivers may round a colour either way */
#define LIMIT_S   60
#define CUBE      prefix_path("bin/krafla-cube")

static void
draw_reference(struct image *image)
{
	const char *path = kr_test_path("reference.ppm");
	struct spawn child;
	char number[16];

	snprintf(number, sizeof(number), "%d", LAST - 1);
	spawn_run(&child, LIMIT_S,
		ARGV(CUBE, "--offscreen", number, "--output", path, "--size", SIZE),
		ENV(library_env(), lavapipe_env()));
	expect_code(&child, 0);
	spawn_finish(&child);
	image_load_ppm(image, path);
}

static void
assert_shown(const char *buffers, const struct image *reference)
{
	struct image captured;
	json_t *summary;

	capture(buffers, SIZE, FRAMES, ARGV(CUBE),
		ENV(lavapipe_env(), env_text("KRAFLA_BUFFERS", buffers)));
	capture_load(&captured, buffers, LAST);
	assert_in_range(image_difference(&captured, reference), 0, MAX_COLOR);
	image_free(&captured);
	/* DESIGN 6: dma-bufs and the kernel's fences; this driver gives the latter. */
	summary = capture_summary(buffers);
	assert_string_equal(json_string_value(json_object_get(summary, "tier")), "T1");
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(summary, "buffers"), 0)), buffers);
	assert_int_equal(summary_number(summary, "fences", "user"), 0);
	assert_true(summary_number(summary, "fences", "kernel") > 0);
	json_decref(summary);
}

static void
cube_is_shown_in_buffers_of_the_kernel(void **state)
{
	struct image reference;

	draw_reference(&reference);
	assert_true(image_drawn_pixels(&reference) > 99 * 63 / 10);
	assert_shown("udmabuf", &reference);
	assert_shown("dma-heap", &reference);
	image_free(&reference);
}

/* No word of what the driver can't share, which is what it says elsewhere. */
static void
info_finds_sync_fd(void **state)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S, ARGV(prefix_path("bin/krafla"), "info"), ENV(lavapipe_env()));
	expect_code(&child, 0);
	expect_text(&child, "llvmpipe");
	expect_no_text(&child, "can't share semaphores and fences as sync fds");
	/* A card is there whose planes could show its buffers; virtio-gpu takes none of others. */
	expect_text(&child, "tier     T2");
	expect_text(&child, "vkms, 10 planes: T2 on its planes");
	expect_text(&child, "vgem, 0 planes: no T2, it has no screens");
	expect_text(&child, "Virtual-1 1280x800 at 75 Hz");
	expect_text(&child, "dma-heap /dev/dma_heap/system, in use");
	spawn_finish(&child);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(info_finds_sync_fd, 0, 60),
	KR_TEST_SLOW(cube_is_shown_in_buffers_of_the_kernel, 0, 120),
};
KR_TEST_MAIN(tests)
