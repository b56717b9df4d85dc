/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent's end. Answers must come in the order of what was asked; whatever else comes ends the
 * painter.
 */
#include "painter/painter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "painter/alarms.h"
#include "painter/buffers.h"
#include "painter/errands.h"
#include "painter/outbox.h"
#include "painter/process.h"
#include "painter/request.h"
#include "painter/ring.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/text.h"

#define PACKETS 64 /* that one dispatch reads at most */

struct kr_painter {
	struct kr_painter_process process;
	struct kr_painter_alarms alarms;
	int socket;
	bool ready;
	bool ended;   /* its socket was closed at its end first */
	bool stopped; /* somebody has stopped it */
	int error;    /* 0 it lives; -EPIPE, -ENODEV */
	char why[192];
	int64_t start_deadline;
	struct kr_painter_report report;
	struct kr_painter_outbox outbox;
	struct kr_painter_buffers buffers;
	struct kr_painter_errands errands;
	struct kr_painter_ring ring;
	struct kr_painter_result results[KR_PAINTER_MAX_REQUESTS];
	unsigned result_count;
	uint64_t last_number, next_content, next_serial;
	uint32_t width, height; /* of the canvas */
};

/* --- its end --- */

static int
fail(struct kr_painter *painter, int error, const char *why)
{
	if (painter->error)
		return painter->error;
	painter->error = error;
	snprintf(painter->why, sizeof(painter->why), "%s", why);
	kr_painter_outbox_finish(&painter->outbox);
	kr_painter_alarms_forget(&painter->alarms, painter->socket);
	kr_fd_close(&painter->socket);
	if (error == -EPIPE)
		kr_painter_process_kill(&painter->process);
	return error;
}

static int64_t
deadline_of(const struct kr_painter *painter)
{
	if (painter->error)
		return KR_FOREVER;
	return painter->ready ? kr_painter_errands_deadline(&painter->errands)
			      : painter->start_deadline;
}

static void
set_alarms(struct kr_painter *painter)
{
	bool waits = !painter->error && !kr_painter_outbox_is_empty(&painter->outbox);

	kr_painter_alarms_set(&painter->alarms, painter->socket, deadline_of(painter), waits);
}

/* --- start and stop --- */

static int
say_hello(struct kr_painter *painter, const struct kr_painter_config *config)
{
	struct kr_painter_packet packet = {
		.message = {.type = KR_PP_HELLO, .hello = {.version = KR_PP_VERSION}},
		.fds = {-1, -1},
	};
	struct kr_pp_hello *hello = &packet.message.hello;

	_Static_assert(sizeof(hello->device_uuid) == KR_PAINTER_UUID_SIZE, "uuid");
	memcpy(hello->device_uuid, config->device_uuid, sizeof(hello->device_uuid));
	memcpy(hello->driver_uuid, config->driver_uuid, sizeof(hello->driver_uuid));
	return kr_painter_outbox_send(&painter->outbox, &packet);
}

int
kr_painter_start(const struct kr_painter_config *config, struct kr_painter **out)
{
	struct kr_painter *painter = calloc(1, sizeof(*painter));
	int err;

	if (!painter)
		return -ENOMEM;
	painter->socket = painter->process.pidfd = -1;
	kr_painter_buffers_init(&painter->buffers);
	kr_painter_errands_init(&painter->errands);
	kr_painter_outbox_init(&painter->outbox, -1);
	err = kr_painter_alarms_open(&painter->alarms);
	if (!err)
		err = kr_painter_process_start(&painter->process, &painter->socket);
	if (err)
		goto err_stop;
	painter->outbox.socket = painter->socket;
	err = kr_painter_alarms_watch(&painter->alarms, painter->socket);
	if (err)
		goto err_stop;
	err = say_hello(painter, config);
	/* It may have ended already: dispatch tells. */
	if (err && err != -EPIPE)
		goto err_stop;
	painter->start_deadline = kr_deadline_in((uint64_t)KR_PAINTER_START_MS * KR_NSEC_PER_MSEC);
	set_alarms(painter);
	*out = painter;
	return 0;

err_stop:
	kr_painter_stop(painter);
	return err;
}

