/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of GPUs behind buffers. */
#include <errno.h>

#include "gralloc/object.h"
#include "util/fd.h"

int
kr_buffer_gpu_check(const struct kr_gpu_memory *memory, const struct kr_buffer_desc *desc, int fd)
{
	int words[KR_GPU_MEMORY_WORDS];
	struct kr_gpu_memory same;
	int err;

	kr_buffer_gpu_encode(words, memory);
	err = kr_buffer_gpu_decode(words, &same);
	if (!err)
		err = kr_buffer_gpu_check_desc(memory, desc);
	return err ? err : kr_buffer_gpu_check_fd(memory, fd);
}

int
kr_buffer_attach_gpu(struct kr_buffer *buffer, const struct kr_gpu_memory *memory, int take_fd)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	int err = info->gpu ? -EEXIST : kr_buffer_gpu_check(memory, &info->desc, take_fd);

	if (!err && kr_buffer_is_of_cpus_alone(info))
		err = -EINVAL;
	if (err) {
		kr_fd_close(&take_fd);
		return err;
	}
	return kr_buffer_object_add_gpu(buffer, info, memory, take_fd);
}
