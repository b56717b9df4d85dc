/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at /dev and /sys, one question at a time. For presence.c alone. */
#ifndef KR_HARDWARE_LOOK_H
#define KR_HARDWARE_LOOK_H

#include "hardware/device_map.h"

struct kr_device_search {
	const struct kr_device_rule *rule;
	const char *(*env_get)(const char *name);
	const char *dev, *sys;
	char *why; /* KR_PRESENCE_WHY_SIZE: by what the last answer was seen */
};

void kr_device_say(const struct kr_device_search *search, const char *fmt, ...) KR_PRINTF(2, 3);
/* Says that errno kept it from being looked at. KR_PRESENCE_UNKNOWN. */
enum kr_presence kr_device_unknown(const struct kr_device_search *search, const char *path);
/* printf; false, with errno ENAMETOOLONG, when it doesn't fit. */
bool kr_device_join(char path[KR_PRESENCE_WHY_SIZE], const char *fmt, ...) KR_PRINTF(2, 3);
/* Whether there is a path of this name below `root`. */
enum kr_presence kr_device_ask_path(
	const struct kr_device_search *search, const char *root, const char *below);
/*
 * That `root` is what it should be, told by something that it always has: KR_PRESENCE_ABSENT when nothing
 * speaks against it, otherwise KR_PRESENCE_UNKNOWN.
 */
enum kr_presence kr_device_trust(
	const struct kr_device_search *search, const char *root, const char *proof);
/*
 * Calls `visit` for the names in a directory until one is KR_PRESENCE_HERE. That, or KR_PRESENCE_UNKNOWN if
 * any was, or KR_PRESENCE_ABSENT, also when there is no such directory.
 */
enum kr_presence kr_device_each_name(const struct kr_device_search *search, const char *path,
	enum kr_presence (*visit)(
		const struct kr_device_search *search, const char *path, const char *name));
/* The first line of a file that begins with `key`, without it; false when there is none. */
bool kr_device_read_line(const char *path, const char *key, char *value, size_t size);

#endif
