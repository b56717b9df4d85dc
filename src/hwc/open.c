/* SPDX-License-Identifier: Apache-2.0 */
/* Composers: open and close, callbacks, and displays that a program makes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwc/composer.h"
#include "hwc/soft.h"
#include "util/library.h"

#define NAME_MAX_BYTES 64

static const struct kr_hwc_device_impl *const built_in[] = {
	&kr_hwc_soft,
	&kr_hwc_random,
	&kr_hwc_gpu,
};

/* The device's word, and where its argument begins (NULL: there is none). */
static int
split(const char *device, char word[NAME_MAX_BYTES], const char **argument)
{
	size_t length = strcspn(device, ":");

	if (!length || length >= NAME_MAX_BYTES)
		return -ENOENT;
	memcpy(word, device, length);
	word[length] = 0;
	*argument = device[length] ? device + length + 1 : NULL;
	return 0;
}

static int
find_device(const char *word, void **library, const struct kr_hwc_device_impl **impl)
{
	*library = NULL;
	for (size_t i = 0; i < KR_ARRAY_LEN(built_in); i++) {
		if (strcmp(built_in[i]->name, word) == 0) {
			*impl = built_in[i];
			return 0;
		}
	}
	return kr_hwc_module_load(word, library, impl);
}

static int
open_device(struct krafla_composer *composer, const struct kr_hwc_device_impl *impl,
	const char *argument)
{
	int err = impl->open(argument, &composer->events.host, &composer->device);
	int fd;

	if (err)
		return err;
	impl = composer->device->impl; /* a module may have devices of several kinds */
	fd = impl->get_fd ? impl->get_fd(composer->device) : -1;
	err = fd < 0 ? 0 : kr_hwc_events_watch(&composer->events, fd);
	if (err)
		impl->close(composer->device);
	return err;
}

KR_EXPORT int
krafla_composer_open(const char *device, struct krafla_composer **out)
{
	const struct kr_hwc_device_impl *impl;
	struct krafla_composer *composer;
	char word[NAME_MAX_BYTES];
	const char *argument;
	int err;

	if (!device || !out)
		return -EINVAL;
	err = split(device, word, &argument);
	if (err)
		return err;
	composer = calloc(1, sizeof(*composer));
	if (!composer)
		return -ENOMEM;
	kr_mutex_init(&composer->lock);
	kr_list_init(&composer->displays);
	err = kr_hwc_events_init(&composer->events);
	if (err)
		goto err_free;
	err = find_device(word, &composer->library, &impl);
	if (err)
		goto err_events;
	err = open_device(composer, impl, argument);
	if (err)
		goto err_library;
	*out = composer;
	return 0;

err_library:
	kr_library_close(composer->library);
err_events:
	kr_hwc_events_finish(&composer->events);
err_free:
	kr_mutex_finish(&composer->lock);
	free(composer);
	return err;
}

KR_EXPORT void
krafla_composer_close(struct krafla_composer *composer)
{
	struct kr_hwc_display *display, *next;

	if (!composer)
		return;
	kr_mutex_lock(&composer->lock);
	kr_list_for_each_safe (display, next, &composer->displays, link)
		kr_hwc_display_destroy_locked(display);
	composer->device->impl->close(composer->device);
	kr_mutex_unlock(&composer->lock);
	kr_library_close(composer->library);
	kr_hwc_events_finish(&composer->events);
	kr_mutex_finish(&composer->lock);
	free(composer);
}

KR_EXPORT int
krafla_composer_get_fd(struct krafla_composer *composer)
{
	return composer ? composer->events.epoll : -1;
}

/* A physical display that the device has told of. */
static void
adopt_locked(struct krafla_composer *composer, const struct kr_hwc_event *event)
{
	struct kr_hwc_display *display;

	if (event->made)
		return;
	display = kr_hwc_display_create_locked(composer, event->display, KRAFLA_DISPLAY_PHYSICAL);
	if (!display)
		return;
	display->state.device_data = event->device_data;
	snprintf(display->name, sizeof(display->name), "%s", event->name);
	kr_hwc_display_update_config_locked(display);
}

static void
tell(const struct krafla_composer_callbacks *to, krafla_display_t display,
	enum krafla_connection connection)
{
	if (to->hotplug)
		to->hotplug(to->data, display, connection);
}

