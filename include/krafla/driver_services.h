/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For drivers: services by name, through the function of open_in_namespace.h (F-05, F-09).
 *
 *     /loader-services/NAME        a socket that is connected to the service NAME
 *
 * Which there are is a list, and none by default: the loader service's configuration has one, and
 * who starts the program, or embeds the loader, interposes his own (KRAFLA_DRIVER_SERVICES;
 * docs/profiles.md). A driver is one for all of a process, and all that is drawn in it, so the
 * list's owner marks what is safe for all of them; what isn't marked
 * is refused. Names that mean something here:
 *
 *     log          takes lines as syslog's socket does: "<PRIORITY>TAG: TEXT", one a packet
 *     tracing      takes packets whose form is between the driver and who listens
 *
 * A name has 1 to 63 of the letters a to z, digits, `.`, `_` and `-`. A driver works without any
 * service. As with open_in_namespace.h, the header is all that a driver needs.
 *
 * Thread-safety: any thread; not from a signal handler.
 */
#ifndef KRAFLA_DRIVER_SERVICES_H
#define KRAFLA_DRIVER_SERVICES_H

#include <krafla/open_in_namespace.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KRAFLA_DRIVER_SERVICES "/loader-services"

#define KRAFLA_SERVICE_LOG     "log"
#define KRAFLA_SERVICE_TRACING "tracing"

/* Priorities of lines: syslog's of a user's program. */
#define KRAFLA_LOG_ERROR   11
#define KRAFLA_LOG_WARNING 12
#define KRAFLA_LOG_INFO    14
#define KRAFLA_LOG_DEBUG   15

/*
 * A new descriptor (close-on-exec), the driver's own: a socket whose calls don't wait; of whichever
 * kind the service listens with (datagrams, packets, or a stream). Or -errno: -ENOENT, no such
 * service is given; -EACCES, it isn't safe for all; -ECONNREFUSED, nobody listens; -EINVAL, no such
 * name can be.
 */
static inline int
krafla_open_service(PFN_krafla_open_in_namespace open_function, const char *name)
{
	char path[sizeof(KRAFLA_DRIVER_SERVICES) + 64];

	if (strlen(name) > 63)
		return -EINVAL;
	snprintf(path, sizeof(path), KRAFLA_DRIVER_SERVICES "/%s", name);
	return krafla_open_in_namespace(open_function, path);
}

/*
 * Writes a line, cut at 1000 bytes. 0, or -errno: -EAGAIN, the service doesn't keep up and this
 * line is lost; -EPIPE, -ECONNREFUSED, it has gone. A driver goes on in either case.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static inline int
krafla_service_log(int service, int priority, const char *tag, const char *format, ...)
{
	char line[1001];
	int head, length;
	va_list args;

	head = snprintf(line, sizeof(line), "<%d>%.100s: ", priority, tag);
	if (head < 0)
		return -EINVAL;
	va_start(args, format);
	length = vsnprintf(line + head, sizeof(line) - (size_t)head, format, args);
	va_end(args);
	if (length < 0)
		return -EINVAL;
	length = head + length < (int)sizeof(line) ? head + length : (int)sizeof(line) - 1;
	return send(service, line, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

#ifdef __cplusplus
}
#endif

#endif
