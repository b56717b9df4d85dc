/* SPDX-License-Identifier: Apache-2.0 */
/* krafla_window_open, for programs that make Android surfaces. */
#include <errno.h>
#include <krafla/window.h>

#include "surface/display.h"
#include "util/env.h"
#include "util/macros.h"
#include "window/window.h"

KR_EXPORT int
krafla_window_open(const char *display, const char *title, uint32_t width, uint32_t height,
	ANativeWindow **window)
{
	struct kr_queue *queue;
	int ret;

	if (!window || !width != !height)
		return -EINVAL;
	if (!display)
		display = kr_env_get("KRAFLA_DISPLAY");
	if (!display)
		return -ENOENT;
	ret = kr_surface_connect_display(display, title, width, height, &queue);
	if (ret)
		return ret;
	ret = kr_window_create_asked(queue, window);
	kr_queue_unref(queue);
	return ret;
}
