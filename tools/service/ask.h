/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a loader service what it is doing. */
#ifndef KR_TOOLS_SERVICE_ASK_H
#define KR_TOOLS_SERVICE_ASK_H

#include <jansson.h>
#include "util/macros.h"

/*
 * The state of the service at `path`; with NULL of the one that KRAFLA_SERVICE names, or else of
 * the first that answers at the places where services listen. *socket (free) is where it was found.
 * Waits 10 s at most. 0 or -errno with a sentence in *reason (free).
 */
int kr_ask_service(const char *path, char **socket, json_t **state, char **reason) KR_MUST_CHECK;

#endif