void
kr_painter_stop(struct kr_painter *painter)
{
	if (!painter)
		return;
	kr_fd_close(&painter->socket);
	kr_painter_alarms_finish(&painter->alarms);
	kr_painter_process_end(&painter->process);
	kr_painter_outbox_finish(&painter->outbox);
	kr_painter_errands_finish(&painter->errands);
	kr_painter_buffers_finish(&painter->buffers);
	kr_painter_ring_finish(&painter->ring);
	free(painter);
}

int
kr_painter_get_fd(const struct kr_painter *painter)
{
	return painter->alarms.epoll;
}

/* --- what comes --- */

static int
handle_ready(struct kr_painter *painter, struct kr_pp_ready *ready)
{
	struct kr_painter_report *report = &painter->report;

	if (painter->ready || ready->version != KR_PP_VERSION || !ready->max_size)
		return -EPROTO;
	painter->ready = true;
	kr_text_clean(ready->device, strlen(ready->device), false);
	snprintf(report->device, sizeof(report->device), "%s", ready->device);
	memcpy(report->device_uuid, ready->device_uuid, sizeof(report->device_uuid));
	memcpy(report->driver_uuid, ready->driver_uuid, sizeof(report->driver_uuid));
	report->cpu = ready->cpu;
	report->max_size = KR_MIN(ready->max_size, (uint32_t)KR_RENDER_MAX_SIZE);
	kr_painter_errands_start(&painter->errands,
		(uint64_t)(report->cpu ? KR_PAINTER_CPU_ANSWER_MS : KR_PAINTER_ANSWER_MS) *
			KR_NSEC_PER_MSEC);
	return 0;
}

/* Before it is ready there is one thing that it may say. */
static int
handle_refused(struct kr_painter *painter, struct kr_pp_refused *refused)
{
	if (painter->ready)
		return -EPROTO;
	kr_text_clean(refused->reason, strlen(refused->reason), false);
	return fail(painter, -ENODEV, refused->reason);
}

static int
handle_looked(struct kr_painter *painter, struct kr_pp_looked *looked)
{
	const struct kr_painter_errand *errand = kr_painter_errands_first(&painter->errands);
	struct kr_painter_known *known;
	uint64_t serial;

	if (!errand || !errand->look || errand->id != looked->id)
		return -EPROTO;
	serial = errand->serial;
	kr_painter_errands_pop(&painter->errands);
	known = kr_painter_buffers_find(&painter->buffers, looked->id);
	/* Removed meanwhile, and another one may have its number. */
	if (!known || known->serial != serial)
		return 0;
	known->verdict = looked->error ? KR_PAINTER_REFUSED : KR_PAINTER_GOOD;
	kr_text_clean(looked->reason, strlen(looked->reason), false);
	snprintf(known->reason, sizeof(known->reason), "%s", looked->reason);
	return 0;
}

static int
handle_drawn(struct kr_painter *painter, const struct kr_pp_drawn *drawn)
{
	const struct kr_painter_errand *errand = kr_painter_errands_first(&painter->errands);
	struct kr_painter_result *result = &painter->results[painter->result_count];

	if (!errand || errand->look || errand->number != drawn->number)
		return -EPROTO;
	*result = (struct kr_painter_result){
		.number = drawn->number,
		.error = drawn->error > 0 || drawn->error < -4095 ? -EIO : drawn->error,
		.gpu_ns = drawn->gpu_ns,
		.ring = errand->ring,
	};
	kr_painter_errands_pop(&painter->errands);
	if (result->ring < KR_PAINTER_RING && result->error) {
		kr_painter_ring_give_back(&painter->ring, result->ring);
		result->ring = KR_PAINTER_RING;
	}
	if (result->ring < KR_PAINTER_RING)
		result->buffer = painter->ring.slots[result->ring].buffer;
	painter->result_count++;
	return 0;
}

static int
handle(struct kr_painter *painter, struct kr_pp_message *message)
{
	if (message->type == KR_PP_REFUSED)
		return handle_refused(painter, &message->refused);
	if (message->type == KR_PP_READY)
		return handle_ready(painter, &message->ready);
	if (message->type == KR_PP_LOOKED && painter->ready)
		return handle_looked(painter, &message->looked);
	if (message->type == KR_PP_DRAWN && painter->ready)
		return handle_drawn(painter, &message->drawn);
	return -EPROTO;
}

