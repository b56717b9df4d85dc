/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faces of the device kms for the composer's conformance test: FACE_DEVICE is a card whose screen
 * can be read, virtio-gpu from outside of the machine (FACE_VIRTIO) or /dev/krafla_display.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hwc/stage.h"
#include "kernel/uapi/krafla_display.h"
#include "lab/picture.h"

#define WIDTH       640
#define HEIGHT      480
#define MAX_CONFIGS 128

/* What the dynamic linker keeps of a module isn't what a case leaves behind. */
__attribute__((constructor)) static void
load_module(void)
{
	const char *folder = getenv("KRAFLA_OUTPUT_PATH");
	char path[512];

	snprintf(path, sizeof(path), "%s/krafla-output-kms.so", folder ? folder : ".");
	(void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void
handle_hotplug(void *data, krafla_display_t display, enum krafla_connection connection)
{
	if (connection == KRAFLA_CONNECTED)
		((struct rig *)data)->display = display;
}

static void
set_mode(struct rig *rig)
{
	krafla_config_t configs[MAX_CONFIGS];
	uint32_t count = MAX_CONFIGS;

	assert_int_equal(
		krafla_display_get_configs(rig->composer, rig->display, &count, configs), 0);
	for (uint32_t i = 0; i < count; i++) {
		int32_t width, height;

		krafla_display_get_attribute(
			rig->composer, rig->display, configs[i], KRAFLA_ATTRIBUTE_WIDTH, &width);
		krafla_display_get_attribute(
			rig->composer, rig->display, configs[i], KRAFLA_ATTRIBUTE_HEIGHT, &height);
		if (width != WIDTH || height != HEIGHT)
			continue;
		assert_int_equal(
			krafla_display_set_active_config(rig->composer, rig->display, configs[i]),
			0);
		return;
	}
	fail_msg("the screen has no mode of %dx%d", WIDTH, HEIGHT);
}

static void
begin(struct stage *stage)
{
	struct rig *rig = &stage->rig;
	const struct krafla_composer_callbacks callbacks = {
		.size = sizeof(callbacks), .data = rig, .hotplug = handle_hotplug};

	*rig = (struct rig){.width = WIDTH, .height = HEIGHT, .screen = {.fence = -1}};
	assert_int_equal(krafla_composer_open(stage_face.device, &rig->composer), 0);
	assert_int_equal(krafla_composer_register(rig->composer, &callbacks), 0);
	assert_true(rig->display != 0);
	set_mode(rig);
}

#ifdef FACE_VIRTIO
static void
look(struct stage *stage, uint32_t *pixels)
{
	struct shot shot = shot_of_virtio();

	assert_int_equal(shot.width, WIDTH);
	assert_int_equal(shot.height, HEIGHT);
	memcpy(pixels, shot.pixels, sizeof(*pixels) * WIDTH * HEIGHT);
	shot_free(&shot);
}
#else
static void
look(struct stage *stage, uint32_t *pixels)
{
	size_t size = sizeof(*pixels) * WIDTH * HEIGHT;
	struct krafla_display_info info;
	int fd = open("/dev/krafla_display", O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, pixels, size, 0), size);
	assert_int_equal(ioctl(fd, KRAFLA_DISPLAY_IOC_INFO, &info), 0);
	close(fd);
	for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
		uint32_t pixel = pixels[i];

		/* They come in the order that the frame's buffer has. */
		if (info.format == KRAFLA_DISPLAY_XBGR8888)
			pixel = (pixel & 0xff) << 16 | (pixel & 0xff00) | (pixel >> 16 & 0xff);
		pixels[i] = pixel & 0xffffff;
	}
}
#endif

const struct hwc_face stage_face = {
	.device = FACE_DEVICE,
	.begin = begin,
	.look = look,
	.hands_back = true,
	.by_layers = true,
};
