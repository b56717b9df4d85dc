/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are complete or not there: see file.h. */
#include "tools/check/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/text.h"

/* With the rights that a new file of this process has. */
static int
open_temporary(struct kr_check_file *file)
{
	mode_t mask = umask(0);
	int fd;

	(void)umask(mask);
	file->temporary = kr_asprintf("%s.XXXXXX", file->path);
	if (!file->temporary)
		return -ENOMEM;
	fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd < 0) {
		int err = -errno;

		free(file->temporary);
		file->temporary = NULL;
		return err;
	}
	(void)!fchmod(fd, 0666 & ~mask);
	return fd;
}

int
kr_check_file_open(struct kr_check_file *file, const char *path)
{
	struct stat status;
	bool special = !stat(path, &status) && !S_ISREG(status.st_mode);
	int fd, err;

	*file = (struct kr_check_file){0};
	/* Where a link leads to, so that the link stays one. */
	file->path = special ? NULL : realpath(path, NULL);
	if (!file->path)
		file->path = strdup(path);
	if (!file->path)
		return -ENOMEM;
	if (special)
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	else
		fd = open_temporary(file);
	err = special && fd < 0 ? -errno : KR_MIN(fd, 0);
	file->out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (file->out)
		return 0;
	if (!err)
		err = -ENOMEM;
	if (fd >= 0)
		close(fd);
	kr_check_file_drop(file);
	return err;
}

int
kr_check_file_commit(struct kr_check_file *file)
{
	int err = 0;

	errno = 0;
	if (ferror(file->out) || fflush(file->out))
		err = errno ? -errno : -EIO;
	if (!err && file->temporary && fsync(fileno(file->out)))
		err = -errno;
	if (fclose(file->out) && !err)
		err = -errno;
	file->out = NULL;
	if (!err && file->temporary && rename(file->temporary, file->path))
		err = -errno;
	if (!err) {
		free(file->temporary);
		file->temporary = NULL;
	}
	kr_check_file_drop(file);
	return err;
}

void
kr_check_file_drop(struct kr_check_file *file)
{
	if (file->out)
		fclose(file->out);
	if (file->temporary)
		(void)unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct kr_check_file){0};
}
