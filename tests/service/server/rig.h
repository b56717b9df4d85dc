/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server in this process, over the fake parts, and clients of it that the test plays. The server
 * works only inside these functions, so what happens when is the test's decision.
 */
#ifndef KR_TESTS_SERVICE_SERVER_RIG_H
#define KR_TESTS_SERVICE_SERVER_RIG_H

#include <jansson.h>
#include "fake_parts.h"
#include "service/config/config.h"
#include "service/loop/loop.h"
#include "service/server/server.h"
#include "wire/loader_service.h"

struct rig {
	struct kr_config config; /* defaults by rig_init; changed before rig_start */
	struct kr_loop *loop;
	struct kr_server *server;
	char path[108];
};

void rig_init(struct rig *rig);
void rig_start(struct rig *rig);
void rig_finish(struct rig *rig);
/* Lets the server work off all that has come. */
void rig_settle(struct rig *rig);

/* A connection; nothing was said. */
int rig_connect(struct rig *rig);
/* One that has said hello and was welcomed. */
int rig_client(struct rig *rig);
void rig_send(int fd, const struct kr_ls_message *message);
/* What comes next, within 10 s; the descriptors are closed, or the caller's with `fds`. */
void rig_receive(
	struct rig *rig, int fd, struct kr_ls_message *message, int *fds, size_t *fd_count);
void rig_ask(struct rig *rig, int fd, const struct kr_ls_message *message,
	struct kr_ls_message *answer, int *fds, size_t *fd_count);
/* Nothing has come. */
void rig_expect_silence(struct rig *rig, int fd);
/* The service has ended the connection, perhaps behind a `refused`. */
void rig_expect_end(struct rig *rig, int fd);
/* A request for a package. */
struct kr_ls_message rig_get(uint32_t serial, const char *name);
/* Reads a descriptor's file from its beginning, and closes it. */
void rig_read(int take_fd, char *text, size_t size);
/* The answer to an inspect request of this client; new. */
json_t *rig_inspect(struct rig *rig, int fd);

#endif
