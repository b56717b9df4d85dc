/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance: every error of every call, the order of calls, and callbacks. */
#include "stage.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/macros.h"

#define NO_DISPLAY   999999
#define NO_LAYER     999999
#define V0_SRGB      142671872
#define DISPLAY_P3   143261696
#define NO_DATASPACE 142671873

static struct stage stage;
static struct krafla_composer *c;
static krafla_display_t d;
static krafla_layer_t l;

static void
begin(void)
{
	stage_begin(&stage);
	c = stage.rig.composer;
	d = stage.rig.display;
	l = stage_add(&stage, NULL, (ARect){0, 0, 8, 8})->handle;
}

#define IS(error, call) assert_int_equal(call, KRAFLA_COMPOSER_##error)

static void
layers_check_their_arguments(void **state)
{
	static const krafla_frect crops[] = {{-1, 0, 1, 1}, {0, -1, 1, 1}, {2, 0, 1, 1},
		{0, 2, 1, 1}, {NAN, 0, 1, 1}, {0, 0, INFINITY, 1}, {0, 0, 1, NAN}};
	static const ARect frames[] = {{1, 0, 0, 1}, {0, 1, 1, 0}, {-65537, 0, 1, 1},
		{0, 0, 65537, 1}, {0, INT32_MIN, 1, 1}, {0, 0, 1, INT32_MAX}};
	static const float alphas[] = {-0.1f, 1.1f, NAN, INFINITY};
	AHardwareBuffer *buffer = rig_buffer(8, 8, RIG_RGBA, 0);
	ARect many[65] = {{0, 0, 1, 1}};

	begin();
	for (size_t i = 0; i < KR_ARRAY_LEN(crops); i++)
		IS(BAD_PARAMETER, krafla_layer_set_source_crop(c, d, l, crops[i]));
	for (size_t i = 0; i < KR_ARRAY_LEN(frames); i++)
		IS(BAD_PARAMETER, krafla_layer_set_display_frame(c, d, l, frames[i]));
	for (size_t i = 0; i < KR_ARRAY_LEN(alphas); i++)
		IS(BAD_PARAMETER, krafla_layer_set_plane_alpha(c, d, l, alphas[i]));
	for (int mode = -1; mode < 6; mode++)
		assert_int_equal(krafla_layer_set_blend_mode(c, d, l, (enum krafla_blend)mode),
			mode >= 1 && mode <= 3 ? 0 : KRAFLA_COMPOSER_BAD_PARAMETER);
	for (int type = -1; type < 8; type++)
		assert_int_equal(
			krafla_layer_set_composition_type(c, d, l, (enum krafla_composition)type),
			type == 5                        ? KRAFLA_COMPOSER_UNSUPPORTED
				: type >= 1 && type <= 4 ? 0
							 : KRAFLA_COMPOSER_BAD_PARAMETER);
	for (int transform = -1; transform < 10; transform++)
		assert_int_equal(krafla_layer_set_transform(c, d, l, transform),
			transform >= 0 && transform < 8 ? 0 : KRAFLA_COMPOSER_BAD_PARAMETER);
	IS(NONE, krafla_layer_set_dataspace(c, d, l, DISPLAY_P3));
	IS(NONE, krafla_layer_set_dataspace(c, d, l, 1));
	IS(NONE, krafla_layer_set_dataspace(c, d, l, 0x201));
	IS(NONE, krafla_layer_set_dataspace(c, d, l, V0_SRGB));
	IS(NONE, krafla_layer_set_dataspace(c, d, l, 0));
	IS(UNSUPPORTED, krafla_layer_set_dataspace(c, d, l, NO_DATASPACE));
	IS(UNSUPPORTED, krafla_layer_set_dataspace(c, d, l, -1));
	IS(BAD_PARAMETER, krafla_layer_set_surface_damage(c, d, l, 1, NULL));
	IS(NONE, krafla_layer_set_surface_damage(c, d, l, 0, NULL));
	IS(NONE, krafla_layer_set_surface_damage(c, d, l, 65, many));
	IS(BAD_PARAMETER, krafla_layer_set_visible_region(c, d, l, 1, NULL));
	IS(NONE, krafla_layer_set_visible_region(c, d, l, 65, many));
	IS(NONE, krafla_layer_set_z_order(c, d, l, UINT32_MAX));
	IS(NONE, krafla_layer_set_color(c, d, l, (krafla_color){1, 2, 3, 4}));
	IS(BAD_PARAMETER, krafla_layer_set_buffer(c, d, l, buffer, STDIN_FILENO));
	IS(BAD_PARAMETER, krafla_layer_set_buffer(c, d, l, buffer, 987));
	IS(BAD_PARAMETER, krafla_layer_set_buffer(c, d, l, NULL, STDIN_FILENO));
	IS(NONE, krafla_layer_set_buffer(c, d, l, NULL, -1));
	AHardwareBuffer_release(buffer);
	stage_end(&stage);
}

