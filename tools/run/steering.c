/* SPDX-License-Identifier: Apache-2.0 */
/* See steering.h. */
#include "tools/run/steering.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/command.h"
#include "util/text.h"

static enum kr_layout
get_layout(void *data)
{
	const struct kr_steering *steering = data;

	return kr_display_get_layout(steering->session->display);
}

static void
set_layout(void *data, enum kr_layout layout)
{
	const struct kr_steering *steering = data;

	kr_display_set_layout(steering->session->display, layout);
}

static void
get_screen(void *data, uint32_t *width, uint32_t *height, uint32_t *refresh_mhz, int32_t *transform)
{
	const struct kr_steering *steering = data;
	struct kr_display_stats stats;

	kr_display_get_stats(steering->session->display, &stats);
	*width = stats.width;
	*height = stats.height;
	*refresh_mhz = stats.rates_mhz[stats.rate];
	*transform = kr_display_get_transform(steering->session->display);
}

static int
set_turn(void *data, int32_t transform)
{
	const struct kr_steering *steering = data;

	return kr_display_set_transform(steering->session->display, transform);
}

/* What a capture writes begins with the size of all its pictures, or would have to. */
static int
set_size(void *data, uint32_t width, uint32_t height)
{
	const struct kr_steering *steering = data;

	if (steering->session->options->capture.count)
		return -EBUSY;
	return kr_display_set_size(steering->session->display, width, height);
}

static bool
get_program(void *data, uint32_t number, struct kr_cp_program *program)
{
	const struct kr_steering *steering = data;
	const struct kr_programs *programs = steering->session->programs;
	size_t at = 0, room = sizeof(program->command);
	char **argv;

	if (!number || number > programs->count)
		return false;
	*program = (struct kr_cp_program){
		.program = number,
		.pid = programs->children[number - 1].pid,
	};
	argv = steering->session->options->programs[number - 1].argv;
	for (unsigned i = 0; argv[i] && at < room; i++)
		at += (size_t)snprintf(
			program->command + at, room - at, "%s%s", i ? " " : "", argv[i]);
	return true;
}

/* None but that of 0 is 0. */
static uint32_t
millihertz(float hertz)
{
	double mhz = (double)hertz * 1000;

	if (!(mhz > 0))
		return 0;
	return mhz < 1 ? 1 : mhz < UINT32_MAX ? (uint32_t)(mhz + 0.5) : UINT32_MAX;
}

static void
describe_wish(const struct kr_frame_rate *wish, struct kr_cp_window2 *window)
{
	window->wish_mhz = millihertz(wish->rate);
	window->wish_fixed =
		wish->compatibility == NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE;
	window->wish_always = wish->strategy == NATIVE_WINDOW_CHANGE_FRAME_RATE_ALWAYS;
}

static bool
get_window(void *data, uint64_t after, struct kr_cp_window2 *window)
{
	const struct kr_steering *steering = data;
	struct kr_display_window windows[KR_DISPLAY_MAX_GROUPS];
	unsigned count =
		kr_display_list_windows(steering->session->display, windows, KR_DISPLAY_MAX_GROUPS);
	const struct kr_display_window *found = windows;

	count = KR_MIN(count, (unsigned)KR_DISPLAY_MAX_GROUPS);
	while (found < windows + count && found->id <= after)
		found++;
	if (found == windows + count)
		return false;
	window->window = (struct kr_cp_window){
		.window = found->id,
		.program = (uint32_t)(found->group + 1),
		.pid = found->pid,
		.x = found->x,
		.y = found->y,
		.width = found->width,
		.height = found->height,
		.buffer_width = found->buffer_width,
		.buffer_height = found->buffer_height,
		.z = found->z,
		.alpha = (uint32_t)(found->alpha * KR_CONTROL_OPAQUE + 0.5f),
		.visible = found->visible,
		.queued = found->frames_queued,
		.shown = found->shown,
		.hidden = found->hidden,
		.dropped = found->dropped,
	};
	memcpy(window->window.label, found->label, sizeof(window->window.label));
	describe_wish(&found->wish, window);
	return true;
}

static int
place_program(void *data, uint32_t number, const struct kr_layout_place *place)
{
	struct kr_steering *steering = data;

	if (!number || number > steering->session->programs->count)
		return -ENOENT;
	kr_layout_place_merge(&steering->places[number - 1], place);
	return kr_display_set_group(
		steering->session->display, (int)number - 1, &steering->places[number - 1]);
}

static int
place_window(void *data, uint64_t id, const struct kr_layout_place *place)
{
	const struct kr_steering *steering = data;

	return kr_display_place_window(steering->session->display, id, place);
}

static const struct kr_control_host host = {
	.get_layout = get_layout,
	.set_layout = set_layout,
	.get_screen = get_screen,
	.set_turn = set_turn,
	.set_size = set_size,
	.get_program = get_program,
	.get_window = get_window,
	.place_program = place_program,
	.place_window = place_window,
};

void
kr_steering_init(struct kr_steering *steering, struct kr_session *session)
{
	*steering = (struct kr_steering){.session = session};
	kr_control_init(&steering->control, &host, steering);
}

void
kr_steering_listen(struct kr_steering *steering)
{
	const struct kr_session *session = steering->session;
	char *path = kr_asprintf("%s" KR_CONTROL_SUFFIX, session->socket);
	int err = path ? kr_control_listen(&steering->control, path) : -ENOMEM;

	for (unsigned i = 0; i < session->options->program_count; i++)
		steering->places[i] = session->options->programs[i].place;
	if (err < 0)
		kr_complain("run", "krafla layout can't reach this run: no socket at %s: %s",
			path ? path : "", strerror(-err));
	free(path);
}

void
kr_steering_finish(struct kr_steering *steering)
{
	kr_control_finish(&steering->control);
}
