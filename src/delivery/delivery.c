/* SPDX-License-Identifier: Apache-2.0 */
/* Taking what was delivered: see delivery.h. Nothing of it is believed before it was looked at. */
#include "delivery/delivery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "delivery/delivery_impl.h"
#include "delivery/take.h"
#include "util/fd.h"
#include "util/json.h"
#include "util/text.h"

#define FIRST_FREE_FD 3 /* behind the standard ones, which programs like to replace */

/*
 * Descriptors are ours from here on. One that took the place of a closed standard descriptor is moved: the program
 * or a library may open that again, under the name of a library that is loaded.
 */
static int
take_fds(struct kr_delivery *delivery, const int *fds, size_t count)
{
	int ret = 0;

	for (size_t i = 0; i < count && i < KR_ARRAY_LEN(delivery->fds); i++)
		delivery->fds[delivery->fd_count++] = fds[i];
	for (size_t i = KR_ARRAY_LEN(delivery->fds); i < count; i++)
		close(fds[i]);
	for (size_t i = 0; i < delivery->fd_count && !ret; i++) {
		int *fd = &delivery->fds[i], moved;

		if (*fd >= FIRST_FREE_FD && !fcntl(*fd, F_SETFD, FD_CLOEXEC))
			continue;
		moved = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
		if (moved < 0) {
			ret = -errno;
		} else {
			kr_fd_close(fd);
			*fd = moved;
		}
	}
	return ret;
}

/* `size` bytes of a file, from its beginning. */
static int
read_all(int fd, char *text, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t ret = pread(fd, text + done, size - done, (off_t)done);

		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return ret ? -errno : -EINVAL;
		done += (size_t)ret;
	}
	return 0;
}

int
kr_take_index(struct kr_delivery *delivery, int fd, off_t size, char **reason)
{
	char *why = NULL, *text;
	int ret;

	if (size <= 0 || size > KR_JSON_MAX_SIZE) {
		*reason = kr_asprintf("its index has %lld bytes; 1 to %d are possible",
			(long long)size, KR_JSON_MAX_SIZE);
		return -EINVAL;
	}
	text = malloc((size_t)size);
	if (!text)
		return -ENOMEM;
	ret = read_all(fd, text, (size_t)size);
	if (ret) {
		*reason = kr_asprintf("its index can't be read: %s", strerror(-ret));
	} else {
		ret = kr_index_parse(text, (size_t)size, &delivery->index, &why);
		if (why)
			*reason = kr_asprintf("its index is wrong: %s", why);
		free(why);
	}
	free(text);
	return ret;
}

static int
take(struct kr_delivery *delivery, char **reason)
{
	if (delivery->fd_count && delivery->kind == KR_DELIVERY_MOUNT)
		return kr_take_mount(delivery, reason);
	if (delivery->fd_count && delivery->kind == KR_DELIVERY_MEMORY)
		return kr_take_memory(delivery, reason);
	*reason = kr_asprintf("%zu descriptors of kind %d are no delivery", delivery->fd_count,
		(int)delivery->kind);
	return -EINVAL;
}

static int
refuse_count(size_t count, char **reason)
{
	*reason = kr_asprintf("%zu descriptors came, of at most %d", count, KR_INDEX_MAX_FILES + 1);
	return -EINVAL;
}

/* The whole sentence, in place of the half that begins with what is wrong. */
static void
say_of(const struct kr_delivery *delivery, char **reason)
{
	char *why = *reason;

	if (!why)
		return;
	*reason = delivery->index.name
		? kr_asprintf(
			  "the delivered package %s can't be used: %s", delivery->index.name, why)
		: kr_asprintf("the delivered package can't be used: %s", why);
	free(why);
}

int
kr_delivery_take(enum kr_delivery_kind kind, const int *take_these, size_t count,
	struct kr_delivery **delivery, char **reason)
{
	struct kr_delivery *taken = calloc(1, sizeof(*taken));
	int ret;

	*reason = NULL;
	if (!taken) {
		for (size_t i = 0; i < count; i++)
			close(take_these[i]);
		return -ENOMEM;
	}
	taken->kind = kind;
	ret = take_fds(taken, take_these, count);
	if (ret)
		*reason = kr_asprintf("its descriptors can't be kept: %s", strerror(-ret));
	else if (count > KR_ARRAY_LEN(taken->fds))
		ret = refuse_count(count, reason);
	else
		ret = take(taken, reason);
	if (!ret) {
		*delivery = taken;
		return 0;
	}
	say_of(taken, reason);
	kr_delivery_destroy(taken);
	return ret;
}

const struct kr_index *
kr_delivery_index(const struct kr_delivery *delivery)
{
	return &delivery->index;
}

int
kr_delivery_root(const struct kr_delivery *delivery, char root[KR_FD_NAME_SIZE], char **reason)
{
	return kr_fd_name(delivery->fds[0], root, reason);
}

int
kr_delivery_path(const struct kr_delivery *delivery, const char *root, size_t file,
	char path[KR_DELIVERY_PATH_SIZE], char **reason)
{
	char name[KR_FD_NAME_SIZE];
	int ret = 0;

	if (delivery->kind == KR_DELIVERY_MEMORY) {
		ret = kr_fd_name(delivery->fds[file + 1], name, reason);
		if (!ret)
			snprintf(path, KR_DELIVERY_PATH_SIZE, "%s", name);
	} else {
		snprintf(path, KR_DELIVERY_PATH_SIZE, "%s/%s", root,
			delivery->index.files[file].path);
	}
	return ret;
}

void
kr_delivery_destroy(struct kr_delivery *delivery)
{
	if (!delivery)
		return;
	for (size_t i = 0; i < delivery->fd_count && !delivery->stays; i++)
		kr_fd_close(&delivery->fds[i]);
	kr_index_finish(&delivery->index);
	free(delivery);
}
