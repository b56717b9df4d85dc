/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/liar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "gralloc/buffer.h"
#include "util/fd.h"
#include "util/log.h"

char liar_logged[512];

void
liar_keep_log(void *data, uint32_t bits, const char *message)
{
	snprintf(liar_logged, sizeof(liar_logged), "%s", message);
}

void
liar_send(struct liar *liar, const struct kr_dp_message *message, int fd)
{
	assert_int_equal(kr_remote_send(liar->socket, message, fd), 0);
}

void
liar_hello(struct liar *liar)
{
	struct kr_dp_message hello = {
		.type = KR_DP_HELLO, .hello = {.version = 1, .label = "li\nar\x1b"}};

	liar_send(liar, &hello, -1);
	assert_int_equal(kr_consumer_dispatch(liar->consumer), 0);
}

void
liar_start_with(struct liar *liar, const struct kr_remote_display *display)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	int pair[2];

	liar_logged[0] = '\0';
	kr_log_set_sink(liar_keep_log, NULL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	liar->socket = pair[0];
	assert_int_equal(
		kr_consumer_remote_create(pair[1], display, false, NULL, NULL, &liar->consumer), 0);
	assert_int_equal(kr_buffer_allocate(&desc, &liar->buffer), 0);
}

void
liar_start(struct liar *liar)
{
	liar_start_with(liar, &help_display);
}

void
liar_finish(struct liar *liar)
{
	kr_fd_close(&liar->socket);
	kr_consumer_destroy(liar->consumer);
	kr_buffer_unref(liar->buffer);
	kr_log_set_sink(NULL, NULL);
}

void
liar_expect_cut_off(struct liar *liar, const char *why)
{
	struct kr_dp_message message;
	int fd;

	assert_int_equal(help_pump_all(liar->consumer), -EPIPE);
	if (!strstr(liar_logged, why))
		fail_msg("logged \"%s\", not \"%s\"", liar_logged, why);
	/* The liar is told, after whatever it was sent before. */
	do {
		assert_int_equal(kr_remote_receive(liar->socket, &message, &fd), 0);
		kr_fd_close(&fd);
	} while (message.type != KR_DP_ERROR);
	assert_non_null(strstr(message.error.text, why));
	assert_int_equal(kr_remote_receive(liar->socket, &message, &fd), -EPIPE);
	liar_finish(liar);
}

struct kr_dp_message
liar_buffer(const struct liar *liar, uint32_t slot)
{
	struct kr_dp_message message = {.type = KR_DP_BUFFER,
		.buffer = {.slot = slot, .id = kr_buffer_get_info(liar->buffer)->id}};

	memcpy(message.buffer.handle, kr_buffer_handle(liar->buffer)->data + 1,
		sizeof(message.buffer.handle));
	return message;
}

void
liar_announce(struct liar *liar, uint32_t slot)
{
	struct kr_dp_message message = liar_buffer(liar, slot);

	liar_send(liar, &message, kr_buffer_get_info(liar->buffer)->fd);
}

struct kr_dp_message
liar_frame(uint32_t slot, uint64_t number)
{
	struct kr_dp_message message = {
		.type = KR_DP_FRAME, .frame = {.slot = slot, .number = number, .format = 1}};

	return message;
}
