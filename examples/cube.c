/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-cube: a lit, textured cube that turns with the frame number.
 *
 * Plain Vulkan, and one line of Krafla: with an Android surface the window comes from
 * krafla_window_open (cube_window.c). Everything else works on any Vulkan system.
 *
 *   krafla run -- krafla-cube                       on a Krafla display
 *   krafla-cube --surface xcb                       in an X window
 *   krafla-cube --surface headless --frames 100     nowhere
 *   krafla-cube --offscreen 30 --output cube.ppm    frame 30 without any window system
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cube_gpu.h"
#include "cube_offscreen.h"
#include "cube_scene.h"
#include "cube_swapchain.h"
#include "cube_window.h"

struct options {
	enum window_kind kind;
	VkPresentModeKHR mode;
	enum swapchain_depth depth;
	VkExtent2D size; /* 0x0: the window's own */
	uint32_t device;
	uint64_t frames; /* 0: without end */
	bool offscreen;
	uint64_t offscreen_frame;
	const char *output; /* offscreen: the picture's file */
};

static const char usage[] =
	"usage: krafla-cube [OPTION]...\n\n"
	"  --surface android|headless|xcb      where to show it (default android: a Krafla display)\n"
	"  --present-mode fifo|mailbox|immediate\n"
	"  --depth 8|10|float                  bits of a channel of the window's pixels (default 8)\n"
	"  --frames N                          end after N frames\n"
	"  --size WxH                          (default: the display's size; else 640x480)\n"
	"  --device-index N                    which of Vulkan's devices (default 0)\n"
	"  --offscreen FRAME --output FILE.ppm draw that frame into a file, without a window system\n";

static uint64_t
parse_number(const char *option, const char *text)
{
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

	if (end == text || *end || *text == '-')
		die("--%s wants a number, not '%s'", option, text);
	return number;
}

static int
parse_word(const char *option, const char *text, const char *const words[3])
{
	for (int i = 0; i < 3; i++) {
		if (!strcmp(text, words[i]))
			return i;
	}
	die("--%s is %s, %s or %s, not '%s'", option, words[0], words[1], words[2], text);
}

static void
take_option(struct options *options, int code, const char *value)
{
	static const char *const kinds[] = {"android", "headless", "xcb"};
	static const char *const modes[] = {"immediate", "mailbox", "fifo"};
	static const char *const depths[] = {"8", "10", "float"};
	int end = 0;

	switch (code) {
	case 's':
		options->kind = (enum window_kind)parse_word("surface", value, kinds);
		break;
	case 'p':
		options->mode = (VkPresentModeKHR)parse_word("present-mode", value, modes);
		break;
	case 'b':
		options->depth = (enum swapchain_depth)parse_word("depth", value, depths);
		break;
	case 'f':
		options->frames = parse_number("frames", value);
		break;
	case 'z':
		if (sscanf(value, "%5ux%5u%n", &options->size.width, &options->size.height, &end) !=
				2 ||
			value[end] || !options->size.width || !options->size.height)
			die("--size wants WIDTHxHEIGHT, not '%s'", value);
		break;
	case 'd':
		options->device = (uint32_t)parse_number("device-index", value);
		break;
	case 'o':
		options->output = value;
		break;
	case 'n':
		options->offscreen = true;
		options->offscreen_frame = parse_number("offscreen", value);
		break;
	case 'h':
		fputs(usage, stdout);
		exit(0);
	default:
		fputs(usage, stderr);
		exit(2);
	}
}

static struct options
parse(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"surface", required_argument, NULL, 's'},
		{"present-mode", required_argument, NULL, 'p'},
		{"depth", required_argument, NULL, 'b'},
		{"frames", required_argument, NULL, 'f'},
		{"size", required_argument, NULL, 'z'},
		{"device-index", required_argument, NULL, 'd'},
		{"offscreen", required_argument, NULL, 'n'},
		{"output", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct options options = {.kind = WINDOW_ANDROID, .mode = VK_PRESENT_MODE_FIFO_KHR};
	int c;

	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
		take_option(&options, c, optarg);
	if (optind < argc)
		die("'%s' is one argument too many", argv[optind]);
	if (options.offscreen != (options.output != NULL))
		die("--offscreen and --output belong together");
	if (!options.size.width && (options.kind != WINDOW_ANDROID || options.output))
		options.size = (VkExtent2D){640, 480};
	return options;
}

static void
show(const struct options *options)
{
	struct window *window =
		window_open(options->kind, options->size.width, options->size.height);
	struct swapchain swapchain = {.mode = options->mode, .wanted = options->size};
	VkSurfaceFormatKHR format;
	struct scene scene;
	struct gpu gpu = {0};

	gpu_open_instance(&gpu, window_extension(options->kind));
	swapchain.surface = window_create_surface(window, gpu.instance);
	gpu_open_device(&gpu, options->device, swapchain.surface);
	format = swapchain_choose_format(&gpu, swapchain.surface, options->depth);
	scene_create(&scene, &gpu, format.format, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, NULL);
	swapchain.gpu = &gpu;
	swapchain.scene = &scene;
	swapchain.format = format.format;
	swapchain.colour_space = format.colorSpace;
	swapchain_create(&swapchain);

	for (uint64_t frame = 0; !options->frames || frame < options->frames; frame++) {
		if (!window_dispatch(window))
			break;
		swapchain_show(&swapchain, frame);
	}

	swapchain_destroy(&swapchain);
	scene_destroy(&scene);
	vkDestroySurfaceKHR(gpu.instance, swapchain.surface, NULL);
	gpu_close(&gpu);
	window_close(window);
}

int
main(int argc, char **argv)
{
	struct options options = parse(argc, argv);

	if (options.offscreen)
		offscreen_draw(
			options.device, options.size, options.offscreen_frame, options.output);
	else
		show(&options);
	return 0;
}
