/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ANativeWindow and ANativeWindowBuffer: the binary interface between whoever renders and whoever
 * shows, in the layout of Android 8 and later on LP64 (nativebase.h, window.h). Numbers of queries
 * and operations are those of Android 15. Source: S-10, W-02.
 *
 * A window is reference counted through common.incRef and common.decRef. Its functions may be
 * called from any thread; the state they change is shared, so one thread at a time should drive a
 * window. Result of every function pointer: 0 or a negative errno.
 */
#ifndef KRAFLA_NATIVE_WINDOW_H
#define KRAFLA_NATIVE_WINDOW_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_handle.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ANDROID_NATIVE_WINDOW_MAGIC 0x5F776E64
#define ANDROID_NATIVE_BUFFER_MAGIC 0x5F626672

typedef struct android_native_base_t {
	int magic;
	int version; /* size of the whole object */
	void *reserved[4];
	void (*incRef)(struct android_native_base_t *base);
	void (*decRef)(struct android_native_base_t *base);
} android_native_base_t;

typedef struct android_native_rect_t {
	int32_t left;
	int32_t top;
	int32_t right;
	int32_t bottom;
} android_native_rect_t;

typedef struct ANativeWindowBuffer {
	struct android_native_base_t common;
	int width;
	int height;
	int stride; /* pixels */
	int format; /* AHARDWAREBUFFER_FORMAT_* */
	int usage_deprecated;
	uintptr_t layerCount;
	void *reserved[1];
	const native_handle_t *handle;
	uint64_t usage; /* AHARDWAREBUFFER_USAGE_* */
	void *reserved_proc[7];
} ANativeWindowBuffer;

typedef struct ANativeWindow ANativeWindow;
struct ANativeWindow {
	struct android_native_base_t common;
	const uint32_t flags;
	const int minSwapInterval;
	const int maxSwapInterval;
	const float xdpi; /* pixels an inch; 0: unknown, as for every window made here so far */
	const float ydpi;
	intptr_t oem[4];
	int (*setSwapInterval)(ANativeWindow *window, int interval);
	/* The four without fences: dequeue waits for the buffer itself, queue means "ready". */
	int (*dequeueBuffer_DEPRECATED)(ANativeWindow *window, ANativeWindowBuffer **buffer);
	int (*lockBuffer_DEPRECATED)(ANativeWindow *window, ANativeWindowBuffer *buffer);
	int (*queueBuffer_DEPRECATED)(ANativeWindow *window, ANativeWindowBuffer *buffer);
	int (*query)(const ANativeWindow *window, int what, int *value);
	int (*perform)(ANativeWindow *window, int operation, ...);
	int (*cancelBuffer_DEPRECATED)(ANativeWindow *window, ANativeWindowBuffer *buffer);
	/*
	 * A buffer to draw into. *fenceFd must have signalled before it is written; -1 when it may
	 * be written now. The caller closes it. Blocks while no buffer is free, up to the dequeue
	 * timeout.
	 */
	int (*dequeueBuffer)(ANativeWindow *window, ANativeWindowBuffer **buffer, int *fenceFd);
	/*
	 * Hands the buffer over for showing, once fenceFd has signalled. Owns fenceFd, also on
	 * error.
	 */
	int (*queueBuffer)(ANativeWindow *window, ANativeWindowBuffer *buffer, int fenceFd);
	/* Gives a dequeued buffer back undrawn. Owns fenceFd, also on error. */
	int (*cancelBuffer)(ANativeWindow *window, ANativeWindowBuffer *buffer, int fenceFd);
};

