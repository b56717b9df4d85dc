/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla run --output kms` of a Vulkan program on vkms: each picture that the driver says is on
 * its screen, by the checksum, is one that is captured; drawn by the display first, and then taken
 * by a plane as the driver of the program has made it.
 */
#include "card.h"
#include "picture.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/integration/programs/capture.h"
#include "tests/integration/programs/images.h"
#include "tests/integration/programs/spawn.h"
#include "harness.h"

#define SIZE     "640x480" /* a mode of vkms's, and not the one that it prefers */
#define FRAMES   4
#define TEXT(n)  TEXT_(n)
#define TEXT_(n) #n
#define LIMIT_S  90
#define MAX_SEEN 4096
#define CUBE     prefix_path("bin/krafla-cube")
#define KRAFLA   prefix_path("bin/krafla")

/* The checksums of all that vkms shows while programs run. */
struct watch {
	int fd;
	atomic_bool end;
	pthread_t thread;
	uint32_t seen[MAX_SEEN]; /* each once in a row */
	unsigned count;
};

static void *
watch_main(void *data)
{
	struct watch *watch = data;
	struct pollfd waiting = {watch->fd, POLLIN, 0};

	while (!atomic_load(&watch->end)) {
		uint32_t crc;

		if (poll(&waiting, 1, 50) <= 0 || !crc_take(watch->fd, &crc))
			continue;
		if (watch->count < MAX_SEEN &&
			(!watch->count || watch->seen[watch->count - 1] != crc))
			watch->seen[watch->count++] = crc;
	}
	return NULL;
}

static int
card_number(void)
{
	int fd = card_open("vkms");
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	close(fd);
	return (int)minor(status.st_rdev);
}

static uint32_t
crc_of_capture(const char *name, unsigned number)
{
	uint16_t(*pixels)[3];
	struct image image;
	uint32_t crc;

	capture_load(&image, name, number);
	pixels = calloc((size_t)image.width * image.height, sizeof(*pixels));
	assert_non_null(pixels);
	for (size_t i = 0; i < (size_t)image.width * image.height; i++) {
		for (int k = 0; k < 3; k++)
			pixels[i][k] = (uint16_t)(image.rgb[i * 3 + k] * 257);
	}
	crc = crc_of((const uint16_t(*)[3])pixels, image.width, image.height);
	free(pixels);
	image_free(&image);
	return crc;
}

/* How many of the captured pictures were on the screen; what else was there is told. */
static unsigned
count_shown(const struct watch *watch, const uint32_t *wanted)
{
	unsigned found = 0;

	for (unsigned k = 0; k < FRAMES; k++) {
		bool is_there = false;

		for (unsigned i = 0; i < watch->count; i++)
			is_there |= watch->seen[i] == wanted[k];
		found += is_there;
	}
	return found;
}

static void
run_cube(struct watch *watch, int card, const char *const *options, const char *name)
{
	const char *argv[32] = {KRAFLA, "run", "--output", "kms:vkms", "--display", SIZE,
		"--frames", TEXT(FRAMES), "--summary", kr_test_path(name)};
	struct spawn child;
	unsigned count = 10;

	for (; *options; options++)
		argv[count++] = *options;
	argv[count++] = "--";
	argv[count++] = CUBE;
	watch->fd = crc_open(card);
	watch->count = 0;
	atomic_store(&watch->end, false);
	assert_int_equal(pthread_create(&watch->thread, NULL, watch_main, watch), 0);
	spawn_run(&child, LIMIT_S, argv,
		ENV(library_env(), lavapipe_env(), env_text("KRAFLA_BUFFERS", "udmabuf")));
	atomic_store(&watch->end, true);
	pthread_join(watch->thread, NULL);
	crc_close(card, watch->fd);
	expect_code(&child, 0);
	spawn_finish(&child);
}

static json_t *
summary_of(const char *name)
{
	json_error_t error;
	json_t *summary = json_load_file(kr_test_path(name), 0, &error);

	assert_non_null(summary);
	return summary;
}

static void
cube_is_on_the_screen(void **state)
{
	static struct watch watch;
	int card = card_number();
	uint32_t wanted[FRAMES];
	json_t *summary;
	unsigned shown;

	/* With captures the driver's frames have an order of red and blue that vkms hasn't. */
	run_cube(&watch, card, ARGV("--clock", "virtual", "--capture", capture_pattern("drawn")),
		"drawn.json");
	for (unsigned i = 0; i < FRAMES; i++)
		wanted[i] = crc_of_capture("drawn", i + 1);
	shown = count_shown(&watch, wanted);
	printf("# %u of %d captured pictures were seen on the screen, drawn\n", shown, FRAMES);
	assert_true(shown > 0);
	summary = summary_of("drawn.json");
	assert_true(summary_number(summary, "pictures", "client_layers") > 0);
	json_decref(summary);

	run_cube(&watch, card, ARGV("--clock", "virtual"), "planes.json");
	shown = count_shown(&watch, wanted);
	printf("# %u of %d captured pictures were seen on the screen, by a plane\n", shown, FRAMES);
	assert_true(shown > 0);
	summary = summary_of("planes.json");
	assert_int_equal(summary_number(summary, "pictures", "on_planes"), FRAMES);
	assert_string_equal(json_string_value(json_object_get(summary, "tier")), "T2");
	json_decref(summary);
}

static void
what_is_wrong_is_said(void **state)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S, ARGV(KRAFLA, "run", "--output", "kms:card63", "--", CUBE),
		ENV(library_env(), lavapipe_env()));
	expect_code(&child, 125);
	expect_text(&child, "there is no card 'card63'");
	expect_text(&child, "--output kms:card63 can't be had");
	spawn_finish(&child);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(cube_is_on_the_screen, 0, 200),
	KR_TEST_SLOW(what_is_wrong_is_said, 0, 60),
};

KR_TEST_MAIN(tests)
