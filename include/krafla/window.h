/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both ends of a queue of frames. Windows on a Krafla display, for programs that create Android
 * surfaces (vkCreateAndroidSurfaceKHR) or drive an ANativeWindow themselves; and readers, as
 * Android's AImageReader is, for programs that look at the frames of others.
 *
 * Thread-safety: krafla_window_open may be called from any thread; a window as native_window.h
 * says. The functions of a reader may be called from any thread, but for krafla_reader_close, which
 * is the last. Errors come back as negative errno.
 */
#ifndef KRAFLA_WINDOW_H
#define KRAFLA_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Opens a window on a display. `display` is the display's socket; NULL means KRAFLA_DISPLAY, which
 * `krafla run` sets. `title` is shown in summaries, NULL for the program's name. width and height
 * of 0 mean the display's size; one of them alone is -EINVAL.
 *
 * 0 and *window with one reference, dropped with ANativeWindow_release; or a negative errno:
 * -ENOENT when no display is named or nothing is at that path, -ECONNREFUSED when nobody listens
 * there, -EACCES, -ENAMETOOLONG a path of more than 107 bytes, -ETIMEDOUT when it doesn't answer
 * within 5 s, -EBUSY when it takes no more windows (a reader: max_producers), -EPROTO and
 * -EPROTOTYPE when it is no display, or speaks another protocol, -EPIPE when it hangs up. The log
 * says why in a sentence (VK_LOADER_DEBUG=error). Source: DESIGN 5.5, S-10.
 */
int krafla_window_open(const char *display, const char *title, uint32_t width, uint32_t height,
	ANativeWindow **window);

/*
 * Buffers that come into a window's queue by themselves, and leave it, as Android's Surface has it.
 * The window is one of Krafla's, connected; of another platform's -ENOSYS. None of it works in
 * shared buffer mode (-EINVAL).
 *
 * Attaches a buffer: it is dequeued then, as *attached, until it is queued, cancelled or detached.
 * A slot is waited for as by a dequeue; an empty one is taken before another buffer's. The window
 * keeps a reference of its own. 0; -EINVAL it is no buffer, or in the window already; -ENOSYS
 * windows don't show such buffers; -EAGAIN, -ETIMEDOUT, -ENODEV as dequeueBuffer.
 */
int krafla_window_attach(
	ANativeWindow *window, AHardwareBuffer *buffer, ANativeWindowBuffer **attached);
/*
 * Takes a dequeued buffer out of the window, with a reference: it is the caller's, to attach
 * elsewhere or to keep. 0; -EINVAL it isn't dequeued; -ENODEV.
 */
int krafla_window_detach(
	ANativeWindow *window, ANativeWindowBuffer *buffer, AHardwareBuffer **detached);
/*
 * Likewise the free one that came back first, with the fence that it has (the caller's; -1).
 * -ENOMEM: none.
 */
int krafla_window_detach_next(ANativeWindow *window, AHardwareBuffer **detached, int *fence);
/*
 * Buffers that are allocated from now on are of that generation, and the other end can attach no
 * others. 0 at first.
 */
int krafla_window_set_generation(ANativeWindow *window, uint32_t generation);
/* Whether a dequeue may allocate; else it waits for a buffer that fits. On at each connect. */
int krafla_window_allow_allocation(ANativeWindow *window, bool allow);
/*
 * Whether newer frames replace older ones where both ends are the program's own; on at each
 * connect.
 */
int krafla_window_set_legacy_drop(ANativeWindow *window, bool drop);
/* How many buffers may be dequeued at a time. -EINVAL: 0, too many, or less than are. */
int krafla_window_set_max_dequeued(ANativeWindow *window, uint32_t count);

/* --- what happens at an end --- */