/* What query() answers. */
enum {
	NATIVE_WINDOW_WIDTH = 0,
	NATIVE_WINDOW_HEIGHT = 1,
	NATIVE_WINDOW_FORMAT = 2,
	NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS = 3,
	NATIVE_WINDOW_QUEUES_TO_WINDOW_COMPOSER = 4,
	NATIVE_WINDOW_CONCRETE_TYPE = 5,
	NATIVE_WINDOW_DEFAULT_WIDTH = 6,
	NATIVE_WINDOW_DEFAULT_HEIGHT = 7,
	NATIVE_WINDOW_TRANSFORM_HINT = 8,
	NATIVE_WINDOW_CONSUMER_RUNNING_BEHIND = 9,
	NATIVE_WINDOW_CONSUMER_USAGE_BITS = 10,
	NATIVE_WINDOW_STICKY_TRANSFORM = 11,
	NATIVE_WINDOW_DEFAULT_DATASPACE = 12,
	NATIVE_WINDOW_BUFFER_AGE = 13,
	NATIVE_WINDOW_LAST_DEQUEUE_DURATION = 14,
	NATIVE_WINDOW_LAST_QUEUE_DURATION = 15,
	NATIVE_WINDOW_LAYER_COUNT = 16,
	NATIVE_WINDOW_IS_VALID = 17,
	NATIVE_WINDOW_FRAME_TIMESTAMPS_SUPPORTS_PRESENT = 18,
	NATIVE_WINDOW_CONSUMER_IS_PROTECTED = 19,
	NATIVE_WINDOW_DATASPACE = 20,
	NATIVE_WINDOW_MAX_BUFFER_COUNT = 21,
};

/*
 * What perform() does; the arguments as they arrive after promotion. An unknown one is -ENOENT, one
 * that can't be done here -ENOSYS: nothing succeeds without effect. docs/buffer-queue.md has a row
 * for each number.
 */
