/* SPDX-License-Identifier: Apache-2.0 */
/* What a --capture names, and opening it: see target.h. */
#include "tools/run/capture/target.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command/command.h"
#include "tools/run/capture/request.h"
#include "tools/run/place.h"

static int
refuse(const struct kr_capture_target *target, const char *why)
{
	return kr_usage_error("run", "--capture '%s': %s", target->text, why);
}

/* The format by the name's end, else (if that is enough here) the one of --capture-format. */
static int
choose_format(struct kr_capture_target *target, const struct kr_capture_request *request, bool told)
{
	target->format = kr_capture_format_of_file(kr_capture_pattern_end(&target->pattern));
	if (!target->format && told)
		target->format = request->format;
	if (target->format)
		return 0;
	return refuse(target,
		told ? "add --capture-format " KR_CAPTURE_FORMATS
		     : "its name must end in .png, .ppm, .exr, .pfm, .raw or .y4m");
}

static int
init_output(struct kr_capture_target *target, const struct kr_capture_request *request)
{
	int code = choose_format(target, request, true), err;

	if (code)
		return code;
	if (isatty(STDOUT_FILENO))
		return refuse(
			target, "standard output is a terminal: send it to a file or program");
	target->name = "standard output";
	target->streams = true;
	err = kr_capture_stream_open_output(&target->stream);
	if (err == 0)
		return 0;
	kr_complain("run", "--capture %s: standard output can't be written: %s", target->text,
		strerror(-err));
	return KR_EXIT_FAILURE;
}

/* Takes the place. */
static int
init_stream(struct kr_capture_target *target, struct kr_place *take_place, const char *path)
{
	int err;

	target->streams = true;
	err = kr_capture_stream_open(&target->stream, take_place, path);
	if (err == 0)
		return 0;
	kr_complain("run", "--capture: '%s' can't be written: %s", path, strerror(-err));
	return KR_EXIT_FAILURE;
}

/* A file for each picture, or the one for the one there is. */
static int
init_files(struct kr_capture_target *target, const struct kr_capture_request *request)
{
	char *path = kr_capture_pattern_name(&target->pattern, request->from);
	int code = KR_EXIT_FAILURE;

	if (path)
		code = kr_place_check("--capture", path, KR_PLACE_REPLACE_LINK);
	else
		kr_complain("run", "out of memory");
	free(path);
	return code;
}

/* A name without a number. What isn't a file there can be reached by links, as /dev/stderr is. */
static int
init_one(struct kr_capture_target *target, const struct kr_capture_request *request,
	uint64_t pictures)
{
	const char *path = target->pattern.before;
	struct kr_place place;
	bool found = kr_place_find(&place, path, KR_PLACE_FOLLOW) == 0;
	int code = choose_format(target, request, found && place.to_write_to);

	if (code == 0 && found && place.to_write_to) {
		code = kr_place_check("--capture", path, KR_PLACE_FOLLOW);
		if (code == 0)
			code = init_stream(target, &place, path);
	} else if (code == 0 && !target->format->stream) {
		code = pictures == 1
			? init_files(target, request)
			: kr_usage_error("run",
				  "--capture '%s' names one file for all frames: put %%05d into it, or add --frames 1",
				  target->text);
	} else if (code == 0) {
		code = init_files(target, request);
		kr_place_finish(&place);
		if (code == 0 && kr_place_find(&place, path, KR_PLACE_REPLACE_LINK) == 0)
			code = init_stream(target, &place, path);
	}
	kr_place_finish(&place);
	return code;
}

int
kr_capture_target_init(struct kr_capture_target *target, const char *text,
	const struct kr_capture_request *request, uint64_t pictures,
	const struct kr_capture_settings *settings)
{
	const char *why = "out of memory";
	int code;

	*target = (struct kr_capture_target){
		.text = text,
		.name = text,
		.settings = settings,
		.stream = {.fd = -1, .place = KR_PLACE_NONE},
	};
	kr_mutex_init(&target->lock);
	kr_cond_init(&target->turn);
	if (kr_capture_pattern_init(&target->pattern, text, &why) < 0)
		return refuse(target, why);
	if (kr_capture_names_output(text))
		return init_output(target, request);
	if (!target->pattern.numbered)
		return init_one(target, request, pictures);
	code = choose_format(target, request, false);
	return code ? code : init_files(target, request);
}