static AHardwareBuffer *
in_layers(uint32_t format)
{
	const AHardwareBuffer_Desc desc = {
		.width = stage.rig.width,
		.height = stage.rig.height,
		.layers = 2,
		.format = format,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
	};
	AHardwareBuffer *buffer;

	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	return buffer;
}

/* What only programs make something of: none of it is a picture, nor is a part of it one. */
static void
several_layers_are_no_picture(void **state)
{
	AHardwareBuffer *layers;

	begin();
	layers = in_layers(RIG_RGBA);
	IS(UNSUPPORTED, krafla_layer_set_buffer(c, d, l, layers, -1));
	IS(BAD_PARAMETER, krafla_display_set_client_target(c, d, layers, -1, 0, 0, NULL));
	AHardwareBuffer_release(layers);
	if (stage.output) {
		AHardwareBuffer_Desc desc;

		AHardwareBuffer_describe(stage.output, &desc);
		layers = in_layers(desc.format);
		IS(BAD_PARAMETER, krafla_display_set_output_buffer(c, d, layers, -1));
		AHardwareBuffer_release(layers);
	}
	stage_end(&stage);
}

static void
handles_that_are_none_are_told(void **state)
{
	const ARect rect = {0, 0, 1, 1};
	krafla_layer_t gone;

	begin();
	IS(NONE, krafla_display_create_layer(c, d, &gone));
	IS(NONE, krafla_display_destroy_layer(c, d, gone));
	const struct {
		struct krafla_composer *composer;
		krafla_display_t display;
		krafla_layer_t layer;
		int error;
	} wrong[] = {{c, NO_DISPLAY, l, KRAFLA_COMPOSER_BAD_DISPLAY},
		{NULL, d, l, KRAFLA_COMPOSER_BAD_DISPLAY}, {c, 0, l, KRAFLA_COMPOSER_BAD_DISPLAY},
		{c, d, NO_LAYER, KRAFLA_COMPOSER_BAD_LAYER}, {c, d, 0, KRAFLA_COMPOSER_BAD_LAYER},
		{c, d, gone, KRAFLA_COMPOSER_BAD_LAYER}};

	for (size_t i = 0; i < KR_ARRAY_LEN(wrong); i++) {
		struct krafla_composer *w = wrong[i].composer;
		krafla_display_t wd = wrong[i].display;
		krafla_layer_t wl = wrong[i].layer;
		const int errors[] = {
			krafla_layer_set_buffer(w, wd, wl, NULL, -1),
			krafla_layer_set_surface_damage(w, wd, wl, 0, NULL),
			krafla_layer_set_blend_mode(w, wd, wl, KRAFLA_BLEND_NONE),
			krafla_layer_set_color(w, wd, wl, (krafla_color){0}),
			krafla_layer_set_composition_type(w, wd, wl, KRAFLA_COMPOSITION_DEVICE),
			krafla_layer_set_dataspace(w, wd, wl, 0),
			krafla_layer_set_display_frame(w, wd, wl, rect),
			krafla_layer_set_plane_alpha(w, wd, wl, 1),
			krafla_layer_set_source_crop(w, wd, wl, (krafla_frect){0}),
			krafla_layer_set_transform(w, wd, wl, 0),
			krafla_layer_set_visible_region(w, wd, wl, 0, NULL),
			krafla_layer_set_z_order(w, wd, wl, 0),
			krafla_display_destroy_layer(w, wd, wl),
			krafla_display_set_cursor_position(w, wd, wl, 0, 0),
		};

		for (size_t e = 0; e < KR_ARRAY_LEN(errors); e++)
			assert_int_equal(errors[e], wrong[i].error);
	}
	stage_end(&stage);
}