enum {
	NATIVE_WINDOW_SET_USAGE = 0,              /* uint32_t */
	NATIVE_WINDOW_CONNECT = 1,                /* int api; nothing, kept for old callers */
	NATIVE_WINDOW_DISCONNECT = 2,             /* int api; nothing */
	NATIVE_WINDOW_SET_CROP = 3,               /* const android_native_rect_t *, NULL resets */
	NATIVE_WINDOW_SET_BUFFER_COUNT = 4,       /* size_t; 0 default */
	NATIVE_WINDOW_SET_BUFFERS_GEOMETRY = 5,   /* int w, int h, int format */
	NATIVE_WINDOW_SET_BUFFERS_TRANSFORM = 6,  /* int */
	NATIVE_WINDOW_SET_BUFFERS_TIMESTAMP = 7,  /* int64_t ns; NATIVE_WINDOW_TIMESTAMP_AUTO */
	NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS = 8, /* int w, int h; both 0: the window's own */
	NATIVE_WINDOW_SET_BUFFERS_FORMAT = 9,     /* int */
	NATIVE_WINDOW_SET_SCALING_MODE = 10,      /* int */
	NATIVE_WINDOW_LOCK = 11,                  /* see ANativeWindow_lock */
	NATIVE_WINDOW_UNLOCK_AND_POST = 12,
	NATIVE_WINDOW_API_CONNECT = 13,                 /* int api */
	NATIVE_WINDOW_API_DISCONNECT = 14,              /* int api */
	NATIVE_WINDOW_SET_BUFFERS_USER_DIMENSIONS = 15, /* int w, int h */
	NATIVE_WINDOW_SET_POST_TRANSFORM_CROP = 16,     /* -ENOSYS, as on Android */
	/* int: of all frames to come, beside each one's own; the transform hint is 0 then */
	NATIVE_WINDOW_SET_BUFFERS_STICKY_TRANSFORM = 17,
	NATIVE_WINDOW_SET_SIDEBAND_STREAM = 18,   /* native_handle_t *; but NULL -ENOSYS */
	NATIVE_WINDOW_SET_BUFFERS_DATASPACE = 19, /* int; HAL_DATASPACE_* below */
	/*
	 * const android_native_rect_t *, size_t. Origin top left, for the next frame only, unlike
	 * Android, whose libvulkan sends a bottom-left origin. No rectangle, or more than 16:
	 * everything.
	 */
	NATIVE_WINDOW_SET_SURFACE_DAMAGE = 20,
	NATIVE_WINDOW_SET_SHARED_BUFFER_MODE = 21,     /* int */
	NATIVE_WINDOW_SET_AUTO_REFRESH = 22,           /* int */
	NATIVE_WINDOW_GET_REFRESH_CYCLE_DURATION = 23, /* int64_t * */
	NATIVE_WINDOW_GET_NEXT_FRAME_ID = 24,          /* uint64_t * */
	NATIVE_WINDOW_ENABLE_FRAME_TIMESTAMPS = 25,    /* int */
	NATIVE_WINDOW_GET_COMPOSITOR_TIMING = 26,      /* see native_window_get_compositor_timing */
	NATIVE_WINDOW_GET_FRAME_TIMESTAMPS = 27,       /* see native_window_get_frame_timestamps */
	/*
	 * bool *: whether the far end shows colours beyond sRGB's, and HDR; removed from Android 10
	 */
	NATIVE_WINDOW_GET_WIDE_COLOR_SUPPORT = 28,
	NATIVE_WINDOW_GET_HDR_SUPPORT = 29,
	NATIVE_WINDOW_SET_USAGE64 = 30,          /* uint64_t */
	NATIVE_WINDOW_GET_CONSUMER_USAGE64 = 31, /* uint64_t * */
	/* const struct android_smpte2086_metadata *, const struct android_cta861_3_metadata * */
	NATIVE_WINDOW_SET_BUFFERS_SMPTE2086_METADATA = 32,
	NATIVE_WINDOW_SET_BUFFERS_CTA861_3_METADATA = 33,
	NATIVE_WINDOW_SET_BUFFERS_HDR10_PLUS_METADATA = 34,
	NATIVE_WINDOW_SET_AUTO_PREROTATION = 35, /* int: the default size turned as the hint says */
	NATIVE_WINDOW_GET_LAST_DEQUEUE_START = 36, /* int64_t * */
	NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT = 37,    /* int64_t ns; negative: no limit */
	NATIVE_WINDOW_GET_LAST_DEQUEUE_DURATION = 38,
	NATIVE_WINDOW_GET_LAST_QUEUE_DURATION = 39,
	NATIVE_WINDOW_SET_FRAME_RATE = 40, /* double Hz, int compatibility, int strategy */
	/* A function of one of the types below, and void *, which it is called with; NULL: none. */
	NATIVE_WINDOW_SET_CANCEL_INTERCEPTOR = 41,
	NATIVE_WINDOW_SET_DEQUEUE_INTERCEPTOR = 42,
	NATIVE_WINDOW_SET_PERFORM_INTERCEPTOR = 43,
	NATIVE_WINDOW_SET_QUEUE_INTERCEPTOR = 44,
	NATIVE_WINDOW_ALLOCATE_BUFFERS = 45,
	/*
	 * AHardwareBuffer ** (a reference; NULL: none was queued, or it is gone), int * (its
	 * acquire fence, the caller's), float[16] (texture coordinates, column by column). -ENOSYS:
	 * of windows that weren't opened by krafla/window.h.
	 */
	NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER = 46,
	NATIVE_WINDOW_SET_QUERY_INTERCEPTOR = 47,
	NATIVE_WINDOW_SET_FRAME_TIMELINE_INFO = 48, /* -ENOSYS: there are no timelines here */
	/* The first two as of 46, then ARect * (crop; all 0: none), uint32_t * (transform). */
	NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER2 = 49,
	NATIVE_WINDOW_SET_BUFFERS_ADDITIONAL_OPTIONS = 50, /* -ENOSYS; -ENODEV: not connected */
};

enum {
	NATIVE_WINDOW_API_EGL = 1, /* what a Vulkan swapchain connects as, too */
	NATIVE_WINDOW_API_CPU = 2,
	NATIVE_WINDOW_API_MEDIA = 3,
	NATIVE_WINDOW_API_CAMERA = 4,
};

enum {
	NATIVE_WINDOW_SCALING_MODE_FREEZE = 0,
	NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW = 1,
	NATIVE_WINDOW_SCALING_MODE_SCALE_CROP = 2,
	NATIVE_WINDOW_SCALING_MODE_NO_SCALE_CROP = 3,
};

enum {
	NATIVE_WINDOW_TRANSFORM_FLIP_H = 1,
	NATIVE_WINDOW_TRANSFORM_FLIP_V = 2,
	NATIVE_WINDOW_TRANSFORM_ROT_180 = 3,
	NATIVE_WINDOW_TRANSFORM_ROT_90 = 4,
	NATIVE_WINDOW_TRANSFORM_ROT_270 = 7,
	NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY = 8,
};

