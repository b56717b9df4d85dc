/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a writer fills with a picture's bytes and uses again for the next. One thread. */
#ifndef KR_TOOLS_RUN_CAPTURE_BUFFER_H
#define KR_TOOLS_RUN_CAPTURE_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_capture_buffer {
	uint8_t *data;
	size_t size; /* bytes that are there */
	size_t room;
};

/* Room for `more` bytes behind those that are there: 0 or -ENOMEM. */
int kr_capture_buffer_reserve(struct kr_capture_buffer *buffer, size_t more) KR_MUST_CHECK;
int kr_capture_buffer_add(struct kr_capture_buffer *buffer, const void *data, size_t size)
	KR_MUST_CHECK;
void kr_capture_buffer_finish(struct kr_capture_buffer *buffer);

#endif
