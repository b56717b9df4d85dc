/* SPDX-License-Identifier: Apache-2.0 */
/* The writer thread of captures, and the PNG files. */
#include "tools/run/capture.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "composer/composer.h"
#include "composer/output/output.h"
#include "gralloc/pixels.h"
#include "tools/command/command.h"
#include "tools/run/options.h"
#include "tools/run/place.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/mutex.h"

#define WAITING_MAX 4
#define RGB_BYTES   3

struct picture {
	uint64_t number;
	uint32_t width;
	uint32_t height;
	uint8_t *rgb;
};

struct capture {
	struct kr_display_output base; /* first */
	struct kr_capture_pattern pattern;
	pthread_t thread;
	struct kr_mutex lock;
	struct kr_cond changed;
	struct picture waiting[WAITING_MAX] KR_GUARDED_BY(
		lock); /* a ring; `first` is written next */
	unsigned first KR_GUARDED_BY(lock);
	unsigned count KR_GUARDED_BY(lock);
	bool ending KR_GUARDED_BY(lock);
	bool joined;
	int error KR_GUARDED_BY(lock);
	uint64_t written KR_GUARDED_BY(lock);
};

/* Takes the descriptor. */
static int
write_png(const struct picture *picture, int take_fd, char *why, size_t size)
{
	png_image image = {
		.version = PNG_IMAGE_VERSION,
		.width = picture->width,
		.height = picture->height,
		.format = PNG_FORMAT_RGB,
		.flags = PNG_IMAGE_FLAG_FAST,
	};
	FILE *file = fdopen(take_fd, "w");
	int err = 0;

	if (!file) {
		snprintf(why, size, "%s", strerror(errno));
		kr_fd_close(&take_fd);
		return -EIO;
	}
	errno = 0;
	if (!png_image_write_to_stdio(&image, file, 0, picture->rgb, 0, NULL)) {
		snprintf(why, size, "%s", errno ? strerror(errno) : image.message);
		err = -EIO;
	}
	if (fclose(file) != 0 && err == 0) {
		snprintf(why, size, "%s", strerror(errno));
		err = -EIO;
	}
	return err;
}

/*
 * A file of the pattern is always a whole picture. Its name can be foreseen, so that others may put
 * a link there which leads to a file of the user's: it is replaced, not followed.
 */
static int
write_to_place(const struct picture *picture, const char *path, char *why, size_t size)
{
	struct kr_place place;
	int err = kr_place_find(&place, path, KR_PLACE_REPLACE_LINK), fd;

	if (err == 0 && place.to_write_to) {
		snprintf(why, size, "a device, FIFO or socket is in its place");
		err = -EEXIST;
	} else if (err == 0) {
		err = kr_place_create_file(&place);
	}
	if (err < 0) {
		if (!*why)
			snprintf(why, size, "%s", strerror(-err));
		kr_place_finish(&place);
		return err;
	}
	fd = place.fd;
	place.fd = -1;
	err = write_png(picture, fd, why, size);
	err = kr_place_put_file(&place, err);
	if (err < 0 && !*why)
		snprintf(why, size, "%s", strerror(-err));
	kr_place_finish(&place);
	return err;
}

static int
write_picture(const struct capture *capture, const struct picture *picture)
{
	char *path = kr_capture_pattern_name(&capture->pattern, picture->number);
	char why[128] = "";
	int err = path ? write_to_place(picture, path, why, sizeof(why)) : -ENOMEM;

	if (err < 0)
		kr_complain("run", "can't write %s: %s", path ? path : "a frame",
			path ? why : "out of memory");
	free(path);
	return err;
}

/* The next picture to write; false when none will come. */
static bool
next_picture(struct capture *capture, struct picture *picture)
{
	bool found;

	kr_mutex_lock(&capture->lock);
	while (!capture->count && !capture->ending)
		kr_cond_wait_until(&capture->changed, &capture->lock, KR_FOREVER);
	found = capture->count > 0;
	if (found)
		*picture = capture->waiting[capture->first];
	kr_mutex_unlock(&capture->lock);
	return found;
}

/* The picture stays in the ring while it is written, so that the ring's size bounds the memory. */
static void
picture_done(struct capture *capture, int err)
{
	kr_mutex_lock(&capture->lock);
	capture->first = (capture->first + 1) % WAITING_MAX;
	capture->count--;
	capture->written += err == 0;
	if (err < 0 && !capture->error)
		capture->error = err;
	kr_cond_broadcast(&capture->changed);
	kr_mutex_unlock(&capture->lock);
}

static const struct kr_display_output_impl impl;

static struct capture *
from_output(struct kr_display_output *output)
{
	assert(output->impl == &impl);
	return (struct capture *)output;
}