enum {
	NATIVE_WINDOW_FRAMEBUFFER = 0,
	NATIVE_WINDOW_SURFACE = 1,
};

/* What a frame rate stands for: content that goes with any, or that has just this one. */
enum {
	NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_DEFAULT = 0,
	NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE = 1,
};

/* Whether a display may change its rate for it where that is seen. */
enum {
	NATIVE_WINDOW_CHANGE_FRAME_RATE_ONLY_IF_SEAMLESS = 0,
	NATIVE_WINDOW_CHANGE_FRAME_RATE_ALWAYS = 1,
};

/*
 * Interceptors of a window's functions: called in their place, with what they would have done, the
 * data that was set with them, and the caller's arguments. They may be called from any thread that
 * uses the window. What sets them isn't intercepted, nor what ANativeWindow_lock and
 * _unlockAndPost do with buffers.
 */
typedef int (*ANativeWindow_cancelBufferFn)(
	ANativeWindow *window, ANativeWindowBuffer *buffer, int fenceFd);
typedef int (*ANativeWindow_dequeueBufferFn)(
	ANativeWindow *window, ANativeWindowBuffer **buffer, int *fenceFd);
typedef int (*ANativeWindow_performFn)(ANativeWindow *window, int operation, va_list args);
typedef int (*ANativeWindow_queueBufferFn)(
	ANativeWindow *window, ANativeWindowBuffer *buffer, int fenceFd);
typedef int (*ANativeWindow_queryFn)(const ANativeWindow *window, int what, int *value);
typedef int (*ANativeWindow_cancelBufferInterceptor)(ANativeWindow *window,
	ANativeWindow_cancelBufferFn cancelBuffer, void *data, ANativeWindowBuffer *buffer,
	int fenceFd);
typedef int (*ANativeWindow_dequeueBufferInterceptor)(ANativeWindow *window,
	ANativeWindow_dequeueBufferFn dequeueBuffer, void *data, ANativeWindowBuffer **buffer,
	int *fenceFd);
typedef int (*ANativeWindow_performInterceptor)(ANativeWindow *window,
	ANativeWindow_performFn perform, void *data, int operation, va_list args);
typedef int (*ANativeWindow_queueBufferInterceptor)(ANativeWindow *window,
	ANativeWindow_queueBufferFn queueBuffer, void *data, ANativeWindowBuffer *buffer,
	int fenceFd);
typedef int (*ANativeWindow_queryInterceptor)(
	const ANativeWindow *window, ANativeWindow_queryFn query, void *data, int what, int *value);

/* As soon as possible. */
#define NATIVE_WINDOW_TIMESTAMP_AUTO INT64_MIN

/* Times that aren't known yet, and those that never will be. */
#define NATIVE_WINDOW_TIMESTAMP_PENDING INT64_C(-2)
#define NATIVE_WINDOW_TIMESTAMP_INVALID INT64_C(-1)

/*
 * What pixels mean: Android's standards (<< 16), transfers (<< 22) and ranges (<< 27). What a
 * window's far end doesn't show is -ENOSYS.
 */
enum {
	HAL_DATASPACE_UNKNOWN = 0,   /* sRGB */
	HAL_DATASPACE_ARBITRARY = 1, /* as the display is: pixels are shown as they are */
	HAL_DATASPACE_V0_SRGB = 0x08810000,
	HAL_DATASPACE_SRGB = HAL_DATASPACE_V0_SRGB,
	HAL_DATASPACE_SRGB_LINEAR = 0x08410000,
	HAL_DATASPACE_SCRGB = 0x18810000, /* below 0 and above 1, too */
	HAL_DATASPACE_SCRGB_LINEAR = 0x18410000,
	HAL_DATASPACE_DISPLAY_P3 = 0x088a0000,
	HAL_DATASPACE_DCI_P3 = 0x094a0000, /* a gamma of 2.6, and the white of D65 */
	HAL_DATASPACE_DCI_P3_LINEAR = 0x084a0000,
	HAL_DATASPACE_BT2020_LINEAR = 0x08460000,
	HAL_DATASPACE_BT2020_LINEAR_EXTENDED = 0x18460000,
	HAL_DATASPACE_BT2020_PQ = 0x09c60000,
	HAL_DATASPACE_BT2020_HLG = 0x0a060000,
	HAL_DATASPACE_ADOBE_RGB = 0x090b0000,
	HAL_DATASPACE_ADOBE_RGB_LINEAR = 0x084b0000,
};

