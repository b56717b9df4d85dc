/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer is the platform's: before, beside and after its images (W-04). */
#include "check/native/native.h"

#include <string.h>

#include "gralloc/buffer.h"

static const float red[4] = {1.0f, 0.0f, 0.0f, 1.0f};
static const float blue[4] = {0.0f, 0.0f, 1.0f, 1.0f};

/* A handle as it was, and marks of its descriptors. */
struct snapshot {
	const native_handle_t *handle;
	struct check_mark marks[4];
	int numbers[64];
};

static struct snapshot
take_snapshot(struct check *c, struct kr_buffer *buffer)
{
	struct snapshot snapshot = {.handle = kr_buffer_handle(buffer)};
	int count = snapshot.handle->numFds + snapshot.handle->numInts;

	for (int i = 0; i < snapshot.handle->numFds && i < 4; i++)
		snapshot.marks[i] = check_mark_fd(c, snapshot.handle->data[i]);
	memcpy(snapshot.numbers, snapshot.handle->data,
		KR_MIN((size_t)count, KR_ARRAY_LEN(snapshot.numbers)) * sizeof(int));
	return snapshot;
}

static void
compare(struct check *c, const struct snapshot *snapshot, const char *when)
{
	int count = snapshot->handle->numFds + snapshot->handle->numInts;

	CHECK(c,
		!memcmp(snapshot->numbers, snapshot->handle->data,
			KR_MIN((size_t)count, KR_ARRAY_LEN(snapshot->numbers)) * sizeof(int)),
		"%s the numbers in the buffer's handle aren't what they were", when);
	for (int i = 0; i < snapshot->handle->numFds && i < 4; i++)
		CHECK(c, check_mark_is_open(c, &snapshot->marks[i]),
			"%s descriptor %d of the buffer's handle is closed", when,
			snapshot->marks[i].fd);
}

static VkImage
make_image(struct check *c, struct check_device *device, struct kr_buffer *buffer)
{
	const VkNativeBufferANDROID native = check_native_buffer(buffer, NULL);
	const VkImageCreateInfo info = check_image_info(NULL, &native);
	VkImage image = VK_NULL_HANDLE;
	VkResult result = CHECK_CALL(c, vkCreateImage, device->device, &info, NULL, &image);

	CHECK(c, result == VK_SUCCESS, "vkCreateImage of the buffer gives %s",
		check_result_name(result));
	return image;
}

static struct check_image
make_buffer(struct check *c, struct check_device *device)
{
	check_make_device(c, NULL, device);
	return native_buffer(c, device, 0);
}

static void
create_leaves_the_handle(struct check *c)
{
	struct check_device device;
	struct check_image image = make_buffer(c, &device);
	struct snapshot snapshot = take_snapshot(c, image.buffer);

	image.image = make_image(c, &device, image.buffer);
	compare(c, &snapshot, "after vkCreateImage");
	native_draw(c, &device, &image, red);
	compare(c, &snapshot, "after a frame");
}

static void
destroy_leaves_the_handle(struct check *c)
{
	struct check_device device;
	struct check_image image = make_buffer(c, &device);
	struct snapshot snapshot = take_snapshot(c, image.buffer);

	image.image = make_image(c, &device, image.buffer);
	CHECK_CALL(c, vkDestroyImage, device.device, image.image, NULL);
	compare(c, &snapshot, "after vkDestroyImage");
}

/* The last frame is still shown when the swapchain is gone. */
static void
destroy_leaves_the_pixels(struct check *c)
{
	struct native_scene scene;

	native_scene_make(c, &scene);
	native_draw(c, &scene.device, &scene.image, blue);
	CHECK_CALL(c, vkDestroyImage, scene.device.device, scene.image.image, NULL);
	check_pixels(c, &scene.image, blue);
}

/* handle and ahb are lent for the call: another descriptor may have their number afterwards. */
static void
keeps_its_own_import(struct check *c)
{
	struct check_device device;
	struct check_image image = make_buffer(c, &device);
	struct kr_buffer *twin;

	if (kr_buffer_import(kr_buffer_handle(image.buffer), &twin))
		check_skip(c, "the buffer can't be imported a second time");
	image.image = make_image(c, &device, image.buffer);
	kr_buffer_unref(image.buffer);
	image.buffer = twin;
	native_draw(c, &device, &image, red);
}

static void
of_a_buffer_again(struct check *c)
{
	struct native_scene scene;

	native_scene_make(c, &scene);
	native_draw(c, &scene.device, &scene.image, red);
	CHECK_CALL(c, vkDestroyImage, scene.device.device, scene.image.image, NULL);
	scene.image.image = make_image(c, &scene.device, scene.image.buffer);
	native_draw(c, &scene.device, &scene.image, blue);
}

/* As when a new swapchain gets the buffers of the one that it takes the place of. */
static void
two_of_a_buffer(struct check *c)
{
	struct native_scene scene;
	struct check_image second;

	native_scene_make(c, &scene);
	second = scene.image;
	second.image = make_image(c, &scene.device, scene.image.buffer);
	native_draw(c, &scene.device, &scene.image, red);
	native_draw(c, &scene.device, &second, blue);
	CHECK_CALL(c, vkDestroyImage, scene.device.device, scene.image.image, NULL);
	native_draw(c, &scene.device, &second, red);
}

static const struct check_case rows[] = {
	{
		.name = "image.create_leaves_the_handle",
		.requirement = "W-04",
		.expected =
			"vkCreateImage and drawing close and change nothing in the buffer's handle",
		.consequence =
			"the buffer can't be sent to the display any more: frames are missing",
		.run = create_leaves_the_handle,
	},
	{
		.name = "image.destroy_leaves_the_handle",
		.requirement = "W-04",
		.expected = "vkDestroyImage closes and changes nothing in the buffer's handle",
		.consequence =
			"descriptors of somebody else are closed: a crash far away, long afterwards",
		.run = destroy_leaves_the_handle,
	},
	{
		.name = "image.destroy_leaves_the_pixels",
		.requirement = "W-04",
		.expected = "what was drawn stays in the buffer when its image is destroyed",
		.consequence = "a window flashes when it is resized or closed",
		.run = destroy_leaves_the_pixels,
	},
	{
		.name = "image.keeps_its_own_import",
		.requirement = "W-04",
		.expected = "an image needs neither handle nor AHardwareBuffer after vkCreateImage",
		.consequence = "programs draw into freed memory, or into another program's file",
		.run = keeps_its_own_import,
	},
	{
		.name = "image.of_a_buffer_again",
		.requirement = "W-04",
		.expected = "a buffer whose image was destroyed can have another one",
		.consequence =
			"swapchains can't be created anew for a window that was there before",
		.run = of_a_buffer_again,
	},
	{
		.name = "image.two_of_a_buffer",
		.requirement = "W-04",
		.expected = "a buffer can have two images, which show what the other draws",
		.consequence = "swapchains with oldSwapchain can't take over the window's buffers",
		.run = two_of_a_buffer,
	},
};

const struct check_rows check_native_image_life = CHECK_ROWS(rows);
