/* SPDX-License-Identifier: Apache-2.0 */
/* The writer thread of captures, and the PNG files. */
#include "tools/run/capture.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "composer/composer.h"
#include "tools/command/command.h"
#include "tools/run/place.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/mutex.h"

#define WAITING_MAX 4
#define RGB_BYTES   3
#define BGRX_BYTES  4

struct picture {
	uint64_t number;
	uint32_t width;
	uint32_t height;
	uint8_t *rgb;
};

struct kr_capture {
	const struct kr_capture_pattern *pattern;
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
write_picture(const struct kr_capture *capture, const struct picture *picture)
{
	char *path = kr_capture_pattern_name(capture->pattern, picture->number);
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
next_picture(struct kr_capture *capture, struct picture *picture)
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
picture_done(struct kr_capture *capture, int err)
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

static void *
writer_main(void *data)
{
	struct kr_capture *capture = data;
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

int
kr_capture_create(const struct kr_capture_pattern *pattern, struct kr_capture **capture)
{
	struct kr_capture *made = calloc(1, sizeof(*made));
	int err;

	if (!made)
		return -ENOMEM;
	made->pattern = pattern;
	kr_mutex_init(&made->lock);
	kr_cond_init(&made->changed);
	err = -pthread_create(&made->thread, NULL, writer_main, made);
	if (err < 0) {
		made->joined = true;
		kr_capture_destroy(made);
		return err;
	}
	*capture = made;
	return 0;
}

static uint8_t *
rgb_from_frame(const struct kr_composed_frame *frame)
{
	uint8_t *rgb = malloc((size_t)frame->width * frame->height * RGB_BYTES), *out = rgb;

	for (uint32_t y = 0; rgb && y < frame->height; y++) {
		const uint8_t *in = (const uint8_t *)frame->pixels + (size_t)y * frame->row_bytes;

		for (uint32_t x = 0; x < frame->width; x++, in += BGRX_BYTES, out += RGB_BYTES) {
			out[0] = in[2];
			out[1] = in[1];
			out[2] = in[0];
		}
	}
	return rgb;
}

int
kr_capture_frame(struct kr_capture *capture, const struct kr_composed_frame *frame)
{
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

int
kr_capture_finish(struct kr_capture *capture, uint64_t *written)
{
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
	if (written)
		*written = capture->written;
	kr_mutex_unlock(&capture->lock);
	return err;
}

void
kr_capture_destroy(struct kr_capture *capture)
{
	if (!capture)
		return;
	kr_capture_finish(capture, NULL);
	kr_cond_finish(&capture->changed);
	kr_mutex_finish(&capture->lock);
	free(capture);
}
