/* SPDX-License-Identifier: Apache-2.0 */
/* See easel.h: the painter's life. */
#include "hwc/easel/easel.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "gralloc/buffer.h"
#include "hwc/easel/internal.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

/* The painter has limits of its own, which are shorter; this is for one that stands still. */
#define STEP_NS (INT64_C(15) * KR_NSEC_PER_SEC)

int
kr_easel_create(bool processors, struct kr_easel **out)
{
	struct kr_easel *easel = calloc(1, sizeof(*easel));

	if (!easel)
		return -ENOMEM;
	easel->processors = processors;
	easel->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (easel->epoll < 0) {
		int err = -errno;

		free(easel);
		return err;
	}
	kr_list_init(&easel->buffers);
	kr_mutex_init(&easel->lock);
	for (unsigned i = 0; i < KR_PAINTER_RING; i++)
		easel->rings[i].fence = -1;
	*out = easel;
	return 0;
}

static void
drop_suspects(struct kr_easel *easel, unsigned first)
{
	for (unsigned i = first; i < easel->suspect_count; i++)
		kr_buffer_unref(easel->suspects[i].buffer);
	easel->suspect_count = KR_MIN(easel->suspect_count, first);
}

/* The painter goes, and all that it had. */
static void
stop(struct kr_easel *easel)
{
	if (!easel->painter)
		return;
	(void)epoll_ctl(easel->epoll, EPOLL_CTL_DEL, kr_painter_get_fd(easel->painter), NULL);
	kr_painter_stop(easel->painter);
	easel->painter = NULL;
	easel->width = 0;
	easel->looks_at = 0;
	kr_easel_rings_drop(easel);
	kr_easel_buffers_drop(easel);
}

void
kr_easel_destroy(struct kr_easel *easel)
{
	if (!easel)
		return;
	stop(easel);
	drop_suspects(easel, 0);
	kr_fd_close(&easel->epoll);
	kr_mutex_finish(&easel->lock);
	free(easel);
}

int
kr_easel_get_fd(const struct kr_easel *easel)
{
	return easel->epoll;
}

bool
kr_easel_heard(struct kr_easel *easel)
{
	struct epoll_event event;

	return epoll_wait(easel->epoll, &event, 1, 0) > 0;
}

static void
watch(struct kr_easel *easel, int op)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};

	if (epoll_ctl(easel->epoll, op, kr_painter_get_fd(easel->painter), &event))
		kr_warn("composer: the end of a painter won't be heard before the next picture (%s)",
			strerror(errno));
}

/* --- states --- */

static void
set_state(struct kr_easel *easel, enum kr_easel_state state)
{
	kr_mutex_lock(&easel->lock);
	easel->state = state;
	kr_mutex_unlock(&easel->lock);
}

enum kr_easel_state
kr_easel_get_state(struct kr_easel *easel)
{
	enum kr_easel_state state;

	kr_mutex_lock(&easel->lock);
	state = easel->state;
	kr_mutex_unlock(&easel->lock);
	return state;
}

static void
note_why(struct kr_easel *easel, const char *why)
{
	kr_mutex_lock(&easel->lock);
	snprintf(easel->why, sizeof(easel->why), "%s", why);
	kr_mutex_unlock(&easel->lock);
}

void
kr_easel_give_up(struct kr_easel *easel, const char *why)
{
	note_why(easel, why);
	stop(easel);
	drop_suspects(easel, 0);
	kr_mutex_lock(&easel->lock);
	easel->state = KR_EASEL_GIVEN_UP;
	easel->lost = true;
	kr_mutex_unlock(&easel->lock);
}

static void
start(struct kr_easel *easel)
{
	struct kr_painter_config config = {0};
	int err;

	if (easel->has_like) {
		memcpy(config.device_uuid, easel->like.device_uuid, KR_GPU_UUID_SIZE);
		memcpy(config.driver_uuid, easel->like.driver_uuid, KR_GPU_UUID_SIZE);
	}
	easel->painters++;
	err = kr_painter_start(&config, &easel->painter);
	if (err) {
		char why[KR_EASEL_TEXT];

		easel->painter = NULL;
		snprintf(why, sizeof(why), "krafla-painter can't be started (%s)", strerror(-err));
		kr_warn("composer: %s: the CPU makes the pictures", why);
		kr_easel_give_up(easel, why);
		return;
	}
	watch(easel, EPOLL_CTL_ADD);
	set_state(easel, KR_EASEL_STARTING);
}

void
kr_easel_start(struct kr_easel *easel, const struct kr_gpu_memory *like)
{
	if (kr_easel_get_state(easel) != KR_EASEL_EMPTY)
		return;
	easel->has_like = like;
	if (like)
		easel->like = *like;
	start(easel);
}

/* --- deaths --- */

/* What the dead one had in its hands is suspect, but for what was suspect before it. */
static void
gather_suspects(struct kr_easel *easel)
{
	uint64_t ids[KR_RENDER_MAX_LAYERS];
	unsigned count = kr_painter_suspects(easel->painter, ids, KR_ARRAY_LEN(ids));

	for (unsigned i = 0; i < KR_MIN(count, KR_ARRAY_LEN(ids)); i++) {
		const struct kr_easel_buffer *buffer = kr_easel_buffer_of_id(easel, ids[i]);

		if (!buffer || !buffer->held || easel->suspect_count == KR_RENDER_MAX_LAYERS)
			continue;
		easel->suspects[easel->suspect_count++] =
			(struct kr_easel_suspect){buffer->owner, kr_buffer_ref(buffer->held)};
	}
}

/* Whether all that is suspect is of one owner. */
static bool
is_one_owner(const struct kr_easel *easel)
{
	for (unsigned i = 1; i < easel->suspect_count; i++) {
		if (easel->suspects[i].owner != easel->suspects[0].owner)
			return false;
	}
	return easel->suspect_count > 0;
}

