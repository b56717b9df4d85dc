/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device that composes on the CPU, by room `render`; it takes every layer.
 *
 *   soft.c      the device: displays, configurations, power
 *   vsync.c     its timer
 *   changes.c   what is different from the picture before
 *   ready.c     acquire fences, and layers that are left out for theirs
 *   picture.c   composing one picture
 *   show.c      a picture that is made: onto its screen, and its fences
 *   way.c       pictures on their way, on a thread of the display's own
 *   soft_present.c   present: at once, or on the way
 *   hold.c      pictures that are somebody's buffer
 *   random.c    device `random`: the same with a nasty vendor's validate
 *   gpu.c       device `gpu`: the same with pictures that a GPU may draw
 *   brush.c     which ones, and drawing them
 *   easel/      the process that does it: its life, and the buffers that it knows
 *
 * A picture is made at once, inside present, when everything is ready and it is little work; else
 * it is on its way: the display's thread waits for its fences and composes it. Pictures of a
 * display are made in their order. While one is on its way the canvas is the thread's, else the
 * caller's: nobody needs a lock for it.
 */
#ifndef KR_HWC_SOFT_H
#define KR_HWC_SOFT_H

#include <pixman.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "hwc/device.h"
#include "hwc/hold.h"
#include "render/render.h"
#include "util/list.h"
#include "util/macros.h"
#include "util/mutex.h"

/* More are not on their way: then present answers NO_RESOURCES. */
#define KR_SOFT_MAX_ON_THE_WAY 2
/* Bytes that are read and written for a picture that is made inside present. */
#define KR_SOFT_AT_ONCE_BYTES (UINT64_C(16) << 20)
/* So long a layer's fence, or an output buffer's, is waited for. */
#define KR_SOFT_FENCE_NS (INT64_C(5) * 1000 * 1000 * 1000)

extern const struct kr_hwc_device_impl kr_hwc_soft;
extern const struct kr_hwc_device_impl kr_hwc_random;
extern const struct kr_hwc_device_impl kr_hwc_gpu;

struct kr_easel;
struct kr_soft_display;
struct kr_soft_picture;

/*
 * What may draw pictures in the CPU's place. On the thread that has the canvas (`at_once`: the one
 * that calls the composer, which may not wait), where nothing else is said.
 */
struct kr_soft_brush {
	/* Of a display that is new. 0 or -errno. */
	int (*begin)(struct kr_soft_display *display);
	/* Of one that ends; its thread has. */
	void (*end)(struct kr_soft_display *display);
	/* Work that was left to the display's thread (kr_soft_way_call). */
	void (*work)(struct kr_soft_display *display);
	/* Whether content for GPUs alone is content for the picture. */
	bool (*serves)(struct kr_soft_display *display, bool at_once);
	/* Whether it shall draw what was planned. */
	bool (*takes)(struct kr_soft_display *display, bool at_once);
	/*
	 * Draws it. 0; KR_SOFT_NOT_TAKEN: it can't, and the picture is planned anew for the CPU;
	 * -ECANCELED the display ends.
	 */
	int (*draw)(struct kr_soft_display *display, struct kr_soft_picture *picture);
	/* A picture that it drew was shown; any thread. */
	void (*give_back)(struct kr_soft_display *display, struct kr_soft_picture *picture);
};
#define KR_SOFT_NOT_TAKEN 1

/* How far a layer's buffer is from being read. */
enum kr_soft_ready {
	KR_SOFT_UNKNOWN, /* its fence was active when it was looked at */
	KR_SOFT_READY,
	KR_SOFT_LATE,   /* it didn't signal for KR_SOFT_FENCE_NS: told, and not waited for again */
	KR_SOFT_FAILED, /* it has failed: told */
};

/* What a layer was in the last picture that was presented. The client target is layer 0. */
struct kr_soft_seen {
	struct kr_list link; /* kr_soft_display.seen */
	krafla_layer_t handle;
	bool present; /* in the picture that is being presented */
	uint32_t z;
	struct kr_render_layer layer; /* its buffer is a reference */
	uint64_t serial;
	uint64_t ready_serial; /* whose fence `ready` is about */
	enum kr_soft_ready ready;
	int64_t deadline; /* of that fence */
};

/* A layer of one picture. */
struct kr_soft_layer {
	krafla_layer_t handle;
	struct kr_render_layer layer;
	bool no_pixels; /* its content is for GPUs alone */
	uint64_t serial;
	int fence; /* that has to signal first; -1 none */
	int64_t deadline;
	bool left_out;
};

