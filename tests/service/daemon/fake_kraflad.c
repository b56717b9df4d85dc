/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kraflad over the fake parts: one device and one driver are there from the start, and it is idle.
 * With the environment's FAKE_HEALTH=none no driver is.
 */
#include <stdlib.h>
#include <string.h>

#include "server/fake_parts.h"
#include "service/daemon/main.h"

static void
begin(void)
{
	const char *health = getenv("FAKE_HEALTH");

	fake_node("dri/renderD128");
	if (!health || strcmp(health, "none") != 0)
		fake_offer("0-libvulkan_fake.so", "fake");
	fake_set_idle(true);
}

int
main(int argc, char **argv)
{
	fake.begin = begin;
	return kr_daemon_main(argc, argv, "kraflad");
}
