/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands behind the API of <krafla/composer.h>: a device. The front (the other files of this
 * room) checks handles, arguments and the order of calls, and keeps what was set; a device is told
 * of it as it is then, and need not check it again.
 *
 * A device may be a module of its own, with its own copy of the platform: all that crosses goes
 * through these tables. Fences are descriptors and cross as they are; a buffer crosses by its
 * handle.
 *
 * Thread-safety: a composer calls its device from one thread at a time, with the composer's lock
 * held. The host's functions may be called from any thread, also inside a call.
 */
#ifndef KR_HWC_DEVICE_H
#define KR_HWC_DEVICE_H

#include <krafla/composer.h>
#include <krafla/native_handle.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_buffer;
struct kr_hwc_device;
struct kr_hwc_drawing;

#define KR_HWC_ABI           5
#define KR_HWC_MODULE_SYMBOL "kr_hwc_module"

#define KR_HWC_MAX_LAYERS 64 /* of a display */
#define KR_HWC_MAX_RECTS  64 /* of a damage or a visible region */
#define KR_HWC_MAX_SIZE   16384

/* A layer as it is set; complete and checked. */
struct kr_hwc_layer_state {
	krafla_layer_t handle;
	/* NULL: none was set ever, or no_content. Valid until the next call that sets one. */
	struct kr_buffer *buffer;
	int acquire_fence;        /* borrowed; -1 */
	bool no_content;          /* the last buffer that was set is none: what is there stays */
	bool no_pixels;           /* `buffer` has its picture for GPUs alone (drawing.h) */
	uint64_t buffer_serial;   /* another one with each buffer that is set; never 0 then */
	struct krafla_frect crop; /* empty: all of the buffer */
	ARect frame;
	int32_t transform;
	enum krafla_blend blend;
	enum krafla_composition composition; /* as asked, and as accepted since */
	int32_t dataspace;                   /* one that is known (colour/space.h) */
	float plane_alpha;
	uint32_t z;
	krafla_color color;
	uint32_t damage_count; /* 0: all may have changed */
	ARect damage[KR_HWC_MAX_RECTS];
	uint32_t visible_count; /* 0: not known */
	ARect visible[KR_HWC_MAX_RECTS];
	/*
	 * While it presents: this present takes `previous` (which may be NULL for no content) out
	 * of the layer. Borrowed for the call.
	 */
	bool replaced;
	struct kr_buffer *previous;

	void *device_data; /* the device's own; NULL at first */
	/* Out of validate, 0 before: the composition that it must have, 0: as it is; bits. */
	enum krafla_composition changed_to;
	int32_t requests;
	/* Out of present, -1 before: of `previous`. The front's from then on. */
	int release_fence;
};

struct kr_hwc_display_state {
	krafla_display_t handle;
	enum krafla_display_type type;
	uint32_t width; /* of the active configuration */
	uint32_t height;
	krafla_config_t config; /* the active one */
	int32_t format;         /* of a virtual display's output buffers */
	int32_t dataspace;      /* of pictures; never UNKNOWN */
	enum krafla_power power;
	struct kr_hwc_layer_state *const *layers; /* from the bottom to the top */
	unsigned count;
	/* The client target; `target_serial` is another one with each that is set. */
	struct kr_buffer *target;
	int target_fence;
	int32_t target_dataspace;
	uint64_t target_serial;
	uint32_t target_damage_count; /* 0: all may have changed */
	ARect target_damage[KR_HWC_MAX_RECTS];
	/* Of a virtual display: where the picture goes, and when it may. */
	struct kr_buffer *output;
	int output_fence;
	uint64_t number;     /* of the present that this is, from 1 */
	int64_t expected_ns; /* 0: as soon as can be */

	void *device_data; /* the device's own */
	int32_t requests;  /* out of validate, 0 before; bits */
};

/* The composer, as its device sees it. */
struct kr_hwc_host {
	uint32_t abi;
	/*
	 * A physical display is there: from the next dispatch on, which asks for its configurations
	 * and tells. `device_data` becomes the state's. Its handle, 0 without memory.
	 */
	krafla_display_t (*connect)(
		const struct kr_hwc_host *host, const char *name, void *device_data);
	/* It isn't any more. It may be called for until display_gone. */
	void (*disconnect)(const struct kr_hwc_host *host, krafla_display_t display);
	void (*vsync)(const struct kr_hwc_host *host, krafla_display_t display, int64_t time_ns,
		int64_t period_ns);
	void (*refresh)(const struct kr_hwc_host *host, krafla_display_t display);
	/* The device's dispatch shall be called soon. Async-signal-safe no; waits for nothing. */
	void (*wake)(const struct kr_hwc_host *host);
	/* Of buffers that come in states; a device that keeps one beyond a call has a reference. */
	const native_handle_t *(*buffer_handle)(const struct kr_buffer *buffer);
	struct kr_buffer *(*buffer_ref)(struct kr_buffer *buffer);
	void (*buffer_unref)(struct kr_buffer *buffer);
	void (*log)(uint32_t bits, const char *message);
};