/* A release fence that waits for a picture. */
struct kr_soft_owed {
	struct kr_list link; /* kr_soft_picture.owed */
	krafla_layer_t layer;
	struct kr_buffer *buffer; /* one of the picture's */
	uint64_t number;          /* the present that gave it up */
	int signal;
};

struct kr_soft_picture {
	struct kr_list link; /* kr_soft_display.on_the_way */
	uint64_t number;
	int64_t time_ns;
	bool wanted;
	bool made; /* composed: to be shown */
	int error; /* it could not be made; -errno */
	bool older;
	uint64_t written;
	/* It is one layer's buffer: borrowed from `layers`, in use by the CPU until it is over. */
	struct kr_buffer *lent;
	krafla_layer_t lent_layer;
	size_t offset; /* of the pixels in it */
	/* A brush drew it into this, which is a reference until it is over; NULL: none did. */
	struct kr_buffer *drawn_in;
	int64_t brushed_ns; /* when it had */
	unsigned ring;      /* for the brush */
	const void *pixels; /* NULL: nobody wants any */
	uint32_t format;
	uint32_t row_bytes;
	/* From the bottom to the top; on its way, buffers are references and fences ours. */
	struct kr_soft_layer layers[KR_HWC_MAX_LAYERS];
	unsigned count;
	pixman_region32_t changed; /* since the picture before; goes into what is stale */
	pixman_region32_t damage;  /* the same, and layers that are left out or came back */
	struct kr_buffer *output;
	int output_fence;
	int present_signal;  /* -1: made at once */
	struct kr_list owed; /* kr_soft_owed.link */
};

/* With a way that is the same for all pictures that are drawn: whose. */
enum kr_soft_decision {
	KR_SOFT_UNDECIDED,
	KR_SOFT_BY_BRUSH,
	KR_SOFT_BY_CPU,
};

struct kr_soft_display {
	struct kr_list link; /* kr_soft.displays */
	struct kr_soft *device;
	struct kr_hwc_display_state *state;
	struct krafla_screen screen; /* of a virtual display: size and period alone */
	krafla_config_t config;
	bool off;
	bool fresh; /* a picture of this size was never presented */
	/* vsync.c */
	bool vsync;
	int64_t vsync_base;
	int64_t vsync_next;
	/* changes.c, ready.c */
	struct kr_list seen KR_GUARDED_BY(lock); /* kr_soft_seen.link */
	pixman_region32_t changed;               /* that no picture was told of yet */
	/* picture.c: of who makes pictures now */
	struct kr_render_canvas canvas; /* of a virtual display: the output buffer, for a picture */
	struct kr_render_plan plan;
	struct kr_render_scene scene;
	pixman_region32_t stale;
	pixman_region32_t left_out; /* where layers were left out of the last one */
	struct kr_soft_picture at_once;
	/* brush.c: likewise */
	struct kr_easel *easel;      /* NULL: there is no brush */
	pixman_region32_t unpainted; /* what a brush's canvas doesn't have as it should be */
	enum kr_soft_decision decision;
	bool is_one_buffer; /* what was planned would be, if it had pixels for CPUs */
	bool chosen;        /* the brush takes it because that is cheaper */
	/* For who asks how it is drawn. */
	atomic_bool by_brush; /* the last picture that was wanted, and by choice */
	atomic_bool lacks;    /* in the last one something had content for GPUs alone, and none */
	atomic_uint_fast64_t brushed; /* pictures */
	/* way.c */
	struct kr_mutex lock;
	struct kr_cond news; /* for the thread: a picture came, or was shown; or it ends */
	struct kr_list on_the_way KR_GUARDED_BY(lock); /* kr_soft_picture.link */
	unsigned on_the_way_count KR_GUARDED_BY(lock);
	atomic_bool ending;            /* partner: the thread, which also looks while it draws */
	bool work KR_GUARDED_BY(lock); /* the brush's, for the thread */
	bool running;
	pthread_t thread;
	int stop; /* eventfd; -1 while nothing runs */
};

struct kr_soft {
	struct kr_hwc_device base;
	const struct kr_hwc_host *host;
	struct kr_list displays; /* kr_soft_display.link */
	struct kr_hwc_holds *holds;
	uint32_t virtual_displays;
	int timer;       /* timerfd */
	uint64_t random; /* of device `random`: its state, never 0 */
	/* Of device `gpu`, zeros of others. */
	const struct kr_soft_brush *brush;
	bool forced;            /* the brush draws all that is drawn */
	bool fixed;             /* who draws the first picture that is drawn draws all */
	bool possible;          /* there is a GPU, or it makes no difference */
	int epoll;              /* the timer, and what brushes hear */
	struct kr_easel *first; /* that was tried when it was opened: the first display's */
};

#endif
