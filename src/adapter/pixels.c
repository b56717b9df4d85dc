/* SPDX-License-Identifier: Apache-2.0 */
/* What the CPU does for a release when the GPU is done. */
#include "adapter/image.h"

#include <string.h>

#include "gpu/format.h"

/* From the staging buffer. */
static void
copy_to_pixels(const struct kr_adapter_image *image)
{
	const size_t row_bytes = kr_buffer_get_info(image->buffer)->row_bytes;
	const size_t used =
		(size_t)image->extent.width * kr_format_bytes(kr_gpu_buffer_format(image->format));

	for (uint32_t y = 0; y < image->extent.height; y++)
		memcpy((char *)image->pixels + y * row_bytes,
			(const char *)image->staging_map + y * row_bytes, used);
}

void
kr_adapter_image_give_pixels(const struct kr_adapter_image *image, bool cpu_copies)
{
	if (cpu_copies)
		copy_to_pixels(image);
	kr_buffer_end_cpu(kr_buffer_get_info(image->buffer), KR_DMA_BUF_READ_WRITE);
}
