/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with pictures on their way: a screen and a virtual display of the device that composes
 * on the CPU, with layers whose buffers aren't ready: two pictures of the screen, one of the other.
 * Holds their present fences and the release fence of the screen's first buffer. Prints its pid,
 * and ends with its stdin.
 */
#include <krafla/composer.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "sync/fence/fence.h"

#define SIZE 64

static int
show(void *data, const struct krafla_picture *picture, int *shown_fence)
{
	return 0;
}

static AHardwareBuffer *
allocate(void)
{
	const AHardwareBuffer_Desc desc = {.width = SIZE,
		.height = SIZE,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	AHardwareBuffer *buffer;

	return AHardwareBuffer_allocate(&desc, &buffer) ? NULL : buffer;
}

/* What comes out stays open. */
static int
present(struct krafla_composer *composer, krafla_display_t display, krafla_layer_t layer, int fence)
{
	uint32_t types, requests, state = 0;
	int present_fence, err;

	err = krafla_layer_set_buffer(composer, display, layer, allocate(), fence);
	err = err ? err
		  : krafla_display_present_or_validate(
			    composer, display, &types, &requests, &present_fence, &state);
	return err || state != 1 ? -1 : 0;
}

static int
begin(struct krafla_composer *composer, krafla_display_t display, krafla_layer_t *layer)
{
	if (krafla_display_create_layer(composer, display, layer))
		return -1;
	return krafla_layer_set_display_frame(composer, display, *layer, (ARect){0, 0, SIZE, SIZE});
}

static int
make(struct krafla_composer *composer, int fence)
{
	const struct krafla_screen screen = {.size = sizeof(screen),
		.width = SIZE,
		.height = SIZE,
		.vsync_period_ns = 16666667,
		.show = show};
	int32_t format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	krafla_display_t shown, written;
	krafla_layer_t layers[2];
	uint32_t count = 1;
	int release;

	if (krafla_composer_create_screen(composer, &screen, &shown) ||
		krafla_composer_create_virtual_display(composer, SIZE, SIZE, &format, &written) ||
		begin(composer, shown, &layers[0]) || begin(composer, written, &layers[1]) ||
		krafla_display_set_output_buffer(composer, written, allocate(), -1))
		return -1;
	if (present(composer, shown, layers[0], fence) ||
		present(composer, shown, layers[0], fence) ||
		krafla_display_get_release_fences(composer, shown, &count, layers, &release))
		return -1;
	return present(composer, written, layers[1], fence);
}

int
main(void)
{
	const struct kr_fence_label label = {"ring", 1, "SurfaceView:0"};
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	struct krafla_composer *composer = NULL;
	int producer, fence, err;

	err = kr_fence_create(&label, &producer, &fence);
	err = err ? err : krafla_composer_open("soft", &composer);
	err = err ? err : make(composer, fence);
	printf("%d\n", err ? 0 : (int)getpid());
	fflush(stdout);
	(void)poll(&input, 1, -1);
	krafla_composer_close(composer);
	return err != 0;
}
