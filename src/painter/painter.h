/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures of layers drawn by a GPU, in a process of its own (krafla-painter): what clients send it
 * may cost it its device or its life, and then nobody else's. It opens Krafla's loader without
 * layers, window system or display, on the device that is asked for.
 *
 * This is the parent's end. It never waits for the painter, and believes nothing that it says: what
 * comes back is pixels, in memory of the parent's, and verdicts. The painter never waits on the GPU
 * for another process: what it is given to look at or to draw may be read already (its fence has
 * signalled), and its owner doesn't write there until the answer has come. Results come in the
 * order of requests.
 *
 * Thread-safety: one thread at a time.
 */
#ifndef KR_PAINTER_PAINTER_H
#define KR_PAINTER_PAINTER_H

#include <stdbool.h>
#include <stdint.h>
#include "gralloc/gpu_memory.h"
#include "render/render.h"
#include "util/macros.h"

struct kr_buffer;
struct kr_painter;

#define KR_PAINTER_UUID_SIZE 16

struct kr_painter_config {
	/* The device: of these UUIDs; all zero: the one of KRAFLA_GPU, else the best. */
	uint8_t device_uuid[KR_PAINTER_UUID_SIZE];
	uint8_t driver_uuid[KR_PAINTER_UUID_SIZE];
};

struct kr_painter_report {
	char device[256];
	uint8_t device_uuid[KR_PAINTER_UUID_SIZE];
	uint8_t driver_uuid[KR_PAINTER_UUID_SIZE];
	bool cpu;          /* the device is a processor: drawing there saves nothing */
	uint32_t max_size; /* of canvases and buffers, either way */
};

/*
 * Starts the process and waits for nothing. -ENOENT the program isn't there; -EACCES, -EMFILE...
 * One that says nothing for KR_PAINTER_START_MS is given up (dispatch).
 */
int kr_painter_start(const struct kr_painter_config *config, struct kr_painter **painter)
	KR_MUST_CHECK;
#define KR_PAINTER_START_MS 10000
/* For each answer, of a GPU, of a processor; it ends itself before. */
#define KR_PAINTER_ANSWER_MS     5000
#define KR_PAINTER_CPU_ANSWER_MS 30000
/* One that is stopped (SIGSTOP) when it owes an answer is given up between this and twice this. */
#define KR_PAINTER_STOPPED_MS 500
/* Ends the process, and waits for it at most 1 s before it is killed. NULL is nothing. */
void kr_painter_stop(struct kr_painter *painter);
/* Readable when dispatch has something to do, also when a limit has passed. */
int kr_painter_get_fd(const struct kr_painter *painter);
/*
 * Takes in what came, and sends what has waited. 0; -EPIPE it is dead, broke the protocol or said
 * nothing for too long, and all that it had is lost; -ENODEV it found no such device. `why`: a
 * sentence, valid until the stop, unless NULL. What failed once stays so.
 */
int kr_painter_dispatch(struct kr_painter *painter, const char **why) KR_MUST_CHECK;
/* True once it said what its device is. */
bool kr_painter_ready(const struct kr_painter *painter, struct kr_painter_report *report);

/*
 * Lets it look at a buffer: imports and reads it once, before it counts. `id` is the caller's, not
 * 0 and not in use. 0; -EINVAL; -EPIPE; -ENOBUFS it is that far behind; -ENOMEM. What came of it
 * tells kr_painter_buffer.
 */
int kr_painter_add_buffer(struct kr_painter *painter, uint64_t id, struct kr_buffer *buffer)
	KR_MUST_CHECK;
/* KR_PAINTER_REFUSED: it can't be drawn there (`reason`), which is nobody's fault. */
enum kr_painter_verdict { KR_PAINTER_LOOKING, KR_PAINTER_GOOD, KR_PAINTER_REFUSED };
/* Of an id that isn't in use: refused. */
enum kr_painter_verdict kr_painter_buffer(
	const struct kr_painter *painter, uint64_t id, const char **reason);
/* It isn't used by pictures that are requested from now on. */
void kr_painter_remove_buffer(struct kr_painter *painter, uint64_t id);
/*
 * The buffers that it had in its hands when it died: the one that it looked at, or those with
 * memory of GPUs of the pictures that it drew. How many there are; `ids` gets at most `room`. From
 * dispatch's error on until the stop.
 */
unsigned kr_painter_suspects(const struct kr_painter *painter, uint64_t *ids, unsigned room);

/*
 * Likewise: whether somebody else has killed it (SIGKILL: the kernel for want of memory, a person)
 * or stopped it, so that none of these is to blame. Takes 0.2 s at most; what isn't known by then
 * is no.
 */
bool kr_painter_was_killed(const struct kr_painter *painter);

/* A picture: layers from the top down, buffers by their ids instead of layer->buffer. */
struct kr_painter_request {
	uint64_t number; /* grows */
	uint32_t width;
	uint32_t height;
	enum kr_pixels_order order;
	bool has_alpha;
	bool readback; /* somebody captures it: its pixels come back */
	const struct kr_render_layer *layers;
	const uint64_t *ids; /* 0: no buffer. Others are good ones */
	/*
	 * Numbers of what the buffers hold: memory of CPUs is read again when the number is another
	 * one. NULL: all have changed.
	 */
	const uint64_t *contents;
	unsigned count;
	/*
	 * Where the canvas isn't as the layers have it; what else there is stays from the picture
	 * before. NULL: everywhere, and so it is with another size.
	 */
	const pixman_region32_t *stale;
};
#define KR_PAINTER_MAX_REQUESTS 2 /* whose results weren't taken */
#define KR_PAINTER_RING         4 /* readbacks that weren't given back */
/*
 * 0; -EAGAIN there are that many; -EINVAL; -ENOMEM; -ENOBUFS; -EPIPE. The layers' `buffer` isn't
 * looked at.
 */
int kr_painter_draw(struct kr_painter *painter, const struct kr_painter_request *request)
	KR_MUST_CHECK;
/* What of requests is done, oldest first: false none. Called after dispatch. */
struct kr_painter_result {
	uint64_t number;
	int error;       /* 0; -EOPNOTSUPP: it can't be drawn there; another -errno */
	uint64_t gpu_ns; /* that the device took, as the painter says; 0: not known */
	/*
	 * Of a readback: the whole picture, in memory that the CPU caches, valid until it is given
	 * back. Borrowed; who refs it has the memory beyond the painter's end, but its pixels
	 * change after it was given back.
	 */
	struct kr_buffer *buffer;
	const void *pixels;
	uint32_t row_bytes;
	unsigned ring; /* for kr_painter_give_back */
};
bool kr_painter_take(struct kr_painter *painter, struct kr_painter_result *result);
void kr_painter_give_back(struct kr_painter *painter, unsigned ring);

#endif
