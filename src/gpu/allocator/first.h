/* SPDX-License-Identifier: Apache-2.0 */
/* The first content of memory that is to be handed out. For this folder alone. */
#ifndef KR_GPU_ALLOCATOR_FIRST_H
#define KR_GPU_ALLOCATOR_FIRST_H

#include "gpu/allocator/session.h"

/*
 * Fills a new image or VkBuffer with zeros (planes of YCbCr, which can't be cleared, stay as they
 * are) and hands it out: in its description's layout, owned by nobody here. Waits for that, 5 s at
 * most. Threads take turns.
 */
VkResult kr_gpu_first_content(
	const struct kr_gpu_session *session, const struct kr_gpu_image *image) KR_MUST_CHECK;

#endif
