/* SPDX-License-Identifier: Apache-2.0 */
/* A producer that breaks the display protocol: raw messages to a remote consumer. */
#ifndef KR_TESTS_WINDOW_REMOTE_LIAR_H
#define KR_TESTS_WINDOW_REMOTE_LIAR_H

#include "../help.h"

#include "window/remote/message.h"

struct liar {
	int socket;
	struct kr_consumer *consumer;
	struct kr_buffer *buffer; /* 64x32 RGBA */
};

/* What was logged last, by a sink of the log's. */
extern char liar_logged[512];
void liar_keep_log(void *data, uint32_t bits, const char *message);

void liar_start(struct liar *liar); /* at help_display */
void liar_start_with(struct liar *liar, const struct kr_remote_display *display);
void liar_finish(struct liar *liar);
/* The last message has the connection ended, for this reason; finishes it. */
void liar_expect_cut_off(struct liar *liar, const char *why);

void liar_send(struct liar *liar, const struct kr_dp_message *message, int fd);
void liar_hello(struct liar *liar); /* of version 1 */
struct kr_dp_message liar_buffer(const struct liar *liar, uint32_t slot);
void liar_announce(struct liar *liar, uint32_t slot);
struct kr_dp_message liar_frame(uint32_t slot, uint64_t number); /* of version 1 */

#endif
