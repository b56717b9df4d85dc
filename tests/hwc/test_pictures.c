/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance: what pictures look like, whoever draws which layer. */
#include "stage.h"

#include <string.h>

#include "gralloc/buffer.h"

#define SCENES 60

static uint64_t seed = 0x2545f4914f6cdd1d;

static uint32_t
draw(uint32_t below)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)((seed * UINT64_C(0x2545f4914f6cdd1d)) >> 32) % below;
}

/* Noise; premultiplied, which is good for all modes. */
static AHardwareBuffer *
noise(void)
{
	static const uint32_t formats[] = {
		RIG_RGBA, RIG_BGRA, AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM};
	AHardwareBuffer *buffer = rig_buffer(4 + draw(60), 4 + draw(40), formats[draw(3)], 0);
	AHardwareBuffer_Desc desc;
	void *data;

	AHardwareBuffer_describe(buffer, &desc);
	assert_int_equal(AHardwareBuffer_lock(
				 buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, &data),
		0);
	for (uint32_t i = 0; i < desc.stride * desc.height; i++) {
		uint8_t *pixel = (uint8_t *)data + i * 4;

		pixel[3] = (uint8_t)(draw(3) ? draw(256) : 255);
		for (int c = 0; c < 3; c++)
			pixel[c] = (uint8_t)draw(pixel[3] + 1u);
	}
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	return buffer;
}

static void
place(struct stage *stage, struct stage_layer *layer)
{
	struct kr_render_layer *look = &layer->look;
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(look->buffer)->desc;
	int32_t x = (int32_t)draw(stage->rig.width) - 10, y = (int32_t)draw(stage->rig.height) - 8;

	look->crop = (struct kr_render_crop){0};
	look->frame = (ARect){x, y, x + (int32_t)desc->width, y + (int32_t)desc->height};
	look->transform = draw(3) ? 0 : (int32_t)draw(8);
	if (draw(2)) {
		look->crop.left = (float)draw(desc->width / 2);
		look->crop.top = (float)draw(desc->height / 2);
		look->crop.right = look->crop.left + (float)(1 + draw(desc->width / 2));
		look->crop.bottom = look->crop.top + (float)(1 + draw(desc->height / 2));
	}
	if (draw(3) == 0) {
		look->frame.right = x + (int32_t)draw(50);
		look->frame.bottom = y + (int32_t)draw(50);
	}
}

static void
change(struct stage *stage, struct stage_layer *layer)
{
	static const enum krafla_composition types[] = {KRAFLA_COMPOSITION_DEVICE,
		KRAFLA_COMPOSITION_DEVICE, KRAFLA_COMPOSITION_CURSOR, KRAFLA_COMPOSITION_CLIENT};

	layer->type = types[draw(stage->count > 1 && stage_face.hands_back ? 4 : 3)];
	layer->look.blend = (int32_t)(1 + draw(3));
	layer->look.alpha = draw(2) ? 1 : (float)draw(256) / 255;
	if (draw(5) == 0) {
		layer->type = KRAFLA_COMPOSITION_SOLID_COLOR;
		layer->look.color = (struct kr_render_color){(uint8_t)draw(64), (uint8_t)draw(64),
			(uint8_t)draw(64), (uint8_t)(64 + draw(192))};
	}
	place(stage, layer);
	stage_set_look(stage, layer);
	layer->look.buffer = layer->type == KRAFLA_COMPOSITION_SOLID_COLOR
		? NULL
		: (struct kr_buffer *)(void *)layer->buffer;
}

