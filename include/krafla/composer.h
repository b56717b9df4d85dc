/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hardware composer: Android's contract (HWC2 and its successor IComposerClient) between who
 * has layers and what shows them, as a C API. Names, numbers and rules are HWC's; docs/composer.md
 * tells them in full, with every error of every call. Source: H-01 to H-05.
 *
 * A picture is made so:
 *
 *   krafla_layer_set_*                      what has changed since the last one
 *   krafla_display_validate                 the device says which layers it can't take
 *   krafla_display_accept_changes           these are the client's to draw now ...
 *   krafla_display_set_client_target        ... into one buffer
 *   krafla_display_present                  the picture; a fence that says when it is shown
 *   krafla_display_get_release_fences       when the buffers that it replaced may be written
 *
 * A validation lasts until a call says that it ends it. Fences are descriptors (<krafla/sync.h>),
 * -1 is one that has signalled, and one rule holds for all of this header: a fence that goes in is
 * borrowed, the composer duplicates what it keeps; a fence that comes out is the caller's to close.
 * Of a buffer that goes in the composer has a reference of its own until it is replaced and no
 * longer read.
 *
 * Thread-safety: any thread may call everything; a composer does one call at a time. The functions
 * of krafla_composer_callbacks are called in krafla_composer_register and krafla_composer_dispatch
 * alone, and may call everything but these two, krafla_composer_open and krafla_composer_close;
 * those of a krafla_screen may call nothing but krafla_picture_hold_take and _drop. In a forked
 * child a composer of its parent's is of no use.
 *
 * Calls that return an int of krafla_composer_error change nothing when they fail, and leave what
 * their pointers point at alone. BAD_PARAMETER is the answer to a NULL where something is needed; a
 * composer of NULL has no displays, BAD_DISPLAY.
 */
#ifndef KRAFLA_COMPOSER_H
#define KRAFLA_COMPOSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Handles; 0 is none, and none is used twice by a composer. */
typedef uint64_t krafla_display_t;
typedef uint64_t krafla_layer_t;
typedef uint32_t krafla_config_t;

/* HWC2's results. */
enum krafla_composer_error {
	KRAFLA_COMPOSER_NONE = 0,
	KRAFLA_COMPOSER_BAD_CONFIG = 1,
	KRAFLA_COMPOSER_BAD_DISPLAY = 2,
	KRAFLA_COMPOSER_BAD_LAYER = 3,
	KRAFLA_COMPOSER_BAD_PARAMETER = 4,
	/* No error: validate hands layers back, or asks for something. */
	KRAFLA_COMPOSER_HAS_CHANGES = 5,
	KRAFLA_COMPOSER_NO_RESOURCES = 6,
	KRAFLA_COMPOSER_NOT_VALIDATED = 7,
	KRAFLA_COMPOSER_UNSUPPORTED = 8,
};

/* Who makes pixels of a layer. */
enum krafla_composition {
	KRAFLA_COMPOSITION_INVALID = 0,
	KRAFLA_COMPOSITION_CLIENT = 1, /* the client, into its target */
	KRAFLA_COMPOSITION_DEVICE = 2,
	KRAFLA_COMPOSITION_SOLID_COLOR = 3, /* the device, of krafla_layer_set_color */
	/* DEVICE, and krafla_display_set_cursor_position moves it. */
	KRAFLA_COMPOSITION_CURSOR = 4,
	KRAFLA_COMPOSITION_SIDEBAND = 5, /* no device here has it: UNSUPPORTED */
};

enum krafla_blend {
	KRAFLA_BLEND_INVALID = 0,
	KRAFLA_BLEND_NONE = 1,          /* alpha of the pixels means nothing */
	KRAFLA_BLEND_PREMULTIPLIED = 2, /* color + below * (1 - alpha) */
	KRAFLA_BLEND_COVERAGE = 3,      /* color * alpha + below * (1 - alpha) */
};

/* Clockwise, after the flips; 0 is none. */
enum krafla_transform {
	KRAFLA_TRANSFORM_FLIP_H = 1,
	KRAFLA_TRANSFORM_FLIP_V = 2,
	KRAFLA_TRANSFORM_ROT_180 = 3,
	KRAFLA_TRANSFORM_ROT_90 = 4,
	KRAFLA_TRANSFORM_FLIP_H_ROT_90 = 5,
	KRAFLA_TRANSFORM_FLIP_V_ROT_90 = 6,
	KRAFLA_TRANSFORM_ROT_270 = 7,
};

