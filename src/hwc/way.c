/* SPDX-License-Identifier: Apache-2.0 */
/* See way.h. */
#include "hwc/way.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "gralloc/buffer.h"
#include "hwc/picture.h"
#include "hwc/ready.h"
#include "hwc/show.h"
#include "sync/fence/fence.h"
#include "sync/fence/producers.h"
#include "util/clock.h"
#include "util/fd.h"

void
kr_soft_way_init(struct kr_soft_display *display)
{
	kr_mutex_init(&display->lock);
	kr_cond_init(&display->news);
	kr_list_init(&display->on_the_way);
	display->stop = -1;
}

void
kr_soft_way_finish(struct kr_soft_display *display)
{
	kr_cond_finish(&display->news);
	kr_mutex_finish(&display->lock);
}

static struct kr_soft_picture *
first_locked(struct kr_soft_display *display) KR_REQUIRES(display->lock)
{
	if (kr_list_empty(&display->on_the_way))
		return NULL;
	return kr_container_of(display->on_the_way.next, struct kr_soft_picture, link);
}

static void
take_locked(struct kr_soft_display *display, struct kr_soft_picture *picture)
	KR_REQUIRES(display->lock)
{
	kr_list_remove(&picture->link);
	display->on_the_way_count--;
	kr_cond_broadcast(&display->news);
}

unsigned
kr_soft_way_count(struct kr_soft_display *display)
{
	unsigned count;

	kr_mutex_lock(&display->lock);
	count = display->on_the_way_count;
	kr_mutex_unlock(&display->lock);
	return count;
}

/* --- the thread --- */

/* Until there is something to do; false: it ends. */
static bool
wait_for_news(struct kr_soft_display *display, struct kr_soft_picture **picture, bool *work)
{
	bool ending;

	kr_mutex_lock(&display->lock);
	for (;;) {
		*picture = first_locked(display);
		if (display->ending || display->work || (*picture && !(*picture)->made))
			break;
		kr_cond_wait_until(&display->news, &display->lock, KR_FOREVER);
	}
	*work = display->work;
	display->work = false;
	ending = display->ending;
	kr_mutex_unlock(&display->lock);
	return !ending;
}

/* The next one to make; NULL: it ends. What the brush has to do comes before. */
static struct kr_soft_picture *
next_picture(struct kr_soft_display *display)
{
	struct kr_soft_picture *picture = NULL;
	bool work;

	while (wait_for_news(display, &picture, &work)) {
		if (!work)
			return picture;
		display->device->brush->work(display);
	}
	return NULL;
}

void
kr_soft_way_call(struct kr_soft_display *display)
{
	kr_mutex_lock(&display->lock);
	display->work = true;
	kr_cond_broadcast(&display->news);
	kr_mutex_unlock(&display->lock);
}

static int
make(struct kr_soft_display *display, struct kr_soft_picture *picture)
{
	int err = 0;

	if (picture->wanted && !kr_soft_wait(display, picture))
		return -ECANCELED;
	if (picture->output_fence != -1)
		err = kr_soft_wait_fence(display, picture->output_fence,
			kr_clock_now() + KR_SOFT_FENCE_NS, "a composer's output buffer");
	return err ? err : kr_soft_compose(display, picture, false);
}

static void
made(struct kr_soft_display *display, struct kr_soft_picture *picture, int err)
{
	bool is_virtual = display->state->type == KRAFLA_DISPLAY_VIRTUAL;

	kr_mutex_lock(&display->lock);
	picture->error = err;
	picture->made = true;
	if (is_virtual)
		take_locked(display, picture);
	kr_mutex_unlock(&display->lock);
	if (is_virtual)
		kr_soft_over(display, picture, err ? err : KR_FENCE_SIGNALLED, -1);
	else
		display->device->host->wake(display->device->host);
}

static void *
way_main(void *data)
{
	struct kr_soft_display *display = data;
	struct kr_soft_picture *picture;

	while ((picture = next_picture(display))) {
		int err = make(display, picture);

		if (err == -ECANCELED && display->ending)
			break;
		made(display, picture, err);
	}
	return NULL;
}

/* Signals are the affair of the process's other threads. */
int
kr_soft_way_start(struct kr_soft_display *display)
{
	sigset_t all, before;
	int err;

	if (display->running)
		return 0;
	display->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (display->stop < 0)
		return -errno;
	display->ending = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&display->thread, NULL, way_main, display);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		kr_fd_close(&display->stop);
		return -err;
	}
	pthread_setname_np(display->thread, "krafla-composer");
	display->running = true;
	return 0;
}