static void
displays_that_are_none_are_told(void **state)
{
	uint32_t a, b, state_of;
	krafla_config_t config;
	krafla_layer_t layer;
	int value, fence;
	int32_t v;

	begin();
	const int errors[] = {
		krafla_display_get_type(c, NO_DISPLAY, &value),
		krafla_display_get_name(c, NO_DISPLAY, &a, NULL),
		krafla_display_get_configs(c, NO_DISPLAY, &a, NULL),
		krafla_display_get_attribute(c, NO_DISPLAY, 1, KRAFLA_ATTRIBUTE_WIDTH, &v),
		krafla_display_get_active_config(c, NO_DISPLAY, &config),
		krafla_display_set_active_config(c, NO_DISPLAY, 1),
		krafla_display_set_power_mode(c, NO_DISPLAY, KRAFLA_POWER_ON),
		krafla_display_set_vsync_enabled(c, NO_DISPLAY, true),
		krafla_display_set_colour(c, NO_DISPLAY, 0, NULL),
		krafla_display_get_client_target_support(c, NO_DISPLAY, 1, 1, 1, 0),
		krafla_display_create_layer(c, NO_DISPLAY, &layer),
		krafla_display_set_client_target(c, NO_DISPLAY, NULL, -1, 0, 0, NULL),
		krafla_display_set_output_buffer(c, NO_DISPLAY, NULL, -1),
		krafla_display_validate(c, NO_DISPLAY, &a, &b),
		krafla_display_get_changed_composition_types(c, NO_DISPLAY, &a, NULL, NULL),
		krafla_display_get_requests(c, NO_DISPLAY, &v, &a, NULL, NULL),
		krafla_display_accept_changes(c, NO_DISPLAY),
		krafla_display_set_expected_present_time(c, NO_DISPLAY, 1),
		krafla_display_present(c, NO_DISPLAY, &fence),
		krafla_display_present_or_validate(c, NO_DISPLAY, &a, &b, &fence, &state_of),
		krafla_display_get_release_fences(c, NO_DISPLAY, &a, NULL, NULL),
		krafla_composer_destroy_virtual_display(c, NO_DISPLAY),
		krafla_composer_resize_screen(c, NO_DISPLAY, 1, 1),
		krafla_composer_set_screen_period(c, NO_DISPLAY, 1),
		krafla_composer_destroy_screen(c, NO_DISPLAY),
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(errors); i++)
		assert_int_equal(errors[i], KRAFLA_COMPOSER_BAD_DISPLAY);
	stage_end(&stage);
}