enum krafla_attribute {
	KRAFLA_ATTRIBUTE_WIDTH = 1, /* pixels */
	KRAFLA_ATTRIBUTE_HEIGHT = 2,
	KRAFLA_ATTRIBUTE_VSYNC_PERIOD = 3, /* ns */
	KRAFLA_ATTRIBUTE_DPI_X = 4,        /* dots per 1000 inches; -1 unknown */
	KRAFLA_ATTRIBUTE_DPI_Y = 5,
};

enum krafla_display_type {
	KRAFLA_DISPLAY_PHYSICAL = 1,
	KRAFLA_DISPLAY_VIRTUAL = 2,
};

enum krafla_connection {
	KRAFLA_CONNECTED = 1,
	KRAFLA_DISCONNECTED = 2,
};

enum krafla_power {
	KRAFLA_POWER_OFF = 0,
	KRAFLA_POWER_DOZE = 1,
	KRAFLA_POWER_ON = 2,
	KRAFLA_POWER_DOZE_SUSPEND = 3,
};

enum krafla_display_request {
	/* Set a client target for this picture, also where no layer is the client's. */
	KRAFLA_REQUEST_FLIP_CLIENT_TARGET = 1,
	/* Virtual displays: the client writes its target into the output buffer itself. */
	KRAFLA_REQUEST_WRITE_CLIENT_TARGET_TO_OUTPUT = 2,
};

enum krafla_layer_request {
	/*
	 * The client target is transparent where the layer is, and the layers above it are drawn on
	 * that: the device shows the layer through it.
	 */
	KRAFLA_REQUEST_CLEAR_CLIENT_TARGET = 1,
};

typedef struct krafla_frect {
	float left;
	float top;
	float right;
	float bottom;
} krafla_frect;

typedef struct krafla_color {
	uint8_t r;
	uint8_t g;
	uint8_t b;
	uint8_t a;
} krafla_color;

struct krafla_composer;

/* Each may be NULL. */
struct krafla_composer_callbacks {
	size_t size; /* sizeof(struct krafla_composer_callbacks): says which of these exist */
	void *data;
	/* A physical display is there from now on; or not any more, and its handle is used up. */
	void (*hotplug)(void *data, krafla_display_t display, enum krafla_connection connection);
	/* The device needs a picture though nothing has changed. */
	void (*refresh)(void *data, krafla_display_t display);
	/* See krafla_display_set_vsync_enabled. `time_ns` is of CLOCK_MONOTONIC. */
	void (*vsync)(void *data, krafla_display_t display, int64_t time_ns, int64_t period_ns);
};

/*
 * Opens a device:
 *
 *   soft           composes on the CPU and takes every layer. Its displays are made by the program:
 *                  screens (krafla_composer_create_screen) and virtual displays
 *   gpu            soft, but a GPU draws pictures where that is cheaper, in a process of its own;
 *                  without a GPU it is soft. gpu:fixed: one of the two draws all pictures;
 *                  gpu:forced: Vulkan draws them, and -ENODEV where nothing can
 *   random:SEED    soft, but it hands layers back and asks for things at random, as the seed
 *                  says: for who tests a client
 *
 * Any other word (its part before a colon) is one of a module, krafla-output-WORD.so, which is
 * looked for as docs/composer.md says. 0, -EINVAL NULL or a bad argument, -ENOENT no such device,
 * -EPROTO the module is of another version, -ENOMEM, -EMFILE, or what the module says (logged).
 */
int krafla_composer_open(const char *device, struct krafla_composer **composer);
/*
 * Destroys displays and layers. Fences that it gave out end: pictures that aren't shown yet never
 * are, and their present fences fail with -ECANCELED; release fences signal. NULL is nothing.
 */
void krafla_composer_close(struct krafla_composer *composer);
/*
 * Who is told what happens; in place of who was. Displays that are there are told of before it
 * returns. `callbacks` is copied. 0 or BAD_PARAMETER (a size that isn't known).
 */
