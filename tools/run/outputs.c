/* SPDX-License-Identifier: Apache-2.0 */
/* The table of outputs. See outputs.h. */
#include "tools/run/outputs.h"

#include <stddef.h>

#include "composer/composer.h"
#include "composer/output/output.h"
#include "tools/run/capture/capture.h"

/* *output stays NULL when it isn't asked for. 0 or an exit code, told. */
typedef int (*open_fn)(const struct kr_run_options *options, struct kr_display_output **output);

static const open_fn kinds[KR_RUN_OUTPUT_COUNT] = {
	[KR_RUN_OUTPUT_CAPTURE] = kr_capture_open,
};

int
kr_run_outputs_open(struct kr_run_outputs *outputs, const struct kr_run_options *options)
{
	int code = 0;

	for (size_t i = 0; i < KR_RUN_OUTPUT_COUNT && code == 0; i++)
		code = kinds[i](options, &outputs->open[i]);
	return code;
}

int
kr_run_outputs_add(const struct kr_run_outputs *outputs, struct kr_display *display)
{
	int err = 0;

	for (size_t i = 0; i < KR_RUN_OUTPUT_COUNT && err == 0; i++) {
		if (outputs->open[i])
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
kr_run_outputs_destroy(struct kr_run_outputs *outputs)
{
	for (size_t i = 0; i < KR_RUN_OUTPUT_COUNT; i++) {
		if (outputs->open[i])
			outputs->open[i]->impl->destroy(outputs->open[i]);
		outputs->open[i] = NULL;
	}
}
