/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everywhere that a display's pictures are made: our own screen, the displays of devices, and
 * virtual displays of programs. A frame goes back when no target reads it any more.
 */
#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>

#include "colour/space.h"
#include "composer/display.h"
#include "composer/output/queue.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

#define MAX_MODES 256

/* --- devices --- */

static void
remove_target(struct kr_display *display, unsigned at)
{
	kr_target_finish(&display->targets[at]);
	display->targets[at] = display->targets[--display->target_count];
}

/* The mode that has the size which was asked for, if there is one: else the device's own stays. */
static void
choose_mode(
	const struct kr_display *display, struct krafla_composer *composer, krafla_display_t handle)
{
	krafla_config_t configs[MAX_MODES];
	uint32_t count = MAX_MODES;

	if (!display->config.size_given ||
		krafla_display_get_configs(composer, handle, &count, configs))
		return;
	for (uint32_t i = 0; i < count; i++) {
		int32_t width = 0, height = 0;

		if (!krafla_display_get_attribute(
			    composer, handle, configs[i], KRAFLA_ATTRIBUTE_WIDTH, &width) &&
			!krafla_display_get_attribute(
				composer, handle, configs[i], KRAFLA_ATTRIBUTE_HEIGHT, &height) &&
			width == (int32_t)display->config.width &&
			height == (int32_t)display->config.height) {
			if (krafla_display_set_active_config(composer, handle, configs[i]))
				kr_warn("display: a screen can't be set to %dx%d", width, height);
			return;
		}
	}
}

static void
add_target(struct kr_target_device *device, krafla_display_t handle)
{
	struct kr_display *display = device->display;

	if (display->target_count == KR_TARGET_MAX) {
		kr_warn("display: more than %d displays; one of them shows nothing", KR_TARGET_MAX);
		return;
	}
	choose_mode(display, device->composer, handle);
	if (krafla_display_set_colour(device->composer, handle, display->config.dataspace, NULL)) {
		kr_error("display: a screen can't show %s, and shows nothing",
			kr_colour_name(display->config.dataspace));
		return;
	}
	if (kr_target_open(&display->targets[display->target_count], display, device->composer,
		    handle) == 0)
		display->target_count++;
	display->restacked = true;
}

static void
handle_hotplug(void *data, krafla_display_t handle, enum krafla_connection connection)
{
	struct kr_target_device *device = data;
	struct kr_display *display = device->display;

	if (connection == KRAFLA_CONNECTED) {
		add_target(device, handle);
		return;
	}
	for (unsigned i = 0; i < display->target_count; i++) {
		if (display->targets[i].composer == device->composer &&
			display->targets[i].handle == handle) {
			remove_target(display, i);
			return;
		}
	}
}

static void
handle_refresh(void *data, krafla_display_t handle)
{
	const struct kr_target_device *device = data;

	device->display->restacked = true;
}

int
kr_display_add_device(struct kr_display *display, const char *name)
{
	struct kr_target_device *device = &display->devices[display->device_count];
	const struct krafla_composer_callbacks callbacks = {
		.size = sizeof(callbacks),
		.data = device,
		.hotplug = handle_hotplug,
		.refresh = handle_refresh,
	};
	unsigned before = display->target_count;
	int err;

	if (display->device_count == KR_TARGET_DEVICES)
		return -ENOSPC;
	device->display = display;
	err = krafla_composer_open(name, &device->composer);
	if (err)
		return err;
	display->device_count++;
	if (krafla_composer_register(device->composer, &callbacks))
		return -EIO;
	if (display->target_count == before)
		return -ENODEV;
	if (display->config.size_given)
		return 0;
	display->config.width = display->targets[before].width;
	display->config.height = display->targets[before].height;
	display->config.size_given = true;
	return 0;
}

/* --- programs that read pictures --- */

int
kr_display_add_queue(struct kr_display *display, struct kr_display_queue *queue)
{
	if (display->target_count == KR_TARGET_MAX)
		return -ENOSPC;
	/* The size of pictures may not be known yet. */
	display->targets[display->target_count++] =
		(struct kr_target){.display = display, .queue = queue, .pending = {-1, -1}};
	display->has_queue = true;
	return 0;
}

static int
open_queue(struct kr_display *display, struct kr_target *target)
{
	struct kr_display_queue *queue = target->queue;
	int32_t format = (int32_t)kr_display_queue_format(queue);
	krafla_display_t handle;
	int error = krafla_composer_create_virtual_display(
		display->screen.composer, display->width, display->height, &format, &handle);
	int err;

	if (error) {
		kr_error("display: no virtual display of %ux%u (the composer says %d)",
			display->width, display->height, error);
		return -EIO;
	}
	err = kr_target_open(target, display, display->screen.composer, handle);
	target->queue = queue;
	target->dataspace = HAL_DATASPACE_SRGB; /* a virtual display's output buffers are */
	kr_display_queue_set_format(queue, (uint32_t)format);
	kr_display_queue_set_size(queue, display->width, display->height);
	return err;
}

int
kr_display_open_targets(struct kr_display *display)
{
	int err =
		kr_display_screen_open(&display->screen, display, display->width, display->height);

	kr_preparation_set_size(&display->preparation, display->width, display->height);
	for (unsigned i = 0; i < display->target_count && !err; i++) {
		if (display->targets[i].queue)
			err = open_queue(display, &display->targets[i]);
	}
	return err;
}

