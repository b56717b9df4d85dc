/* SPDX-License-Identifier: Apache-2.0 */
/* See mpv.h. */
#include "mpv.h"

#include <string.h>

#include "harness.h"
#include "spawn.h"

#define LIMIT_S 60

void
skip_without_mpv(void)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S, ARGV("mpv", "--version"), NULL);
	if (child.code)
		kr_test_skip("no-mpv", NULL);
	spawn_finish(&child);
}

const char *
mpv_device(void)
{
	struct spawn child;
	char *name, *end;

	spawn_run(&child, LIMIT_S, ARGV("vulkaninfo", "--summary"), ENV(lavapipe_env()));
	name = strstr(child.output, "deviceName");
	name = name ? strstr(name, "llvmpipe") : NULL;
	end = name ? strchr(name, '\n') : NULL;
	if (!end)
		fail_msg("lavapipe's device has no name in:\n%s", child.output);
	*end = '\0';
	name = (char *)env_text("--vulkan-device", name);
	spawn_finish(&child);
	return name;
}
