/* SPDX-License-Identifier: Apache-2.0 */
/* Having a picture drawn. */
#include <errno.h>
#include <inttypes.h>

#include "gralloc/buffer.h"
#include "hwc/easel/internal.h"
#include "util/log_budget.h"

static struct kr_log_budget refused;

struct job {
	struct kr_render_layer layers[KR_RENDER_MAX_LAYERS];
	uint64_t ids[KR_RENDER_MAX_LAYERS];
	uint64_t contents[KR_RENDER_MAX_LAYERS];
	bool by_cpu[KR_RENDER_MAX_LAYERS]; /* memory of a GPU isn't used */
	unsigned count;
	bool older;
};

static bool
has_buffer(const struct kr_render_layer *layer)
{
	return layer->buffer && !layer->no_content && !layer->hole;
}

static int
find_buffers(struct kr_easel *easel, const struct kr_easel_request *request, struct job *job)
{
	job->count = request->count;
	job->older = false;
	for (unsigned i = 0; i < job->count; i++) {
		struct kr_render_layer *layer = &job->layers[i];
		int err;

		*layer = request->layers[i];
		job->ids[i] = 0;
		job->contents[i] = request->about[i].content;
		if (!has_buffer(layer))
			continue;
		job->by_cpu[i] |= kr_easel_is_noted(easel, request->about[i].owner);
		err = kr_easel_buffer_find(
			easel, layer->buffer, &request->about[i], job->by_cpu[i], &job->ids[i]);
		if (err)
			return err;
		layer->no_content = !job->ids[i];
		job->older |= layer->no_content;
	}
	return 0;
}

static bool
is_looking(const struct kr_easel *easel, const struct job *job)
{
	const char *reason;

	for (unsigned i = 0; i < job->count; i++) {
		if (job->ids[i] &&
			kr_painter_buffer(easel->painter, job->ids[i], &reason) ==
				KR_PAINTER_LOOKING)
			return true;
	}
	return false;
}

/*
 * What the painter can't use has no content. Whether there may be another way: by memory of CPUs,
 * as this owner's buffers are shown to it from now on, and in this picture whatever is noted.
 */
static bool
take_verdicts(struct kr_easel *easel, const struct kr_easel_request *request, struct job *job)
{
	bool again = false;

	for (unsigned i = 0; i < job->count; i++) {
		const char *reason = NULL;

		if (!job->ids[i] ||
			kr_painter_buffer(easel->painter, job->ids[i], &reason) !=
				KR_PAINTER_REFUSED)
			continue;
		kr_log_limited(&refused, KR_LOG_WARN,
			"composer: the memory of layer %" PRIu64 " can't be drawn by the GPU: %s",
			request->about[i].owner, reason ? reason : "no reason is known");
		kr_easel_note_owner(easel, request->about[i].owner, false);
		again |= !job->by_cpu[i] && kr_buffer_get_info(request->layers[i].buffer)->gpu;
		job->by_cpu[i] = true;
		job->ids[i] = 0;
		job->layers[i].no_content = job->older = true;
	}
	return again;
}

/* Until the painter has looked at all; those of an owner once more, by memory of CPUs. */
static int
show_buffers(struct kr_easel *easel, const struct kr_easel_request *request, int stop_fd,
	struct job *job)
{
	int err;

	do {
		err = find_buffers(easel, request, job);
		while (!err && is_looking(easel, job))
			err = kr_easel_step(easel, stop_fd);
	} while (!err && take_verdicts(easel, request, job));
	return err;
}

static int
wait_for(struct kr_easel *easel, uint64_t number, int stop_fd, struct kr_painter_result *result)
{
	for (;;) {
		int err;

		while (kr_painter_take(easel->painter, result)) {
			if (result->number == number)
				return result->error;
			/* One that nobody waits for any more. */
			if (!result->error && result->buffer)
				kr_painter_give_back(easel->painter, result->ring);
		}
		err = kr_easel_step(easel, stop_fd);
		if (err)
			return err;
	}
}

/* The canvas is there from then on. */
static bool
is_anew(struct kr_easel *easel, const struct kr_easel_request *request)
{
	bool anew = easel->width != request->width || easel->height != request->height ||
		easel->order != request->order;

	easel->width = request->width;
	easel->height = request->height;
	easel->order = request->order;
	return anew;
}

static int
draw(struct kr_easel *easel, const struct kr_easel_request *request, int stop_fd, struct job *job,
	struct kr_easel_picture *picture)
{
	struct kr_painter_request wanted = {
		.number = ++easel->numbers,
		.width = request->width,
		.height = request->height,
		.order = request->order,
		.has_alpha = request->has_alpha,
		.readback = true,
		.layers = job->layers,
		.ids = job->ids,
		.contents = job->contents,
		.count = job->count,
	};
	struct kr_painter_result result;
	int err;

	picture->anew = is_anew(easel, request);
	if (!picture->anew)
		wanted.stale = request->stale;
	err = kr_painter_draw(easel->painter, &wanted);
	if (err == -EPIPE)
		kr_easel_bury(easel, err, NULL);
	if (!err)
		err = wait_for(easel, wanted.number, stop_fd, &result);
	if (err) {
		easel->width = 0;
		return err;
	}
	picture->buffer = kr_buffer_ref(result.buffer);
	picture->pixels = result.pixels;
	picture->row_bytes = result.row_bytes;
	picture->ring = result.ring;
	kr_easel_rings_lend(easel, result.ring);
	return 0;
}

int
kr_easel_draw(struct kr_easel *easel, const struct kr_easel_request *request, int stop_fd,
	struct kr_easel_picture *picture)
{
	struct job job = {0};
	int err;

	*picture = (struct kr_easel_picture){0};
	if (kr_easel_get_state(easel) != KR_EASEL_READY)
		return -EPIPE;
	kr_easel_buffers_let_go(easel);
	kr_easel_buffers_sweep(easel);
	kr_easel_rings_settle(easel);
	easel->at_work = true;
	err = show_buffers(easel, request, stop_fd, &job);
	if (!err)
		err = draw(easel, request, stop_fd, &job, picture);
	easel->at_work = false;
	kr_easel_buffers_sweep(easel);
	picture->older = job.older;
	return err;
}
