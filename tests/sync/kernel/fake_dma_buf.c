/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake kernel's dma-bufs: a memfd with the fences of those who read and those who write,
 * answering as Linux 6.12 was measured to (tests/lab/test_dma_buf_fences.c): a reader waits for
 * writers, a writer for everybody.
 */
#include <errno.h>
#include <sys/mman.h>

#include "fake_kernel.h"
#include "support.h"

#define IOC_SYNC    0x40086200u
#define IOC_EXPORT  0xC0086202u
#define IOC_IMPORT  0x40086203u
#define READ        1u
#define WRITE       2u
#define MAX_BUFFERS 80

static struct {
	ino_t inode;
	struct fake_set readers, writers;
	uint64_t synced; /* the flags of the last SYNC */
} buffers[MAX_BUFFERS];
static int buffer_count;

struct sync_file_data {
	uint32_t flags;
	int32_t fd;
};

static int
index_of(int fd)
{
	ino_t inode = fake_inode(fd);

	for (int i = 0; i < buffer_count; i++) {
		if (buffers[i].inode == inode)
			return i;
	}
	return -1;
}

static int export(int buffer, struct sync_file_data *data)
{
	struct fake_set set = {0};

	if (!(data->flags & (READ | WRITE)) || data->flags & ~(READ | WRITE))
		return -EINVAL;
	fake_add_locked(&set, &buffers[buffer].writers);
	if (data->flags & WRITE)
		fake_add_locked(&set, &buffers[buffer].readers);
	data->fd = fake_new_file_locked("dma-buf", &set);
	return data->fd < 0 ? data->fd : 0;
}

static int
import(int buffer, const struct sync_file_data *data)
{
	const struct fake_set *set = fake_file_set_locked(data->fd);

	if (!set || !(data->flags & (READ | WRITE)))
		return -EINVAL;
	fake_add_locked(
		data->flags & WRITE ? &buffers[buffer].writers : &buffers[buffer].readers, set);
	return 0;
}

int
fake_dma_buf_ioctl_locked(int fd, unsigned long request, void *data)
{
	int buffer = index_of(fd);

	if (buffer < 0)
		return -ENOTTY;
	if (request == IOC_EXPORT)
		return export(buffer, data);
	if (request == IOC_IMPORT)
		return import(buffer, data);
	if (request != IOC_SYNC)
		return -ENOTTY;
	buffers[buffer].synced = *(const uint64_t *)data;
	return 0;
}

bool
fake_is_dma_buf_locked(int fd)
{
	return index_of(fd) >= 0;
}

void
fake_dma_buf_reset_locked(void)
{
	buffer_count = 0;
}

int
fake_dma_buf(void)
{
	int fd = memfd_create("fake dma-buf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	pthread_mutex_lock(&fake_lock);
	assert_true(buffer_count < MAX_BUFFERS);
	buffers[buffer_count].inode = fake_inode(fd);
	buffers[buffer_count].readers.count = buffers[buffer_count].writers.count = 0;
	buffers[buffer_count++].synced = 0;
	pthread_mutex_unlock(&fake_lock);
	return fd;
}

uint64_t
fake_synced(int fd)
{
	return buffers[index_of(fd)].synced;
}
