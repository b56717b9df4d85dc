/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This process's client of the loader service (F-01 to F-08): what libvulkan and tools search
 * drivers with.
 *
 * One connection for the life of a process and copy of the loader, made when it is first needed and
 * never again (F-02): when it couldn't be made, or has ended, each call says why and nothing else
 * happens; drivers that were loaded stay, and are still listed. A child of fork has no connection,
 * and makes its own when it needs one. No thread, no loop; calls wait, each for a limited time
 * (docs/threading.md).
 *
 * Which socket: the one that KRAFLA_SERVICE names, "none" and "" being none; where it isn't set, a
 * profile whose drivers come from the service tries KR_SERVICE_SYSTEM_SOCKET, then
 * KR_SERVICE_USER_SOCKET below XDG_RUNTIME_DIR. A service of another user than this one or root is
 * used only when the variable names it.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_CLIENT_CLIENT_H
#define KR_CLIENT_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include "discover/service.h"
#include "util/macros.h"

/* For kr_discover_options.service. NULL: no service is configured here. Connects to nothing. */
struct kr_driver_service *kr_client_service(void);

enum kr_client_state {
	KR_CLIENT_IDLE, /* nothing has needed it yet */
	KR_CLIENT_CONNECTED,
	KR_CLIENT_UNREACHABLE, /* it couldn't be connected */
	KR_CLIENT_LOST,        /* the connection has ended */
};

struct kr_client_report {
	enum kr_client_state state;
	char *socket;      /* the one it is connected to, or the last that was tried; may be NULL */
	char *reason;      /* why it isn't connected: a sentence; may be NULL */
	uint32_t features; /* kr_service_feature_bits, when connected */
};

/*
 * How the connection is. Asks nobody, but waits for whoever does just now. False, *report
 * untouched: none is configured.
 */
bool kr_client_describe(struct kr_client_report *report);
void kr_client_report_finish(struct kr_client_report *report);
const char *kr_client_state_name(enum kr_client_state state);

/*
 * Closes the connection and frees what is known, when the library ends; does nothing while another
 * thread is at work. Loaded drivers stay.
 */
void kr_client_end(void);

#endif
