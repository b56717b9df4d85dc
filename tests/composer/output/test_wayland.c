/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the Wayland output has that others haven't: pictures that are handed over as they are. The
 * memory is a memfd that is called a dma-buf, which is enough for who only maps it.
 */
#include "subject.h"

#include "harness.h"
#include "wayland_server.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "composer/module.h"
#include "gralloc/buffer.h"
#include "util/clock.h"
#include "util/fd.h"

#define WIDTH   32
#define HEIGHT  16
#define ROW     160 /* bytes, some of them no pixels */
#define OFFSET  64
#define SIZE    8192
#define BUFFERS 3

struct lent {
	struct kr_buffer_info info;
	uint8_t *map;
};

static struct wayland_server *server;
static struct kr_display_output *output;
static struct lent buffers[BUFFERS];
static uint64_t number;

static void
begin(void)
{
	server = wayland_server_start();
	output = subject_open_module(server->path, WIDTH, HEIGHT);
	number = 0;
	for (unsigned i = 0; i < BUFFERS; i++) {
		struct lent *lent = &buffers[i];

		lent->info = (struct kr_buffer_info){.backend = KR_BUFFER_UDMABUF};
		assert_int_equal(kr_memfd_create("lent", SIZE, &lent->info.fd), 0);
		lent->map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, lent->info.fd, 0);
		assert_true(lent->map != MAP_FAILED);
	}
}

static void
end(void)
{
	output->impl->destroy(output);
	assert_int_equal(subject_held, 0);
	wayland_server_stop(server);
	for (unsigned i = 0; i < BUFFERS; i++) {
		munmap(buffers[i].map, SIZE);
		kr_fd_close(&buffers[i].info.fd);
	}
}

static bool
is_seen(uint32_t colour)
{
	uint32_t seen[WIDTH * HEIGHT];

	if (!wayland_server_read(server, WIDTH, HEIGHT, seen))
		return false;
	for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
		if (seen[i] != colour)
			return false;
	}
	return true;
}

/* Shows a picture that is the next buffer, in a colour of its own, and waits until it is seen. */
static void
show(uint32_t format, bool may_be_held)
{
	int64_t until = kr_clock_now() + 15 * KR_NSEC_PER_SEC;
	struct lent *lent = &buffers[++number % BUFFERS];
	uint32_t colour = 0x100000 * (uint32_t)(number % 16) + 0x42;
	uint32_t turned = (colour & 0xff) << 16 | (colour & 0xff00) | colour >> 16;
	struct kr_composed_frame frame = {
		.number = number,
		.width = WIDTH,
		.height = HEIGHT,
		.format = format,
		.row_bytes = ROW,
		.dataspace = HAL_DATASPACE_SRGB,
		.pixels = lent->map + OFFSET,
		.hold = may_be_held ? (struct kr_picture_hold *)lent : NULL,
		.buffer = &lent->info,
		.offset = OFFSET,
	};

	for (uint32_t y = 0; y < HEIGHT; y++) {
		for (uint32_t x = 0; x < WIDTH; x++)
			memcpy(lent->map + OFFSET + y * ROW + x * 4,
				format == AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM ? &turned : &colour,
				4);
	}
	assert_int_equal(output->impl->show(output, &frame), 0);
	while (!is_seen(colour)) {
		struct kr_display_output_events events = {0};
		struct pollfd fds[KR_DISPLAY_OUTPUT_POLL];

		assert_true(kr_clock_now() < until);
		assert_int_equal(output->impl->dispatch(output, &events), 0);
		assert_true(kr_fd_poll(fds, output->impl->poll_fds(output, fds),
				    kr_clock_now() + 5 * KR_NSEC_PER_MSEC) >= 0);
	}
}

