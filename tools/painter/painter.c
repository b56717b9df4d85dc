/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-painter PARENT: draws pictures of layers with a GPU, for the composer that started it and
 * talks with it through descriptor 3 (protocol/painter.txt, src/painter). What it is given comes
 * from clients of that composer: it may crash here, or cost the device, and that is what this
 * process is for. It ends when the other end is closed, when its parent dies, when it is told what
 * makes no sense, and when the device doesn't answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "painter/message.h"
#include "painter/painter.h"
#include "painter/process.h"
#include "tools/painter/job.h"
#include "util/clock.h"
#include "util/fd.h"

#define SLICE_NS (200 * 1000) /* of waiting for a fence between two looks at the socket */
#define LOOK     8            /* pixels of the picture that a buffer is looked at in, both ways */

enum exit_code {
	EXIT_OVER = 0,
	EXIT_BAD_WORD = 2, /* the parent says what it may not */
	EXIT_DEVICE = 3,   /* lost, or it hangs */
};

struct painter {
	int socket;
	struct kr_paint_device device;
	struct kr_paint_pipeline pipeline;
	struct kr_paint_sources sources;
	struct kr_paint_readback readback;
	struct kr_paint_canvas canvas, look_canvas;
	struct kr_paint_picture picture;
	struct kr_paint_job jobs[KR_PAINTER_MAX_REQUESTS];
	unsigned first, count; /* of jobs on their way */
};

/* --- the end --- */

static pid_t parent;

/*
 * The thread that started this process has ended; the process may live. By SIGCONT, so that it is
 * heard where this one was stopped, too.
 */
static void
handle_parent(int number)
{
	if (getppid() != parent)
		_exit(EXIT_OVER);
}

/* No destructors: what drivers hold the kernel takes back, also from one that hangs. */
static _Noreturn void
leave(enum exit_code code)
{
	_exit(code);
}

static void
die_with(const char *word)
{
	parent = (pid_t)strtol(word, NULL, 10);
	signal(SIGCONT, handle_parent);
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	if (getppid() != parent)
		leave(EXIT_OVER);
}

static void
answer(struct painter *painter, const struct kr_pp_message *message)
{
	const struct kr_painter_packet packet = {.message = *message, .fds = {-1, -1}};
	int err;

	/* There is room for all that the parent may have asked, unless it never reads. */
	while ((err = kr_painter_send(painter->socket, &packet)) == -EAGAIN) {
		struct pollfd poll_fd = {.fd = painter->socket, .events = POLLOUT};

		if (kr_fd_poll(&poll_fd, 1,
			    kr_deadline_in((uint64_t)KR_PAINTER_ANSWER_MS * KR_NSEC_PER_MSEC)) <= 0)
			leave(EXIT_BAD_WORD);
	}
	if (err)
		leave(EXIT_OVER);
}

/* --- pictures on their way --- */

/* The oldest one, if it is done by then. */
static void
finish_first(struct painter *painter, uint64_t timeout_ns)
{
	struct kr_paint_job *job = &painter->jobs[painter->first];
	uint64_t gpu_ns = 0;
	int err = kr_paint_job_wait(&painter->device, job, timeout_ns, &gpu_ns);

	if (err == -EAGAIN)
		return;
	if (err)
		leave(EXIT_DEVICE);
	painter->first = (painter->first + 1) % KR_PAINTER_MAX_REQUESTS;
	painter->count--;
	answer(painter,
		&(struct kr_pp_message){
			.type = KR_PP_DRAWN, .drawn = {.number = job->number, .gpu_ns = gpu_ns}});
}

static void
finish_all(struct painter *painter)
{
	while (painter->count)
		finish_first(painter, SLICE_NS);
}

/* Before something that pictures read or are drawn on goes. */
static void
let_go(struct painter *painter)
{
	finish_all(painter);
	for (unsigned i = 0; i < KR_PAINTER_MAX_REQUESTS; i++)
		kr_paint_job_forget(&painter->jobs[i]);
}

static void
refuse_picture(struct painter *painter, uint64_t number, int err)
{
	/* In its place among the others. */
	finish_all(painter);
	answer(painter,
		&(struct kr_pp_message){
			.type = KR_PP_DRAWN, .drawn = {.number = number, .error = err}});
}

/* Buffers whose content is another one now are read again. */
static void
note_contents(struct painter *painter, const struct kr_pp_draw *draw)
{
	for (unsigned i = 0; i < draw->layers_count; i++) {
		struct kr_paint_source *source =
			kr_paint_sources_find(&painter->sources, draw->layers[i].buffer);

		if (!source || source->content == draw->layers[i].content)
			continue;
		source->content = draw->layers[i].content;
		pixman_region32_clear(&source->valid);
	}
}

