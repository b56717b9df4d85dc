/* SPDX-License-Identifier: Apache-2.0 */
/* A package that came as memory objects: sealed, so that neither bytes nor size change, and all of them. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "delivery/take.h"
#include "util/text.h"

#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK)

static int
check_seals(int fd, const char *what, struct stat *status, char **reason)
{
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0 || (seals & SEALS) != SEALS) {
		*reason =
			kr_asprintf("%s isn't sealed against writing, growing and shrinking: what "
				    "a process loads must not change under it",
				what);
		return -EPERM;
	}
	if (fstat(fd, status) || !S_ISREG(status->st_mode)) {
		*reason = kr_asprintf("%s is no memory object", what);
		return -EINVAL;
	}
	return 0;
}

static int
check_objects(const struct kr_delivery *delivery, char **reason)
{
	const struct kr_index *index = &delivery->index;

	if (delivery->fd_count != index->file_count + 1) {
		*reason = kr_asprintf("%zu descriptors came for an index and %zu files",
			delivery->fd_count, index->file_count);
		return -EINVAL;
	}
	for (size_t i = 0; i < index->file_count; i++) {
		const struct kr_index_file *file = &index->files[i];
		struct stat status;
		int ret = check_seals(delivery->fds[i + 1], file->path, &status, reason);

		if (!ret && file->role != KR_INDEX_DATA && !status.st_size) {
			*reason = kr_asprintf("%s is empty", file->path);
			ret = -EINVAL;
		}
		if (ret)
			return ret;
	}
	return 0;
}

int
kr_take_memory(struct kr_delivery *delivery, char **reason)
{
	struct stat status;
	int ret = check_seals(delivery->fds[0], "the index", &status, reason);

	if (!ret)
		ret = kr_take_index(delivery, delivery->fds[0], status.st_size, reason);
	return ret ? ret : check_objects(delivery, reason);
}
