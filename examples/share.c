/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two processes and a picture: one draws a cube into an AHardwareBuffer by Vulkan, the other has
 * that on each face of a cube of its own. No pixel is copied between the two.
 *
 *   krafla run --display 640x480 --frames 60 --capture %03d.png -- krafla-share
 *   krafla-share 30 share.ppm       30 frames without a window, the last one into a file
 *
 * Buffers go once, over a socket; then only fences do. The one who draws sends a fence with each
 * picture before it is drawn, and goes on; the other waits for it, and sends one of his own, which
 * signals when he doesn't need the picture any more. Nobody asks whether the other is alive: a
 * fence whose maker dies has failed, and so has its wait.
 */
#include <errno.h>
#include <krafla/sync.h>
#include <krafla/timeline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cube_offscreen.h"
#include "cube_swapchain.h"
#include "cube_window.h"
#include "share_buffer.h"

enum {
	BUFFERS = 2, /* one is drawn while the other is looked at */
	SIZE = 256,
	LIMIT_MS = 10000,
	MAX_FRAMES = 1000000000,
};
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

struct options {
	uint64_t frames; /* 0: as long as somebody looks */
	const char *output;
};

/* The other's fence: of a picture, or of a buffer that is free again. */
static bool
wait_for_other(int socket)
{
	int fence = share_receive_fence(socket);
	struct sync_file_info *info;
	bool good;

	if (fence < 0)
		return false;
	share_check("waiting for the other process", sync_wait(fence, LIMIT_MS));
	info = sync_file_info(fence);
	share_check("asking a fence", info ? 0 : -1);
	good = info->status == 1;
	sync_file_info_free(info);
	close(fence);
	return good;
}

/* The fence of a job on this end: sent at once, and signalled by finish_job. */
static uint64_t
begin_job(struct krafla_timeline *timeline, const char *name, int socket)
{
	uint64_t job;
	int fence;

	share_check("a fence", krafla_timeline_submit(timeline, name, &job, &fence));
	share_send_fence(socket, fence);
	close(fence);
	return job;
}

static void
finish_job(struct krafla_timeline *timeline, uint64_t job)
{
	share_check("signalling", krafla_timeline_signal(timeline, job));
}

/* --- The process that draws --- */

struct drawer {
	struct gpu gpu;
	struct scene scene;
	AHardwareBuffer *buffers[BUFFERS];
	struct gpu_image images[BUFFERS];
	struct target targets[BUFFERS];
};