int krafla_composer_register(
	struct krafla_composer *composer, const struct krafla_composer_callbacks *callbacks);
/*
 * Readable when there is something to dispatch, for poll; the composer's. -1 for NULL. A program
 * that has no screens, wants no vsync and expects no hotplug needs neither this nor dispatch.
 */
int krafla_composer_get_fd(struct krafla_composer *composer);
/*
 * Calls the callbacks for what has happened, and shows pictures of screens that were composed in
 * the background. Waits for nothing but what these functions wait for. One thread at a time. 0;
 * BAD_PARAMETER; NO_RESOURCES: a screen's show failed, or the device was lost (logged).
 */
int krafla_composer_dispatch(struct krafla_composer *composer);

/* How many virtual displays there can be at a time. */
uint32_t krafla_composer_max_virtual_displays(struct krafla_composer *composer);
/*
 * A display whose pictures are written into buffers that the client sets
 * (krafla_display_set_output_buffer). *format is AHARDWAREBUFFER_FORMAT_* of these; the device says
 * another one where it can't write that. BAD_PARAMETER; UNSUPPORTED: a size of 0 or above 16384, or
 * the device has none; NO_RESOURCES: too many, or no memory.
 */
int krafla_composer_create_virtual_display(struct krafla_composer *composer, uint32_t width,
	uint32_t height, int32_t *format, krafla_display_t *display);
/* BAD_DISPLAY; BAD_PARAMETER: it isn't virtual. Fences as for krafla_composer_close. */
int krafla_composer_destroy_virtual_display(
	struct krafla_composer *composer, krafla_display_t display);

/* --- Screens: physical displays whose pictures the program puts somewhere --- */

struct krafla_picture_hold;

struct krafla_picture {
	size_t size;     /* sizeof(struct krafla_picture) */
	uint64_t number; /* which of the display's presents, from 1 */
	uint32_t width;
	uint32_t height;
	/*
	 * AHARDWAREBUFFER_FORMAT_* of the pixels, any that buffers can have: a picture that is one
	 * buffer is that buffer; what is drawn has 8 bits a channel. Alpha means nothing.
	 */
	uint32_t format;
	uint32_t row_bytes;
	const void *pixels;               /* NULL: it wasn't wanted */
	struct krafla_picture_hold *hold; /* NULL: the pixels can't be kept, only be copied */
	/* What krafla_display_set_expected_present_time said, or when it was presented. */
	int64_t time_ns;
	/* Of pixels that were written for it; 0: a buffer as it is, or none. */
	uint64_t written_bytes;
	/* Something that is seen has no content: what was there before stays. */
	bool older;
	/*
	 * The buffer that the picture is, as it is, borrowed as the pixels are, and where in it
	 * these begin, in bytes; NULL: it was drawn, or isn't wanted.
	 */
	AHardwareBuffer *buffer;
	uint64_t offset;
	/*
	 * Where it differs from the picture before (number - 1), shown or not, wanted or not;
	 * 0: nowhere. Borrowed for the call.
	 */
	uint32_t damage_count;
	const ARect *damage;
	int32_t dataspace; /* HAL_DATASPACE_*: the screen's, never UNKNOWN */
	/* Of layers that agree on it; NULL: there is none. Borrowed for the call. */
	const struct krafla_hdr_metadata *hdr;
	/* When a GPU had drawn it, CLOCK_MONOTONIC; 0: none did. */
	int64_t gpu_done_ns;
};

struct krafla_screen {
	size_t size; /* sizeof(struct krafla_screen): says which of these exist */
	void *data;
	uint32_t width; /* 1 to 16384 */
	uint32_t height;
	uint32_t vsync_period_ns; /* not 0 */
	int32_t dpi_x;            /* dots per 1000 inches; -1 unknown */
	int32_t dpi_y;
	/*
	 * Whether the pixels of picture `number` are wanted: of one that isn't none is touched, and
	 * no fence is waited for. Asked once for each, in present. NULL: all are.
	 */
	bool (*wants)(void *data, uint64_t number);
	/*
	 * Required. Shows a picture, in the order of the presents: in krafla_display_present when
	 * it was composed there, else in a later call of that or of krafla_composer_dispatch. The
	 * pixels are valid during the call, and longer for who takes the hold. May wait: whoever
	 * calls the composer waits with it. *shown_fence is -1 as it comes: the picture is shown
	 * when this returns; or a fence that signals when it is, the composer's from then on. 0, or
	 * -errno: it isn't shown; then present answers NO_RESOURCES, or dispatch does and the
	 * present fence fails with that.
	 */
	int (*show)(void *data, const struct krafla_picture *picture, int *shown_fence);
	/* What its pictures are in: HAL_DATASPACE_*, docs/composer.md has which; 0: sRGB. */
	int32_t dataspace;
};

