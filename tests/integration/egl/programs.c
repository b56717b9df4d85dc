/* SPDX-License-Identifier: Apache-2.0 */
/* Starting programs of EGL with Krafla in between or not, and pictures of them. */
#include "programs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define MANIFEST "share/krafla/egl/10_krafla.json"
#define PAUSE_MS 200
#define TRIES    120

const char *
egl_env(enum egl_way way)
{
	const char *manifest = prefix_path(MANIFEST);

	if (way == EGL_PLAIN)
		return NULL;
	if (access(manifest, R_OK))
		fail_msg("there is no %s", manifest);
	return env_text("__EGL_VENDOR_LIBRARY_FILENAMES", manifest);
}

const char *
still_clock_env(void)
{
	return env_text("LD_PRELOAD", TEST_STILL_CLOCK);
}

void
skip_without(const char *program, const char *reason)
{
	char line[128], found[256];

	snprintf(line, sizeof(line), "command -v %s", program);
	if (kr_test_shell(line, found, sizeof(found)))
		kr_test_skip(reason, program);
}

void
skip_without_egl(void)
{
	struct spawn child;

	/* The lab has Mesa, and no programs. */
	if (getenv("KRAFLA_TEST_EGL"))
		return;
	skip_without("eglinfo", "no-mesa-utils");
	spawn_run(&child, LIMIT_S, ARGV("eglinfo"), NULL);
	if (!strstr(child.output, "EGL vendor string"))
		kr_test_skip("no-egl", NULL);
	spawn_finish(&child);
}

static void
pause_a_little(void)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000};

	nanosleep(&pause, NULL);
}

/* Whether this is the picture: the one that is wanted, or one that stayed for a moment. */
static bool
is_it(const struct picture_wanted *wanted, const struct image *last, const struct image *now)
{
	if (image_drawn_pixels(now) < wanted->drawn)
		return false;
	return wanted->same ? !image_difference(now, wanted->same)
			    : last->rgb && !image_difference(now, last);
}

void
take_still_picture(
	struct image *picture, const struct picture_wanted *wanted, take_fn take, const void *data)
{
	struct image last = {0};
	struct spawn child;
	bool found = false;

	spawn_start(&child, wanted->program, wanted->env);
	if (wanted->says && !spawn_wait_for(&child, "stands still", LIMIT_S))
		fail_msg("%s doesn't stand still; it printed:\n%s", wanted->program[0],
			child.output);
	*picture = (struct image){0};
	for (int i = 0; !found && i < TRIES; i++) {
		image_free(&last);
		last = *picture;
		pause_a_little();
		take(picture, data);
		found = is_it(wanted, &last, picture);
	}
	if (!found)
		fail_msg(
			"%s: the picture isn't the one without Krafla, or never stays; it printed:\n%s",
			wanted->program[0], child.output);
	image_free(&last);
	spawn_finish(&child);
}