/*
 * The light in pictures, of the frame that is queued next and all that follow until it is said
 * anew; NULL in its place: nothing is known. Finite and not negative, else -EINVAL. A display that
 * is told shows the same picture: it is for who looks at it (docs/windows.md).
 */
struct android_xy_color {
	float x; /* of CIE 1931 */
	float y;
};

/* The display that the content was mastered on; cd/m2. */
struct android_smpte2086_metadata {
	struct android_xy_color displayPrimaryRed;
	struct android_xy_color displayPrimaryGreen;
	struct android_xy_color displayPrimaryBlue;
	struct android_xy_color whitePoint;
	float maxLuminance;
	float minLuminance;
};

/* How bright the content is: its brightest pixel, and its brightest picture on average; cd/m2. */
struct android_cta861_3_metadata {
	float maxContentLightLevel;
	float maxFrameAverageLightLevel;
};

/* Both together, as who shows frames or reads them is told. What `has` doesn't name is 0. */
struct krafla_hdr_metadata {
	uint32_t has; /* 1: the primaries, white and luminances; 2: max_cll and max_fall */
	float red[2]; /* CIE 1931 x, y */
	float green[2];
	float blue[2];
	float white[2];
	float max_luminance; /* cd/m2, as all that follows */
	float min_luminance;
	float max_cll;
	float max_fall;
};

/* Only for ANativeWindow_query and _queryf: fields of the window, never asked through query(). */
enum {
	NATIVE_WINDOW_MIN_SWAP_INTERVAL = 0x10000,
	NATIVE_WINDOW_MAX_SWAP_INTERVAL = 0x10001,
	NATIVE_WINDOW_XDPI = 0x10002,
	NATIVE_WINDOW_YDPI = 0x10003,
};

/*
 * The functions of Android's libnativewindow, over whatever made the window. NULL is -EINVAL;
 * otherwise the result of the window's own function. Ownership of buffers and fences is that of the
 * pointers above.
 */
void ANativeWindow_acquire(ANativeWindow *window);
void ANativeWindow_release(ANativeWindow *window);
/* The value, or a negative errno. */
int32_t ANativeWindow_getWidth(ANativeWindow *window);
int32_t ANativeWindow_getHeight(ANativeWindow *window);
int32_t ANativeWindow_getFormat(ANativeWindow *window);
/* Format and size of the buffers to come, scaled to the window; 0 and 0x0: the window's own. */
int32_t ANativeWindow_setBuffersGeometry(
	ANativeWindow *window, int32_t width, int32_t height, int32_t format);
int32_t ANativeWindow_setBuffersTransform(ANativeWindow *window, int32_t transform);
/*
 * What the numbers of the pixels to come mean, HAL_DATASPACE_*. -ENOSYS where the far end doesn't
 * show it; -EINVAL less than 0.
 */
int32_t ANativeWindow_setBuffersDataSpace(ANativeWindow *window, int32_t dataSpace);
/* The one that was set, or HAL_DATASPACE_UNKNOWN. */
int32_t ANativeWindow_getBuffersDataSpace(ANativeWindow *window);
/* What pixels mean of which nothing is said; HAL_DATASPACE_UNKNOWN: sRGB. */
int32_t ANativeWindow_getBuffersDefaultDataSpace(ANativeWindow *window);
/* 3, 6, 7, 8, 13 and the four above alone, else -EINVAL. */
int ANativeWindow_query(const ANativeWindow *window, int what, int *value);
int ANativeWindow_queryf(const ANativeWindow *window, int what, float *value);
int ANativeWindow_dequeueBuffer(ANativeWindow *window, ANativeWindowBuffer **buffer, int *fenceFd);
int ANativeWindow_queueBuffer(ANativeWindow *window, ANativeWindowBuffer *buffer, int fenceFd);
int ANativeWindow_cancelBuffer(ANativeWindow *window, ANativeWindowBuffer *buffer, int fenceFd);
int ANativeWindow_setUsage(ANativeWindow *window, uint64_t usage);
int ANativeWindow_setBufferCount(ANativeWindow *window, size_t bufferCount);
int ANativeWindow_setBuffersDimensions(ANativeWindow *window, uint32_t width, uint32_t height);
int ANativeWindow_setBuffersFormat(ANativeWindow *window, int format);
/*
 * When the frames queued from now on are to be shown, until another time or
 * NATIVE_WINDOW_TIMESTAMP_AUTO is set, in ns by the display's clock (CLOCK_MONOTONIC; a virtual
 * one's pictures begin at 0). No frame is shown before its time; it is left out when a later one
 * with a time is due, too, and one of more than a second ahead is none, as on Android.
 */