static void
displays_check_their_arguments(void **state)
{
	AHardwareBuffer *buffer = rig_buffer(8, 8, RIG_RGBA, 0), *target;
	struct krafla_hdr_metadata light = {.has = 2, .max_cll = 1000};
	bool is_virtual = stage_face.prepare;
	uint32_t a = 1, b, width, height;
	krafla_layer_t layers[2];
	krafla_config_t config;
	int32_t v, bits[2];
	int fence = -1;

	begin();
	width = stage.rig.width;
	height = stage.rig.height;
	target = rig_buffer(width, height, RIG_RGBA, 0);
	IS(BAD_PARAMETER, krafla_display_get_type(c, d, NULL));
	IS(BAD_PARAMETER, krafla_display_get_name(c, d, NULL, NULL));
	IS(BAD_PARAMETER, krafla_display_get_configs(c, d, NULL, NULL));
	IS(BAD_PARAMETER, krafla_display_get_active_config(c, d, NULL));
	IS(NONE, krafla_display_get_active_config(c, d, &config));
	IS(BAD_PARAMETER, krafla_display_get_attribute(c, d, config, KRAFLA_ATTRIBUTE_WIDTH, NULL));
	for (int attribute = -1; attribute < 8; attribute++)
		assert_int_equal(krafla_display_get_attribute(
					 c, d, config, (enum krafla_attribute)attribute, &v),
			attribute >= 1 && attribute <= 5 ? 0 : KRAFLA_COMPOSER_BAD_PARAMETER);
	IS(BAD_CONFIG, krafla_display_get_attribute(c, d, 4711, KRAFLA_ATTRIBUTE_WIDTH, &v));
	IS(BAD_CONFIG, krafla_display_set_active_config(c, d, 4711));
	IS(NONE, krafla_display_set_active_config(c, d, config));
	IS(BAD_PARAMETER, krafla_display_set_power_mode(c, d, (enum krafla_power)4));
	IS(BAD_PARAMETER, krafla_display_set_power_mode(c, d, (enum krafla_power) - 1));
	/* None of the devices here has others. */
	IS(NONE, krafla_display_set_colour(c, d, 0, NULL));
	IS(NONE, krafla_display_set_colour(c, d, V0_SRGB, &light));
	IS(UNSUPPORTED, krafla_display_set_colour(c, d, DISPLAY_P3, &light));
	IS(BAD_PARAMETER, krafla_display_set_colour(c, d, 4711, NULL));
	light.max_cll = -1;
	IS(BAD_PARAMETER, krafla_display_set_colour(c, d, V0_SRGB, &light));
	if (is_virtual) {
		IS(UNSUPPORTED, krafla_display_set_power_mode(c, d, KRAFLA_POWER_OFF));
		IS(UNSUPPORTED, krafla_display_set_vsync_enabled(c, d, true));
		IS(BAD_PARAMETER, krafla_display_set_output_buffer(c, d, NULL, -1));
		IS(BAD_PARAMETER, krafla_display_set_output_buffer(c, d, buffer, -1));
		IS(BAD_PARAMETER, krafla_display_set_output_buffer(c, d, target, -1)); /* format */
		IS(BAD_PARAMETER,
			krafla_display_set_output_buffer(c, d, stage.output, STDIN_FILENO));
		IS(UNSUPPORTED, krafla_composer_resize_screen(c, d, 1, 1));
		IS(UNSUPPORTED, krafla_composer_set_screen_period(c, d, 1));
		IS(UNSUPPORTED, krafla_composer_destroy_screen(c, d));
	} else {
		IS(UNSUPPORTED, krafla_display_set_output_buffer(c, d, target, -1));
		IS(BAD_PARAMETER, krafla_composer_destroy_virtual_display(c, d));
	}
	IS(NONE, krafla_display_get_client_target_support(c, d, width, height, RIG_RGBA, 0));
	IS(NONE, krafla_display_get_client_target_support(c, d, width, height, RIG_RGBA, V0_SRGB));
	IS(UNSUPPORTED,
		krafla_display_get_client_target_support(c, d, width + 1, height, RIG_RGBA, 0));
	IS(UNSUPPORTED, krafla_display_get_client_target_support(c, d, width, height, 0x21, 0));
	IS(UNSUPPORTED,
		krafla_display_get_client_target_support(
			c, d, width, height, RIG_RGBA, NO_DATASPACE));
	IS(BAD_PARAMETER, krafla_display_set_client_target(c, d, NULL, -1, 0, 0, NULL));
	IS(BAD_PARAMETER, krafla_display_set_client_target(c, d, buffer, -1, 0, 0, NULL));
	IS(BAD_PARAMETER, krafla_display_set_client_target(c, d, target, 0, 0, 0, NULL));
	IS(BAD_PARAMETER, krafla_display_set_client_target(c, d, target, -1, 0, 1, NULL));
	IS(UNSUPPORTED, krafla_display_set_client_target(c, d, target, -1, NO_DATASPACE, 0, NULL));
	IS(BAD_PARAMETER, krafla_display_create_layer(c, d, NULL));
	IS(BAD_PARAMETER, krafla_display_validate(c, d, NULL, &b));
	IS(BAD_PARAMETER, krafla_display_validate(c, d, &a, NULL));
	IS(BAD_PARAMETER, krafla_display_set_expected_present_time(c, d, -1));
	IS(BAD_PARAMETER, krafla_display_present(c, d, NULL));
	IS(BAD_PARAMETER, krafla_display_present_or_validate(c, d, NULL, &b, &fence, &a));
	IS(BAD_PARAMETER, krafla_display_present_or_validate(c, d, &a, &b, NULL, &a));
	IS(BAD_PARAMETER, krafla_display_present_or_validate(c, d, &a, &b, &fence, NULL));
	IS(BAD_PARAMETER, krafla_display_get_changed_composition_types(c, d, NULL, NULL, NULL));
	IS(BAD_PARAMETER, krafla_display_get_changed_composition_types(c, d, &a, layers, NULL));
	IS(BAD_PARAMETER, krafla_display_get_requests(c, d, NULL, &a, NULL, NULL));
	IS(BAD_PARAMETER, krafla_display_get_requests(c, d, &v, &a, NULL, bits));
	IS(BAD_PARAMETER, krafla_display_get_release_fences(c, d, &a, layers, NULL));
	IS(BAD_PARAMETER, krafla_display_get_release_fences(c, d, NULL, NULL, NULL));
	IS(BAD_LAYER, krafla_display_set_cursor_position(c, d, l, 1, 1)); /* no CURSOR */
	IS(NONE, krafla_layer_set_composition_type(c, d, l, KRAFLA_COMPOSITION_CURSOR));
	IS(BAD_PARAMETER, krafla_display_set_cursor_position(c, d, l, INT32_MIN, 1));
	IS(BAD_PARAMETER, krafla_display_set_cursor_position(c, d, l, 1, 70000));
	AHardwareBuffer_release(buffer);
	AHardwareBuffer_release(target);
	stage_end(&stage);
}