static void
open_drawer(struct drawer *drawer, int socket)
{
	const AHardwareBuffer_Desc desc = {
		.width = SIZE,
		.height = SIZE,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER |
			AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE,
	};

	drawer->gpu.shares_buffers = true;
	gpu_open_instance(&drawer->gpu, NULL);
	gpu_open_device(&drawer->gpu, 0, VK_NULL_HANDLE);
	scene_create(&drawer->scene, &drawer->gpu, FORMAT, VK_IMAGE_LAYOUT_GENERAL, NULL);
	for (int i = 0; i < BUFFERS; i++) {
		share_check("a buffer", AHardwareBuffer_allocate(&desc, &drawer->buffers[i]));
		drawer->images[i] = share_import(&drawer->gpu, drawer->buffers[i],
			VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
		target_create(&drawer->targets[i], &drawer->scene, FORMAT, drawer->images[i].image,
			(VkExtent2D){SIZE, SIZE});
		share_check("sending a buffer",
			AHardwareBuffer_sendHandleToUnixSocket(drawer->buffers[i], socket));
	}
}

static void
close_drawer(struct drawer *drawer)
{
	for (int i = 0; i < BUFFERS; i++) {
		target_destroy(&drawer->targets[i], &drawer->scene);
		gpu_image_destroy(&drawer->gpu, &drawer->images[i]);
		AHardwareBuffer_release(drawer->buffers[i]);
	}
	scene_destroy(&drawer->scene);
	gpu_close(&drawer->gpu);
}

/* What was in the buffer goes, so nothing is taken from the other process; all is given to it. */
static void
draw_picture(const struct drawer *drawer, uint64_t frame)
{
	VkCommandBuffer commands = gpu_begin(&drawer->gpu);

	scene_draw(&drawer->scene, &drawer->targets[frame % BUFFERS], commands, frame);
	share_give(&drawer->gpu, commands, drawer->images[frame % BUFFERS].image,
		VK_IMAGE_LAYOUT_GENERAL);
	gpu_finish(&drawer->gpu, commands);
}

static void
draw(int socket, uint64_t frames)
{
	struct krafla_timeline *timeline;
	struct drawer drawer = {0};
	uint64_t frame;

	share_check("a timeline", krafla_timeline_create("drawer", NULL, NULL, &timeline));
	open_drawer(&drawer, socket);
	for (frame = 0; !frames || frame < frames; frame++) {
		uint64_t job;

		if (frame >= BUFFERS && !wait_for_other(socket))
			break; /* nobody looks any more */
		job = begin_job(timeline, "picture", socket);
		draw_picture(&drawer, frame);
		finish_job(timeline, job);
	}
	/* Those that it still has: it sends a fence for each. */
	for (int i = 0; frame == frames && i < BUFFERS && wait_for_other(socket); i++)
		;
	close_drawer(&drawer);
	krafla_timeline_destroy(timeline);
}

/* --- The process that looks --- */

struct viewer {
	struct gpu gpu;
	struct gpu_image pictures[BUFFERS];
	AHardwareBuffer *buffers[BUFFERS];
	struct scene scenes[BUFFERS]; /* each has another texture */
	struct krafla_timeline *timeline;
	/* with a window */
	struct window *window;
	struct swapchain swapchain;
	/* without */
	struct gpu_image image;
	struct target target;
};

static void
take_in_buffers(struct viewer *viewer, int socket)
{
	for (int i = 0; i < BUFFERS; i++) {
		share_check("receiving a buffer",
			AHardwareBuffer_recvHandleFromUnixSocket(socket, &viewer->buffers[i]));
		viewer->pictures[i] = share_import(&viewer->gpu, viewer->buffers[i],
			VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
	}
}

static void
create_scenes(struct viewer *viewer, VkFormat format, VkImageLayout final_layout)
{
	for (int i = 0; i < BUFFERS; i++)
		scene_create(&viewer->scenes[i], &viewer->gpu, format, final_layout,
			&viewer->pictures[i]);
}

static void
open_viewer(struct viewer *viewer, int socket, const struct options *options)
{
	const VkExtent2D size = {640, 480};
	struct swapchain *swapchain = &viewer->swapchain;
	VkSurfaceFormatKHR format;

	viewer->gpu.shares_buffers = true;
	share_check("a timeline", krafla_timeline_create("viewer", NULL, NULL, &viewer->timeline));
	if (options->output) {
		gpu_open_instance(&viewer->gpu, NULL);
		gpu_open_device(&viewer->gpu, 0, VK_NULL_HANDLE);
		take_in_buffers(viewer, socket);
		create_scenes(viewer, FORMAT, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
		viewer->image = gpu_image_create(&viewer->gpu, FORMAT, size,
			VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
			VK_IMAGE_ASPECT_COLOR_BIT);
		target_create(
			&viewer->target, &viewer->scenes[0], FORMAT, viewer->image.image, size);
		return;
	}
	viewer->window = window_open(WINDOW_ANDROID, 0, 0);
	gpu_open_instance(&viewer->gpu, window_extension(WINDOW_ANDROID));
	swapchain->surface = window_create_surface(viewer->window, viewer->gpu.instance);
	gpu_open_device(&viewer->gpu, 0, swapchain->surface);
	take_in_buffers(viewer, socket);
	format = swapchain_choose_format(&viewer->gpu, swapchain->surface, SWAPCHAIN_DEPTH_8);
	create_scenes(viewer, format.format, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
	swapchain->gpu = &viewer->gpu;
	swapchain->scene = &viewer->scenes[0];
	swapchain->mode = VK_PRESENT_MODE_FIFO_KHR;
	swapchain->format = format.format;
	swapchain->colour_space = format.colorSpace;
	swapchain->wanted = size;
	swapchain_create(swapchain);
}

static void
close_viewer(struct viewer *viewer)
{
	if (viewer->window) {
		swapchain_destroy(&viewer->swapchain);
	} else {
		target_destroy(&viewer->target, &viewer->scenes[0]);
		gpu_image_destroy(&viewer->gpu, &viewer->image);
	}
	for (int i = 0; i < BUFFERS; i++) {
		scene_destroy(&viewer->scenes[i]);
		gpu_image_destroy(&viewer->gpu, &viewer->pictures[i]);
		AHardwareBuffer_release(viewer->buffers[i]);
	}
	if (viewer->window)
		vkDestroySurfaceKHR(viewer->gpu.instance, viewer->swapchain.surface, NULL);
	gpu_close(&viewer->gpu);
	if (viewer->window)
		window_close(viewer->window);
	krafla_timeline_destroy(viewer->timeline);
}

/* Draws the cube that shows the picture, once the picture is there. */
static void
show_picture(struct viewer *viewer, uint64_t frame)
{
	const struct scene *scene = &viewer->scenes[frame % BUFFERS];
	VkImage picture = viewer->pictures[frame % BUFFERS].image;
	VkCommandBuffer commands = gpu_begin(&viewer->gpu);

	share_take(&viewer->gpu, commands, picture, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
	if (viewer->window) {
		/* The swapchain draws with commands of its own, which come behind these. */
		gpu_finish(&viewer->gpu, commands);
		viewer->swapchain.scene = scene;
		swapchain_show(&viewer->swapchain, frame);
		check(vkQueueWaitIdle(viewer->gpu.queue), "vkQueueWaitIdle");
		commands = gpu_begin(&viewer->gpu);
	} else {
		scene_draw(scene, &viewer->target, commands, frame);
	}
	share_give(&viewer->gpu, commands, picture, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
	gpu_finish(&viewer->gpu, commands);
}

static void
view(int socket, const struct options *options)
{
	struct viewer viewer = {0};
	uint64_t frame;

	open_viewer(&viewer, socket, options);
	for (frame = 0; !options->frames || frame < options->frames; frame++) {
		uint64_t job;

		if (!wait_for_other(socket))
			die("picture %llu wasn't drawn", (unsigned long long)frame);
		job = begin_job(viewer.timeline, "free again", socket);
		show_picture(&viewer, frame);
		finish_job(viewer.timeline, job);
	}
	if (options->output)
		offscreen_write(
			&viewer.gpu, viewer.image.image, (VkExtent2D){640, 480}, options->output);
	close_viewer(&viewer);
}

static bool
parse(int argc, char **argv, struct options *options)
{
	char *end = NULL;

	*options = (struct options){0};
	if (argc > 1) {
		options->frames = strtoull(argv[1], &end, 10);
		if (*end || end == argv[1] || argv[1][0] == '-' || !options->frames ||
			options->frames > MAX_FRAMES)
			return false;
	}
	if (argc > 2)
		options->output = argv[2];
	return argc <= 3;
}

/* Processes are made before either uses Vulkan: drivers don't outlive a fork. */
int
main(int argc, char **argv)
{
	struct options options;
	int pair[2], status;
	pid_t drawer;

	if (!parse(argc, argv, &options)) {
		fprintf(stderr, "usage: krafla-share [FRAMES [FILE.ppm]], 1 to %d frames\n",
			MAX_FRAMES);
		return 2;
	}
	share_check("a pair of sockets",
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) ? -errno : 0);
	drawer = fork();
	share_check("a process", drawer < 0 ? -errno : 0);
	if (!drawer) {
		close(pair[0]);
		draw(pair[1], options.frames);
		return 0;
	}
	close(pair[1]);
	view(pair[0], &options);
	close(pair[0]);
	return waitpid(drawer, &status, 0) == drawer && status == 0 ? 0 : 1;
}
