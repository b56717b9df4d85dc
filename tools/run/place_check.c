/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a path that the user gave can be written to: see place.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command/command.h"
#include "tools/run/place.h"

static void
tell_not_found(const char *option, const char *path, int err)
{
	const char *slash = strrchr(path, '/');
	char *folder = !slash   ? strdup(".")
		: slash == path ? strdup("/")
				: strndup(path, (size_t)(slash - path));
	struct stat st;

	if (!folder)
		kr_complain("run", "out of memory");
	else if (err == -EISDIR)
		kr_complain("run", "%s: '%s' is a directory", option, path);
	else if (stat(folder, &st) < 0)
		kr_complain("run", "%s: the directory '%s' can't be used: %s%s", option, folder,
			strerror(errno), errno == ENOENT ? " (make it first)" : "");
	else if (!S_ISDIR(st.st_mode))
		kr_complain("run", "%s: '%s' is not a directory", option, folder);
	else
		kr_complain("run", "%s: '%s' can't be written, nor can what it is a link to: %s",
			option, path, strerror(-err));
	free(folder);
}

int
kr_place_check(const char *option, const char *path, enum kr_place_links links)
{
	struct kr_place place;
	int err = kr_place_find(&place, path, links), code = KR_EXIT_FAILURE;

	if (err < 0)
		tell_not_found(option, path, err);
	else if (place.to_write_to && links == KR_PLACE_REPLACE_LINK)
		kr_complain("run",
			"%s: '%s' is a device, FIFO or socket, which no file can replace", option,
			path);
	else if (place.to_write_to && faccessat(place.folder, place.name, W_OK, 0) < 0)
		kr_complain("run", "%s: '%s' can't be written: %s", option, path, strerror(errno));
	else if (!place.to_write_to && faccessat(place.folder, ".", W_OK | X_OK, 0) < 0)
		kr_complain("run", "%s: no files can be made in the directory of '%s': %s", option,
			path, strerror(errno));
	else
		code = 0;
	kr_place_finish(&place);
	return code;
}
