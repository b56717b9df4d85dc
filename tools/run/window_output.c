/* SPDX-License-Identifier: Apache-2.0 */
/* See window_output.h. */
#include "tools/run/window_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "composer/output/output.h"
#include "composer/output/queue.h"
#include "tools/command/command.h"
#include "tools/run/options.h"

struct window_output {
	struct kr_display_output base; /* first */
	struct kr_display_queue *queue;
};

static int
show(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	return 0;
}

/* What it has by now is what it was given: the program takes it at its own pace. */
static int
finish(struct kr_display_output *output, uint64_t *shown)
{
	const struct window_output *window = (const struct window_output *)output;
	struct kr_display_queue_stats stats = kr_display_queue_get_stats(window->queue);

	output->dropped = stats.dropped;
	output->lost = stats.lost;
	*shown = stats.queued;
	return 0;
}

static void
destroy(struct kr_display_output *output)
{
	struct window_output *window = (struct window_output *)output;

	kr_display_queue_close(window->queue);
	free(window);
}

static const struct kr_display_output_impl impl = {
	.name = "window",
	.slow_ok = true,
	.show = show,
	.finish = finish,
	.destroy = destroy,
};

static const char *
advice(int err)
{
	switch (err) {
	case -ENOENT:
	case -ECONNREFUSED:
		return "; nobody listens there: start the program that reads the pictures first";
	case -ETIMEDOUT:
		return "; whoever listens there doesn't answer: it has to serve its reader by now";
	case -EBUSY:
		return "; that reader has all the producers that it takes";
	case -EPROTO:
	case -EPROTOTYPE:
	case -EPIPE:
		return "; who listens there is no reader";
	default:
		return "";
	}
}

int
kr_run_open_window_output(
	const struct kr_run_options *options, const char *socket, struct kr_display_output **output)
{
	struct window_output *made;
	int err;

	if (!socket || !*socket)
		return kr_usage_error(
			"run", "--output window wants the reader's socket: window:SOCKET");
	made = calloc(1, sizeof(*made));
	err = made ? kr_display_queue_open(socket, options->width, options->height, &made->queue)
		   : -ENOMEM;
	if (err) {
		kr_complain("run", "--output window:%s: %s%s", socket, strerror(-err), advice(err));
		free(made);
		return KR_EXIT_FAILURE;
	}
	made->base.impl = &impl;
	*output = &made->base;
	return 0;
}

struct kr_display_queue *
kr_run_output_queue(struct kr_display_output *output)
{
	return output && output->impl == &impl ? ((struct window_output *)output)->queue : NULL;
}
