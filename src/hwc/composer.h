/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A composer, its displays and its layers, as the front keeps them.
 *
 *   open.c       open, close, register, dispatch
 *   module.c     devices that are modules
 *   events.c     what devices tell, until the program dispatches it
 *   screen.c     displays that a program makes: virtual ones, and screens
 *   display.c    objects, lookup, and what is asked of displays
 *   target.c     client targets and output buffers
 *   layer.c      what is set of layers
 *   validate.c   validate, its changes and requests
 *   present.c    present and release fences
 *   drawing.c    who draws, and what only a GPU can read
 *
 * All of it is guarded by the composer's lock, which its public functions take.
 */
#ifndef KR_HWC_COMPOSER_H
#define KR_HWC_COMPOSER_H

#include <krafla/composer.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "hwc/device.h"
#include "hwc/events.h"
#include "util/list.h"
#include "util/macros.h"
#include "util/mutex.h"

struct kr_hwc_layer {
	struct kr_list link; /* kr_hwc_display.layers */
	/* Its buffer is a reference, its fence ours. */
	struct kr_hwc_layer_state state;
	/* What the device was given of it at the last present: a reference, and its serial. */
	struct kr_buffer *presented;
	uint64_t presented_serial;
	/* Of the last present, until somebody asks for it; -1 none. */
	int release_fence;
};

enum kr_hwc_validation {
	KR_HWC_NOT_VALIDATED,
	KR_HWC_HAS_CHANGES, /* that aren't accepted yet */
	KR_HWC_VALIDATED,
};

struct kr_hwc_display {
	struct kr_list link; /* krafla_composer.displays */
	struct krafla_composer *composer;
	/* Buffers in it are references, fences ours. */
	struct kr_hwc_display_state state;
	struct kr_list layers; /* kr_hwc_layer.link, in the order of their making */
	unsigned layer_count;
	struct kr_hwc_layer_state *sorted[KR_HWC_MAX_LAYERS]; /* state.layers */
	bool is_sorted;
	enum kr_hwc_validation validation;
	bool asked;  /* something was validated since: its changes and requests can be asked for */
	bool screen; /* of krafla_composer_create_screen */
	bool told;   /* hotplug has said that it is connected */
	char name[64];
};

struct krafla_composer {
	struct kr_mutex lock;
	struct kr_hwc_device *device KR_GUARDED_BY(lock);
	void *library; /* the device's module; NULL: it is one of ours */
	struct kr_list displays KR_GUARDED_BY(lock); /* kr_hwc_display.link */
	struct krafla_composer_callbacks callbacks KR_GUARDED_BY(lock);
	uint32_t virtual_displays KR_GUARDED_BY(lock);
	uint64_t serial KR_GUARDED_BY(lock); /* of buffers that were set */
	struct kr_hwc_events events;         /* has a lock of its own */
};

/* --- objects.c --- */

/* NULL without memory. It is in the composer's list from then on. */
struct kr_hwc_display *kr_hwc_display_create_locked(
	struct krafla_composer *composer, krafla_display_t handle, enum krafla_display_type type);
/* The device is told that its layers and it have gone. */
void kr_hwc_display_destroy_locked(struct kr_hwc_display *display);
/* The same of one that the device has refused to make. */
void kr_hwc_display_forget_locked(struct kr_hwc_display *display);
/* The client target has another size than the display from now on. */
void kr_hwc_display_drop_target_locked(struct kr_hwc_display *display);
/* Asks the device for its active configuration and that one's size. */
void kr_hwc_display_update_config_locked(struct kr_hwc_display *display);
/* NULL: there is none. */
struct kr_hwc_display *kr_hwc_display_find_locked(
	struct krafla_composer *composer, krafla_display_t handle);
/* Between these a public function works on a display: NULL, without the lock, when it is none. */
struct kr_hwc_display *kr_hwc_display_enter(
	struct krafla_composer *composer, krafla_display_t handle);
/* The error, for whoever returns it. */
int kr_hwc_display_leave(struct kr_hwc_display *display, int error);

struct kr_hwc_layer *kr_hwc_layer_find_locked(
	struct kr_hwc_display *display, krafla_layer_t handle);
void kr_hwc_layer_destroy_locked(struct kr_hwc_display *display, struct kr_hwc_layer *layer);
/* The state's layers, from the bottom to the top. */
void kr_hwc_layers_sort_locked(struct kr_hwc_display *display);

/* What was validated doesn't count any more. */
void kr_hwc_invalidate_locked(struct kr_hwc_display *display);

/* --- validate.c --- */

int kr_hwc_validate_locked(struct kr_hwc_display *display, uint32_t *types, uint32_t *requests);

/* --- arguments.c: what several calls check --- */

/*
 * A duplicate to keep; -1 for one that has signalled. NONE, BAD_PARAMETER: it is no fence,
 * NO_RESOURCES.
 */
int kr_hwc_keep_fence(int fence, int *kept);
/*
 * The buffer behind the public name, which may be one of another copy of the library: a reference.
 * *own is NULL for NULL. NONE, BAD_PARAMETER: it is no buffer, NO_RESOURCES.
 */
int kr_hwc_take_buffer(AHardwareBuffer *buffer, struct kr_buffer **own);
/* Copies rectangles; more than there is room for, or NULL, counts as none. */
uint32_t kr_hwc_copy_rects(ARect to[KR_HWC_MAX_RECTS], uint32_t count, const ARect *from);

/* --- module.c --- */

/* Loads krafla-output-NAME.so. 0, -ENOENT, -EPROTO (logged). */
int kr_hwc_module_load(const char *name, void **library, const struct kr_hwc_device_impl **impl)
	KR_MUST_CHECK;

#endif