/* A canvas of that size. */
static int
prepare_canvas(struct painter *painter, const struct kr_pp_draw *draw)
{
	struct kr_paint_canvas *canvas = &painter->canvas;

	if (canvas->width != draw->width || canvas->height != draw->height)
		let_go(painter);
	return kr_paint_canvas_fit(&painter->device, canvas, draw->width, draw->height);
}

static int
take_slot(struct painter *painter, const struct kr_pp_draw *draw, struct kr_paint_job *job)
{
	job->slot = NULL;
	job->band_count = 0;
	kr_paint_readback_add(&painter->readback, &painter->picture.todo);
	if (!draw->readback)
		return 0;
	job->slot = kr_paint_readback_slot(&painter->readback, draw->ring, draw->width,
		draw->height, painter->canvas.row_bytes);
	if (!job->slot)
		return -EPROTO;
	job->band_count = kr_paint_slot_take(job->slot, job->bands);
	return 0;
}

static int
start_picture(struct painter *painter, const struct kr_pp_draw *draw)
{
	struct kr_paint_job *job =
		&painter->jobs[(painter->first + painter->count) % KR_PAINTER_MAX_REQUESTS];
	int err = kr_paint_picture_plan(&painter->picture, draw, &painter->sources);

	if (!err)
		err = prepare_canvas(painter, draw);
	if (err)
		return err;
	note_contents(painter, draw);
	err = take_slot(painter, draw, job);
	if (err)
		return err;
	job->number = draw->number;
	job->turn = painter->canvas.order != painter->picture.scene.order;
	err = kr_paint_job_start(
		&painter->device, &painter->pipeline, job, &painter->picture, &painter->canvas);
	if (err) {
		if (job->slot)
			kr_paint_slot_forget(job->slot);
		return err;
	}
	painter->canvas.order = painter->picture.scene.order;
	painter->count++;
	return 0;
}

static void
handle_draw(struct painter *painter, const struct kr_pp_draw *draw)
{
	int err;

	if (painter->count == KR_PAINTER_MAX_REQUESTS)
		leave(EXIT_BAD_WORD);
	err = start_picture(painter, draw);
	if (err == -EPROTO)
		leave(EXIT_BAD_WORD);
	if (err == -EIO)
		leave(EXIT_DEVICE);
	if (err)
		refuse_picture(painter, draw->number, err);
}

/* --- buffers --- */

/* Some pixels from all over it, in a picture of its own. */
static int
look_at(struct painter *painter, const struct kr_paint_source *source)
{
	const struct kr_pp_draw draw = {
		.width = LOOK,
		.height = LOOK,
		.stale_count = 1,
		.stale = {{0, 0, LOOK, LOOK}},
		.layers_count = 1,
		.layers = {{.buffer = source->id,
			.blend = KR_RENDER_BLEND_NONE,
			.alpha = kr_painter_bits_of(1),
			.right = LOOK,
			.bottom = LOOK}},
	};
	struct kr_paint_job *job = &painter->jobs[painter->first];
	uint64_t gpu_ns;
	int err = kr_paint_canvas_fit(&painter->device, &painter->look_canvas, LOOK, LOOK);

	if (!err)
		err = kr_paint_picture_plan(&painter->picture, &draw, &painter->sources);
	if (err)
		return err;
	job->slot = NULL;
	job->turn = false;
	err = kr_paint_job_start(&painter->device, &painter->pipeline, job, &painter->picture,
		&painter->look_canvas);
	while (!err) {
		err = kr_paint_job_wait(&painter->device, job, UINT64_MAX / 2, &gpu_ns);
		if (!err)
			return 0;
		if (err == -EAGAIN)
			err = 0;
	}
	return err;
}

static void
handle_buffer(struct painter *painter, const struct kr_painter_packet *packet)
{
	struct kr_pp_message message = {
		.type = KR_PP_LOOKED, .looked = {.id = packet->message.buffer.id}};
	struct kr_paint_source *source;
	const char *reason = "";
	int err;

	/* What happens now is this buffer's doing. */
	finish_all(painter);
	if (!packet->message.buffer.id ||
		kr_paint_sources_find(&painter->sources, packet->message.buffer.id))
		leave(EXIT_BAD_WORD);
	err = kr_paint_source_create(&painter->device, packet, &source, &reason);
	if (!err) {
		kr_list_append(&painter->sources.list, &source->link);
		err = look_at(painter, source);
		reason = err ? "there is no memory to look at it" : "";
		if (err == -EIO)
			leave(EXIT_DEVICE);
		if (err) {
			let_go(painter);
			kr_paint_source_destroy(&painter->device, source);
		}
	}
	message.looked.error = err;
	snprintf(message.looked.reason, sizeof(message.looked.reason), "%s", reason);
	answer(painter, &message);
}

static void
handle_buffer_gone(struct painter *painter, uint64_t id)
{
	struct kr_paint_source *source = kr_paint_sources_find(&painter->sources, id);

	/* One that was refused isn't there. */
	if (!source)
		return;
	let_go(painter);
	kr_paint_source_destroy(&painter->device, source);
}

