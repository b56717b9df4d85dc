/* SPDX-License-Identifier: Apache-2.0 */
/* See krafla_copies.h. */
#include "outputs/kms/krafla_copies.h"

#include <errno.h>

#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/fd.h"

void
kms_krafla_copies_init(struct kms_krafla_copies *copies, const struct kr_hwc_host *host)
{
	copies->targets.host = host;
	for (unsigned i = 0; i < KMS_KRAFLA_COPIES; i++)
		copies->copies[i].left = -1;
}

void
kms_krafla_copies_drop(struct kms_krafla_copies *copies)
{
	for (unsigned i = 0; i < KMS_KRAFLA_COPIES; i++) {
		kr_buffer_unref(copies->copies[i].buffer);
		copies->copies[i].buffer = NULL;
		kr_fd_close(&copies->copies[i].left);
	}
}

void
kms_krafla_copies_finish(struct kms_krafla_copies *copies)
{
	kms_krafla_copies_drop(copies);
	kms_targets_finish(&copies->targets);
}

static int
make_copy(struct kms_krafla_copy *copy, uint32_t width, uint32_t height)
{
	const struct kr_buffer_desc desc = {
		.width = width,
		.height = height,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY,
	};

	return copy->buffer ? 0 : kr_buffer_allocate(&desc, &copy->buffer);
}

int
kms_krafla_copies_fill(struct kms_krafla_copies *copies, const struct kr_hwc_display_state *display,
	const struct kr_buffer_info **info)
{
	struct kms_krafla_copy *copy = &copies->copies[copies->next];
	struct kms_dumb memory = {.width = display->width, .height = display->height};
	int ret = kr_fence_wait(display->target_fence, kr_deadline_in(KMS_KRAFLA_USER_FENCE_NS));

	if (!ret)
		ret = make_copy(copy, display->width, display->height);
	if (!ret)
		ret = kr_fence_wait(copy->left, kr_deadline_in(KMS_KRAFLA_USER_FENCE_NS));
	if (!ret)
		ret = kr_buffer_map(copy->buffer, &memory.pixels);
	if (ret)
		return ret;
	*info = kr_buffer_get_info(copy->buffer);
	if (!kr_buffer_backend_is_dma_buf((*info)->backend))
		return -ENODEV;
	memory.row_bytes = (*info)->row_bytes;
	return kms_targets_copy(&copies->targets, display->target, &memory);
}

void
kms_krafla_copies_shown(struct kms_krafla_copies *copies, int left)
{
	struct kms_krafla_copy *copy = &copies->copies[copies->next];

	kr_fd_close(&copy->left);
	if (kr_fd_dup(left, &copy->left)) {
		/* Then nobody will know when it may be written: it isn't again. */
		kr_buffer_unref(copy->buffer);
		copy->buffer = NULL;
	}
	copies->next = (copies->next + 1) % KMS_KRAFLA_COPIES;
}