/* For whom: P the producer, with a window; R a reader. The numbers are bits of `events` below. */
enum krafla_event_kind {
	KRAFLA_EVENT_AVAILABLE = 0, /* R: a frame came */
	KRAFLA_EVENT_REPLACED = 1,  /* R: a frame took the place of frame `other` */
	KRAFLA_EVENT_GONE = 2,      /* R: the buffer of a slot is none of the producer's any more */
	KRAFLA_EVENT_DEQUEUED = 3,  /* R: the producer has a buffer to draw into, */
	KRAFLA_EVENT_CANCELLED = 4, /* or gave it back undrawn; each costs a message */
	KRAFLA_EVENT_FRAME_RATE = 5,   /* R: the rate at which its frames will come */
	KRAFLA_EVENT_DETACHED = 6,     /* P, R: the other end took a slot's buffer for itself */
	KRAFLA_EVENT_DISCONNECTED = 7, /* R: the producer disconnected; P: the other end is gone */
	KRAFLA_EVENT_RELEASED = 8,     /* P: the buffer of a frame came back */
	KRAFLA_EVENT_DISCARDED = 9,    /* P: a free buffer was given up */
	KRAFLA_EVENT_ATTACHED = 10,    /* P: the other end attached a buffer */
	KRAFLA_EVENT_LOST = 11,        /* P, R: `other` events, because nobody fetched them */
	KRAFLA_EVENT_REFUSED = 12,     /* R: a buffer that it attached found no slot */
};
#define KRAFLA_EVENT_BIT(kind) (UINT32_C(1) << (kind))
#define KRAFLA_EVENTS_ALL      UINT32_C(0x1fff)

/* What there is no word of is 0. */
struct krafla_event {
	uint32_t kind; /* enum krafla_event_kind */
	uint32_t slot;
	uint64_t ticket;   /* grows by one with each event of this end */
	uint64_t producer; /* of a reader: whose, as in struct krafla_image */
	uint64_t number;   /* of the frame */
	uint64_t other;
	uint64_t buffer_id; /* as AHardwareBuffer_getId */
	float frame_rate;   /* Hz; 0: nothing is wished for any more */
	int8_t compatibility;
	int8_t strategy;
};

/*
 * Keeps what happens from now on at the window's other end: `events` are 1 << enum
 * krafla_event_kind; said anew it changes which. *fd is readable while there is an event to fetch,
 * or something to take in, which krafla_window_next_event does; it is the window's, and the same
 * each time. 256 events are kept; what comes beyond takes the place of the oldest, and that is
 * told. 0; -EINVAL; -ENOMEM, -EMFILE; -ENOSYS.
 */
int krafla_window_watch(ANativeWindow *window, uint32_t events, int *fd);
/*
 * The next, in the order of tickets; waits for nothing. 0; -EAGAIN there is none; -EINVAL; -ENOSYS.
 */
int krafla_window_next_event(ANativeWindow *window, struct krafla_event *event);

/* --- the other end --- */

/*
 * Who takes in frames: those of a window in this process, or of other programs, which reach it as
 * they reach a display, by KRAFLA_DISPLAY=SOCKET. Every frame comes, in its order, unless its
 * producer lets newer ones take its place (MAILBOX, IMMEDIATE). There is no clock: what
 * is released paces the producers.
 */
struct krafla_reader;

/* Producers that a reader has at a time, at most. */
#define KRAFLA_READER_MAX_PRODUCERS 64
/* Images that can be held at a time, at most. */
#define KRAFLA_READER_MAX_IMAGES 62

/*
 * In a reader's usage: it looks at memory of a GPU. Buffers of Vulkan programs whose driver exports
 * their images have that beside memory for the CPU (docs/windows.md); the others don't. A reader
 * without CPU_READ_* beside it doesn't want the CPU's pixels of images that have such memory.
 */
#define KRAFLA_USAGE_GPU_MEMORY (UINT64_C(1) << 47)