int ANativeWindow_setBuffersTimestamp(ANativeWindow *window, int64_t timestamp);
int ANativeWindow_setSwapInterval(ANativeWindow *window, int interval);
/*
 * One buffer, which is dequeued at once also while it is shown, and shown anew each time that it is
 * queued; with auto-refresh at each refresh of the display, too. -ENOSYS where it is shown nobody
 * can do that.
 */
int ANativeWindow_setSharedBufferMode(ANativeWindow *window, bool sharedBufferMode);
int ANativeWindow_setAutoRefresh(ANativeWindow *window, bool autoRefresh);
/*
 * How long a dequeue waits, counted anew each time that something has come back; negative: without
 * a limit. 0.
 */
int ANativeWindow_setDequeueTimeout(ANativeWindow *window, int64_t timeoutNs);
/*
 * Buffers of the window's own size are turned as its transform hint says, until the next
 * disconnect: for who draws them turned.
 */
int ANativeWindow_setAutoPrerotation(ANativeWindow *window, bool autoPrerotation);
/*
 * The rate at which frames will come, in Hz; 0: nothing is said any more. `compatibility`: whether
 * any rate of the display is good for it, or a multiple of this one alone.
 * `changeFrameRateStrategy`: whether the display may change its rate where that is seen. The
 * display may choose its rate by what its windows say (docs/composer.md), or not. 0; -EINVAL a rate
 * that is none, or another word; -ENOSYS nobody listens: a surface without a display, X and
 * Wayland, displays of before version 6. The first is with ONLY_IF_SEAMLESS.
 */
int32_t ANativeWindow_setFrameRate(ANativeWindow *window, float frameRate, int8_t compatibility);
int32_t ANativeWindow_setFrameRateWithChangeStrategy(ANativeWindow *window, float frameRate,
	int8_t compatibility, int8_t changeFrameRateStrategy);
static inline int32_t
ANativeWindow_clearFrameRate(ANativeWindow *window)
{
	return ANativeWindow_setFrameRateWithChangeStrategy(window, 0,
		NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_DEFAULT,
		NATIVE_WINDOW_CHANGE_FRAME_RATE_ONLY_IF_SEAMLESS);
}
/*
 * Allocates all buffers that there may be, ahead of their dequeue, as they would be dequeued now.
 * What can't be had isn't; nobody is told.
 */
void ANativeWindow_tryAllocateBuffers(ANativeWindow *window);
/* How long the last dequeue and queue took, and when the dequeue began (CLOCK_MONOTONIC); ns. */
int64_t ANativeWindow_getLastDequeueDuration(ANativeWindow *window);
int64_t ANativeWindow_getLastQueueDuration(ANativeWindow *window);
int64_t ANativeWindow_getLastDequeueStartTime(ANativeWindow *window);
/* NULL takes one back. 0; -EINVAL. */
int ANativeWindow_setCancelBufferInterceptor(
	ANativeWindow *window, ANativeWindow_cancelBufferInterceptor interceptor, void *data);
int ANativeWindow_setDequeueBufferInterceptor(
	ANativeWindow *window, ANativeWindow_dequeueBufferInterceptor interceptor, void *data);
int ANativeWindow_setPerformInterceptor(
	ANativeWindow *window, ANativeWindow_performInterceptor interceptor, void *data);
int ANativeWindow_setQueueBufferInterceptor(
	ANativeWindow *window, ANativeWindow_queueBufferInterceptor interceptor, void *data);
