/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are complete or not there: see file.h. */
#include "tools/check/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/text.h"

/* With the rights that a new file of this process has. 0 or -errno. */
static int
open_temporary(struct kr_check_file *file)
{
	mode_t mask = umask(0);

	(void)umask(mask);
	file->temporary = kr_asprintf("%s.XXXXXX", file->path);
	if (!file->temporary)
		return -ENOMEM;
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	if (file->fd < 0) {
		int err = -errno;

		free(file->temporary);
		file->temporary = NULL;
		return err;
	}
	(void)!fchmod(file->fd, 0666 & ~mask);
	return 0;
}

int
kr_check_file_open(struct kr_check_file *file, const char *path)
{
	struct stat status;
	bool special = !stat(path, &status) && !S_ISREG(status.st_mode);
	int err = 0;

	*file = KR_CHECK_NO_FILE;
	/* Where a link leads to, so that the link stays one. */
	file->path = special ? NULL : realpath(path, NULL);
	if (!file->path)
		file->path = strdup(path);
	file->out = open_memstream(&file->text, &file->size);
	if (!file->path || !file->out)
		err = -ENOMEM;
	else if (special)
		file->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	else
		err = open_temporary(file);
	if (!err && file->fd < 0)
		err = -errno;
	if (err)
		kr_check_file_drop(file);
	return err;
}

static int
write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t written = write(fd, text, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		text += written;
		size -= (size_t)written;
	}
	return 0;
}

/* The same for what is only known to be bad when it is closed. */
static int
end_file(struct kr_check_file *file)
{
	int err = file->temporary && fsync(file->fd) ? -errno : 0;

	if (close(file->fd) && !err)
		err = -errno;
	file->fd = -1;
	return err;
}

int
kr_check_file_commit(struct kr_check_file *file)
{
	bool complete = !ferror(file->out) && !fflush(file->out);
	int err = complete ? write_all(file->fd, file->text, file->size) : -ENOMEM;

	if (!err)
		err = end_file(file);
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
	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary)
		(void)unlink(file->temporary);
	free(file->temporary);
	free(file->text);
	free(file->path);
	*file = KR_CHECK_NO_FILE;
}