static int
receive_all(struct kr_painter *painter)
{
	int err = 0;

	for (int i = 0; i < PACKETS && !err; i++) {
		struct kr_painter_packet packet;

		err = kr_painter_receive(painter->socket, &packet);
		if (err)
			break;
		kr_painter_packet_close(&packet);
		kr_painter_alarms_heard(&painter->alarms);
		err = handle(painter, &packet.message);
	}
	if (err == 0 || err == -EAGAIN || painter->error)
		return painter->error;
	painter->ended = err == -EPIPE;
	return fail(painter, -EPIPE,
		err == -EPIPE            ? painter->ready ? "krafla-painter has died"
							  : "krafla-painter died at its start"
			: err == -EPROTO ? "krafla-painter says what it may not"
					 : "krafla-painter can't be heard");
}

int
kr_painter_dispatch(struct kr_painter *painter, const char **why)
{
	int err = painter->error;

	if (!err)
		err = receive_all(painter);
	if (!err && kr_painter_outbox_flush(&painter->outbox)) {
		painter->ended = true;
		err = fail(painter, -EPIPE, "krafla-painter has died");
	}
	if (!err && kr_clock_now() >= deadline_of(painter))
		err = fail(painter, -EPIPE,
			painter->ready ? "krafla-painter didn't answer in time"
				       : "krafla-painter didn't start in time");
	if (!err && kr_painter_alarms_stands_still(&painter->alarms, &painter->process)) {
		painter->stopped = true;
		err = fail(painter, -EPIPE, "krafla-painter was stopped");
	}
	set_alarms(painter);
	if (err && why)
		*why = painter->why;
	return err;
}

bool
kr_painter_ready(const struct kr_painter *painter, struct kr_painter_report *report)
{
	if (painter->ready && report)
		*report = painter->report;
	return painter->ready;
}

/* --- buffers --- */

static int
encode_buffer(uint64_t id, const struct kr_buffer *buffer, struct kr_painter_packet *packet)
{
	const native_handle_t *handle = kr_buffer_handle(buffer);
	struct kr_pp_buffer *out = &packet->message.buffer;

	*packet = (struct kr_painter_packet){.message = {.type = KR_PP_BUFFER}, .fds = {-1, -1}};
	if (handle->numFds < 1 || handle->numFds > KR_PP_MAX_FDS || handle->numInts < 1 ||
		handle->numInts > (int)KR_ARRAY_LEN(out->handle))
		return -EINVAL;
	out->id = id;
	out->ints = (uint8_t)handle->numInts;
	memcpy(packet->fds, handle->data, sizeof(int) * (size_t)handle->numFds);
	memcpy(out->handle, handle->data + handle->numFds, sizeof(int) * (size_t)handle->numInts);
	return 0;
}

int
kr_painter_add_buffer(struct kr_painter *painter, uint64_t id, struct kr_buffer *buffer)
{
	struct kr_painter_errand *errand;
	struct kr_painter_packet packet;
	struct kr_painter_known *known;
	int err = painter->error ? -EPIPE : encode_buffer(id, buffer, &packet);

	if (err)
		return err;
	errand = kr_painter_errands_make(&painter->errands);
	if (!errand)
		return -ENOMEM;
	errand->look = true;
	errand->id = id;
	err = kr_painter_buffers_add(&painter->buffers, id, &known);
	if (err)
		goto err_free;
	known->gpu = kr_buffer_get_info(buffer)->gpu;
	known->serial = errand->serial = ++painter->next_serial;
	err = kr_painter_outbox_send(&painter->outbox, &packet);
	if (err)
		goto err_remove;
	kr_painter_errands_add(&painter->errands, errand);
	set_alarms(painter);
	return 0;

err_remove:
	kr_painter_buffers_remove(&painter->buffers, known);
err_free:
	free(errand);
	return err;
}

enum kr_painter_verdict
kr_painter_buffer(const struct kr_painter *painter, uint64_t id, const char **reason)
{
	const struct kr_painter_known *known = kr_painter_buffers_find(&painter->buffers, id);

	if (reason)
		*reason = known ? known->reason : "it isn't known";
	return known ? known->verdict : KR_PAINTER_REFUSED;
}