/*
 * Of the devices soft, gpu and random. The display is there when this returns; hotplug is told in
 * the next dispatch. `screen` is copied. BAD_PARAMETER; UNSUPPORTED: the device shows its own
 * screens; NO_RESOURCES.
 */
int krafla_composer_create_screen(struct krafla_composer *composer,
	const struct krafla_screen *screen, krafla_display_t *display);
/*
 * A configuration of that size becomes the active one, in place of the one before; ends the
 * validation. Pictures that aren't shown yet never are (-ECANCELED). BAD_DISPLAY; BAD_PARAMETER: a
 * size of 0 or above 16384; UNSUPPORTED: it is no screen; NO_RESOURCES.
 */
int krafla_composer_resize_screen(struct krafla_composer *composer, krafla_display_t display,
	uint32_t width, uint32_t height);
/*
 * A configuration of that period becomes the active one, in place of the one before: blanks go on
 * from the last one. Nothing is seen of it: the validation and the pictures that are on their way
 * stay. BAD_DISPLAY; BAD_PARAMETER: a period of 0 or above INT32_MAX; UNSUPPORTED: it is no screen.
 */
int krafla_composer_set_screen_period(
	struct krafla_composer *composer, krafla_display_t display, uint32_t vsync_period_ns);
/* As hotplug would: DISCONNECTED is told in the next dispatch. BAD_DISPLAY; UNSUPPORTED. */
int krafla_composer_destroy_screen(struct krafla_composer *composer, krafla_display_t display);

/*
 * During show: keeps the picture's pixels as they are until the hold is dropped; the release fence
 * of the buffer that they are signals then. False: there are none to spare, or `hold` is NULL, and
 * who wants the pixels later copies. One picture of a layer that isn't the present one can be held,
 * and 16 of a composer. Any thread.
 */
bool krafla_picture_hold_take(struct krafla_picture_hold *hold);
/* Once for each that was taken, from any thread, also after the composer was closed. */
void krafla_picture_hold_drop(struct krafla_picture_hold *hold);

/* --- Displays. All: BAD_DISPLAY for a handle that is none --- */

/* enum krafla_display_type. */
int krafla_display_get_type(struct krafla_composer *composer, krafla_display_t display, int *type);
/*
 * A name for people, "eDP-1"; not terminated. `name` NULL: *size is how long it is; else the
 * room, and then how much of it was written.
 */
int krafla_display_get_name(
	struct krafla_composer *composer, krafla_display_t display, uint32_t *size, char *name);
/* `configs` NULL: *count is how many there are; else the room, and then how many were written. */
int krafla_display_get_configs(struct krafla_composer *composer, krafla_display_t display,
	uint32_t *count, krafla_config_t *configs);
/* BAD_CONFIG; BAD_PARAMETER: no such attribute. */
int krafla_display_get_attribute(struct krafla_composer *composer, krafla_display_t display,
	krafla_config_t config, enum krafla_attribute attribute, int32_t *value);
int krafla_display_get_active_config(
	struct krafla_composer *composer, krafla_display_t display, krafla_config_t *config);
/* From the next picture on; ends the validation. BAD_CONFIG; NO_RESOURCES. */
int krafla_display_set_active_config(
	struct krafla_composer *composer, krafla_display_t display, krafla_config_t config);
/*
 * A display is ON at first. OFF: pictures are presented, and not shown. BAD_PARAMETER: no such
 * mode; UNSUPPORTED: a mode that the device hasn't (soft: the two DOZE), or a virtual display.
 */
int krafla_display_set_power_mode(
	struct krafla_composer *composer, krafla_display_t display, enum krafla_power mode);
/*
 * The vsync callback at each vertical blank; a screen has one at each of its periods, by a timer.
 * Off at first. What dispatch is too late for is left out. UNSUPPORTED: a virtual display.
 */
