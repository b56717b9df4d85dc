/* SPDX-License-Identifier: Apache-2.0 */
/* Faces of devices that compose on the CPU: FACE_DEVICE, on a screen or on a virtual display. */
#include "stage.h"

#include <string.h>

#define WIDTH  61
#define HEIGHT 37

#ifdef FACE_VIRTUAL
static void
begin(struct stage *stage)
{
	struct rig *rig = &stage->rig;
	int32_t format = RIG_BGRA;

	*rig = (struct rig){.width = WIDTH, .height = HEIGHT, .screen = {.fence = -1}};
	assert_int_equal(krafla_composer_open(stage_face.device, &rig->composer), 0);
	assert_int_equal(krafla_composer_create_virtual_display(
				 rig->composer, WIDTH, HEIGHT, &format, &rig->display),
		0);
	assert_int_equal(format, RIG_BGRA);
	stage->output = rig_buffer(WIDTH, HEIGHT, RIG_BGRA, 0x12345678);
}

static void
prepare(struct stage *stage)
{
	struct rig *rig = &stage->rig;

	assert_int_equal(
		krafla_display_set_output_buffer(rig->composer, rig->display, stage->output, -1),
		0);
}

static void
look(struct stage *stage, uint32_t *pixels)
{
	for (uint32_t y = 0; y < HEIGHT; y++) {
		for (uint32_t x = 0; x < WIDTH; x++) {
			uint32_t pixel = rig_pixel(stage->output, x, y);

			assert_int_equal(pixel >> 24, 0xff);
			pixels[y * WIDTH + x] = pixel & 0xffffff;
		}
	}
}

static void
end(struct stage *stage)
{
	AHardwareBuffer_release(stage->output);
}
#else
static void
begin(struct stage *stage)
{
	rig_begin(&stage->rig, stage_face.device, WIDTH, HEIGHT);
}

static void
look(struct stage *stage, uint32_t *pixels)
{
	assert_non_null(stage->rig.screen.pixels);
	memcpy(pixels, stage->rig.screen.pixels, sizeof(*pixels) * WIDTH * HEIGHT);
}
#endif

const struct hwc_face stage_face = {
	.device = FACE_DEVICE,
	.begin = begin,
	.look = look,
#ifdef FACE_VIRTUAL
	.prepare = prepare,
	.end = end,
#endif
	.hands_back = FACE_HANDS_BACK,
};
