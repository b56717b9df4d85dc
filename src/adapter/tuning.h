/* SPDX-License-Identifier: Apache-2.0 */
/* What tests turn: nothing here is reachable from outside the adapter. */
#ifndef KR_ADAPTER_TUNING_H
#define KR_ADAPTER_TUNING_H

#include <stdbool.h>
#include <stdint.h>

struct kr_adapter_tuning {
	bool no_host_image;  /* images are copied */
	bool no_host_buffer; /* ... into plain memory and from there by the CPU */
	bool no_sync_fd;     /* fences are waited for */
	/* How long an acquire waits for its fence, which its caller has waited for already. */
	uint64_t acquire_limit_ns;
};

extern struct kr_adapter_tuning kr_adapter_tuning;

#endif
