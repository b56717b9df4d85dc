/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What EGL costs this process where the vendor can't do it: counted in memory that the `krafla run`
 * above reads for its summary (util/report.h), whatever the process ends by. Thread-safe. A child
 * that it forks counts in the same memory.
 */
#ifndef KR_EGL_VENDOR_REPORT_H
#define KR_EGL_VENDOR_REPORT_H

#include <stdint.h>

/* The order is that of the memory, 64 bits each. */
enum kr_egl_counter {
	KR_EGL_FRAMES,       /* of windows, queued */
	KR_EGL_COPIES,       /* of these copied */
	KR_EGL_COPIED_BYTES, /* so much */
	KR_EGL_CPU_WAITS,    /* a processor waited in place of the GPU (E-03) */
	KR_EGL_CPU_WAITS_LATE,
	KR_EGL_CPU_WAIT_NS,
	KR_EGL_COUNTS,
};

/* `more` may be negative, of what came to nothing. */
void kr_egl_count(enum kr_egl_counter what, int64_t more);
uint64_t kr_egl_counted(enum kr_egl_counter what);
/* After a count, before what may end the process: whoever listens has the memory. */
void kr_egl_count_report(void);

#endif
