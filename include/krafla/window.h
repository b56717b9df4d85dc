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
 * there, -ETIMEDOUT when it doesn't answer within 5 s, -EPROTO when it speaks another protocol.
 * Source: DESIGN 5.5, S-10.
 */
int krafla_window_open(const char *display, const char *title, uint32_t width, uint32_t height,
	ANativeWindow **window);

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
	uint32_t max_images;    /* held at a time, of all producers together [1] */
	uint32_t max_producers; /* with a socket: at a time; one more is refused [1] */
	uint32_t refresh_mhz;   /* the interval that producers are told, in 1/1000 Hz [none] */
};

#define KRAFLA_IMAGE_MAX_DAMAGE 16

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
	uint64_t number;       /* of the producer's frames, from 1 */
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
 * Opens a reader. 0; -EINVAL a value that can't be; -EOPNOTSUPP buffers of such a format or usage
 * can't be had; -EADDRINUSE something is at that path; -EACCES, -ENOENT: as bind says; -ENOMEM,
 * -EMFILE.
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
