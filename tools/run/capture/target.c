/* SPDX-License-Identifier: Apache-2.0 */
/* Putting pictures where one --capture wants them: see target.h. */
#include "tools/run/capture/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/command.h"
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
	struct kr_capture_buffer *out)
{
	bool first = !target->streams || job->place == 0;
	int err;

	out->size = 0;
	if (kr_capture_target_error(target) < 0)
		return true;
	if (!target->format->encode)
		return false;
	err = target->format->encode(target->settings, job->picture, first, out);
	if (err < 0)
		fail(target, job->number, target->name, NULL, err);
	return true;
}

/* What a job has come to: its bytes, wherever they lie. */
static const void *
bytes_of(const struct kr_capture_target *target, const struct kr_capture_job *job,
	const struct kr_capture_buffer *out, size_t *size)
{
	*size = out->size;
	if (target->format->encode)
		return out->data;
	*size = kr_capture_picture_size(job->picture);
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
	struct kr_capture_buffer *out)
{
	size_t size;
	const void *data;

	if (target->streams)
		wait_for_turn(target, job->place);
	if (kr_capture_target_error(target) == 0) {
		data = bytes_of(target, job, out, &size);
		if (target->streams)
			put_stream(target, job, data, size);
		else
			put_file(target, job->number, data, size);
	}
	if (target->streams)
		end_turn(target);
}

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
