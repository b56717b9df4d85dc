/* SPDX-License-Identifier: Apache-2.0 */
/* One picture behind the other: see stream.h. */
#include "tools/run/capture/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/run/say.h"
#include "util/fd.h"

/* What a pipe should hold: a reader and a writer that take turns less often are both faster. */
#define PIPE_BYTES (1 << 20)

int
kr_capture_stream_open_output(struct kr_capture_stream *stream)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	*stream = (struct kr_capture_stream){.fd = -1, .place = KR_PLACE_NONE};
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	if (kr_fd_dup(STDOUT_FILENO, &stream->fd) < 0)
		return -errno;
	(void)!fcntl(stream->fd, F_SETPIPE_SZ, PIPE_BYTES);
	return 0;
}

/* Waits in the kernel, where whoever opens the other end wakes it. */
static int
wait_for_reader(const struct kr_place *place, const char *path, int *fd)
{
	kr_say("--capture: waiting for somebody to read the FIFO '%s'", path);
	*fd = openat(place->folder, place->name, O_WRONLY | O_CLOEXEC);
	return *fd < 0 ? -errno : 0;
}

int
kr_capture_stream_open(
	struct kr_capture_stream *stream, struct kr_place *take_place, const char *path)
{
	struct kr_place *place = &stream->place;
	int err;

	*stream = (struct kr_capture_stream){.fd = -1, .place = *take_place};
	*take_place = KR_PLACE_NONE;
	if (!place->to_write_to) {
		err = kr_place_create_file(place);
		stream->fd = place->fd;
		stream->file = err == 0;
		return err;
	}
	err = kr_place_open(place, &stream->fd);
	if (err == -ENXIO && S_ISFIFO(place->found.st_mode))
		err = wait_for_reader(place, path, &stream->fd);
	if (err == 0)
		(void)!fcntl(stream->fd, F_SETPIPE_SZ, PIPE_BYTES);
	return err;
}

/* Where the next byte goes in a file; -1: it is none. */
static off_t
end_of_file(int fd)
{
	struct stat st;

	if (kr_fd_stat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return fcntl(fd, F_GETFL) & O_APPEND ? st.st_size : lseek(fd, 0, SEEK_CUR);
}

/* Takes away the part of a picture that a file has got, unless others have written behind it. */
static void
cut(int fd, off_t end)
{
	struct stat st;

	if (end < 0 || kr_fd_stat(fd, &st) < 0 || st.st_size != lseek(fd, 0, SEEK_CUR) ||
		st.st_size <= end)
		return;
	if (ftruncate(fd, end) == 0)
		lseek(fd, end, SEEK_SET);
}

int
kr_capture_stream_write(struct kr_capture_stream *stream, const void *data, size_t size)
{
	off_t end = end_of_file(stream->fd);
	int err = kr_write_all(stream->fd, data, size);

	if (err < 0)
		cut(stream->fd, end);
	return err;
}

int
kr_capture_stream_end(struct kr_capture_stream *stream, bool keep)
{
	int err = 0;

	if (stream->file)
		err = kr_place_put_file(&stream->place, keep ? 0 : -ECANCELED);
	else if (stream->fd >= 0 && close(stream->fd))
		err = -errno;
	kr_place_finish(&stream->place);
	*stream = (struct kr_capture_stream){.fd = -1, .place = KR_PLACE_NONE};
	return keep || err != -ECANCELED ? err : 0;
}