/* Pictures that are on their way there never come, and the next one is drawn from nothing. */
static int
resize_screen(struct kr_display *display, uint32_t width, uint32_t height)
{
	struct kr_target *target = &display->screen.target;
	int error = krafla_composer_resize_screen(
		display->screen.composer, target->handle, width, height);

	if (error) {
		kr_error("display: pictures can't be %ux%u (the composer says %d)", width, height,
			error);
		return -EIO;
	}
	target->width = width;
	target->height = height;
	target->changed = true;
	kr_target_client_finish(&target->client);
	kr_target_client_init(&target->client);
	return 0;
}

bool
kr_display_take_size(struct kr_display *display)
{
	uint32_t width, height;

	if (!atomic_exchange(&display->size_changed, false))
		return false;
	kr_mutex_lock(&display->lock);
	width = display->width_asked;
	height = display->height_asked;
	kr_mutex_unlock(&display->lock);
	if (display->screen.open && resize_screen(display, width, height))
		return false;
	display->config.width = width;
	display->config.height = height;
	display->config.size_given = true;
	if (!display->screen.open)
		return true;
	display->width = width;
	display->height = height;
	kr_preparation_set_size(&display->preparation, width, height);
	display->rearrange = display->restacked = true;
	kr_mutex_lock(&display->lock);
	display->stats.width = width;
	display->stats.height = height;
	kr_mutex_unlock(&display->lock);
	return true;
}

static bool
is_open(const struct kr_target *target)
{
	return target->handle && !target->lost;
}

static void
return_replaced(struct kr_display *display)
{
	struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link)
		kr_producer_return_replaced(producer);
}

void
kr_display_withdraw(struct kr_display *display)
{
	int err = 0;

	if (display->screen.open)
		err = kr_display_screen_withdraw(&display->screen);
	for (unsigned i = 0; i < display->target_count; i++) {
		if (is_open(&display->targets[i]) && !display->targets[i].queue)
			err |= kr_target_present(&display->targets[i], 0);
	}
	if (err)
		kr_warn("display: not all that has left the screen could be taken off it");
	return_replaced(display);
}

void
kr_display_close_targets(struct kr_display *display)
{
	struct kr_producer *producer, *next;

	kr_list_for_each (producer, &display->producers, link) {
		kr_producer_drop_staged(producer);
		kr_producer_leave_screen(producer);
	}
	/* A composer that has as many pictures as it can have lets go of all when it is closed. */
	if (!kr_list_empty(&display->producers) &&
		kr_display_on_the_way(display) < KR_TARGET_PENDING)
		kr_display_withdraw(display);
	kr_list_for_each_safe (producer, next, &display->producers, link)
		kr_producer_destroy(producer);
	for (unsigned i = 0; i < display->target_count; i++) {
		if (display->targets[i].handle)
			kr_target_finish(&display->targets[i]);
	}
	for (unsigned i = 0; i < display->device_count; i++)
		krafla_composer_close(display->devices[i].composer);
	kr_display_screen_finish(&display->screen);
}

/* --- pictures --- */

/* The screen is the last, since it may draw meanwhile what others only point at. */
int
kr_display_present(struct kr_display *display, const struct kr_composed_frame *frame, bool *made)
{
	int err;

	for (unsigned i = 0; i < display->target_count; i++) {
		if (!is_open(&display->targets[i]))
			continue;
		err = kr_target_present(&display->targets[i], frame->time_ns);
		if (err && display->targets[i].lost)
			kr_warn("display: a display is lost (error %d); the others go on", -err);
	}
	*made = !kr_display_screen_present(&display->screen, frame);
	kr_display_follow_drawing(display);
	return_replaced(display);
	return display->screen.err;
}

unsigned
kr_display_on_the_way(struct kr_display *display)
{
	unsigned most = display->screen.open ? kr_target_pending(&display->screen.target) : 0;

	for (unsigned i = 0; i < display->target_count; i++) {
		if (is_open(&display->targets[i]))
			most = KR_MAX(most, kr_target_pending(&display->targets[i]));
	}
	return most;
}

unsigned
kr_display_poll_targets(const struct kr_display *display, struct pollfd *fds)
{
	unsigned count = 0;

	fds[count++] = (struct pollfd){
		.fd = krafla_composer_get_fd(display->screen.composer), .events = POLLIN};
	for (unsigned i = 0; i < display->device_count; i++)
		fds[count++] =
			(struct pollfd){.fd = krafla_composer_get_fd(display->devices[i].composer),
				.events = POLLIN};
	if (display->screen.open)
		count += kr_target_poll(&display->screen.target, fds + count);
	for (unsigned i = 0; i < display->target_count; i++)
		count += kr_target_poll(&display->targets[i], fds + count);
	return count;
}

int
kr_display_hear_targets(struct kr_display *display, const struct pollfd *polled)
{
	if (!polled || polled[0].revents) {
		(void)krafla_composer_dispatch(display->screen.composer);
		kr_display_follow_drawing(display);
	}
	for (unsigned i = 0; i < display->device_count; i++) {
		if (!polled || polled[1 + i].revents)
			(void)krafla_composer_dispatch(display->devices[i].composer);
	}
	return display->screen.err;
}
