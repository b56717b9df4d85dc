/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program's libvulkan, or libEGL_krafla, tells the `krafla run` that it runs under, by a
 * datagram to the socket of KRAFLA_REPORT: so that this can say why nothing was shown, and what it
 * cost. Nobody waits for it, and it is lost where nobody listens.
 */
#ifndef KR_UTIL_REPORT_H
#define KR_UTIL_REPORT_H

#include "util/macros.h"

#define KR_REPORT_MAX 300

/* The first word of a report; an extension's name follows the last one. */
#define KR_REPORT_INSTANCE  "instance"
#define KR_REPORT_NO_DRIVER "no-driver"
#define KR_REPORT_EXTENSION "extension"
/* With a descriptor: memory that holds the numbers of egl/vendor/report.h, as they are then. */
#define KR_REPORT_EGL "egl"

/* `detail` may be NULL. Thread-safe; errno stays. */
void kr_report(const char *what, const char *detail);
/* The same with a descriptor. 0; -EAGAIN no room for it just now; -errno nobody listens. */
int kr_report_fd(const char *what, int fd) KR_MUST_CHECK;

#endif
