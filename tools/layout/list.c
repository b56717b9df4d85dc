/* SPDX-License-Identifier: Apache-2.0 */
/* See list.h. */
#include "tools/layout/list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "tools/command/command.h"
#include "tools/command/json_values.h"

/* More than a display has: a run that goes on for ever isn't one. */
#define MAX_ROWS   64
#define MHZ_PER_HZ 1000.0

struct list {
	struct kr_cp_screen screen; /* a turn of "": an older run, which doesn't say */
	uint32_t refresh_mhz;       /* 0: likewise */
	struct kr_cp_program programs[MAX_ROWS];
	unsigned program_count;
	struct kr_cp_window2 windows[MAX_ROWS];
	unsigned window_count;
};

static int
read_screen(const struct kr_control_link *link, struct list *list)
{
	const struct kr_cp_message question = {.type = KR_CP_GET_SCREEN};
	struct kr_cp_message answer;
	int err;

	if (link->welcome.version < 2)
		return 0;
	err = kr_control_link_ask(
		link, &question, link->welcome.version < 3 ? KR_CP_SCREEN : KR_CP_SCREEN2, &answer);
	if (err < 0 || answer.type == KR_CP_DONE)
		return err;
	list->screen = answer.type == KR_CP_SCREEN2 ? answer.screen2.screen : answer.screen;
	list->refresh_mhz = answer.type == KR_CP_SCREEN2 ? answer.screen2.refresh_mhz : 0;
	return 0;
}

static int
read_programs(const struct kr_control_link *link, struct list *list)
{
	struct kr_cp_message question = {.type = KR_CP_GET_PROGRAM}, answer;
	int err = 0;

	while (list->program_count < MAX_ROWS) {
		question.get_program.program = list->program_count + 1;
		err = kr_control_link_ask(link, &question, KR_CP_PROGRAM, &answer);
		if (err < 0 || answer.type == KR_CP_DONE)
			break;
		list->programs[list->program_count++] = answer.program;
	}
	return err;
}

static int
read_windows(const struct kr_control_link *link, struct list *list)
{
	const enum kr_cp_type wanted = link->welcome.version < 3 ? KR_CP_WINDOW : KR_CP_WINDOW2;
	struct kr_cp_message question = {.type = KR_CP_GET_WINDOW}, answer;
	int err = 0;

	while (list->window_count < MAX_ROWS) {
		struct kr_cp_window2 *window = &list->windows[list->window_count];

		err = kr_control_link_ask(link, &question, wanted, &answer);
		if (err < 0 || answer.type == KR_CP_DONE)
			break;
		if (answer.type == KR_CP_WINDOW2)
			*window = answer.window2;
		else
			window->window = answer.window;
		list->window_count++;
		question.get_window.after = window->window.window;
	}
	return err;
}

