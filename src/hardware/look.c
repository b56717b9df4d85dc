/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at /dev and /sys for presence.c: each question has a third answer, "can't be told". */
#include "hardware/look.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"

void
kr_device_say(const struct kr_device_search *search, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(search->why, KR_PRESENCE_WHY_SIZE, fmt, args);
	va_end(args);
}

enum kr_presence
kr_device_unknown(const struct kr_device_search *search, const char *path)
{
	kr_device_say(search, "%s can't be looked at: %s", path, strerror(errno));
	return KR_PRESENCE_UNKNOWN;
}

bool
kr_device_join(char path[KR_PRESENCE_WHY_SIZE], const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(path, KR_PRESENCE_WHY_SIZE, fmt, args);
	va_end(args);
	errno = ENAMETOOLONG;
	return len >= 0 && len < KR_PRESENCE_WHY_SIZE;
}

enum kr_presence
kr_device_ask_path(const struct kr_device_search *search, const char *root, const char *below)
{
	char path[KR_PRESENCE_WHY_SIZE];

	if (!kr_device_join(path, "%s/%s", root, below))
		return kr_device_unknown(search, root);
	if (!access(path, F_OK)) {
		kr_device_say(search, "%s is here", path);
		return KR_PRESENCE_HERE;
	}
	return errno == ENOENT || errno == ENOTDIR ? KR_PRESENCE_ABSENT
						   : kr_device_unknown(search, path);
}

enum kr_presence
kr_device_trust(const struct kr_device_search *search, const char *root, const char *proof)
{
	enum kr_presence presence = kr_device_ask_path(search, root, proof);

	if (presence == KR_PRESENCE_ABSENT)
		kr_device_say(search, "%s has no %s: it may not be the system's own", root, proof);
	return presence == KR_PRESENCE_HERE ? KR_PRESENCE_ABSENT : KR_PRESENCE_UNKNOWN;
}

enum kr_presence
kr_device_each_name(const struct kr_device_search *search, const char *path,
	enum kr_presence (*visit)(
		const struct kr_device_search *search, const char *path, const char *name))
{
	enum kr_presence presence = KR_PRESENCE_ABSENT;
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return errno == ENOENT || errno == ENOTDIR ? KR_PRESENCE_ABSENT
							   : kr_device_unknown(search, path);
	while (presence != KR_PRESENCE_HERE) {
		enum kr_presence one;

		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			presence = errno ? kr_device_unknown(search, path) : presence;
			break;
		}
		one = visit(search, path, entry->d_name);
		presence = one != KR_PRESENCE_ABSENT ? one : presence;
	}
	closedir(dir);
	return presence;
}

bool
kr_device_read_line(const char *path, const char *key, char *value, size_t size)
{
	char line[256];
	bool found = false;
	FILE *file;

	if (kr_file_open(path, &file))
		return false;
	/* These files are a page at most. */
	for (int lines = 0; lines < 256 && !found && fgets(line, sizeof(line), file); lines++) {
		line[strcspn(line, "\n")] = '\0';
		found = !strncmp(line, key, strlen(key));
	}
	fclose(file);
	if (found)
		snprintf(value, size, "%s", line + strlen(key));
	return found;
}
