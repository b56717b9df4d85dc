/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers in the CPU's hands: mapped, locked. */
#include <errno.h>
#include <sys/mman.h>

#include "gralloc/object.h"
#include "util/fd.h"

KR_PRIVATE int
kr_buffer_map(struct kr_buffer *buffer, void **data)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	const bool gpu = info->backend == KR_BUFFER_GPU;
	const int prot = gpu ? buffer->gpu_prot : PROT_READ | PROT_WRITE;
	void *map = atomic_load(&buffer->map);
	void *expected = NULL;

	if (!prot)
		return -EOPNOTSUPP;
	if (!map) {
		map = mmap(NULL, info->size, prot, MAP_SHARED, gpu ? info->gpu_fd : info->fd, 0);
		if (map == MAP_FAILED)
			return -errno;
		/* Two threads may get here; the second uses the first one's. */
		if (!atomic_compare_exchange_strong(&buffer->map, &expected, map)) {
			munmap(map, info->size);
			map = expected;
		}
	}
	*data = map;
	return 0;
}

int
kr_buffer_map_alone(struct kr_buffer *buffer)
{
	struct kr_buffer_gpu *gpu = atomic_load(&buffer->gpu);
	void *map;
	int err;

	if (kr_buffer_get_info(buffer)->backend != KR_BUFFER_MEMFD)
		return 0;
	err = kr_buffer_map(buffer, &map);
	if (err)
		return err;
	kr_fd_close(&buffer->info.fd);
	kr_handle_encode(&buffer->handle, &buffer->info);
	if (gpu) {
		gpu->info.fd = -1;
		kr_handle_encode(&gpu->handle, &gpu->info);
	}
	return 0;
}

int
kr_buffer_lock(
	struct kr_buffer *buffer, enum kr_dma_buf_access access, int64_t deadline_ns, void **data)
{
	void *map;
	int err = kr_buffer_map(buffer, &map);

	if (!err)
		err = kr_buffer_begin_cpu(kr_buffer_get_info(buffer), access, deadline_ns);
	if (err)
		return err;
	atomic_fetch_add(&buffer->locks, 1);
	*data = map;
	return 0;
}

int
kr_buffer_unlock(struct kr_buffer *buffer)
{
	unsigned locks = atomic_load(&buffer->locks);

	do {
		if (!locks)
			return -EINVAL;
	} while (!atomic_compare_exchange_weak(&buffer->locks, &locks, locks - 1));
	kr_buffer_end_cpu(kr_buffer_get_info(buffer), KR_DMA_BUF_READ_WRITE);
	return 0;
}