/* Text of others, without what moves a cursor. */
static void
put_text(const char *text)
{
	for (; *text; text++)
		putchar((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

static void
print_programs(const struct list *list)
{
	for (unsigned i = 0; i < list->program_count; i++) {
		const struct kr_cp_program *program = &list->programs[i];

		printf("%s%" PRIu32 " ", i ? "         " : "programs ", program->program);
		put_text(program->command);
		if (program->pid)
			printf(" (pid %" PRId32 ")\n", program->pid);
		else
			puts(" (ended)");
	}
}

static void
print_window(const struct kr_cp_window2 *whole)
{
	const struct kr_cp_window *window = &whole->window;
	char place[64], owner[16] = "-", wish[24] = "-";

	if (window->program)
		snprintf(owner, sizeof(owner), "%" PRIu32, window->program);
	snprintf(place, sizeof(place), "%" PRIu32 "x%" PRIu32 "%+" PRId32 "%+" PRId32,
		window->width, window->height, window->x, window->y);
	if (whole->wish_mhz)
		snprintf(wish, sizeof(wish), "%s%.7g", whole->wish_fixed ? "n*" : "",
			whole->wish_mhz / MHZ_PER_HZ);
	printf("%6" PRIu64 " %7s %7" PRId32 " %-20s %4" PRId32 " %5.3g %-4s %8s %8" PRIu64
	       " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "  ",
		window->window, owner, window->pid, window->width ? place : "not shown yet",
		window->z, (double)window->alpha / KR_CONTROL_OPAQUE,
		window->visible ? "yes" : "no", wish, window->queued, window->shown, window->hidden,
		window->dropped);
	put_text(window->label);
	putchar('\n');
}

static void
print_list(const struct kr_control_link *link, const struct list *list)
{
	printf("layout   %s\n", link->welcome.layout);
	if (list->screen.width)
		printf("screen   %" PRIu32 "x%" PRIu32 ", turned ", list->screen.width,
			list->screen.height);
	else if (list->screen.turn[0])
		printf("screen   no picture yet, turned ");
	if (list->screen.turn[0]) {
		put_text(list->screen.turn);
		if (list->refresh_mhz)
			printf(", %.7g Hz", list->refresh_mhz / MHZ_PER_HZ);
		putchar('\n');
	}
	print_programs(list);
	if (!list->window_count) {
		puts("no windows");
		return;
	}
	printf("%6s %7s %7s %-20s %4s %5s %-4s %8s %8s %8s %8s %8s  %s\n", "window", "program",
		"pid", "place", "z", "alpha", "seen", "wish", "queued", "shown", "hidden",
		"dropped", "label");
	for (unsigned i = 0; i < list->window_count; i++)
		print_window(&list->windows[i]);
}

static json_t *
json_window(const struct kr_cp_window2 *whole)
{
	const struct kr_cp_window *window = &whole->window;

	return json_pack(
		"{s:I, s:o, s:i, s:o, s:i, s:i, s:I, s:I, s:I, s:I, s:i, s:f, s:b, s:I, s:I, "
		"s:I, s:I, s:o}",
		"window", (json_int_t)window->window, "program",
		window->program ? json_integer(window->program) : json_null(), "pid",
		(int)window->pid, "label", kr_tool_json_text(window->label), "x", (int)window->x,
		"y", (int)window->y, "width", (json_int_t)window->width, "height",
		(json_int_t)window->height, "buffer_width", (json_int_t)window->buffer_width,
		"buffer_height", (json_int_t)window->buffer_height, "z", (int)window->z, "alpha",
		(double)window->alpha / KR_CONTROL_OPAQUE, "visible", (int)window->visible,
		"queued", (json_int_t)window->queued, "shown", (json_int_t)window->shown, "hidden",
		(json_int_t)window->hidden, "dropped", (json_int_t)window->dropped, "wish",
		kr_tool_json_wish(
			whole->wish_mhz / MHZ_PER_HZ, whole->wish_fixed, whole->wish_always));
}

static int
print_json(const struct kr_control_link *link, const struct list *list)
{
	json_t *programs = json_array(), *windows = json_array(), *all;
	const struct kr_cp_screen *screen = &list->screen;
	char *text;

	for (unsigned i = 0; i < list->program_count; i++) {
		const struct kr_cp_program *program = &list->programs[i];

		json_array_append_new(programs,
			json_pack("{s:I, s:o, s:o}", "program", (json_int_t)program->program, "pid",
				program->pid ? json_integer(program->pid) : json_null(), "command",
				kr_tool_json_text(program->command)));
	}
	for (unsigned i = 0; i < list->window_count; i++)
		json_array_append_new(windows, json_window(&list->windows[i]));
	all = json_pack("{s:i, s:o, s:I, s:I, s:o, s:o, s:o, s:o}", "pid", (int)link->pid, "layout",
		kr_tool_json_text(link->welcome.layout), "width", (json_int_t)screen->width,
		"height", (json_int_t)screen->height, "rotate",
		screen->turn[0] ? kr_tool_json_text(screen->turn) : json_null(), "refresh_mhz",
		list->refresh_mhz ? json_integer(list->refresh_mhz) : json_null(), "programs",
		programs, "windows", windows);
	text = all ? json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;
	json_decref(all);
	if (!text) {
		kr_complain("layout", "out of memory");
		return KR_EXIT_FAILURE;
	}
	puts(text);
	free(text);
	return 0;
}

int
kr_control_link_list(const struct kr_control_link *link, bool json)
{
	struct list list = {0};
	int err = read_screen(link, &list);

	if (err == 0)
		err = read_programs(link, &list);
	if (err == 0)
		err = read_windows(link, &list);
	if (err < 0) {
		kr_complain(
			"layout", "the run at %s doesn't answer: %s", link->path, strerror(-err));
		return KR_EXIT_FAILURE;
	}
	if (json)
		return print_json(link, &list);
	print_list(link, &list);
	return 0;
}