int krafla_display_set_vsync_enabled(
	struct krafla_composer *composer, krafla_display_t display, bool enabled);
/*
 * What the pictures of a display are in from now on (HAL_DATASPACE_*; a physical one is of sRGB at
 * first), and the light in them; NULL: nothing is known. Its client targets are in it, too. A
 * display that is asked for what it has stays as it is. UNSUPPORTED: the device, the connector or
 * the screen doesn't have it (logged: which); BAD_PARAMETER: no dataspace, no metadata.
 */
int krafla_display_set_colour(struct krafla_composer *composer, krafla_display_t display,
	int32_t dataspace, const struct krafla_hdr_metadata *hdr);
/* Whether such buffers can be client targets: NONE or UNSUPPORTED. */
int krafla_display_get_client_target_support(struct krafla_composer *composer,
	krafla_display_t display, uint32_t width, uint32_t height, int32_t format,
	int32_t dataspace);
/* A layer at z 0 without a buffer; ends the validation. NO_RESOURCES: more than 64, no memory. */
int krafla_display_create_layer(
	struct krafla_composer *composer, krafla_display_t display, krafla_layer_t *layer);
/*
 * Ends the validation. Nobody tells when its last buffer is no longer read: who wants to know sets
 * a buffer of NULL first, and presents. BAD_LAYER.
 */
int krafla_display_destroy_layer(
	struct krafla_composer *composer, krafla_display_t display, krafla_layer_t layer);
/*
 * What the client has drawn of its layers: a buffer of the display's size, premultiplied,
 * transparent where none of them is. Nothing is read before `acquire_fence` signals (H-01). The
 * damage is what has changed since the last one, in pixels; none: all may have. BAD_PARAMETER:
 * NULL, no fence, another size, a format that can't be one, several layers; UNSUPPORTED: the
 * dataspace.
 */
int krafla_display_set_client_target(struct krafla_composer *composer, krafla_display_t display,
	AHardwareBuffer *buffer, int acquire_fence, int32_t dataspace, uint32_t damage_count,
	const ARect *damage);
/*
 * Where the next picture of a virtual display goes, once; nothing is written before `release_fence`
 * signals. BAD_PARAMETER: NULL, no fence, another size or format than the display's, several
 * layers; UNSUPPORTED: it isn't virtual.
 */
int krafla_display_set_output_buffer(struct krafla_composer *composer, krafla_display_t display,
	AHardwareBuffer *buffer, int release_fence);
/*
 * Asks the device which layers it takes as they are. NONE; or HAS_CHANGES: *types layers have to
 * change their composition, and there are *requests requests (of layers and the display together).
 */
int krafla_display_validate(struct krafla_composer *composer, krafla_display_t display,
	uint32_t *types, uint32_t *requests);
/*
 * What validate found; two calls as for configs, and both arrays NULL or neither (types are enum
 * krafla_composition). NOT_VALIDATED.
 */
int krafla_display_get_changed_composition_types(struct krafla_composer *composer,
	krafla_display_t display, uint32_t *count, krafla_layer_t *layers, int32_t *types);
/* Likewise: bits of enum krafla_display_request, and of krafla_layer_request. */
int krafla_display_get_requests(struct krafla_composer *composer, krafla_display_t display,
	int32_t *display_requests, uint32_t *count, krafla_layer_t *layers,
	int32_t *layer_requests);
/* The layers change their composition as validate said. NOT_VALIDATED. */
int krafla_display_accept_changes(struct krafla_composer *composer, krafla_display_t display);
/* When the next picture is meant to be seen, CLOCK_MONOTONIC ns; 0: as soon as can be. */
int krafla_display_set_expected_present_time(
	struct krafla_composer *composer, krafla_display_t display, int64_t time_ns);
/*
 * Makes a picture of what is set. *present_fence signals when it is on the screen, or written to
 * the output buffer of a virtual display (H-03); -1: it is. Fences that aren't signalled are waited
 * for in the background. A layer whose acquire fence fails, or doesn't signal within 5 s, is left
 * out of the picture (logged), and comes back when its fence signals or it gets another buffer.
 * NOT_VALIDATED: nothing is validated, or its changes weren't accepted. NO_RESOURCES: a virtual
 * display has no output buffer, a layer is the client's and there is no client target, two
 * pictures are on their way already, no memory or descriptors, or show failed. NO_RESOURCES
 * changes nothing, save in that last case, where the picture is over.
 */