/* One thing after the other changes, and each picture is right: what stayed and what came. */
static void
pictures_are_within_1_of_the_reference(void **state)
{
	AHardwareBuffer *buffers[SCENES];
	struct stage stage;

	stage_begin(&stage);
	for (unsigned i = 0; i < SCENES; i++) {
		struct stage_layer *layer;

		buffers[i] = noise();
		if (stage.count == 6)
			stage_remove(&stage, &stage.layers[draw(6)]);
		layer = stage.count < 3 || draw(2)
			? stage_add(&stage, buffers[i], (ARect){0, 0, 1, 1})
			: &stage.layers[draw(stage.count)];
		stage_set_buffer(&stage, layer, buffers[i], -1);
		change(&stage, layer);
		stage_show(&stage);
		stage_expect_reference(&stage);
	}
	assert_int_equal(stage.handed_back > 0, stage_face.hands_back);
	if (!strncmp(stage_face.device, "random", 6))
		assert_true(stage.holes > 0);
	stage_end(&stage);
	for (unsigned i = 0; i < SCENES; i++)
		AHardwareBuffer_release(buffers[i]);
}

/* H-04: layers of the client's are drawn into the client target, and lie where they belong. */
static void
the_client_target_lies_where_its_layers_do(void **state)
{
	AHardwareBuffer *red = rig_buffer(20, 20, RIG_RGBA, 0xffff0000);
	AHardwareBuffer *green = rig_buffer(20, 20, RIG_RGBA, 0xff00ff00);
	AHardwareBuffer *blue = rig_buffer(20, 20, RIG_RGBA, 0xff0000ff);
	struct stage_layer *middle;
	struct stage stage;
	uint32_t types, requests;

	stage_begin(&stage);
	stage_add(&stage, red, (ARect){0, 0, 20, 20});
	middle = stage_add(&stage, green, (ARect){5, 5, 25, 25});
	middle->type = KRAFLA_COMPOSITION_CLIENT;
	stage_set_look(&stage, middle);
	stage_add(&stage, blue, (ARect){10, 10, 30, 30});
	if (!stage_face.hands_back) { /* it takes the others, and asks for nothing */
		if (stage_face.prepare)
			stage_face.prepare(&stage);
		assert_int_equal(krafla_display_validate(
					 stage.rig.composer, stage.rig.display, &types, &requests),
			0);
		assert_int_equal(
			krafla_display_present(stage.rig.composer, stage.rig.display, &(int){-1}),
			KRAFLA_COMPOSER_NO_RESOURCES);
	}
	for (int i = 0; i < 3; i++) {
		stage_show(&stage);
		assert_int_equal(stage_pixel(&stage, 2, 2), 0xff0000);
		assert_int_equal(stage_pixel(&stage, 7, 7), 0x00ff00);
		assert_int_equal(stage_pixel(&stage, 12, 12), 0x0000ff);
		assert_int_equal(stage_pixel(&stage, 40, 30), 0x000000);
	}
	stage_end(&stage);
	AHardwareBuffer_release(red);
	AHardwareBuffer_release(green);
	AHardwareBuffer_release(blue);
}

/* A cursor moves without a validation, and is there in the next picture. */
static void
a_cursor_moves(void **state)
{
	AHardwareBuffer *buffer = rig_buffer(4, 4, RIG_RGBA, 0xffffffff);
	struct stage_layer *layer;
	struct stage stage;

	stage_begin(&stage);
	layer = stage_add(&stage, buffer, (ARect){0, 0, 4, 4});
	layer->type = KRAFLA_COMPOSITION_CURSOR;
	stage_set_look(&stage, layer);
	stage_show(&stage);
	assert_int_equal(stage_pixel(&stage, 0, 0), 0xffffff);
	for (int32_t x = 1; x < 20; x += 3) {
		stage_set_look(&stage, layer);
		assert_int_equal(krafla_display_set_cursor_position(stage.rig.composer,
					 stage.rig.display, layer->handle, x, 2 * x),
			0);
		layer->look.frame = (ARect){x, 2 * x, x + 4, 2 * x + 4};
		stage_show(&stage);
		stage_expect_reference(&stage);
	}
	stage_end(&stage);
	AHardwareBuffer_release(buffer);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(pictures_are_within_1_of_the_reference, 0, 60),
	KR_TEST(the_client_target_lies_where_its_layers_do),
	KR_TEST(a_cursor_moves),
};

KR_TEST_MAIN(tests)