static void *
writer_main(void *data)
{
	struct capture *capture = data;
	struct picture picture;
	int err = 0;

	while (next_picture(capture, &picture)) {
		if (err == 0)
			err = write_picture(capture, &picture);
		free(picture.rgb);
		picture_done(capture, err);
	}
	return NULL;
}

static uint8_t *
rgb_from_frame(const struct kr_composed_frame *frame)
{
	kr_pixels_row_fn convert = kr_pixels_to_xrgb(frame->format);
	uint8_t *rgb = malloc((size_t)frame->width * frame->height * RGB_BYTES), *out = rgb;
	uint32_t *row = malloc((size_t)frame->width * sizeof(*row));

	if (!rgb || !row || !convert) {
		free(rgb);
		free(row);
		return NULL;
	}
	for (uint32_t y = 0; y < frame->height; y++) {
		convert((const uint8_t *)frame->pixels + (size_t)y * frame->row_bytes, row,
			frame->width);
		for (uint32_t x = 0; x < frame->width; x++, out += RGB_BYTES) {
			out[0] = (uint8_t)(row[x] >> 16);
			out[1] = (uint8_t)(row[x] >> 8);
			out[2] = (uint8_t)row[x];
		}
	}
	free(row);
	return rgb;
}

/* Takes a copy of the frame. 0, or the error of an earlier frame (told on stderr once). */
static int
capture_picture(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	struct capture *capture = from_output(output);
	struct picture picture = {
		frame->number, frame->width, frame->height, rgb_from_frame(frame)};
	int err;

	if (!picture.rgb)
		return -ENOMEM;
	kr_mutex_lock(&capture->lock);
	while (capture->count == WAITING_MAX)
		kr_cond_wait_until(&capture->changed, &capture->lock, KR_FOREVER);
	err = capture->error;
	if (err == 0) {
		capture->waiting[(capture->first + capture->count) % WAITING_MAX] = picture;
		capture->count++;
		kr_cond_broadcast(&capture->changed);
	}
	kr_mutex_unlock(&capture->lock);
	if (err < 0)
		free(picture.rgb);
	return err;
}

static int
finish(struct kr_display_output *output, uint64_t *written)
{
	struct capture *capture = from_output(output);
	int err;

	kr_mutex_lock(&capture->lock);
	capture->ending = true;
	kr_cond_broadcast(&capture->changed);
	kr_mutex_unlock(&capture->lock);
	if (!capture->joined)
		pthread_join(capture->thread, NULL);
	capture->joined = true;
	kr_mutex_lock(&capture->lock);
	err = capture->error;
	*written = capture->written;
	kr_mutex_unlock(&capture->lock);
	return err;
}

static void
destroy(struct kr_display_output *output)
{
	struct capture *capture = from_output(output);
	uint64_t written;

	finish(output, &written);
	kr_cond_finish(&capture->changed);
	kr_mutex_finish(&capture->lock);
	kr_capture_pattern_finish(&capture->pattern);
	free(capture);
}

static const struct kr_display_output_impl impl = {
	.name = "capture",
	.show = capture_picture,
	.finish = finish,
	.destroy = destroy,
};

int
kr_capture_check(const struct kr_run_options *options)
{
	const char *why = "out of memory";
	struct kr_capture_pattern pattern;
	int code = KR_EXIT_FAILURE;
	char *first;

	if (!options->capture)
		return 0;
	if (kr_capture_pattern_init(&pattern, options->capture, &why) < 0)
		return kr_usage_error("run", "--capture '%s': %s", options->capture, why);
	if (!pattern.numbered && options->frames != 1) {
		code = kr_usage_error("run",
			"--capture '%s' names one file for all frames: put %%05d into it, or add --frames 1",
			options->capture);
		goto out;
	}
	first = kr_capture_pattern_name(&pattern, 1);
	if (first)
		code = kr_place_check("--capture", first, KR_PLACE_REPLACE_LINK);
	free(first);
out:
	kr_capture_pattern_finish(&pattern);
	return code;
}

int
kr_capture_open(const struct kr_run_options *options, struct kr_display_output **output)
{
	struct capture *made;
	const char *why;
	int err;

	if (!options->capture)
		return 0;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	err = kr_capture_pattern_init(&made->pattern, options->capture, &why);
	if (err < 0) {
		free(made);
		return err;
	}
	made->base = (struct kr_display_output){.impl = &impl, .wanted = {.from = 1, .every = 1}};
	kr_mutex_init(&made->lock);
	kr_cond_init(&made->changed);
	err = -pthread_create(&made->thread, NULL, writer_main, made);
	if (err < 0) {
		made->joined = true;
		destroy(&made->base);
		return err;
	}
	*output = &made->base;
	return 0;
}
