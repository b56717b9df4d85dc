/* SPDX-License-Identifier: Apache-2.0 */
/* What tests turn: nothing here is reachable from outside the adapter. */
#ifndef KR_ADAPTER_TUNING_H
#define KR_ADAPTER_TUNING_H

#include <stdbool.h>
#include <stdint.h>

struct kr_adapter_tuning {
	bool no_host_image;  /* images are copied */
	bool no_host_buffer; /* ... into plain memory and from there by the CPU */
	bool no_sync_fd;     /* acquires wait for fences, releases make their own */
	bool no_flights;     /* ... and those wait for their work instead */
	/* How long an acquire waits for its fence, which its caller has waited for already. */
	uint64_t acquire_limit_ns;
	/* How long destroying waits for releases that the driver hasn't done. */
	uint64_t landing_limit_ns;
};

extern struct kr_adapter_tuning kr_adapter_tuning;

#endif
