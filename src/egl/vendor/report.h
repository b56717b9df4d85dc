/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What EGL costs this process where the vendor can't do it: counted here, and told the `krafla run`
 * that it runs under, for its summary (util/report.h). Thread-safe.
 */
#ifndef KR_EGL_VENDOR_REPORT_H
#define KR_EGL_VENDOR_REPORT_H

#include <stdint.h>

/* The order is that of the report. */
enum kr_egl_counter {
	KR_EGL_FRAMES,       /* of windows, queued */
	KR_EGL_COPIES,       /* of these copied */
	KR_EGL_COPIED_BYTES, /* so much */
	KR_EGL_CPU_WAITS,    /* a processor waited in place of the GPU (E-03) */
	KR_EGL_CPU_WAITS_LATE,
	KR_EGL_CPU_WAIT_NS,
	KR_EGL_COUNTS,
};

void kr_egl_count(enum kr_egl_counter what, uint64_t more);
uint64_t kr_egl_counted(enum kr_egl_counter what);
/* After a count: tells it unless something was told a moment ago. exit() tells the last state. */
void kr_egl_count_report(void);

#endif
