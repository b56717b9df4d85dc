/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer that pictures are made of. Memory of a GPU is imported and sampled as it is. Of memory
 * of CPUs the device has a copy, of which what a picture needs is brought up to date; a processor
 * reads the memory itself. Thread-safety: one thread.
 */
#ifndef KR_TOOLS_PAINTER_SOURCE_H
#define KR_TOOLS_PAINTER_SOURCE_H

#include <pixman.h>
#include "gralloc/buffer.h"
#include "painter/message.h"
#include "tools/painter/memory.h"
#include "tools/painter/pipeline.h"
#include "util/list.h"

struct kr_paint_source {
	struct kr_list link; /* kr_paint_sources */
	uint64_t id;
	struct kr_buffer *buffer;
	enum kr_paint_decoding decoding;
	/* Memory of a GPU: */
	bool is_image;
	struct kr_gpu_image image;
	VkImageView view;
	/* Memory of CPUs: */
	struct kr_paint_memory mapped; /* the memory itself, where the device takes it */
	struct kr_paint_memory copy;   /* none where `mapped` is read */
	void *data;
	uint64_t content;
	pixman_region32_t valid; /* of the copy, in pixels */
};

struct kr_paint_sources {
	struct kr_list list; /* kr_paint_source.link */
};

/*
 * Imports what the message names; the descriptors stay the caller's. 0; -EINVAL, -EPERM it isn't
 * such memory; -EXDEV, -EOPNOTSUPP, -ENOMEM it can't be read here. `reason`: a sentence.
 */
int kr_paint_source_create(const struct kr_paint_device *device,
	const struct kr_painter_packet *packet, struct kr_paint_source **source,
	const char **reason) KR_MUST_CHECK;
/* Nobody reads it. */
void kr_paint_source_destroy(const struct kr_paint_device *device, struct kr_paint_source *source);
/* NULL: there is none. */
struct kr_paint_source *kr_paint_sources_find(const struct kr_paint_sources *sources, uint64_t id);

/* What a shader reads of memory of CPUs. */
static inline VkBuffer
kr_paint_source_words(const struct kr_paint_source *source)
{
	return source->copy.buffer ? source->copy.buffer : source->mapped.buffer;
}

#endif
