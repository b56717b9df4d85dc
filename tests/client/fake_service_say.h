/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KR_TESTS_CLIENT_FAKE_SERVICE_SAY_H
#define KR_TESTS_CLIENT_FAKE_SERVICE_SAY_H

#include "fake_service.h"

/* One message of a client, and the answer to it. False: the connection is to be closed. */
bool fake_answer(struct fake_service *service, int client);

#endif
