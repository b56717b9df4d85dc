/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are complete or not there: see file.h. */
#include "tools/check/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.h"
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

/* What nobody means to replace: FILE was forgotten, and a driver's name taken for it. */
static bool
is_driver(const char *path)
{
	char start[4] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t size = fd < 0 ? 0 : read(fd, start, sizeof(start));

	if (fd >= 0)
		close(fd);
	return (size == 4 && !memcmp(start, "\177ELF", 4)) || (size > 0 && start[0] == '{');
}

/* Where a link leads to, so that the link stays one. NULL, and errno says why. */
static char *
find_place(const char *path)
{
	char *place = realpath(path, NULL);
	struct stat status;

	if (place || errno != ENOENT || !lstat(path, &status))
		return place;
	return strdup(path);
}

static int
open_special(struct kr_check_file *file)
{
	file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return file->fd < 0 ? -errno : 0;
}

static void
remove_temporary(struct kr_check_file *file)
{
	kr_fd_close(&file->fd);
	if (file->temporary)
		(void)unlink(file->temporary);
	free(file->temporary);
	file->temporary = NULL;
}

/* Whether it can be is known before anything runs; whoever is killed meanwhile leaves nothing. */
static int
try_temporary(struct kr_check_file *file)
{
	int err = is_driver(file->path) ? -EEXIST : open_temporary(file);

	remove_temporary(file);
	return err;
}

int
kr_check_file_open(struct kr_check_file *file, const char *path)
{
	struct stat status;
	int err;

	*file = KR_CHECK_NO_FILE;
	file->special = !stat(path, &status) && !S_ISREG(status.st_mode);
	file->path = file->special ? strdup(path) : find_place(path);
	if (!file->path)
		return -errno;
	file->out = open_memstream(&file->text, &file->size);
	if (!file->out)
		err = -ENOMEM;
	else
		err = file->special ? open_special(file) : try_temporary(file);
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

static int
put_in_place(struct kr_check_file *file)
{
	int err = file->special ? 0 : open_temporary(file);

	if (!err)
		err = write_all(file->fd, file->text, file->size);
	if (!err)
		err = end_file(file);
	if (!err && file->temporary && rename(file->temporary, file->path))
		err = -errno;
	if (!err) {
		free(file->temporary);
		file->temporary = NULL;
	}
	return err;
}

int
kr_check_file_commit(struct kr_check_file *file)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, too_large, closed;
	int err = -ENOMEM;

	/* Files that mayn't be that large, and readers that have gone, are errors. */
	sigaction(SIGXFSZ, &ignore, &too_large);
	sigaction(SIGPIPE, &ignore, &closed);
	if (!ferror(file->out) && !fflush(file->out))
		err = put_in_place(file);
	kr_check_file_drop(file);
	sigaction(SIGXFSZ, &too_large, NULL);
	sigaction(SIGPIPE, &closed, NULL);
	return err;
}

void
kr_check_file_drop(struct kr_check_file *file)
{
	if (file->out)
		fclose(file->out);
	remove_temporary(file);
	free(file->text);
	free(file->path);
	*file = KR_CHECK_NO_FILE;
}
