/* SPDX-License-Identifier: Apache-2.0 */
/* Opening files: see file.h. */
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

static bool
may_be_read(mode_t mode)
{
	return S_ISREG(mode) || S_ISDIR(mode);
}

int
kr_file_check(const char *path)
{
	struct statx stx;
	struct stat status;

	/* Whether it is there, and may be opened, is told by whoever opens it. */
	if (!statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &stx))
		return may_be_read(stx.stx_mode) ? 0 : -ENODEV;
	/* Where statx is denied. */
	if (errno != ENOENT && !fstatat(AT_FDCWD, path, &status, 0))
		return may_be_read(status.st_mode) ? 0 : -ENODEV;
	return 0;
}

int
kr_file_open(const char *path, FILE **file)
{
	FILE *opened;
	struct stat status;
	int err = kr_file_check(path);

	if (err)
		return err;
	opened = fopen(path, "re");
	if (!opened)
		return -errno;
	/* It may have changed, or whoever tests a loader leads to another. */
	if (!fstat(fileno(opened), &status) && !may_be_read(status.st_mode)) {
		fclose(opened);
		return -ENODEV;
	}
	*file = opened;
	return 0;
}
