/* SPDX-License-Identifier: Apache-2.0 */
/* The table of outputs. See outputs.h. */
#include "tools/run/outputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "composer/composer.h"
#include "composer/module.h"
#include "composer/output/headless.h"
#include "composer/output/output.h"
#include "tools/command/command.h"
#include "tools/command/json_values.h"
#include "tools/run/capture/capture.h"
#include "tools/run/options.h"
#include "tools/run/window_output.h"
#include "util/text.h"

/* *output is NULL before. 0 or an exit code, told. */
typedef int (*open_fn)(const struct kr_run_options *options, const char *argument,
	struct kr_display_output **output);

/* A kind of output that --output names. */
struct kind {
	const char *name;
	bool argument; /* whether something may follow behind a colon */
	open_fn open;
};

static int
open_headless(const struct kr_run_options *options, const char *argument,
	struct kr_display_output **output)
{
	*output = kr_headless_output_create();
	if (*output)
		return 0;
	kr_complain("run", "out of memory");
	return KR_EXIT_FAILURE;
}

/* What a window is called: by the program, without its folders. */
static char *
make_title(const struct kr_run_options *options)
{
	const char *program = options->programs[0].argv[0], *slash = strrchr(program, '/');

	return kr_asprintf("%s - krafla", slash ? slash + 1 : program);
}

/* Of a kind whose output is a module. */
static int
open_module(const char *name, const struct kr_run_options *options, const char *argument,
	struct kr_display_output **output)
{
	char *prefix = kr_find_prefix(), *title = make_title(options);
	char *folder = prefix ? kr_asprintf("%s/lib/krafla", prefix) : NULL;
	const struct kr_display_output_options how = {
		.argument = argument,
		.title = title,
		.width = options->width,
		.height = options->height,
	};
	const struct kr_display_output_module *module;
	int err = -ENOMEM;

	if (folder && title)
		err = kr_display_output_load(name, folder, &module);
	if (err == 0)
		err = module->open(&kr_display_output_host, &how, output);
	free(folder);
	free(title);
	free(prefix);
	if (err == -ENOMEM)
		kr_complain("run", "out of memory");
	return err < 0 ? KR_EXIT_FAILURE : 0;
}

static int
open_x11(const struct kr_run_options *options, const char *argument,
	struct kr_display_output **output)
{
	return open_module("x11", options, argument, output);
}

/* A device of the composer's: the display opens it. */
static int
open_kms(const struct kr_run_options *options, const char *argument,
	struct kr_display_output **output)
{
	return 0;
}

static int
open_wayland(const struct kr_run_options *options, const char *argument,
	struct kr_display_output **output)
{
	return open_module("wayland", options, argument, output);
}

static const struct kind kinds[] = {
	{"headless", false, open_headless},
	{"kms", true, open_kms},
	{"window", true, kr_run_open_window_output},
	{"wayland", true, open_wayland},
	{"x11", true, open_x11},
};

#define KINDS "headless, kms[:CARD][:CONNECTOR], wayland[:SOCKET], window:SOCKET or x11[:DISPLAY]"

/* *argument: what stands behind its colon, NULL for nothing. NULL: there is no such kind. */
static const struct kind *
find_kind(const char *text, const char **argument)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);

	*argument = colon ? colon + 1 : NULL;
	for (size_t i = 0; i < KR_ARRAY_LEN(kinds); i++) {
		if (strlen(kinds[i].name) == length && !strncmp(kinds[i].name, text, length))
			return &kinds[i];
	}
	return NULL;
}

bool
kr_run_output_request_shows(const struct kr_run_output_request *request)
{
	return request->count && strcmp(request->texts[0], "headless") != 0;
}

int
kr_run_output_request_add(struct kr_run_output_request *request, const char *text)
{
	const char *argument;
	const struct kind *kind = find_kind(text, &argument);

	if (!kind)
		return kr_usage_error("run", "--output is " KINDS ", not '%s'", text);
	if (argument && !kind->argument)
		return kr_usage_error("run", "--output %s has nothing behind a colon, not '%s'",
			kind->name, argument);
	if (request->count == KR_RUN_OUTPUTS_ASKED)
		return kr_usage_error(
			"run", "--output can be said %d times at most", KR_RUN_OUTPUTS_ASKED);
	if (request->count &&
		(!kr_run_output_request_shows(request) || kind->open == open_headless))
		return kr_usage_error("run",
			"--output headless shows nothing, so no other --output can stand beside it");
	request->texts[request->count++] = text;
	return 0;
}