/*
 * What an event does to the composer; false: nobody is to be told of it. A display that was
 * told of in register isn't told of twice, one that went before anybody was isn't told of at all.
 */
static bool
handle_locked(struct krafla_composer *composer, const struct kr_hwc_event *event)
{
	struct kr_hwc_display *display;
	bool told;

	if (event->kind == KR_HWC_EVENT_CONNECTED)
		adopt_locked(composer, event);
	display = kr_hwc_display_find_locked(composer, event->display);
	switch (event->kind) {
	case KR_HWC_EVENT_CONNECTED:
		if (!display || display->told || !composer->callbacks.hotplug)
			return false;
		return display->told = true;
	case KR_HWC_EVENT_DISCONNECTED:
		if (!display)
			return event->made;
		told = display->told;
		kr_hwc_display_destroy_locked(display);
		return told;
	case KR_HWC_EVENT_REFRESH:
	case KR_HWC_EVENT_VSYNC:
		return display;
	}
	return false;
}

static void
call(const struct krafla_composer_callbacks *to, const struct kr_hwc_event *event)
{
	switch (event->kind) {
	case KR_HWC_EVENT_CONNECTED:
		tell(to, event->display, KRAFLA_CONNECTED);
		break;
	case KR_HWC_EVENT_DISCONNECTED:
		tell(to, event->display, KRAFLA_DISCONNECTED);
		break;
	case KR_HWC_EVENT_REFRESH:
		if (to->refresh)
			to->refresh(to->data, event->display);
		break;
	case KR_HWC_EVENT_VSYNC:
		if (to->vsync)
			to->vsync(to->data, event->display, event->time_ns, event->period_ns);
		break;
	}
}

/* In one call, as callbacks may add to them; the descriptor stays readable for the others. */
#define MAX_EVENTS 256

static void
drain(struct krafla_composer *composer)
{
	for (int i = 0; i < MAX_EVENTS; i++) {
		struct kr_hwc_event *event = kr_hwc_events_take(&composer->events);
		struct krafla_composer_callbacks callbacks;
		bool told;

		if (!event)
			return;
		kr_mutex_lock(&composer->lock);
		told = handle_locked(composer, event);
		callbacks = composer->callbacks;
		kr_mutex_unlock(&composer->lock);
		if (told)
			call(&callbacks, event);
		free(event);
	}
	composer->events.host.wake(&composer->events.host);
}

KR_EXPORT int
krafla_composer_dispatch(struct krafla_composer *composer)
{
	const struct kr_hwc_device_impl *impl;
	int error = KRAFLA_COMPOSER_NONE;

	if (!composer)
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	kr_hwc_events_begin(&composer->events);
	kr_mutex_lock(&composer->lock);
	impl = composer->device->impl;
	if (impl->dispatch)
		error = impl->dispatch(composer->device);
	kr_mutex_unlock(&composer->lock);
	drain(composer);
	return error;
}

/* The next physical display that nobody was told of; 0: all were. */
static krafla_display_t
next_untold_locked(struct krafla_composer *composer)
{
	struct kr_hwc_display *display;

	kr_list_for_each (display, &composer->displays, link) {
		if (display->told || display->state.type != KRAFLA_DISPLAY_PHYSICAL)
			continue;
		display->told = true;
		return display->state.handle;
	}
	return 0;
}

KR_EXPORT int
krafla_composer_register(
	struct krafla_composer *composer, const struct krafla_composer_callbacks *callbacks)
{
	struct kr_hwc_display *display;
	krafla_display_t untold;

	if (!composer || !callbacks || callbacks->size != sizeof(*callbacks))
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	kr_mutex_lock(&composer->lock);
	composer->callbacks = *callbacks;
	kr_list_for_each (display, &composer->displays, link)
		display->told = false;
	kr_mutex_unlock(&composer->lock);
	drain(composer);
	do {
		kr_mutex_lock(&composer->lock);
		untold = next_untold_locked(composer);
		kr_mutex_unlock(&composer->lock);
		if (untold)
			tell(callbacks, untold, KRAFLA_CONNECTED);
	} while (untold);
	return KRAFLA_COMPOSER_NONE;
}