static void
condemn(struct kr_easel *easel, uint64_t owner)
{
	unsigned kept = 0;

	kr_error(
		"composer: the process that draws pictures on a GPU has died of a buffer of layer %" PRIu64
		": it is shown to none any more",
		owner);
	kr_easel_note_owner(easel, owner, true);
	for (unsigned i = 0; i < easel->suspect_count; i++) {
		if (easel->suspects[i].owner == owner)
			kr_buffer_unref(easel->suspects[i].buffer);
		else
			easel->suspects[kept++] = easel->suspects[i];
	}
	easel->suspect_count = kept;
}

static void
find_guilty(struct kr_easel *easel)
{
	/* The next one looks at what is suspect still. */
	if ((easel->looks_at || easel->at_work) && kr_painter_was_killed(easel->painter))
		return;
	if (easel->looks_at) {
		condemn(easel, easel->suspects[0].owner);
		return;
	}
	drop_suspects(easel, 0);
	if (easel->at_work)
		gather_suspects(easel);
	if (is_one_owner(easel))
		condemn(easel, easel->suspects[0].owner);
}

void
kr_easel_bury(struct kr_easel *easel, int err, const char *why)
{
	bool again = err != -ENODEV && easel->painters < KR_EASEL_PAINTERS;
	char sentence[KR_EASEL_TEXT];

	/* It may be the painter's, which goes. */
	snprintf(sentence, sizeof(sentence), "%s", why ? why : strerror(-err));
	kr_warn("composer: the process that draws pictures on a GPU is lost (%s): %s", sentence,
		again ? "another one is started" : "the CPU makes them from now on");
	find_guilty(easel);
	stop(easel);
	note_why(easel, sentence);
	if (again)
		start(easel);
	else
		kr_easel_give_up(easel, sentence);
}

/* --- getting ready --- */

/* The verdict of the one that it looks at alone; then the next one's. Whether all are done. */
static bool
examine(struct kr_easel *easel)
{
	while (easel->suspect_count) {
		struct kr_easel_suspect *first = &easel->suspects[0];
		const char *reason;

		if (!easel->looks_at) {
			easel->looks_at = ++easel->numbers;
			if (!kr_painter_add_buffer(easel->painter, easel->looks_at, first->buffer))
				return false;
		} else if (kr_painter_buffer(easel->painter, easel->looks_at, &reason) ==
			KR_PAINTER_LOOKING) {
			return false;
		} else {
			kr_painter_remove_buffer(easel->painter, easel->looks_at);
		}
		easel->looks_at = 0;
		kr_buffer_unref(first->buffer);
		*first = easel->suspects[--easel->suspect_count];
	}
	return true;
}

static void
advance(struct kr_easel *easel)
{
	struct kr_painter_report report;

	if (kr_easel_get_state(easel) != KR_EASEL_STARTING ||
		!kr_painter_ready(easel->painter, &report))
		return;
	if (report.cpu && !easel->processors) {
		char why[KR_EASEL_TEXT];

		snprintf(why, sizeof(why), "%.200s is no GPU", report.device);
		kr_easel_give_up(easel, why);
		return;
	}
	if (!examine(easel))
		return;
	kr_mutex_lock(&easel->lock);
	easel->state = KR_EASEL_READY;
	snprintf(easel->device, sizeof(easel->device), "%s", report.device);
	kr_mutex_unlock(&easel->lock);
}

/* 0, or -EPIPE: it was buried. */
static int
hear(struct kr_easel *easel)
{
	const char *why = NULL;
	int err = kr_painter_dispatch(easel->painter, &why);

	if (err) {
		kr_easel_bury(easel, err, why);
		return -EPIPE;
	}
	advance(easel);
	return easel->painter ? 0 : -EPIPE;
}

void
kr_easel_look(struct kr_easel *easel)
{
	kr_easel_buffers_sweep(easel);
	if (easel->painter && hear(easel) == 0)
		watch(easel, EPOLL_CTL_MOD);
}

int
kr_easel_step(struct kr_easel *easel, int stop_fd)
{
	struct pollfd fds[] = {
		{.fd = kr_painter_get_fd(easel->painter), .events = POLLIN},
		{.fd = stop_fd, .events = POLLIN},
	};
	int count = kr_fd_poll(fds, 2, kr_clock_now() + STEP_NS);

	if (count > 0 && fds[1].revents)
		return -ECANCELED;
	if (count > 0)
		return hear(easel);
	kr_easel_bury(easel, -EPIPE, count ? strerror(-count) : "it stands still");
	return -EPIPE;
}

int
kr_easel_wait(struct kr_easel *easel, int stop_fd)
{
	while (kr_easel_get_state(easel) == KR_EASEL_STARTING) {
		if (kr_easel_step(easel, stop_fd) == -ECANCELED)
			return -ECANCELED;
	}
	if (easel->painter)
		watch(easel, EPOLL_CTL_MOD);
	return 0;
}

/* --- what others ask --- */

void
kr_easel_describe(struct kr_easel *easel, struct kr_easel_report *report)
{
	*report = (struct kr_easel_report){0};
	kr_mutex_lock(&easel->lock);
	report->lost = easel->lost;
	memcpy(report->device, easel->device, sizeof(report->device));
	memcpy(report->why, easel->why, sizeof(report->why));
	for (unsigned i = 0; i < KR_EASEL_NOTES; i++) {
		struct kr_easel_note *note = &easel->notes[i];
		uint64_t *which = note->guilty ? &report->guilty : &report->refused;

		if (!note->owner || note->told || *which)
			continue;
		*which = note->owner;
		note->told = true;
	}
	kr_mutex_unlock(&easel->lock);
}
