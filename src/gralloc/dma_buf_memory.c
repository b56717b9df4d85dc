/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a descriptor that somebody sent is a dma-buf of the size and kind that he says. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gralloc/backends.h"
#include "sync/kernel/dma_buf.h"

void
kr_gralloc_read_exporter(int fd, char name[KR_DMA_BUF_NAME])
{
	char path[40], line[128];
	FILE *file;

	name[0] = '\0';
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file && !name[0] && fgets(line, sizeof(line), file))
		(void)!sscanf(line, "exp_name: %63s", name);
	if (file)
		fclose(file);
}

/*
 * Where /proc isn't mounted nobody tells, and the sender, who has no say in that, is believed. A
 * dma-buf has the line since Linux 5.1.
 */
static bool
may_be_from(int fd, const char *exporter)
{
	char name[KR_DMA_BUF_NAME];

	kr_gralloc_read_exporter(fd, name);
	return !name[0] || !strcmp(name, exporter);
}

int
kr_gralloc_check_dma_buf(int fd, uint64_t size, const char *exporter)
{
	int flags;

	if (kr_dma_buf_check(fd) || (uint64_t)lseek(fd, 0, SEEK_END) != size)
		return -EINVAL;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) != O_RDWR)
		return -EINVAL;
	return may_be_from(fd, exporter) ? 0 : -EINVAL;
}