void
kr_soft_way_stop(struct kr_soft_display *display)
{
	struct kr_soft_picture *picture;

	if (display->running) {
		kr_mutex_lock(&display->lock);
		display->ending = true;
		kr_cond_broadcast(&display->news);
		kr_mutex_unlock(&display->lock);
		eventfd_write(display->stop, 1);
		pthread_join(display->thread, NULL);
		display->running = false;
		kr_fd_close(&display->stop);
	}
	do {
		kr_mutex_lock(&display->lock);
		picture = first_locked(display);
		if (picture)
			take_locked(display, picture);
		kr_mutex_unlock(&display->lock);
		if (picture)
			kr_soft_over(display, picture, -ECANCELED, -1);
	} while (picture);
}

void
kr_soft_way_add(struct kr_soft_display *display, struct kr_soft_picture *take_picture)
{
	kr_mutex_lock(&display->lock);
	kr_list_append(&display->on_the_way, &take_picture->link);
	display->on_the_way_count++;
	kr_cond_broadcast(&display->news);
	kr_mutex_unlock(&display->lock);
}

/* --- those that are made --- */

static struct kr_soft_picture *
take_made(struct kr_soft_display *display)
{
	struct kr_soft_picture *picture;

	kr_mutex_lock(&display->lock);
	picture = first_locked(display);
	if (picture && !picture->made)
		picture = NULL;
	kr_mutex_unlock(&display->lock);
	return picture;
}

/* The thread goes on when it is over: until then the canvas is as it was made. */
static int
show_one(struct kr_soft_display *display, struct kr_soft_picture *picture)
{
	int err = picture->error, shown = -1;

	if (!err)
		err = kr_soft_show(display, picture, &shown);
	kr_mutex_lock(&display->lock);
	take_locked(display, picture);
	kr_mutex_unlock(&display->lock);
	kr_soft_over(display, picture, err ? err : KR_FENCE_SIGNALLED, shown);
	return err;
}

int
kr_soft_way_show(struct kr_soft_display *display)
{
	struct kr_soft_picture *picture;
	int first = 0;

	for (int i = 0; i < KR_SOFT_MAX_ON_THE_WAY && (picture = take_made(display)); i++) {
		int err = show_one(display, picture);

		first = first ? first : err;
	}
	return first;
}

/* --- release fences --- */

static struct kr_soft_picture *
last_reader_locked(struct kr_soft_display *display, krafla_layer_t layer,
	const struct kr_buffer *buffer) KR_REQUIRES(display->lock)
{
	struct kr_soft_picture *picture;

	kr_list_for_each_back (picture, &display->on_the_way, link) {
		for (unsigned i = 0; i < picture->count; i++) {
			if (picture->layers[i].handle == layer &&
				picture->layers[i].layer.buffer == buffer)
				return picture;
		}
	}
	return NULL;
}

int
kr_soft_way_owe(struct kr_soft_display *display, krafla_layer_t layer, struct kr_buffer *buffer,
	uint64_t number, int *fence)
{
	struct kr_soft_owed *owed = malloc(sizeof(*owed));
	struct kr_soft_picture *picture;
	int err = 0;

	*fence = -1;
	if (!owed)
		return -ENOMEM;
	kr_mutex_lock(&display->lock);
	picture = last_reader_locked(display, layer, buffer);
	if (picture) {
		struct kr_fence_label label = {"composer", picture->number, "release"};

		err = kr_fence_create(&label, &owed->signal, fence);
		owed->layer = layer;
		owed->buffer = buffer;
		owed->number = number;
	}
	if (picture && !err) {
		kr_list_append(&picture->owed, &owed->link);
		owed = NULL;
	}
	kr_mutex_unlock(&display->lock);
	free(owed);
	return err;
}

void
kr_soft_way_disown(struct kr_soft_display *display, uint64_t number)
{
	struct kr_soft_picture *picture;
	struct kr_soft_owed *owed, *next;

	kr_mutex_lock(&display->lock);
	kr_list_for_each (picture, &display->on_the_way, link) {
		kr_list_for_each_safe (owed, next, &picture->owed, link) {
			if (owed->number != number)
				continue;
			kr_sync_producers_close(owed->signal);
			kr_list_remove(&owed->link);
			free(owed);
		}
	}
	kr_mutex_unlock(&display->lock);
}