/* The first picture of each buffer is copied while the compositor is asked; then none is. */
static void
pictures_are_lent(void **state)
{
	uint64_t shown;

	begin();
	for (unsigned i = 0; i < 30; i++) {
		show(i < 15 ? AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
			    : AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
			true);
		/* What is on screen, and one that is on its way back. */
		assert_in_range(subject_held, 0, 2);
	}
	assert_int_equal(server->lent, 30 - 2 * BUFFERS);
	assert_int_equal(server->shared, 2 * BUFFERS);
	assert_int_equal(subject_holds, server->lent);
	assert_int_equal(output->impl->finish(output, &shown), 0);
	assert_int_equal(shown, 30);
	assert_int_equal(subject_held, 0);
	end();
}

/* A compositor that refuses is asked once a buffer; the pictures are seen all the same. */
static void
refused_buffers_are_copied(void **state)
{
	begin();
	server->refuse = true;
	for (unsigned i = 0; i < 12; i++)
		show(AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, true);
	assert_int_equal(server->lent, 0);
	assert_int_equal(server->shared, 12);
	assert_int_equal(subject_holds, 0);
	end();
}

/* So it is when the display has no buffer to spare, and with formats that nobody takes. */
static void
what_cant_be_held_is_copied(void **state)
{
	begin();
	for (unsigned i = 0; i < 8; i++)
		show(AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, i < 4);
	for (unsigned i = 0; i < 4; i++)
		buffers[i % BUFFERS].info.backend = KR_BUFFER_MEMFD;
	assert_int_equal(server->lent, 1);
	for (unsigned i = 0; i < 4; i++)
		show(AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, true);
	assert_int_equal(server->lent, 1);
	assert_int_equal(server->shared, 11);
	end();
}

/* A server that dies with a buffer doesn't keep it. */
static void
a_dead_server_gives_back(void **state)
{
	begin();
	for (unsigned i = 0; i < 8; i++)
		show(AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, true);
	assert_true(subject_held > 0);
	wayland_server_kill(server);
	end();
}

static void
servers_that_are_not_there_are_named(void **state)
{
	static const char *const names[] = {"wayland-987", "/nowhere/at/all", ""};
	struct kr_display_output_options options = {.title = "x", .width = 8, .height = 8};
	struct kr_display_output *none = NULL;

	unsetenv("WAYLAND_DISPLAY");
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		subject_told = 0;
		options.argument = names[i];
		assert_true(subject_module->open(&subject_host, &options, &none) < 0);
		assert_int_equal(subject_told, 1);
		assert_null(none);
	}
}

/* Times of another clock, or of none that there is, are no times. */
static void
times_of_another_clock_are_not_known(void **state)
{
	static const uint64_t ahead[] = {
		UINT64_MAX / 2, UINT64_C(1) << 34, 3600, -UINT64_C(3600), 0};
	int64_t until = kr_clock_now() + 15 * KR_NSEC_PER_SEC;

	begin();
	for (size_t i = 0; i < KR_ARRAY_LEN(ahead); i++) {
		struct kr_display_output_events events = {0};
		struct kr_display_output_timing timing;
		int64_t shown_ns;
		int ret;

		pthread_mutex_lock(&server->lock);
		server->ahead = ahead[i];
		pthread_mutex_unlock(&server->lock);
		show(AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, false);
		while ((ret = output->impl->shown_time(output, number, &shown_ns)) == -EAGAIN) {
			assert_true(kr_clock_now() < until);
			assert_int_equal(output->impl->dispatch(output, &events), 0);
			poll(NULL, 0, 1);
		}
		output->impl->timing(output, &timing);
		assert_int_equal(ret, ahead[i] ? -ENOENT : 0);
		assert_true(ahead[i] ? !timing.refresh_ns : timing.refresh_ns == shown_ns);
	}
	end();
}

static const struct kr_test tests[] = {
	KR_TEST(pictures_are_lent),
	KR_TEST(refused_buffers_are_copied),
	KR_TEST(what_cant_be_held_is_copied),
	KR_TEST(a_dead_server_gives_back),
	KR_TEST(servers_that_are_not_there_are_named),
	KR_TEST(times_of_another_clock_are_not_known),
};

/* A module stays loaded: what that takes is none of the cases'. */
int
main(int argc, char **argv)
{
	if (kr_display_output_load("wayland", "", &subject_module))
		return EXIT_FAILURE;
	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
