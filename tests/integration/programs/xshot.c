/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xshot FILE.png: what the screen of $DISPLAY shows, as a PNG. Used by scripts/demo and by the
 * tests that look at real windows. Needs a TrueColor screen of depth 24.
 */
#include <png.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

static bool
write_png(const char *path, const uint8_t *bgrx, uint32_t width, uint32_t height)
{
	png_image image = {
		.version = PNG_IMAGE_VERSION,
		.width = width,
		.height = height,
		.format = PNG_FORMAT_BGR,
	};
	uint8_t *bgr = malloc((size_t)width * height * 3);
	bool ok;

	if (!bgr)
		return false;
	for (size_t i = 0; i < (size_t)width * height; i++)
		memcpy(bgr + i * 3, bgrx + i * 4, 3);
	ok = png_image_write_to_file(&image, path, 0, bgr, 0, NULL);
	if (!ok)
		fprintf(stderr, "xshot: %s: %s\n", path, image.message);
	free(bgr);
	return ok;
}

static bool
shoot(xcb_connection_t *x, const char *path)
{
	xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(x)).data;
	xcb_get_image_reply_t *reply;
	bool ok;

	if (screen->root_depth != 24) {
		fprintf(stderr, "xshot: the screen has depth %u, not 24\n", screen->root_depth);
		return false;
	}
	reply = xcb_get_image_reply(x,
		xcb_get_image(x, XCB_IMAGE_FORMAT_Z_PIXMAP, screen->root, 0, 0,
			screen->width_in_pixels, screen->height_in_pixels, UINT32_MAX),
		NULL);
	if (!reply) {
		fprintf(stderr, "xshot: the server gives no image of its root window\n");
		return false;
	}
	ok = write_png(
		path, xcb_get_image_data(reply), screen->width_in_pixels, screen->height_in_pixels);
	free(reply);
	return ok;
}

int
main(int argc, char **argv)
{
	xcb_connection_t *x;
	bool ok;

	if (argc != 2) {
		fprintf(stderr, "usage: xshot FILE.png\n");
		return 2;
	}
	x = xcb_connect(NULL, NULL);
	if (xcb_connection_has_error(x)) {
		fprintf(stderr, "xshot: no X server at DISPLAY=%s\n", getenv("DISPLAY"));
		xcb_disconnect(x);
		return 1;
	}
	ok = shoot(x, argv[1]);
	xcb_disconnect(x);
	return ok ? 0 : 1;
}