/* Four values that are whoever's who has the window. -EINVAL: `slot` above 3. */
int ANativeWindow_OemStorageSet(ANativeWindow *window, uint32_t slot, intptr_t value);
int ANativeWindow_OemStorageGet(ANativeWindow *window, uint32_t slot, intptr_t *value);
/*
 * A window isn't handed to another process here: -ENOSYS. The other one opens a window of its own
 * on the same display (krafla_window_open).
 */
struct AParcel;
int32_t ANativeWindow_readFromParcel(const struct AParcel *parcel, ANativeWindow **window);
int32_t ANativeWindow_writeToParcel(ANativeWindow *window, struct AParcel *parcel);

/* The pixels of a frame that ANativeWindow_lock gives. */
typedef struct ANativeWindow_Buffer {
	int32_t width;
	int32_t height;
	int32_t stride; /* pixels, from one row to the next */
	int32_t format; /* AHARDWAREBUFFER_FORMAT_* */
	void *bits;     /* top left */
	uint32_t reserved[6];
} ANativeWindow_Buffer;

/*
 * The next frame, to draw by the CPU: connects the window for that (NATIVE_WINDOW_API_CPU) if
 * nobody has; the last reference to a window that is so connected ends that. `bounds`, which may be
 * NULL, says what will be drawn anew: all that lies outside is as in the frame before, copied where
 * it must be. Where there is no such frame of the same size and format it comes back as the whole
 * frame, all of which is then to be drawn. Waits for a buffer, and until nobody reads it, as the
 * dequeue timeout has it. Its pixels stay valid until ANativeWindow_unlockAndPost, which shows the
 * frame with `bounds` as its damage.
 *
 * 0; -EINVAL NULL, or the window is connected for another API; -ENOSYS a frame is locked already
 * (to lock), or none is (to unlock); -EOPNOTSUPP no format whose pixels a CPU can draw; errors of
 * dequeueBuffer and queueBuffer. Any thread; a frame is drawn by one at a time.
 */
int32_t ANativeWindow_lock(
	ANativeWindow *window, ANativeWindow_Buffer *outBuffer, ARect *inOutDirtyBounds);
int32_t ANativeWindow_unlockAndPost(ANativeWindow *window);

/*
 * Frames' times, as Android's system/window.h has them (native_window_*). All may be called from
 * any thread; times are in ns by the display's clock, those of buffers by CLOCK_MONOTONIC; PENDING
 * and INVALID as above. They ask nobody: what the display has sent is taken in.
 *
 * Whether frames queued from now on are followed; off at first, and after a disconnect. 0.
 */
int native_window_enable_frame_timestamps(ANativeWindow *window, bool enable);
/* The number that the next frame queued will have. 0, -EINVAL. */
int native_window_get_next_frame_id(ANativeWindow *window, uint64_t *frameId);
/*
 * By when a frame has to be there for the display's next picture, how far these are apart, and how
 * long after it such a picture is shown. Pointers may be NULL. 0; -ENOSYS not enabled, or a far end
 * without a clock.
 */
int native_window_get_compositor_timing(ANativeWindow *window, int64_t *compositeDeadline,
	int64_t *compositeInterval, int64_t *compositeToPresentLatency);
/*
 * What became of one of the last 64 frames: when it was to be shown (without a time: queued), could
 * be read, was taken by the display, was first and last composed, had been composed by a GPU (0:
 * none did), was on screen; when its buffer could be dequeued again, and was read no more. The last
 * refresh and both of the buffer are PENDING of the frame that was queued last. Pointers may be
 * NULL. 0; -ENOSYS not enabled; -EINVAL displayPresentTime of a far end that doesn't tell it
 * (NATIVE_WINDOW_FRAME_TIMESTAMPS_SUPPORTS_PRESENT); -ENOENT no such frame, or too long ago.
 */
int native_window_get_frame_timestamps(ANativeWindow *window, uint64_t frameId,
	int64_t *requestedPresentTime, int64_t *acquireTime, int64_t *latchTime,
	int64_t *firstRefreshStartTime, int64_t *lastRefreshStartTime,
	int64_t *gpuCompositionDoneTime, int64_t *displayPresentTime, int64_t *dequeueReadyTime,
	int64_t *releaseTime);

#ifdef __cplusplus
}
#endif

#endif