static void
there_are_64_layers(void **state)
{
	krafla_layer_t layer, before = 0;

	begin();
	for (int i = 1; i < 64; i++) {
		IS(NONE, krafla_display_create_layer(c, d, &layer));
		assert_true(layer > before); /* none is used twice */
		before = layer;
	}
	IS(NO_RESOURCES, krafla_display_create_layer(c, d, &layer));
	IS(NONE, krafla_display_destroy_layer(c, d, before));
	IS(NONE, krafla_display_create_layer(c, d, &layer));
	assert_true(layer > before);
	stage_end(&stage);
}

/* --- the order of calls --- */

/* Validates until the device takes all as it is. */
static void
validate(void)
{
	uint32_t types, requests;
	int error;

	if (stage_face.prepare)
		stage_face.prepare(&stage);
	error = krafla_display_validate(c, d, &types, &requests);
	if (error) {
		assert_int_equal(error, KRAFLA_COMPOSER_HAS_CHANGES);
		IS(NOT_VALIDATED, krafla_display_present(c, d, &(int){-1}));
		IS(NONE, krafla_display_accept_changes(c, d));
	}
	IS(NONE, krafla_display_set_client_target(c, d, stage.targets[0], -1, 0, 0, NULL));
}

static void
present(int expected)
{
	int fence = -2;

	assert_int_equal(krafla_display_present(c, d, &fence), expected);
	if (expected)
		assert_int_equal(fence, -2);
	else
		stage_wait(&stage, fence);
}