static void
handle_ring(struct painter *painter, const struct kr_painter_packet *packet)
{
	finish_all(painter);
	if (kr_paint_readback_set(&painter->device, &painter->readback, packet))
		leave(EXIT_BAD_WORD);
}

/* --- the start --- */

static void
refuse(struct painter *painter, const char *reason)
{
	struct kr_pp_message message = {.type = KR_PP_REFUSED, .refused = {.error = -ENODEV}};

	snprintf(message.refused.reason, sizeof(message.refused.reason), "%s", reason);
	answer(painter, &message);
	leave(EXIT_OVER);
}

static void
handle_hello(struct painter *painter, const struct kr_pp_hello *hello)
{
	struct kr_pp_message message = {.type = KR_PP_READY, .ready = {.version = KR_PP_VERSION}};
	struct kr_pp_ready *ready = &message.ready;
	uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE];
	char reason[128];

	if (painter->device.device || hello->version != KR_PP_VERSION)
		leave(EXIT_BAD_WORD);
	memcpy(device_uuid, hello->device_uuid, sizeof(device_uuid));
	memcpy(driver_uuid, hello->driver_uuid, sizeof(driver_uuid));
	if (kr_paint_device_open(&painter->device, device_uuid, driver_uuid, reason))
		refuse(painter, reason);
	if (kr_paint_pipeline_init(&painter->device, &painter->pipeline))
		refuse(painter, "the device can't be prepared");
	for (unsigned i = 0; i < KR_PAINTER_MAX_REQUESTS; i++) {
		if (kr_paint_job_init(&painter->device, &painter->pipeline, &painter->jobs[i]))
			refuse(painter, "the device can't be prepared");
	}
	snprintf(ready->device, sizeof(ready->device), "%s", painter->device.properties.deviceName);
	memcpy(ready->device_uuid, painter->device.device_uuid, sizeof(ready->device_uuid));
	memcpy(ready->driver_uuid, painter->device.driver_uuid, sizeof(ready->driver_uuid));
	ready->cpu = painter->device.cpu;
	ready->max_size = KR_MIN(painter->device.properties.limits.maxImageDimension2D,
		(uint32_t)KR_RENDER_MAX_SIZE);
	answer(painter, &message);
}

static void
handle(struct painter *painter, const struct kr_painter_packet *packet)
{
	const struct kr_pp_message *message = &packet->message;

	if (!painter->device.device && message->type != KR_PP_HELLO)
		leave(EXIT_BAD_WORD);
	switch (message->type) {
	case KR_PP_HELLO:
		handle_hello(painter, &message->hello);
		break;
	case KR_PP_BUFFER:
		handle_buffer(painter, packet);
		break;
	case KR_PP_BUFFER_GONE:
		handle_buffer_gone(painter, message->buffer_gone.id);
		break;
	case KR_PP_RING:
		handle_ring(painter, packet);
		break;
	case KR_PP_DRAW:
		handle_draw(painter, &message->draw);
		break;
	default:
		leave(EXIT_BAD_WORD);
	}
}

/* Whether something came; waits for that while nothing is on its way. */
static bool
receive(struct painter *painter)
{
	struct pollfd poll_fd = {.fd = painter->socket, .events = POLLIN};
	struct kr_painter_packet packet;
	int err;

	if (kr_fd_poll(&poll_fd, 1, painter->count ? 0 : KR_FOREVER) == 0)
		return false;
	err = kr_painter_receive(painter->socket, &packet);
	if (err == -EAGAIN)
		return false;
	if (err)
		leave(err == -EPIPE ? EXIT_OVER : EXIT_BAD_WORD);
	handle(painter, &packet);
	kr_painter_packet_close(&packet);
	return true;
}

int
main(int argc, char **argv)
{
	static struct painter painter = {.socket = KR_PAINTER_SOCKET};
	const struct rlimit no_core = {0, 0};

	if (argc != 2 || argv[1][0] == '-') {
		fputs("krafla-painter draws for a composer of Krafla, which starts it.\n", stderr);
		return 2;
	}
	/* What the driver tells must not go to what is opened next. */
	if (fcntl(STDERR_FILENO, F_GETFD) < 0)
		(void)!open("/dev/null", O_RDWR);
	die_with(argv[1]);
	setrlimit(RLIMIT_CORE, &no_core);
	/* Files that may not be so large are an error of the driver's. */
	signal(SIGXFSZ, SIG_IGN);
	kr_list_init(&painter.sources.list);
	kr_paint_readback_init(&painter.readback);
	kr_paint_picture_init(&painter.picture);
	for (;;) {
		/* A socket that is always readable doesn't keep what is done from being told. */
		bool came = receive(&painter);

		if (painter.count)
			finish_first(&painter, came ? 0 : SLICE_NS);
	}
}
