/* SPDX-License-Identifier: Apache-2.0 */
/* What several calls check of their arguments. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "hwc/composer.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

int
kr_hwc_keep_fence(int fence, int *kept)
{
	int status = kr_fence_status(fence);

	if (status == -EINVAL)
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	if (status == KR_FENCE_SIGNALLED)
		*kept = -1;
	else if (kr_fd_dup(fence, kept))
		return KRAFLA_COMPOSER_NO_RESOURCES;
	return KRAFLA_COMPOSER_NONE;
}

int
kr_hwc_take_buffer(AHardwareBuffer *buffer, struct kr_buffer **own)
{
	int err;

	*own = NULL;
	if (!buffer)
		return KRAFLA_COMPOSER_NONE;
	err = kr_buffer_from_any(buffer, own);
	if (!err)
		return KRAFLA_COMPOSER_NONE;
	return err == -EINVAL || err == -EPERM ? KRAFLA_COMPOSER_BAD_PARAMETER
					       : KRAFLA_COMPOSER_NO_RESOURCES;
}

uint32_t
kr_hwc_copy_rects(ARect to[KR_HWC_MAX_RECTS], uint32_t count, const ARect *from)
{
	if (!from || count > KR_HWC_MAX_RECTS)
		return 0;
	memcpy(to, from, count * sizeof(*from));
	return count;
}