static void
what_is_set_ends_the_validation(void **state)
{
	AHardwareBuffer *a = rig_buffer(8, 8, RIG_RGBA, 0), *b = rig_buffer(8, 8, RIG_RGBA, 0);
	AHardwareBuffer *other = rig_buffer(9, 8, RIG_RGBA, 0);
	const ARect rect = {0, 0, 4, 4};
	krafla_layer_t layer;
	krafla_config_t config;
	uint32_t count;
	int32_t bits;

	begin();
	IS(NONE, krafla_display_get_active_config(c, d, &config));
	IS(NOT_VALIDATED, krafla_display_accept_changes(c, d));
	IS(NOT_VALIDATED, krafla_display_get_changed_composition_types(c, d, &count, NULL, NULL));
	IS(NOT_VALIDATED, krafla_display_get_requests(c, d, &bits, &count, NULL, NULL));
	present(KRAFLA_COMPOSER_NOT_VALIDATED);
	IS(NONE, krafla_layer_set_buffer(c, d, l, a, -1));
	validate();
	present(0);
	/* These don't. */
	for (int i = 0; i < 3; i++) {
		IS(NONE, krafla_layer_set_buffer(c, d, l, i % 2 ? a : b, -1));
		IS(NONE, krafla_layer_set_surface_damage(c, d, l, 1, &rect));
		IS(NONE, krafla_display_set_expected_present_time(c, d, kr_clock_now()));
		IS(NONE, krafla_display_set_client_target(c, d, stage.targets[0], -1, 0, 0, NULL));
		if (stage_face.prepare)
			stage_face.prepare(&stage);
		present(0);
	}
	for (int what = 0; what < 13; what++) {
		validate();
		switch (what) {
		case 0:
			IS(NONE, krafla_layer_set_buffer(c, d, l, other, -1));
			break;
		case 1:
			IS(NONE, krafla_layer_set_buffer(c, d, l, NULL, -1));
			break;
		case 2:
			IS(NONE, krafla_layer_set_blend_mode(c, d, l, KRAFLA_BLEND_COVERAGE));
			break;
		case 3:
			IS(NONE, krafla_layer_set_color(c, d, l, (krafla_color){0}));
			break;
		case 4:
			IS(NONE,
				krafla_layer_set_composition_type(
					c, d, l, KRAFLA_COMPOSITION_DEVICE));
			break;
		case 5:
			IS(NONE, krafla_layer_set_dataspace(c, d, l, 0));
			break;
		case 6:
			IS(NONE, krafla_layer_set_display_frame(c, d, l, rect));
			break;
		case 7:
			IS(NONE, krafla_layer_set_plane_alpha(c, d, l, 0.5f));
			break;
		case 8:
			IS(NONE, krafla_layer_set_source_crop(c, d, l, (krafla_frect){0, 0, 2, 2}));
			break;
		case 9:
			IS(NONE, krafla_layer_set_transform(c, d, l, 4));
			break;
		case 10:
			IS(NONE, krafla_layer_set_z_order(c, d, l, 3));
			break;
		case 11:
			IS(NONE, krafla_display_create_layer(c, d, &layer));
			break;
		case 12:
			IS(NONE, krafla_display_destroy_layer(c, d, layer));
			break;
		}
		present(KRAFLA_COMPOSER_NOT_VALIDATED);
	}
	/* What was refused changes nothing. */
	validate();
	IS(BAD_PARAMETER, krafla_layer_set_plane_alpha(c, d, l, 2));
	IS(UNSUPPORTED, krafla_layer_set_dataspace(c, d, l, NO_DATASPACE));
	present(0);
	AHardwareBuffer_release(a);
	AHardwareBuffer_release(b);
	AHardwareBuffer_release(other);
	stage_end(&stage);
}

static void
present_or_validate_does_one_of_them(void **state)
{
	uint32_t types = 9, requests = 9, how = 9;
	unsigned presented = 0, validated = 0;

	begin();
	for (int i = 0; i < 20; i++) {
		int fence = -1, error;

		IS(NONE, krafla_layer_set_z_order(c, d, l, (uint32_t)i));
		IS(NONE, krafla_layer_set_composition_type(c, d, l, KRAFLA_COMPOSITION_DEVICE));
		if (stage_face.prepare)
			stage_face.prepare(&stage);
		error = krafla_display_present_or_validate(c, d, &types, &requests, &fence, &how);
		if (error) {
			assert_int_equal(error, KRAFLA_COMPOSER_HAS_CHANGES);
			assert_int_equal(how, 0);
			assert_true(types || requests);
			IS(NONE, krafla_display_accept_changes(c, d));
			IS(NONE,
				krafla_display_set_client_target(
					c, d, stage.targets[0], -1, 0, 0, NULL));
			present(0);
			validated++;
		} else {
			assert_int_equal(how, 1);
			assert_int_equal(types + requests, 0);
			stage_wait(&stage, fence);
			presented++;
		}
	}
	if (!stage_face.by_layers) {
		assert_true(presented > 0);
		assert_int_equal(validated > 0, stage_face.hands_back);
	}
	stage_end(&stage);
}

static const struct kr_test tests[] = {
	KR_TEST(layers_check_their_arguments),
	KR_TEST(several_layers_are_no_picture),
	KR_TEST(handles_that_are_none_are_told),
	KR_TEST(displays_that_are_none_are_told),
	KR_TEST(displays_check_their_arguments),
	KR_TEST(there_are_64_layers),
	KR_TEST(what_is_set_ends_the_validation),
	KR_TEST(present_or_validate_does_one_of_them),
};

KR_TEST_MAIN(tests)