int krafla_display_present(
	struct krafla_composer *composer, krafla_display_t display, int *present_fence);
/*
 * validate, and present if that says NONE: *state is 1 then. Else *state is 0, and it is
 * as after validate. Errors of both.
 */
int krafla_display_present_or_validate(struct krafla_composer *composer, krafla_display_t display,
	uint32_t *types, uint32_t *requests, int *present_fence, uint32_t *state);
/*
 * After present: the layers whose buffers it replaced, and for each a fence that signals when the
 * buffer before is no longer read (H-02). That of a layer that isn't listed may be written at once.
 * Two calls as for configs, both arrays NULL or neither; each fence is given once.
 */
int krafla_display_get_release_fences(struct krafla_composer *composer, krafla_display_t display,
	uint32_t *count, krafla_layer_t *layers, int *fences);
/*
 * Moves a CURSOR layer's display frame. Doesn't end the validation; soft shows it with the next
 * picture. BAD_LAYER: none, or no CURSOR.
 */
int krafla_display_set_cursor_position(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, int32_t x, int32_t y);

/*
 * --- Layers. All: BAD_DISPLAY, BAD_LAYER. All but two end the validation: the surface damage
 * doesn't, nor does a buffer of the size, format and kind of memory that the last one had ---
 */

/*
 * What the layer shows; nothing of it is read before `acquire_fence` signals (H-01). NULL: it has
 * no content now: what was shown there stays. No use for SOLID_COLOR, and kept for later then.
 * BAD_PARAMETER: no fence, or the fence of no buffer; UNSUPPORTED: a format that no device reads,
 * several layers in memory of CPUs.
 */
int krafla_layer_set_buffer(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, AHardwareBuffer *buffer, int acquire_fence);
/*
 * Which pixels of the buffer differ from the last one's, for the next present. 0 rectangles: all
 * may; one that is empty: none. Above 64 it counts as all.
 */
int krafla_layer_set_surface_damage(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, uint32_t count, const ARect *damage);
/* NONE at first. BAD_PARAMETER: INVALID, and what isn't known. */
int krafla_layer_set_blend_mode(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, enum krafla_blend mode);
/* Of SOLID_COLOR; blended as the mode says. Transparent black at first. */
int krafla_layer_set_color(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, krafla_color color);
/* DEVICE at first. BAD_PARAMETER: INVALID, and what isn't known; UNSUPPORTED: SIDEBAND. */
int krafla_layer_set_composition_type(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, enum krafla_composition type);
/* UNKNOWN, and those that are sRGB, are handled (docs/composer.md); others are UNSUPPORTED. */
int krafla_layer_set_dataspace(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, int32_t dataspace);
/*
 * Where on the display, in its pixels; may reach over its edges. Empty at first: nothing is seen of
 * the layer. BAD_PARAMETER: an edge before the one opposite, or beyond +-65536.
 */
int krafla_layer_set_display_frame(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, ARect frame);
/* 1 at first. BAD_PARAMETER: not from 0 to 1. */
int krafla_layer_set_plane_alpha(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, float alpha);
/*
 * Which part of the buffer, in its pixels; what lies outside is left out. All of it at first, and
 * while it is empty. BAD_PARAMETER: no numbers, negative, or an edge before the one opposite.
 */
int krafla_layer_set_source_crop(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, krafla_frect crop);
/* Of the pixels on their way to the frame: 0 or enum krafla_transform. BAD_PARAMETER. */
int krafla_layer_set_transform(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, int32_t transform);
/*
 * What isn't hidden by layers above, in pixels of the display: a hint, which soft has no use for.
 * Above 64 rectangles it counts as all.
 */
int krafla_layer_set_visible_region(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, uint32_t count, const ARect *visible);
/* Higher is nearer; of two that are equal the one that was created later. 0 at first. */
int krafla_layer_set_z_order(struct krafla_composer *composer, krafla_display_t display,
	krafla_layer_t layer, uint32_t z);

#ifdef __cplusplus
}
#endif

#endif
