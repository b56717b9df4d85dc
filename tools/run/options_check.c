/* SPDX-License-Identifier: Apache-2.0 */
/* Which options of `krafla run` can't stand together. */
#include "tools/run/options.h"

#include "tools/command/command.h"
#include "util/macros.h"

/* What belongs to the display, which is another's. */
static int
check_join(const struct kr_run_options *options)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{options->size_given, "display"},
		{options->colour_given, "display-colour"},
		{options->clock_given, "clock"},
		{options->frames, "frames"},
		{options->capture.count, "capture"},
		{options->outputs.count, "output"},
		{options->layout_given, "layout"},
		{options->transform_given, "rotate"},
		{options->device, "device"},
		{options->compose_given, "compose"},
		{options->idle_given, "idle"},
		{options->socket, "socket"},
		{options->driver_wsi, "wsi driver"},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(others); i++) {
		if (others[i].given)
			return kr_usage_error("run",
				"with --join the display is another krafla's, so --%s can't work",
				others[i].name);
	}
	for (unsigned i = 0; i < options->program_count; i++) {
		if (options->programs[i].place.set)
			return kr_usage_error("run",
				"with --join windows are placed by 'krafla layout %s', not by options",
				options->join);
	}
	return 0;
}

int
kr_run_options_check(struct kr_run_options *options)
{
	if (!options->program_count)
		return kr_usage_error("run", "no program is named");
	if (options->join) {
		int code = check_join(options);

		if (code)
			return code;
	}
	if (options->device && options->compose == KR_RUN_COMPOSE_GPU)
		return kr_usage_error("run",
			"--compose gpu can't work with --device %s, which composes by the CPU",
			options->device);
	if (options->driver_wsi &&
		(options->frames || options->capture.count || options->outputs.count ||
			options->socket || options->compose_given || options->colour_given))
		return kr_usage_error("run",
			"with --wsi driver nothing is shown on krafla's display, so --%s can't work",
			options->frames                  ? "frames"
				: options->capture.count ? "capture"
				: options->outputs.count ? "output"
				: options->socket        ? "socket"
				: options->compose_given ? "compose"
							 : "display-colour");
	return kr_capture_request_complete(&options->capture, options->frames, options->summary,
		options->dataspace, options->other_count + 1);
}