/* Zeroes stand for what is in brackets. */
struct krafla_reader_config {
	size_t size; /* sizeof(struct krafla_reader_config) */
	/* A path on which to listen: processes of this user come in. NULL: in this process. */
	const char *socket;
	/* What producers make unless they choose otherwise: each image says what it is. */
	uint32_t width; /* 1 to 32768 */
	uint32_t height;
	uint32_t format; /* AHARDWAREBUFFER_FORMAT_* [R8G8B8A8_UNORM] */
	/* AHARDWAREBUFFER_USAGE_* that every buffer has [CPU_READ_OFTEN]. */
	uint64_t usage;
	uint32_t max_images;     /* held at a time, of all producers together [1] */
	uint32_t max_producers;  /* with a socket: at a time; one more is refused [1] */
	uint32_t refresh_mhz;    /* the interval that producers are told, in 1/1000 Hz [none] */
	uint32_t max_buffers;    /* of a producer, in all; more than max_images [64] */
	int32_t dataspace;       /* HAL_DATASPACE_* of frames that say nothing [UNKNOWN] */
	uint32_t transform_hint; /* how producers should turn what they draw [0] */
	uint32_t flags;          /* KRAFLA_READER_* [0] */
};

/*
 * The reader is one end of a queue whose other end is the same program's, as Android's ImageReader
 * is taken for: a producer that sets no dequeue timeout doesn't wait for a buffer (-EAGAIN), and
 * newer frames take the place of older ones that nobody has acquired. It needs one buffer more.
 */
#define KRAFLA_READER_BY_APP UINT32_C(1)
/*
 * Producers may share a buffer with the reader (NATIVE_WINDOW_SET_SHARED_BUFFER_MODE, shared
 * presentable images), and draw into it while it is held. Later frames of it have its slot and come
 * while it is held, each in the place of the one before; it is released once.
 */
#define KRAFLA_READER_SHARED UINT32_C(2)

#define KRAFLA_IMAGE_MAX_DAMAGE 16
/* The number of an image that the reader attached itself. */
#define KRAFLA_IMAGE_ATTACHED UINT64_MAX

/* A frame. The buffer is the reader's: valid until the image is released, or the reader closed. */
struct krafla_image {
	/* AHardwareBuffer_acquire keeps it for longer; its producer may write to it then. */
	AHardwareBuffer *buffer;
	/*
	 * The caller's to close; -1: ready. The buffer is not read before this has signalled, and
	 * not at all when it has failed. Whoever waits has a limit of his own: a producer's
	 * fence may never signal.
	 */
	int acquire_fence;
	uint32_t slot; /* the reader's own, as the two below: what is released is known by them */
	uint64_t producer;     /* no other producer of this reader has had it */
	uint64_t number;       /* of the producer's frames, from 1; KRAFLA_IMAGE_ATTACHED */
	int64_t timestamp_ns;  /* what the producer gave, else when it queued: CLOCK_MONOTONIC */
	int32_t dataspace;     /* HAL_DATASPACE_*, as the producer says; 0: it says nothing */
	int32_t transform;     /* NATIVE_WINDOW_TRANSFORM_* bits */
	int32_t scaling_mode;  /* NATIVE_WINDOW_SCALING_MODE_* */
	ARect crop;            /* what of the buffer is meant; never empty */
	uint32_t damage_count; /* 0: all may have changed since the producer's image before */
	ARect damage[KRAFLA_IMAGE_MAX_DAMAGE]; /* origin top left; one empty one: nothing has */
};

/* When a producer meant a frame to be shown; FIFO, each in its turn, when it said nothing. */
enum krafla_present_mode {
	KRAFLA_PRESENT_FIFO = 0,
	KRAFLA_PRESENT_MAILBOX = 1,
	KRAFLA_PRESENT_IMMEDIATE = 2,
	KRAFLA_PRESENT_FIFO_RELAXED = 3,
	KRAFLA_PRESENT_FIFO_LATEST_READY = 4,
	KRAFLA_PRESENT_SHARED_DEMAND = 5, /* the two of shared buffers: KRAFLA_READER_SHARED */
	KRAFLA_PRESENT_SHARED_CONTINUOUS = 6,
};

