/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A display: accepts producers on a socket, composes their frames on its clock, and
 * hands each composed frame to its outputs and a hook (DESIGN 5.6). One thread a
 * display, its owner's, which polls.
 */
#ifndef KR_COMPOSER_COMPOSER_H
#define KR_COMPOSER_COMPOSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "composer/layout.h"
#include "composer/output/output.h"
#include "composer/rate.h"
#include "sync/wait/describe.h"
#include "util/macros.h"
#include "window/queue/presentation.h"

#define KR_DISPLAY_MAX_SIZE 16384
#define KR_DISPLAY_TEXT     256

enum kr_display_clock {
	KR_CLOCK_REAL, /* ticks at the refresh rate */
	/* a tick follows when every producer has queued a frame or waits for us */
	KR_CLOCK_VIRTUAL,
};

struct kr_display_config {
	uint32_t width;
	uint32_t height;
	uint32_t refresh_mhz; /* millihertz, 60000 = 60 Hz */
	/* Rates that it may have beside that when its windows wish for others (rate.h). */
	uint32_t other_mhz[KR_DISPLAY_MAX_RATES - 1];
	unsigned other_count;
	enum kr_display_clock clock;
	int64_t idle_ns;         /* virtual clock: a producer idle for so long is skipped */
	const char *socket_path; /* created, removed at the end; mode 0600 */
	/* 0, or: so many ticks are composed; frames after them go back unseen, and are `late`. */
	uint64_t frame_limit;
	enum kr_layout layout;
	/* NATIVE_WINDOW_TRANSFORM_*: how the screen is turned (kr_display_set_transform). */
	int32_t transform;
	/*
	 * Whether somebody asked for width x height. Else that is what producers hear, and pictures
	 * are as large as the window of the first frame that is shown.
	 */
	bool size_given;
	/* Behind the display's own screen, as krafla_composer_open takes it; NULL: "soft". */
	const char *device;
	/* HAL_DATASPACE_* of pictures, one that kr_colour_is_for_displays; 0: sRGB. */
	int32_t dataspace;
};

struct kr_display_hooks {
	/*
	 * The group of a process that connects, by number, or KR_DISPLAY_NO_GROUP. NULL: no window
	 * has one.
	 */
	int (*group_of)(void *data, int pid);
	/* Whether the frame hook wants pixels; without, it is called with none. */
	bool frame_pixels;
	/*
	 * 0, or -errno: the display stops and run returns it. After the outputs.
	 */
	int (*frame)(void *data, const struct kr_composed_frame *frame);
	/* `window` is its id (kr_display_window). */
	void (*producer_connected)(void *data, uint64_t window, const char *label, int pid);
	/* The device that renders for a producer; after producer_connected. */
	void (*producer_described)(void *data, const char *label, int pid, const char *device);
	/* The window has said which rate it wishes for; 0: none any more. As often as it likes. */
	void (*producer_wished)(void *data, uint64_t window, const struct kr_frame_rate *wish);
	void (*producer_gone)(void *data, const char *label, int pid);
	/* A frame's acquire fence did not signal for 5 s: `fence` says which (it may, later). */
	void (*fence_stuck)(void *data, const char *label, int pid, uint64_t frame,
		const struct kr_fence_description *fence);
	/* Somebody has closed an output, a window for instance. The display goes on as it was. */
	void (*output_closed)(void *data, struct kr_display_output *output);
};

