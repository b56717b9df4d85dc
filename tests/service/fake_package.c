/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for service/package*.c until it is there. */
#include "service/package.h"

#include <stdlib.h>
#include <string.h>

#include "util/fd.h"

char *
kr_package_index(const struct kr_package *package, const char *name)
{
	return strdup("{\"version\": 1}");
}

void
kr_package_destroy(struct kr_package *package)
{
	for (size_t i = 0; i < package->file_count; i++) {
		free(package->files[i].path);
		kr_fd_close(&package->files[i].fd);
	}
	free(package->files);
	free(package->name);
	free(package->path);
	free(package->file_path);
	free(package->manifest_path);
	free(package->manifest);
	free(package->library_path);
	free(package);
}