/* What the alpha of its pixels means; INHERIT: it doesn't say. */
enum krafla_alpha {
	KRAFLA_ALPHA_INHERIT = 0,
	KRAFLA_ALPHA_OPAQUE = 1,
	KRAFLA_ALPHA_PREMULTIPLIED = 2,
	KRAFLA_ALPHA_STRAIGHT = 3,
};

/* How an image is meant to be shown. */
struct krafla_presentation {
	size_t size;           /* sizeof(struct krafla_presentation) */
	int32_t mode;          /* enum krafla_present_mode */
	int32_t alpha;         /* enum krafla_alpha */
	uint32_t window_width; /* how large the producer wants it; 0x0: as the image */
	uint32_t window_height;
};

/* Who a producer is, for people. */
struct krafla_producer {
	size_t size;    /* sizeof(struct krafla_producer) */
	int pid;        /* as the kernel knows it; 0 in this process */
	char label[64]; /* what it says of itself: printable ASCII */
};

/*
 * Opens a reader. 0; -EINVAL a value that can't be; -EOPNOTSUPP buffers of such a size, format or
 * usage can't be had; -EADDRINUSE something is at that path, be it what a killed reader has left;
 * -ENAMETOOLONG a path of more than 107 bytes; -EACCES, -ENOENT: as bind says; -ENOMEM, -EMFILE.
 */
int krafla_reader_open(const struct krafla_reader_config *config, struct krafla_reader **reader);
/*
 * Closes it, with all images that are held; removes the socket. Producers see their display as
 * gone, whatever they are in. NULL is nothing.
 */
void krafla_reader_close(struct krafla_reader *reader);

/*
 * The window of a reader in this process: one reference, dropped with ANativeWindow_release, by
 * then or after the reader was closed. -EINVAL: the reader has a socket; -ENOMEM. One producer
 * connects to it at a time, as to every window.
 */
int krafla_reader_get_window(struct krafla_reader *reader, ANativeWindow **window);

/*
 * To poll for POLLIN: there may be an image to acquire, or something has come that an acquire takes
 * in. Borrowed. Producers need answers: one that waits for a buffer gives a reader up that calls
 * no acquire for 5 s, as it would a display (docs/display-protocol.md).
 */
int krafla_reader_get_fd(const struct krafla_reader *reader);

/*
 * Takes in what has come and gives the next image in *image, of the producers in turn; never waits,
 * least of all for a fence. The caller holds the image until he releases it. 0; -EAGAIN there is
 * none; -EBUSY max_images are held already; -EPIPE there is none, and the producers that there were
 * are gone (with a socket: another may come yet, and the descriptor tells). *image is untouched
 * then. A frame without content, which nobody asked for, goes back unseen.
 */
int krafla_reader_acquire_next(struct krafla_reader *reader, struct krafla_image *image);
/*
 * The same, and what the same producer has queued before its newest frame goes back unseen; the
 * damage of it all is in the image's.
 */
int krafla_reader_acquire_latest(struct krafla_reader *reader, struct krafla_image *image);
/* Which image is wanted. Zeroes stand for nothing. */
struct krafla_acquire {
	size_t size; /* sizeof(struct krafla_acquire) */
	/*
	 * When it will be shown (CLOCK_MONOTONIC, or whatever the producer's timestamps are of). A
	 * frame with a time goes back unseen when the next one's has come, too, within the last
	 * second; one that is meant for later, though not by more than a second, stays.
	 */
	int64_t expected_present_ns;
	uint64_t max_number; /* with a time: no frame of a higher number */
	uint32_t flags;      /* KRAFLA_ACQUIRE_* */
};
/*
 * One image more than max_images and the one that may be held besides, if it would not be dropped.
 */
#define KRAFLA_ACQUIRE_EXTRA UINT32_C(1)
/*
 * Where there is no frame: a buffer that is shared with auto-refresh, as it was said to be when it
 * was queued last. It is the image that is held, and is released once.
 */
#define KRAFLA_ACQUIRE_AGAIN UINT32_C(2)
/*
 * As krafla_reader_acquire_next, and -ETIME: what there is is meant for later. The descriptor stays
 * readable then. -EINVAL.
 */
