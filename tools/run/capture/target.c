/* SPDX-License-Identifier: Apache-2.0 */
/* Putting pictures where one --capture wants them: see target.h. */
#include "tools/run/capture/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command/command.h"
#include "tools/run/capture/request.h"
#include "tools/run/place.h"
#include "util/clock.h"

/* --- what went wrong --- */

/* As a sentence, with what can be done about it. */
static const char *
reason(int err)
{
	switch (err) {
	case -EPIPE:
		return "its reader has gone";
	case -ENOSPC:
	case -EDQUOT:
		return "No space left on device (make room there; --capture-every N and --compress 6 need less)";
	case -EFBIG:
		return "File too large (ulimit -f, or what the file system can hold)";
	case -ENOMEM:
		return "out of memory";
	default:
		return strerror(-err);
	}
}

/* Whether it is the first. */
static bool
keep_error(struct kr_capture_target *target, int err)
{
	bool first;

	kr_mutex_lock(&target->lock);
	first = !target->error;
	if (first)
		target->error = err;
	kr_mutex_unlock(&target->lock);
	return first;
}

static void
fail(struct kr_capture_target *target, uint64_t number, const char *path, const char *why, int err)
{
	uint64_t pictures = kr_capture_target_pictures(target, NULL);

	if (!keep_error(target, err))
		return;
	if (target->streams)
		kr_complain("run",
			"can't write picture %" PRIu64 " to %s: %s; %" PRIu64
			" before it are there",
			number, path, why ? why : reason(err), pictures);
	else
		kr_complain("run", "can't write %s: %s", path, why ? why : reason(err));
}

uint64_t
kr_capture_target_pictures(struct kr_capture_target *target, uint64_t *bytes)
{
	uint64_t pictures;

	kr_mutex_lock(&target->lock);
	pictures = target->pictures;
	if (bytes)
		*bytes = target->bytes;
	kr_mutex_unlock(&target->lock);
	return pictures;
}

int
kr_capture_target_error(struct kr_capture_target *target)
{
	int err;

	kr_mutex_lock(&target->lock);
	err = target->error;
	kr_mutex_unlock(&target->lock);
	return err;
}

/* --- pictures --- */

static void
count(struct kr_capture_target *target, size_t size)
{
	kr_mutex_lock(&target->lock);
	target->pictures++;
	target->bytes += size;
	kr_mutex_unlock(&target->lock);
}

bool
kr_capture_target_encode(struct kr_capture_target *target, const struct kr_capture_job *job,
	struct kr_capture_work *work)
{
	const struct kr_capture_format *format = target->format;
	bool first = !target->streams || job->place == 0;
	int err;

	work->out.size = 0;
	if (kr_capture_target_error(target) < 0)
		return true;
	if (format->lies_there && format->lies_there(job->picture))
		return false;
	err = work->row ? format->encode(target->settings, job->picture, first, work) : -ENOMEM;
	if (err < 0)
		fail(target, job->number, target->name, NULL, err);
	return true;
}

/* What a job has come to: its bytes, wherever they lie. */
static const void *
bytes_of(const struct kr_capture_job *job, const struct kr_capture_work *work, size_t *size)
{
	*size = work->out.size;
	if (*size)
		return work->out.data;
	*size = (size_t)job->picture->row_bytes * job->picture->height;
	return job->picture->pixels;
}

/*
 * A file of the pattern is always a whole picture. Its name can be foreseen, so that others may put
 * a link there which leads to a file of the user's: it is replaced, not followed.
 */
static void
put_file(struct kr_capture_target *target, uint64_t number, const void *data, size_t size)
{
	char *path = kr_capture_pattern_name(&target->pattern, number);
	const char *why = NULL;
	struct kr_place place = KR_PLACE_NONE;
	int err = path ? kr_place_find(&place, path, KR_PLACE_REPLACE_LINK) : -ENOMEM;

	if (err == 0 && place.to_write_to) {
		why = "a device, FIFO or socket is in its place";
		err = -EEXIST;
	}
	if (err == 0)
		err = kr_place_create_file(&place);
	if (err == 0)
		err = kr_place_put_file(&place, kr_write_all(place.fd, data, size));
	if (err < 0)
		fail(target, number, path ? path : target->name, why, err);
	else
		count(target, size);
	kr_place_finish(&place);
	free(path);
}

static void
put_stream(struct kr_capture_target *target, const struct kr_capture_job *job, const void *data,
	size_t size)
{
	int err = kr_capture_stream_write(&target->stream, data, size);

	if (err < 0)
		fail(target, job->number, target->name, NULL, err);
	else
		count(target, size);
}

static void
wait_for_turn(struct kr_capture_target *target, uint64_t place)
{
	kr_mutex_lock(&target->lock);
	while (target->next != place)
		kr_cond_wait_until(&target->turn, &target->lock, KR_FOREVER);
	kr_mutex_unlock(&target->lock);
}

static void
end_turn(struct kr_capture_target *target)
{
	kr_mutex_lock(&target->lock);
	target->next++;
	kr_cond_broadcast(&target->turn);
	kr_mutex_unlock(&target->lock);
}

void
kr_capture_target_put(struct kr_capture_target *target, const struct kr_capture_job *job,
	struct kr_capture_work *work)
{
	size_t size;
	const void *data;

	if (target->streams)
		wait_for_turn(target, job->place);
	if (kr_capture_target_error(target) == 0) {
		data = bytes_of(job, work, &size);
		if (target->streams)
			put_stream(target, job, data, size);
		else
			put_file(target, job->number, data, size);
	}
	if (target->streams)
		end_turn(target);
}

/* --- the beginning --- */

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
		     : "its name must end in .png, .ppm, .raw or .y4m");
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

/* --- the end --- */

int
kr_capture_target_end(struct kr_capture_target *target)
{
	int err = 0;

	if (target->streams)
		err = kr_capture_stream_end(
			&target->stream, kr_capture_target_pictures(target, NULL) > 0);
	if (err < 0) {
		kr_complain("run", "can't write %s: %s", target->name, reason(err));
		keep_error(target, err);
	}
	return kr_capture_target_error(target);
}

void
kr_capture_target_finish(struct kr_capture_target *target)
{
	int err;

	if (!target->text)
		return;
	err = kr_capture_stream_end(&target->stream, false);
	(void)err;
	kr_capture_pattern_finish(&target->pattern);
	kr_cond_finish(&target->turn);
	kr_mutex_finish(&target->lock);
	target->text = NULL;
}