void
kr_painter_remove_buffer(struct kr_painter *painter, uint64_t id)
{
	struct kr_painter_known *known = kr_painter_buffers_find(&painter->buffers, id);
	const struct kr_painter_packet packet = {
		.message = {.type = KR_PP_BUFFER_GONE, .buffer_gone = {id}},
		.fds = {-1, -1},
	};
	int err;

	if (!known)
		return;
	kr_painter_buffers_remove(&painter->buffers, known);
	if (painter->error)
		return;
	err = kr_painter_outbox_send(&painter->outbox, &packet);
	/* It would keep the memory: rather end it. */
	if (err)
		(void)fail(painter, -EPIPE, "krafla-painter takes no more messages");
	set_alarms(painter);
}

bool
kr_painter_was_killed(const struct kr_painter *painter)
{
	return painter->stopped ||
		(painter->ended && kr_painter_process_was_killed(&painter->process));
}

unsigned
kr_painter_suspects(const struct kr_painter *painter, uint64_t *ids, unsigned room)
{
	if (!painter->error || !painter->ready)
		return 0;
	return kr_painter_errands_suspects(&painter->errands, ids, room);
}

/* --- pictures --- */

/* Whether its numbers are good, and which of them have memory of GPUs. */
static int
note_buffers(const struct kr_painter *painter, const struct kr_painter_request *request,
	struct kr_painter_errand *errand)
{
	for (unsigned i = 0; i < request->count; i++) {
		const struct kr_painter_known *known;

		if (!request->ids[i])
			continue;
		known = kr_painter_buffers_find(&painter->buffers, request->ids[i]);
		if (!known || known->verdict != KR_PAINTER_GOOD)
			return -EINVAL;
		if (known->gpu)
			errand->gpu_ids[errand->gpu_count++] = request->ids[i];
	}
	return 0;
}

static int
send_draw(struct kr_painter *painter, const struct kr_painter_request *request,
	struct kr_painter_errand *errand)
{
	struct kr_painter_packet packet = {.message = {.type = KR_PP_DRAW}, .fds = {-1, -1}};
	struct kr_pp_draw *draw = &packet.message.draw;
	bool resized = request->width != painter->width || request->height != painter->height;
	int err = kr_painter_request_encode(request, !request->stale || resized, draw);

	for (unsigned i = 0; !err && !request->contents && i < request->count; i++)
		draw->layers[i].content = ++painter->next_content;
	if (!err && request->readback)
		err = kr_painter_ring_take(
			&painter->ring, &painter->outbox, request, &errand->ring);
	if (err)
		return err;
	draw->ring = request->readback ? (uint8_t)errand->ring : 0;
	err = kr_painter_outbox_send(&painter->outbox, &packet);
	if (err)
		kr_painter_ring_give_back(&painter->ring, errand->ring);
	return err;
}

int
kr_painter_draw(struct kr_painter *painter, const struct kr_painter_request *request)
{
	struct kr_painter_errand *errand;
	int err;

	if (painter->error)
		return -EPIPE;
	if (painter->errands.pictures + painter->result_count >= KR_PAINTER_MAX_REQUESTS)
		return -EAGAIN;
	if (request->count > KR_RENDER_MAX_LAYERS || request->number <= painter->last_number)
		return -EINVAL;
	errand = kr_painter_errands_make(&painter->errands);
	if (!errand)
		return -ENOMEM;
	errand->number = request->number;
	errand->ring = KR_PAINTER_RING;
	err = note_buffers(painter, request, errand);
	if (!err)
		err = send_draw(painter, request, errand);
	if (err) {
		free(errand);
		return err;
	}
	kr_painter_errands_add(&painter->errands, errand);
	painter->last_number = request->number;
	painter->width = request->width;
	painter->height = request->height;
	set_alarms(painter);
	return 0;
}

bool
kr_painter_take(struct kr_painter *painter, struct kr_painter_result *result)
{
	void *data;

	if (!painter->result_count)
		return false;
	*result = painter->results[0];
	painter->result_count--;
	memmove(painter->results, painter->results + 1,
		painter->result_count * sizeof(painter->results[0]));
	if (result->buffer && !kr_buffer_map(result->buffer, &data)) {
		result->pixels = data;
		result->row_bytes = kr_buffer_get_info(result->buffer)->row_bytes;
	}
	return true;
}

void
kr_painter_give_back(struct kr_painter *painter, unsigned ring)
{
	kr_painter_ring_give_back(&painter->ring, ring);
}