int krafla_reader_acquire_at(struct krafla_reader *reader, const struct krafla_acquire *wish,
	struct krafla_image *image);
/*
 * Keeps the buffer of an image, with a reference: the caller's own from then on, to attach
 * elsewhere. The image isn't held any more, and its producer allocates another. 0; -ESTALE the
 * image isn't held; -EINVAL it is shared; -ENOSYS its producer has another release of Krafla, which
 * can't.
 */
int krafla_reader_detach(
	struct krafla_reader *reader, const struct krafla_image *image, AHardwareBuffer **buffer);
/*
 * Gives a producer a buffer, one of another queue, or the caller's own. It is an image of the
 * reader's until it is released (or detached again); then the producer may dequeue it. `producer`
 * is its number, as in images and events; 1 in this process. 0; -EBUSY as many images as may be
 * are held; -EINVAL it is no buffer, or there already, of another generation than the producer's
 * (krafla_window_set_generation), or it shares a buffer; -ENOMEM there is no slot, or it hasn't
 * taken in what it was given before; -ENOENT no such producer; -ENODEV nobody is connected;
 * -ENOSYS windows don't show such buffers, a GPU's memory alone, or its producer can't. With a
 * socket whether there is a slot shows later: KRAFLA_EVENT_REFUSED tells of one that found none,
 * and it is released all the same.
 */
int krafla_reader_attach(struct krafla_reader *reader, uint64_t producer, AHardwareBuffer *buffer,
	struct krafla_image *image);
/*
 * Changes what of the config may change, for the producers that there are and those that come:
 * sizes, format, usage, data space, hint, refresh and max_images; the rest is as it was (socket
 * isn't looked at). Nothing changes on an error. 0; -EINVAL a value that can't be, or may not
 * change; fewer images than are held; more than the queue of this process has room for; -EOPNOTSUPP
 * as when it is opened.
 */
int krafla_reader_configure(
	struct krafla_reader *reader, const struct krafla_reader_config *config);
/* Producers give up the buffers that are free, as they do when memory is short. 0; -EINVAL. */
int krafla_reader_discard_free(struct krafla_reader *reader);
/*
 * As krafla_window_watch, of all producers. Events make the reader's descriptor readable, too
 * (krafla_reader_get_fd). 0; -EINVAL; -ENOMEM, -EMFILE.
 */
int krafla_reader_watch(struct krafla_reader *reader, uint32_t events);
int krafla_reader_next_event(struct krafla_reader *reader, struct krafla_event *event);
/*
 * Gives an image back. `release_fence` signals when the caller doesn't read it any more: it is
 * taken on every path; -1: he doesn't by now. The acquire fence stays the caller's. 0, also when
 * the producer is gone; -EINVAL release_fence is no fence (the image is back all the same); -ESTALE
 * the image isn't held.
 */
int krafla_reader_release(
	struct krafla_reader *reader, const struct krafla_image *image, int release_fence);
/* How an image that is held is meant to be shown. 0; -ESTALE it isn't held; -EINVAL. */
int krafla_reader_get_presentation(struct krafla_reader *reader, const struct krafla_image *image,
	struct krafla_presentation *presentation);
/*
 * What the producer of an image that is held says of the light in it (VK_EXT_hdr_metadata, or
 * NATIVE_WINDOW_SET_BUFFERS_SMPTE2086_METADATA and _CTA861_3_METADATA); `has` is 0 when it says
 * nothing. 0; -ESTALE it isn't held; -EINVAL.
 */
int krafla_reader_get_hdr(struct krafla_reader *reader, const struct krafla_image *image,
	struct krafla_hdr_metadata *hdr);
/* 0; -ENOENT: nothing of a producer of that number is left here; -EINVAL. */
int krafla_reader_get_producer(
	struct krafla_reader *reader, uint64_t number, struct krafla_producer *producer);

#ifdef __cplusplus
}
#endif

#endif
