/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a loader service for people. */
#ifndef KR_TOOLS_SERVICE_PRINT_H
#define KR_TOOLS_SERVICE_PRINT_H

#include <jansson.h>

/* `state`: what the service at `socket` says; members that are missing are passed over. */
void kr_print_service(const char *socket, const json_t *state);

#endif
