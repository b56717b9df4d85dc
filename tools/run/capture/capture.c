/* SPDX-License-Identifier: Apache-2.0 */
/* The output of captures: see capture.h. */
#include "tools/run/capture/capture.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "composer/composer.h"
#include "composer/output/output.h"
#include "tools/command/command.h"
#include "tools/run/capture/report.h"
#include "tools/run/capture/target.h"
#include "tools/run/capture/writers.h"
#include "tools/run/options.h"

struct capture {
	struct kr_display_output base; /* first */
	struct kr_capture_settings settings;
	struct kr_capture_target targets[KR_CAPTURE_TARGETS];
	unsigned target_count;
	struct kr_writers *writers;
	bool failed; /* told, for want of memory or threads; whoever finishes reads it last */
};

static const struct kr_display_output_impl impl;

static struct capture *
from_output(struct kr_display_output *output)
{
	assert(output->impl == &impl);
	return (struct capture *)output;
}

/* The first error of the targets (told). */
static int
first_error(struct capture *capture)
{
	int err = 0;

	for (unsigned i = 0; i < capture->target_count && err == 0; i++)
		err = kr_capture_target_error(&capture->targets[i]);
	return err;
}

/* 0, or the error of an earlier picture. */
static int
capture_picture(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	struct capture *capture = from_output(output);
	int err = first_error(capture);

	if (err < 0)
		return err;
	err = kr_writers_show(capture->writers, frame);
	if (err < 0) {
		capture->failed = true;
		kr_complain("run", "can't take picture %llu to write it: %s",
			(unsigned long long)frame->number, strerror(-err));
	}
	return err;
}

static int
finish(struct kr_display_output *output, uint64_t *written)
{
	struct capture *capture = from_output(output);
	int first = capture->failed ? -ENOMEM : 0;

	kr_writers_end(capture->writers);
	*written = UINT64_MAX;
	for (unsigned i = 0; i < capture->target_count; i++) {
		struct kr_capture_target *target = &capture->targets[i];
		int err = kr_capture_target_end(target);

		first = first == 0 ? err : first;
		*written = KR_MIN(*written, kr_capture_target_pictures(target, NULL));
	}
	return first;
}

static void
destroy(struct kr_display_output *output)
{
	struct capture *capture = from_output(output);

	kr_writers_destroy(capture->writers);
	for (unsigned i = 0; i < capture->target_count; i++)
		kr_capture_target_finish(&capture->targets[i]);
	free(capture);
}

static const struct kr_display_output_impl impl = {
	.name = "capture",
	.show = capture_picture,
	.finish = finish,
	.destroy = destroy,
};

void
kr_capture_get_report(struct kr_display_output *output, struct kr_capture_report *report)
{
	struct capture *capture = from_output(output);

	*report = (struct kr_capture_report){.count = capture->target_count};
	for (unsigned i = 0; i < capture->target_count; i++) {
		struct kr_capture_target *target = &capture->targets[i];

		report->targets[i].name = target->name;
		report->targets[i].text = target->text;
		report->targets[i].format = target->format->name;
		report->targets[i].pictures =
			kr_capture_target_pictures(target, &report->targets[i].bytes);
	}
	kr_writers_get_waits(capture->writers, &report->waits);
}

int
kr_capture_open(const struct kr_run_options *options, struct kr_display_output **output)
{
	const struct kr_capture_request *request = &options->capture;
	uint64_t pictures = kr_capture_request_pictures(request, options->frames);
	struct capture *made;
	int code = 0;

	if (!request->count)
		return 0;
	made = calloc(1, sizeof(*made));
	if (!made) {
		kr_complain("run", "out of memory");
		return KR_EXIT_FAILURE;
	}
	made->base = (struct kr_display_output){
		.impl = &impl,
		.wanted = {.from = request->from, .every = request->every},
	};
	made->settings = (struct kr_capture_settings){
		.level = request->level,
		.refresh_mhz = options->refresh_mhz,
		.every = request->every,
	};
	for (; made->target_count < request->count && code == 0; made->target_count++)
		code = kr_capture_target_init(&made->targets[made->target_count],
			request->targets[made->target_count], request, pictures, &made->settings);
	if (code == 0 &&
		kr_writers_create(made->targets, made->target_count, options->width,
			options->height, kr_capture_depth_of(options->dataspace),
			&made->writers) < 0) {
		kr_complain("run", "out of memory");
		code = KR_EXIT_FAILURE;
	}
	if (code)
		destroy(&made->base);
	else
		*output = &made->base;
	return code;
}
