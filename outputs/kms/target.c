/* SPDX-License-Identifier: Apache-2.0 */
/* See target.h. */
#include "outputs/kms/target.h"

#include <errno.h>
#include <string.h>

#include "gralloc/pixels.h"
#include "util/clock.h"

/* How long fences inside a dma-buf may hold up a copy. */
#define INSIDE_NS (100 * KR_NSEC_PER_MSEC)

static void
give_up(struct kms_targets *targets, struct kms_target *entry)
{
	if (!entry->buffer)
		return;
	kr_buffer_unref(entry->own);
	targets->host->buffer_unref(entry->buffer);
	memset(entry, 0, sizeof(*entry));
}

void
kms_targets_finish(struct kms_targets *targets)
{
	for (unsigned i = 0; i < KMS_MAX_TARGETS; i++)
		give_up(targets, &targets->entries[i]);
}

static int
find(struct kms_targets *targets, struct kr_buffer *buffer, struct kms_target **found)
{
	struct kms_target *oldest = &targets->entries[0];
	int ret;

	for (unsigned i = 0; i < KMS_MAX_TARGETS; i++) {
		struct kms_target *entry = &targets->entries[i];

		if (entry->buffer == buffer) {
			*found = entry;
			return 0;
		}
		if (entry->used < oldest->used)
			oldest = entry;
	}
	give_up(targets, oldest);
	ret = kr_buffer_import(targets->host->buffer_handle(buffer), &oldest->own);
	if (!ret)
		ret = kr_buffer_map_alone(oldest->own);
	if (ret) {
		kr_buffer_unref(oldest->own);
		oldest->own = NULL;
		return ret;
	}
	oldest->buffer = targets->host->buffer_ref(buffer);
	*found = oldest;
	return 0;
}

int
kms_targets_copy(struct kms_targets *targets, struct kr_buffer *buffer, struct kms_dumb *dumb)
{
	const struct kr_buffer_info *info;
	struct kms_target *entry;
	kr_pixels_row_fn row;
	void *pixels;
	int ret = find(targets, buffer, &entry);

	if (ret)
		return ret;
	entry->used = ++targets->count;
	info = kr_buffer_get_info(entry->own);
	row = kr_pixels_to_xrgb(info->desc.format);
	if (!row || info->desc.width != dumb->width || info->desc.height != dumb->height)
		return -EINVAL;
	ret = kr_buffer_map(entry->own, &pixels);
	if (!ret)
		ret = kr_buffer_begin_cpu(info, KR_DMA_BUF_READ, kr_deadline_in(INSIDE_NS));
	if (ret)
		return ret;
	for (uint32_t y = 0; y < dumb->height; y++)
		row((const char *)pixels + (size_t)y * info->row_bytes,
			(uint32_t *)((char *)dumb->pixels + (size_t)y * dumb->row_bytes),
			dumb->width);
	kr_buffer_end_cpu(info, KR_DMA_BUF_READ);
	return 0;
}