int
kr_run_outputs_open(struct kr_run_outputs *outputs, const struct kr_run_options *options)
{
	const struct kr_run_output_request *request = &options->outputs;
	int code = kr_capture_open(options, &outputs->open[KR_RUN_OUTPUT_CAPTURE]);

	for (unsigned i = 0; i < request->count && code == 0; i++) {
		const char *argument;
		const struct kind *kind = find_kind(request->texts[i], &argument);

		code = kind->open(options, argument, &outputs->open[KR_RUN_OUTPUT_ASKED + i]);
	}
	return code;
}

static bool
is_device(const char *text)
{
	const char *argument;
	const struct kind *kind = find_kind(text, &argument);

	return kind && kind->open == open_kms;
}

static int
add_devices(const struct kr_run_output_request *request, struct kr_display *display)
{
	for (unsigned i = 0; i < request->count; i++) {
		int err = is_device(request->texts[i])
			? kr_display_add_device(display, request->texts[i])
			: 0;

		if (err < 0) {
			kr_complain("run", "--output %s can't be had: %s", request->texts[i],
				strerror(-err));
			return KR_EXIT_FAILURE;
		}
	}
	return 0;
}

int
kr_run_outputs_add_devices(const struct kr_run_options *options, struct kr_display *display)
{
	return add_devices(&options->outputs, display);
}

int
kr_run_outputs_add(const struct kr_run_outputs *outputs, struct kr_display *display)
{
	int err = 0;

	for (size_t i = 0; i < KR_RUN_OUTPUT_COUNT && err == 0; i++) {
		struct kr_display_queue *queue = kr_run_output_queue(outputs->open[i]);

		if (queue)
			err = kr_display_add_queue(display, queue);
		else if (outputs->open[i])
			err = kr_display_add_output(display, outputs->open[i]);
	}
	return err;
}

int
kr_run_outputs_finish(struct kr_run_outputs *outputs)
{
	int first = 0;

	for (size_t i = 0; i < KR_RUN_OUTPUT_COUNT; i++) {
		struct kr_display_output *output = outputs->open[i];
		int err = output ? output->impl->finish(output, &outputs->shown[i]) : 0;

		if (first == 0)
			first = err;
	}
	return first;
}

void
kr_run_outputs_print(
	const struct kr_run_outputs *outputs, const struct kr_run_options *options, FILE *out)
{
	for (unsigned i = 0; i < options->outputs.count; i++) {
		const struct kr_display_output *output = outputs->open[KR_RUN_OUTPUT_ASKED + i];

		if (!output || !kr_run_output_request_shows(&options->outputs))
			continue;
		fprintf(out, "%s%s: %" PRIu64 " pictures shown, %" PRIu64 " left out%s\n",
			i ? "             " : "  outputs    ", options->outputs.texts[i],
			outputs->shown[KR_RUN_OUTPUT_ASKED + i], output->dropped,
			output->lost ? "; it was lost" : "");
	}
}

json_t *
kr_run_outputs_json(const struct kr_run_outputs *outputs, const struct kr_run_options *options)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < options->outputs.count; i++) {
		const struct kr_display_output *output = outputs->open[KR_RUN_OUTPUT_ASKED + i];

		if (output)
			json_array_append_new(array,
				json_pack("{s:o, s:I, s:I, s:b}", "output",
					kr_tool_json_text(options->outputs.texts[i]), "shown",
					(json_int_t)outputs->shown[KR_RUN_OUTPUT_ASKED + i],
					"dropped", (json_int_t)output->dropped, "lost",
					output->lost));
	}
	return array;
}

void
kr_run_outputs_destroy(struct kr_run_outputs *outputs)
{
	for (size_t i = 0; i < KR_RUN_OUTPUT_COUNT; i++) {
		if (outputs->open[i])
			outputs->open[i]->impl->destroy(outputs->open[i]);
		outputs->open[i] = NULL;
	}
}
