/* SPDX-License-Identifier: Apache-2.0 */
#include "screenshot.h"

#include "harness.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/macros.h"
#include "wayland_window.h"

#define LIMIT_NS (10 * KR_NSEC_PER_SEC)

/* Weston's own protocol: a picture of an output goes into a buffer of its size. */
static const struct wl_interface *take_shot_types[] = {&wl_output_interface, &wl_buffer_interface};
static const struct wl_message shooter_requests[] = {{"take_shot", "oo", take_shot_types}};
static const struct wl_message shooter_events[] = {{"done", "", NULL}};
static const struct wl_interface shooter_interface = {
	"weston_screenshooter", 1, 1, shooter_requests, 1, shooter_events};

struct camera {
	struct wl_display *display;
	struct wl_shm *shm;
	struct wl_output *output;
	struct wl_proxy *shooter;
	int32_t width, height;
	bool done;
};

struct picture {
	uint32_t width, height;
	uint32_t *pixels;
	size_t size;
};

static void
handle_geometry(void *data, struct wl_output *output, int32_t x, int32_t y, int32_t width,
	int32_t height, int32_t subpixel, const char *make, const char *model, int32_t transform)
{
}

static void
handle_mode(void *data, struct wl_output *output, uint32_t flags, int32_t width, int32_t height,
	int32_t refresh)
{
	((struct camera *)data)->width = width;
	((struct camera *)data)->height = height;
}

static const struct wl_output_listener output_listener = {
	.geometry = handle_geometry,
	.mode = handle_mode,
};

static void
handle_done(void *data, struct wl_proxy *shooter)
{
	((struct camera *)data)->done = true;
}

static void (*const shooter_listener[])(void *, struct wl_proxy *) = {handle_done};

static void
handle_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface,
	uint32_t version)
{
	struct camera *c = data;

	if (!strcmp(interface, "wl_shm")) {
		c->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
	} else if (!strcmp(interface, "wl_output")) {
		c->output = wl_registry_bind(registry, name, &wl_output_interface, 1);
		wl_output_add_listener(c->output, &output_listener, c);
	} else if (!strcmp(interface, shooter_interface.name)) {
		c->shooter = wl_registry_bind(registry, name, &shooter_interface, 1);
		wl_proxy_add_listener(c->shooter, (void (**)(void))(uintptr_t)shooter_listener, c);
	}
}

static void
handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

/* Until the picture is there; the server may have ended. */
static bool
wait_for_picture(struct camera *c)
{
	int64_t deadline = kr_deadline_in(LIMIT_NS);

	while (!c->done && kr_clock_now() < deadline) {
		if (wl_display_roundtrip(c->display) < 0)
			return false;
		usleep(1000);
	}
	return c->done;
}

