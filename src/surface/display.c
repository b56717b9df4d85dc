/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting to a display. */
#include "surface/display.h"

#include <errno.h>
#include <string.h>

#include "util/clock.h"
#include "util/log.h"
#include "window/remote/remote.h"

#define CONNECT_TIMEOUT_NS (5 * KR_NSEC_PER_SEC)

static void
tell_no_display(const char *path, int err)
{
	kr_error("surface: no display at %s: %s", path, strerror(-err));
}

static int
connect_to(
	const char *path, const char *title, struct kr_sink **sink, struct kr_remote_display *info)
{
	int ret = kr_sink_remote_connect(path, title ? title : program_invocation_short_name,
		kr_deadline_in(CONNECT_TIMEOUT_NS), sink, info);

	if (ret)
		tell_no_display(path, ret);
	return ret;
}

int
kr_surface_ask_display(const char *path, struct kr_remote_display *is)
{
	int ret = kr_remote_ask(path, kr_deadline_in(CONNECT_TIMEOUT_NS), is);

	if (ret)
		tell_no_display(path, ret);
	return ret;
}

int
kr_surface_connect_display(const char *path, const char *title, uint32_t width, uint32_t height,
	struct kr_queue **queue)
{
	struct kr_remote_display info;
	struct kr_queue_config config;
	struct kr_sink *sink;
	int ret;

	ret = connect_to(path, title, &sink, &info);
	if (ret)
		return ret;
	config = (struct kr_queue_config){
		.default_width = width ? width : info.width,
		.default_height = height ? height : info.height,
		.default_format = info.format,
		.default_dataspace = info.dataspace,
		.consumer_usage = info.consumer_usage,
		.max_acquired = info.max_acquired,
		.max_buffers = info.max_buffers,
		.by_app = info.by_app,
		.is_protected = info.is_protected,
		.refresh_ns = info.refresh_ns,
		.transform_hint = info.transform_hint,
		.abilities = info.abilities,
		.timing = info.timing,
	};
	ret = kr_queue_create(&config, sink, queue);
	if (ret)
		kr_error("surface: no queue for the display at %s: %s", path, strerror(-ret));
	else
		kr_queue_set_label(*queue, title);
	return ret;
}
