/* SPDX-License-Identifier: Apache-2.0 */
/* Opening files: see file.h. */
#include "util/file.h"

#include <errno.h>
#include <sys/stat.h>

int
kr_file_open(const char *path, FILE **file)
{
	FILE *opened = fopen(path, "re");
	struct stat status;

	if (!opened)
		return -errno;
	if (!fstat(fileno(opened), &status) && !S_ISREG(status.st_mode) &&
		!S_ISDIR(status.st_mode)) {
		fclose(opened);
		return -ENODEV;
	}
	*file = opened;
	return 0;
}