/*
 * Where nothing else is said an op returns 0 or an error of enum krafla_composer_error, and is
 * required. `display` is that of the call, valid until display_gone.
 */
struct kr_hwc_device_impl {
	const char *name;
	/*
	 * `argument` is what follows the first colon of the device's name; NULL: there is none. The
	 * host outlives the device; connect may be called already. 0 or -errno (logged).
	 */
	int (*open)(const char *argument, const struct kr_hwc_host *host,
		struct kr_hwc_device **device);
	/* After display_gone of all displays. */
	void (*close)(struct kr_hwc_device *device);
	/* Optional: readable when dispatch has something to do; the same for its whole life. */
	int (*get_fd)(struct kr_hwc_device *device);
	/* Optional: called in each dispatch of the composer's, before callbacks. */
	int (*dispatch)(struct kr_hwc_device *device);
	/*
	 * Writes at most `room` configurations; how many there are. The display's `config` is the
	 * active one from set_active_config on; before that, get_active_config says.
	 */
	uint32_t (*get_configs)(struct kr_hwc_device *device,
		const struct kr_hwc_display_state *display, uint32_t room,
		krafla_config_t *configs);
	krafla_config_t (*get_active_config)(
		struct kr_hwc_device *device, const struct kr_hwc_display_state *display);
	/* Of a configuration that get_configs has. */
	int32_t (*get_attribute)(struct kr_hwc_device *device,
		const struct kr_hwc_display_state *display, krafla_config_t config,
		enum krafla_attribute attribute);
	int (*set_active_config)(struct kr_hwc_device *device, struct kr_hwc_display_state *display,
		krafla_config_t config);
	int (*set_power_mode)(struct kr_hwc_device *device, struct kr_hwc_display_state *display,
		enum krafla_power mode);
	int (*set_vsync)(
		struct kr_hwc_device *device, struct kr_hwc_display_state *display, bool enabled);
	/*
	 * Optional: without it displays are what they were made as. What the pictures to come are
	 * in, and the light in them; valid. The state's dataspace is the old one until it is done.
	 */
	int (*set_colour)(struct kr_hwc_device *device, struct kr_hwc_display_state *display,
		int32_t dataspace, const struct krafla_hdr_metadata *hdr);
	/* Optional: 0, there are none, without it. */
	uint32_t (*max_virtual_displays)(struct kr_hwc_device *device);
	/* Optional. The state has size and format; the format may be changed. */
	int (*create_virtual_display)(
		struct kr_hwc_device *device, struct kr_hwc_display_state *display);
	/* Optional: those of screens all or none. The state has the size; `screen` is complete. */
	int (*create_screen)(struct kr_hwc_device *device, struct kr_hwc_display_state *display,
		const struct krafla_screen *screen);
	int (*resize_screen)(struct kr_hwc_device *device, struct kr_hwc_display_state *display,
		uint32_t width, uint32_t height);
	void (*set_screen_period)(struct kr_hwc_device *device,
		struct kr_hwc_display_state *display, uint32_t vsync_period_ns);
	/* The display is no more; its layers have gone. */
	void (*display_gone)(struct kr_hwc_device *device, struct kr_hwc_display_state *display);
	/* Optional: the layer is no more; what device_data is ends. */
	void (*layer_gone)(struct kr_hwc_device *device, struct kr_hwc_display_state *display,
		struct kr_hwc_layer_state *layer);
	/* Optional: a CURSOR layer's frame has moved. */
	void (*cursor_moved)(struct kr_hwc_device *device, struct kr_hwc_display_state *display,
		struct kr_hwc_layer_state *layer);
	/* Whether such a buffer can be a client target; the dataspace is one that is handled. */
	bool (*takes_target)(struct kr_hwc_device *device,
		const struct kr_hwc_display_state *display, uint32_t width, uint32_t height,
		uint32_t format);
	/* Sets changed_to and requests. */
	int (*validate)(struct kr_hwc_device *device, struct kr_hwc_display_state *display);
	/*
	 * Reads nothing before its acquire fence has signalled. Sets release_fence of layers with
	 * `replaced` whose previous buffer is read still, and *present_fence (-1 before), the
	 * front's from then on. On an error nothing has changed, except that a picture whose
	 * number is used up may be over: then *over is set.
	 */
	int (*present)(struct kr_hwc_device *device, struct kr_hwc_display_state *display,
		int *present_fence, bool *over);
	/*
	 * Optional: without it pictures are made by the CPU alone. Adds what it says of its drawing
	 * (drawing.h); of the device as a whole where `display` is NULL.
	 */
	void (*get_drawing)(struct kr_hwc_device *device,
		const struct kr_hwc_display_state *display, struct kr_hwc_drawing *drawing);
};

/* First member of every device. */
struct kr_hwc_device {
	const struct kr_hwc_device_impl *impl;
};

/* What a module exports as KR_HWC_MODULE_SYMBOL. */
struct kr_hwc_module {
	uint32_t abi;
	const struct kr_hwc_device_impl *impl;
};

#endif