static bool
expose(struct camera *c, struct picture *picture)
{
	struct wl_registry *registry = wl_display_get_registry(c->display);
	struct wl_shm_pool *pool;
	struct wl_buffer *buffer;
	bool done;
	int fd;

	wl_registry_add_listener(registry, &registry_listener, c);
	done = wl_display_roundtrip(c->display) >= 0 && wl_display_roundtrip(c->display) >= 0;
	wl_registry_destroy(registry);
	if (!done)
		return false;
	assert_non_null(c->shooter);
	picture->width = (uint32_t)c->width;
	picture->height = (uint32_t)c->height;
	picture->size = (size_t)picture->width * picture->height * 4;
	assert_int_equal(kr_memfd_create("picture", picture->size, &fd), 0);
	picture->pixels = mmap(NULL, picture->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(picture->pixels != MAP_FAILED);
	pool = wl_shm_create_pool(c->shm, fd, (int32_t)picture->size);
	buffer = wl_shm_pool_create_buffer(
		pool, 0, c->width, c->height, c->width * 4, WL_SHM_FORMAT_XRGB8888);
	wl_shm_pool_destroy(pool);
	kr_fd_close(&fd);
	wl_proxy_marshal(c->shooter, 0, c->output, buffer);
	done = wait_for_picture(c);
	wl_buffer_destroy(buffer);
	return done;
}

static bool
take_picture(const struct kr_weston *weston, struct picture *picture)
{
	struct camera c = {.display = wl_display_connect(strchr(weston->display, '=') + 1)};
	bool done;

	if (!c.display)
		return false;
	done = expose(&c, picture);
	if (c.shooter)
		wl_proxy_destroy(c.shooter);
	if (c.output)
		wl_output_destroy(c.output);
	if (c.shm)
		wl_shm_destroy(c.shm);
	wl_display_disconnect(c.display);
	return done;
}

static void
drop_picture(struct picture *picture)
{
	if (picture->pixels)
		munmap(picture->pixels, picture->size);
}

/* 4 for a colour that isn't the frame's. */
static unsigned
quarter_at(const struct picture *picture, uint32_t x, uint32_t y, uint32_t seed)
{
	uint32_t colour = picture->pixels[(size_t)y * picture->width + x] & 0xffffff;

	for (unsigned q = 0; q < 4; q++) {
		if (wayland_shown_colour(seed, q) == colour)
			return q;
	}
	return 4;
}

/* The smallest rectangle with all pixels of the frame. */
static void
find_box(const struct picture *picture, uint32_t seed, uint32_t box[4])
{
	box[0] = box[1] = UINT32_MAX;
	box[2] = box[3] = 0;
	for (uint32_t y = 0; y < picture->height; y++) {
		for (uint32_t x = 0; x < picture->width; x++) {
			if (quarter_at(picture, x, y, seed) == 4)
				continue;
			box[0] = KR_MIN(box[0], x);
			box[1] = KR_MIN(box[1], y);
			box[2] = KR_MAX(box[2], x + 1);
			box[3] = KR_MAX(box[3], y + 1);
		}
	}
}

bool
shot_take(const struct kr_weston *weston, uint32_t seed, struct shot *shot)
{
	struct picture picture = {0};
	uint32_t box[4];
	bool whole = true;

	*shot = (struct shot){0};
	if (!take_picture(weston, &picture)) {
		drop_picture(&picture);
		return false;
	}
	find_box(&picture, seed, box);
	if (box[2]) {
		shot->width = box[2] - box[0];
		shot->height = box[3] - box[1];
	}
	for (unsigned q = 0; q < 4 && shot->width; q++)
		shot->quarters[q] = quarter_at(&picture, box[0] + (q & 1) * (shot->width - 1),
			box[1] + (q >> 1) * (shot->height - 1), seed);
	for (uint32_t y = 0; y < shot->height; y++) {
		for (uint32_t x = 0; x < shot->width; x++)
			whole &= quarter_at(&picture, box[0] + x, box[1] + y, seed) ==
				shot->quarters[(x >= shot->width / 2) +
					2 * (y >= shot->height / 2)];
	}
	drop_picture(&picture);
	return whole && shot->width;
}

void
shot_wait(const struct kr_weston *weston, uint32_t seed, struct shot *shot)
{
	int64_t deadline = kr_deadline_in(15 * KR_NSEC_PER_SEC);

	while (!shot_take(weston, seed, shot)) {
		if (kr_clock_now() >= deadline)
			fail_msg("frame %u isn't on the screen", seed);
		usleep(20000);
	}
}

static uint32_t
count_colour(const struct kr_weston *weston, uint32_t colour)
{
	struct picture picture = {0};
	uint32_t count = 0;

	if (take_picture(weston, &picture)) {
		for (size_t i = 0; i < picture.size / 4; i++)
			count += (picture.pixels[i] & 0xffffff) == colour;
	}
	drop_picture(&picture);
	return count;
}

void
shot_wait_colour(const struct kr_weston *weston, uint32_t colour, uint32_t pixels)
{
	int64_t deadline = kr_deadline_in(15 * KR_NSEC_PER_SEC);

	while (count_colour(weston, colour) != pixels) {
		if (kr_clock_now() >= deadline)
			fail_msg("%06x isn't on the screen", colour);
		usleep(20000);
	}
}
