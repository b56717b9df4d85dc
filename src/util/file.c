/* SPDX-License-Identifier: Apache-2.0 */
/* What paths lead to. */
#include "util/file.h"

#include <sys/stat.h>

bool
kr_file_is_special(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}
