/* SPDX-License-Identifier: Apache-2.0 */
/* Who draws the pictures of `krafla run`: what --compose auto and --compose gpu come to here. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <krafla/composer.h>

#include "hwc/drawing.h"
#include "painter/painter.h"
#include "tools/command/json_values.h"
#include "tools/info/facts.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/text.h"

/* A painter has a limit of its own. */
#define PATIENCE_NS (20 * KR_NSEC_PER_SEC)

/* What keeps GPUs from drawing without being asked to; empty: nothing is known. */
static void
ask_device(char why[KR_HWC_DRAWING_TEXT])
{
	struct krafla_composer *composer;
	struct kr_hwc_drawing drawing;

	why[0] = '\0';
	if (krafla_composer_open("gpu", &composer))
		return;
	if (!kr_hwc_get_drawing(composer, 0, &drawing) && !drawing.possible)
		snprintf(why, KR_HWC_DRAWING_TEXT, "%s", drawing.why);
	krafla_composer_close(composer);
}

/* Whether one gets ready; else why not: the caller's, or NULL without memory. */
static bool
wait_for(struct kr_painter *painter, struct kr_painter_report *report, char **why_not)
{
	int64_t deadline = kr_clock_now() + PATIENCE_NS;
	const char *why = "it says nothing";

	while (!kr_painter_ready(painter, report)) {
		struct pollfd fd = {.fd = kr_painter_get_fd(painter), .events = POLLIN};

		if (kr_fd_poll(&fd, 1, deadline) <= 0 || kr_painter_dispatch(painter, &why)) {
			*why_not = kr_asprintf("%s", why);
			return false;
		}
	}
	return true;
}

static bool
ask_painter(struct kr_painter_report *report, char **why_not)
{
	const struct kr_painter_config config = {0};
	struct kr_painter *painter;
	int err = kr_painter_start(&config, &painter);
	bool ready;

	if (err) {
		*why_not = kr_asprintf("krafla-painter can't be started: %s", strerror(-err));
		return false;
	}
	ready = wait_for(painter, report, why_not);
	kr_painter_stop(painter);
	return ready;
}

json_t *
kr_info_composition(void)
{
	struct kr_painter_report report = {0};
	char why[KR_HWC_DRAWING_TEXT];
	char *why_not = NULL;
	bool ready = ask_painter(&report, &why_not);
	bool by_gpu;
	json_t *object;

	ask_device(why);
	if (!ready && !why[0])
		snprintf(why, sizeof(why), "%s", why_not ? why_not : "out of memory");
	else if (!why[0] && report.cpu)
		snprintf(why, sizeof(why), "%.200s is no GPU", report.device);
	by_gpu = ready && !why[0];
	object = json_pack("{s:s, s:o, s:o, s:o}", "auto", by_gpu ? "gpu" : "cpu", "why",
		by_gpu ? json_null() : kr_tool_json_text(why), "gpu",
		ready ? kr_tool_json_text(report.device) : json_null(), "gpu_error",
		ready ? json_null() : kr_tool_json_text(why_not));
	free(why_not);
	return object;
}

void
kr_info_print_composition(const json_t *composition)
{
	const char *why = json_string_value(json_object_get(composition, "why"));
	const char *device = json_string_value(json_object_get(composition, "gpu"));

	puts("composition");
	if (why)
		printf("  auto  by the CPU: %s\n", why);
	else
		puts("  auto  by the GPU where that is cheaper");
	printf("  gpu   %s%s\n", device ? "by " : "can't be had: ",
		device ? device : json_string_value(json_object_get(composition, "gpu_error")));
}
