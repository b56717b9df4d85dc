/* SPDX-License-Identifier: Apache-2.0 */
/* The options of captures: see request.h. */
#include "tools/run/capture/request.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include <krafla/native_window.h>

#include "colour/space.h"
#include "tools/command/command.h"
#include "tools/run/capture/format.h"

#define LEVEL_DEFAULT 1

int
kr_capture_request_add(struct kr_capture_request *request, const char *target)
{
	if (request->count == KR_CAPTURE_TARGETS)
		return kr_usage_error(
			"run", "--capture can be said %d times at most", KR_CAPTURE_TARGETS);
	request->targets[request->count++] = target;
	return 0;
}

int
kr_capture_request_set_format(struct kr_capture_request *request, const char *name)
{
	request->format = kr_capture_format_find(name);
	if (request->format)
		return 0;
	return kr_usage_error("run", "--capture-format is " KR_CAPTURE_FORMATS ", not '%s'", name);
}

int
kr_capture_request_set_level(struct kr_capture_request *request, const char *text)
{
	if (!isdigit((unsigned char)text[0]) || text[1])
		return kr_usage_error(
			"run", "--compress wants a level from 0 to 9, not '%s'", text);
	request->level = text[0] - '0';
	return 0;
}

uint64_t
kr_capture_request_pictures(const struct kr_capture_request *request, uint64_t frames)
{
	if (!frames)
		return UINT64_MAX;
	return frames < request->from ? 0 : (frames - request->from) / request->every + 1;
}

bool
kr_capture_names_output(const char *path)
{
	static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		if (!strcmp(path, names[i]))
			return true;
	}
	return false;
}

bool
kr_capture_request_has_output(const struct kr_capture_request *request)
{
	for (unsigned i = 0; i < request->count; i++) {
		if (kr_capture_names_output(request->targets[i]))
			return true;
	}
	return false;
}

/* Where a path leads as it is written: "./x", ".//x" and "x" are one. */
static const char *
skip_here(const char *path)
{
	while (path[0] == '.' && path[1] == '/') {
		path += 2;
		while (*path == '/')
			path++;
	}
	return path;
}

/* Without "." and empty parts; ".." isn't looked at, since it may lead through a link. */
static bool
is_same_path(const char *a, const char *b)
{
	a = skip_here(a);
	b = skip_here(b);
	while (*a && *a == *b) {
		if (*a == '/') {
			while (*a == '/')
				a++;
			while (*b == '/')
				b++;
			a = skip_here(a);
			b = skip_here(b);
		} else {
			a++;
			b++;
		}
	}
	return *a == *b;
}

/* Nothing goes to two at once: the same name, or standard output by another. */
static int
check_twice(const struct kr_capture_request *request, const char *summary)
{
	for (unsigned i = 0; i < request->count; i++) {
		bool output = kr_capture_names_output(request->targets[i]);

		if (output && summary && kr_capture_names_output(summary))
			return kr_usage_error("run",
				"--capture and --summary can't both be standard output: give the summary a file");
		for (unsigned j = 0; j < i; j++) {
			if (output && kr_capture_names_output(request->targets[j]))
				return kr_usage_error(
					"run", "only one --capture can be standard output");
			if (is_same_path(request->targets[i], request->targets[j]))
				return kr_usage_error("run", "--capture '%s' is there twice",
					request->targets[i]);
		}
	}
	return 0;
}

/* A format that can't hold what the display has is told before anything runs. */
static int
check_colour(const char *target, const struct kr_capture_format *format, int32_t dataspace)
{
	int32_t display = kr_colour_resolve(dataspace, HAL_DATASPACE_SRGB);
	const char *why = format->refuses ? format->refuses(display) : NULL;

	if (!why)
		return 0;
	return kr_usage_error("run", "--capture '%s': on a display of --display-colour %s a .%s %s",
		target, kr_colour_name(display), format->name, why);
}

/* Nor one that says a rate of pictures whose times are apart as windows wish. */
static int
check_rates(const char *target, const struct kr_capture_format *format, unsigned rates)
{
	if (!format->one_rate || rates == 1)
		return 0;
	return kr_usage_error("run",
		"--capture '%s': a .%s says one rate for all pictures, and --display has %u: give it one, or capture another format",
		target, format->name, rates);
}

/* --capture-format and --compress are for somebody. */
static int
check_formats(const struct kr_capture_request *request, int32_t dataspace, unsigned rates)
{
	bool nameless = false, compresses = false;

	for (unsigned i = 0; i < request->count; i++) {
		const struct kr_capture_format *named =
			kr_capture_format_of_file(request->targets[i]);

		const struct kr_capture_format *format = named ? named : request->format;
		int code = format ? check_colour(request->targets[i], format, dataspace) : 0;

		if (format && !code)
			code = check_rates(request->targets[i], format, rates);
		if (code)
			return code;
		nameless |= !named;
		compresses |= format && format->compresses;
	}
	if (request->format && !nameless)
		return kr_usage_error("run",
			"--capture-format is for - and FIFOs: '%s' says its format by its name",
			request->targets[0]);
	if (request->level >= 0 && !compresses)
		return kr_usage_error(
			"run", "--compress is for PNG and EXR, which no --capture asks for");
	return 0;
}

int
kr_capture_request_complete(struct kr_capture_request *request, uint64_t frames,
	const char *summary, int32_t dataspace, unsigned rates)
{
	const char *alone = request->format ? "-format"
		: request->from             ? "-from"
		: request->every            ? "-every"
					    : NULL;
	int code = check_twice(request, summary);

	if (code)
		return code;
	if (!request->count && (alone || request->level >= 0))
		return kr_usage_error("run", "--%s%s means nothing without --capture",
			alone ? "capture" : "compress", alone ? alone : "");
	code = request->count ? check_formats(request, dataspace, rates) : 0;
	if (code)
		return code;
	request->from = request->from ? request->from : 1;
	request->every = request->every ? request->every : 1;
	request->level = request->level < 0 ? LEVEL_DEFAULT : request->level;
	if (request->count && !kr_capture_request_pictures(request, frames))
		return kr_usage_error("run",
			"--capture-from %" PRIu64 " comes after the last of --frames %" PRIu64,
			request->from, frames);
	return 0;
}
