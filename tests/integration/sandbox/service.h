/* SPDX-License-Identifier: Apache-2.0 */
/* A loader service of a test's own, with lavapipe as its software driver and no other. */
#ifndef KR_TESTS_SERVICE_H
#define KR_TESTS_SERVICE_H

#include "tests/integration/programs/spawn.h"

/*
 * Makes a package of lavapipe below kr_test_dir (which also names the node null, /usr/share/doc,
 * and by TEST_FILE a file that holds "what it reads"), starts `krafla serve` on the socket, whose
 * folder is made, and waits until it offers the driver. Any user may connect.
 */
void service_start(struct spawn *daemon, const char *socket);
/* The same where it can't make namespaces. Ends the case as skipped when that can't be had. */
void service_start_without_namespaces(struct spawn *daemon, const char *socket);
/* Ends it by SIGTERM; it must end with 0. */
void service_stop(struct spawn *daemon);

#endif