struct kr_display_stats {
	uint32_t width; /* of pictures; 0: none was made that would say */
	uint32_t height;
	/* Its rates, which of them it has, and after how many pictures it had it. */
	uint32_t rates_mhz[KR_DISPLAY_MAX_RATES];
	uint64_t rate_pictures[KR_DISPLAY_MAX_RATES];
	unsigned rate_count;
	unsigned rate;
	uint64_t rate_changes;
	uint64_t queued; /* frames that arrived */
	/* Pictures: ticks that showed something new; with a virtual clock also those between. */
	uint64_t composed;
	/* Of these: nobody wanted to see it; it was a window's buffer as it is; it was drawn. */
	uint64_t untouched;
	uint64_t handed_over;
	uint64_t drawn;
	uint64_t drawn_bytes;  /* written to make these */
	uint64_t drawn_by_gpu; /* of those that were drawn */
	/* Frames that were shown of those that came with memory of a GPU, and with that alone. */
	uint64_t gpu_frames;
	uint64_t gpu_frames_alone;
	/* What drew them; empty: nothing did. */
	char gpu[KR_DISPLAY_TEXT];
	/* It draws no more, though it did or was to: the CPU has, since. And why. */
	bool gpu_lost;
	char gpu_why[KR_DISPLAY_TEXT];
	uint64_t cut_off; /* producers whose buffers cost the process its life that drew */
	/* Times that somebody kept a picture, and that he had to copy it. */
	uint64_t held;
	uint64_t not_held;
	uint64_t shown;   /* producer frames of which something was seen */
	uint64_t hidden;  /* producer frames that were on the display with nothing of them seen */
	uint64_t dropped; /* producer frames that were replaced before they were shown */
	/* ... that were given back because the next one's time had come, or theirs was far off */
	uint64_t dropped_late;
	uint64_t failed;     /* frames whose acquire fence failed */
	uint64_t late;       /* frames that had their turn after the last picture of frame_limit */
	uint64_t idle_skips; /* virtual clock: ticks that did not wait for an idle producer */
	uint64_t groups_missed; /* virtual clock: groups that the first tick did not wait for */
	uint64_t producers;     /* connections that shook hands, in all */
	uint64_t rejected;      /* connections ended because the peer broke the protocol */
	/* frames whose acquire fence did not signal for 5 s; their layer was hidden */
	uint64_t stuck;
	/*
	 * Pictures that somebody wanted to see and in which something is seen of a window whose
	 * frame has no pixels: what was drawn there before stays.
	 */
	uint64_t without_pixels;
	/* Layers that a device handed back, each time that they were drawn, and the bytes. */
	uint64_t client_layers;
	uint64_t client_bytes;
	/* Real clock: ticks that were left out because two pictures were still on their way. */
	uint64_t missed_ticks;
	/* Real clock: how late ticks were, ns; and how many by more than 1 ms. */
	int64_t lateness_max;
	int64_t lateness_sum;
	uint64_t late_ticks;
	uint64_t real_ticks; /* of so many */
	/* Fences of pictures that were shown nowhere after 5 s: nobody waited any longer. */
	uint64_t present_stuck;
	/* Frames that had their turn, seen or not, by enum kr_present_mode. */
	uint64_t modes[KR_PRESENT_MODE_COUNT];
	uint64_t reread;  /* times that a shared buffer was read anew without a frame */
	uint64_t hurried; /* pictures between two ticks, for frames that were late */
	/* Of the frames that were shown: what decides the tier (DESIGN 6). */
	uint32_t backends;      /* 1 << enum kr_buffer_backend of their buffers */
	uint64_t kernel_fences; /* with an acquire fence of the kernel */
	uint64_t user_fences;   /* with one of user space */
	uint64_t unfenced;      /* with none: nothing to wait for, or the present has waited */
	/*
	 * Windows that have shown a frame, and those of them that reach T1: their buffers are all
	 * dma-bufs, or since a GPU draws the pictures memory of it, and frames came with fences.
	 * Whose these are makes no difference: the kernel's or user space's, they signal when the
	 * GPU has ended, and nobody waited before that.
	 */
	uint64_t windows;
	uint64_t windows_t1;
	/* Frames that a device's display took as they are, once for each of them: on a plane. */
	uint64_t plane_frames;
	/* Time from "acquire fence signalled" to the tick that showed the frame, ns. */
	int64_t latency_min;
	int64_t latency_max;
	int64_t latency_sum;
	uint64_t latency_count;
};

struct kr_display;

/*
 * Listens on the socket from here on. -EINVAL for a size of 0 or above 16384, a rate of 0, one that
 * is there twice, or too many of them, or a colour space that displays don't have; -ENAMETOOLONG a
 * path that is too long for a socket; -EADDRINUSE when something is there; -ENOMEM, -EMFILE...
 */
int kr_display_create(const struct kr_display_config *config, const struct kr_display_hooks *hooks,
	void *data, struct kr_display **display) KR_MUST_CHECK;
/*
 * Before it runs: shows its pictures there, too. The output outlives it. -ENOSPC: it has too many.
 */
int kr_display_add_output(struct kr_display *display, struct kr_display_output *output)
	KR_MUST_CHECK;
struct kr_display_queue;

/*
 * Before it runs: another program gets its pictures, as a virtual display. The queue outlives it.
 * -ENOSPC: there are too many targets.
 */
int kr_display_add_queue(struct kr_display *display, struct kr_display_queue *queue) KR_MUST_CHECK;
/*
 * Before it runs: opens a device by its name ("kms:CARD:CONNECTOR"), and each display that it has
 * shows the windows, too, laid out in its own size. Where no size was given the first one's is the
 * display's. 0; -ENOSPC; -ENODEV it has no display; or as of krafla_composer_open.
 */
int kr_display_add_device(struct kr_display *display, const char *device) KR_MUST_CHECK;
/*
 * Which pictures somebody wants to see, from before it runs on: all of those, maybe more.
 */
struct kr_pictures kr_display_wants(const struct kr_display *display);
/* Runs until kr_display_stop or a hook or an output fails. 0 or that error. */
int kr_display_run(struct kr_display *display);
/* From any thread, also from a hook or a signal handler. */
void kr_display_stop(struct kr_display *display);
/*
 * As stop, but what producers have queued until now is shown first. A producer that
 * queues on without end keeps a display going: whoever drains has a deadline and then
 * stops. Threads as for stop.
 */
void kr_display_drain(struct kr_display *display);
void kr_display_get_stats(struct kr_display *display, struct kr_display_stats *stats);
void kr_display_destroy(struct kr_display *display);

#endif
