/* SPDX-License-Identifier: Apache-2.0 */
/* A delivery that was taken: see delivery.h. */
#include "delivery/delivery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delivery/delivery_impl.h"
#include "util/fd.h"

const struct kr_index *
kr_delivery_index(const struct kr_delivery *delivery)
{
	return &delivery->index;
}

int
kr_delivery_root(
	const struct kr_delivery *delivery, char root[KR_DELIVERY_FD_NAME_SIZE], char **reason)
{
	return kr_delivery_fd_name(delivery->fds[0], root, reason);
}

void
kr_delivery_path(const struct kr_delivery *delivery, const char *root, size_t file,
	char path[KR_DELIVERY_PATH_SIZE])
{
	const size_t directory = (size_t)(strrchr(root, '/') + 1 - root);

	if (delivery->kind == KR_DELIVERY_MEMORY)
		snprintf(path, KR_DELIVERY_PATH_SIZE, "%.*s%d", (int)directory, root,
			delivery->fds[file + 1]);
	else
		snprintf(path, KR_DELIVERY_PATH_SIZE, "%s/%s", root,
			delivery->index.files[file].path);
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
