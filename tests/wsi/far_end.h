/* SPDX-License-Identifier: Apache-2.0 */
/* What a window says of the far end, played by the test: presentations, and what was shown. */
#ifndef KR_TESTS_WSI_FAR_END_H
#define KR_TESTS_WSI_FAR_END_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "window/queue/presentation.h"

struct far_end {
	struct kr_presentation presentation; /* as it was said last */
	uint32_t said;                       /* how often */
	uint32_t waits;                      /* for frames */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t shown;
	bool gone; /* waits end with -ENODEV */
};

void far_end_init(struct far_end *end);
/* A frame and all before it were shown. */
void far_end_show(struct far_end *end, uint64_t frame);
void far_end_leave(struct far_end *end);
/* The operations of window.h for these; -ENOENT for any other. */
int far_end_perform(struct far_end *end, int operation, int64_t first, int64_t second);

#endif
