/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A display of the composer's on a screen: pictures on their way to it.
 *
 * A picture that can be committed at once is: its fences are then the kernel's own. One that has to
 * wait, for a fence of user space, which never enters the kernel (S-05), or for the picture before,
 * stands in a queue, and its fence is of user space, signalled by the event that says that it is on
 * the screen. At most KMS_ON_THEIR_WAY pictures are committed or queued.
 */
#ifndef KR_OUTPUTS_KMS_DISPLAY_H
#define KR_OUTPUTS_KMS_DISPLAY_H

#include <stdbool.h>
#include <stdint.h>
#include "hwc/device.h"
#include "outputs/kms/events.h"
#include "outputs/kms/plan.h"
#include "outputs/kms/screen.h"
#include "outputs/kms/target.h"
#include "util/clock.h"
#include "util/macros.h"

#define KMS_ON_THEIR_WAY     2
#define KMS_MAX_LATE         8
#define KMS_ACQUIRE_LIMIT_NS (5 * KR_NSEC_PER_SEC)

/* A layer of a picture. */
struct kms_part {
	struct kms_scanout scanout; /* in_fence is the picture's own */
	int wait_fence;             /* its own, of user space; -1: none */
	struct kms_layer *layer;    /* NULL: it is no more */
	uint64_t serial;            /* of its buffer */
};

struct kms_picture {
	struct kms_part parts[KMS_MAX_PLANES];
	unsigned count;
	const struct kms_plane *target_plane; /* NULL: there is no client target in it */
	struct kr_buffer *target;             /* the host's, with a reference */
	int target_fence;                     /* its own */
	uint64_t target_serial;
	int producer;        /* of its fence of user space; -1: none was given */
	int64_t deadline_ns; /* fences that aren't done by then leave their layer out */
};

struct kms_display {
	struct kms_listener listener; /* of the screen's commits */
	const struct kr_hwc_host *host;
	bool used;      /* of the device's displays */
	bool connected; /* the host knows of it, and has its screen */
	krafla_display_t handle;
	struct kms_screen screen;
	struct kms_plan plan;
	struct kms_targets targets;
	bool asleep; /* its power is off */
	bool vsync;  /* wanted */
	bool vsync_asked;
	int64_t vsync_ns; /* by a timer, where the card tells none: the next; 0 */
	/* What the target's plane shows. */
	uint64_t target_serial;
	struct kms_scanout target;
	bool copies; /* the card has refused a target that it had seemed to take */
	struct kms_picture queue[KMS_ON_THEIR_WAY];
	unsigned queued;
	int flying; /* the producer of the fence of the picture that is committed; -1 */
	int epoll;  /* borrowed: fences that are waited for wake the device */
	/* Fences of layers that were left out: a picture is asked for when one signals. */
	int late[KMS_MAX_LATE];
	unsigned lates;
};

/* Takes the screen over; with the listener's functions set. 0 or -errno (logged). */
int kms_display_open(struct kms_display *display, struct kms_card *card,
	struct kms_framebuffers *framebuffers, struct liftoff_device *liftoff,
	const struct kms_connector *connector) KR_MUST_CHECK;
/* `ours`: the card's screens are. Layers must be gone. */
void kms_display_close(struct kms_display *display, bool ours);

/* `seen`: nobody else has the card's screens. */
int kms_display_validate(
	struct kms_display *display, struct kr_hwc_display_state *state, bool seen);
int kms_display_present(struct kms_display *display, struct kr_hwc_display_state *state, bool seen,
	int *present_fence);
/* Commits what has become ready. */
void kms_display_advance(struct kms_display *display);
/* What was committed is on the screen. */
void kms_display_flipped(struct kms_display *display, int64_t time_ns);
/* A layer of the display's is no more. */
void kms_display_layer_gone(struct kms_display *display, struct kr_hwc_layer_state *state);
/* What is queued will never be seen; its fences end. */
void kms_display_cancel(struct kms_display *display);
/* When kms_display_advance has something to do though nothing has come; KR_FOREVER. */
int64_t kms_display_next(const struct kms_display *display);

/* --- vblank.c --- */
/* The next one, if they are wanted, none is asked for, and the screen is lit. */
void kms_vblank_ask(struct kms_display *display);
/* A listener's function: tells the host, and asks for the next. */
void kms_vblank_handle(struct kms_listener *listener, uint64_t sequence, int64_t time_ns);
/* Tells the host of one whose time has come, where the card has none. */
void kms_vblank_tick(struct kms_display *display);

/* --- picture.c --- */
/* A kms_plan_framebuffer_fn; `data` is the display. */
struct kms_framebuffer *kms_display_framebuffer(void *data, struct kms_screen *screen,
	const struct kr_hwc_layer_state *state, const void *owner);
/* What the state wants to be seen. 0 or an error of the composer's. */
int kms_picture_make(struct kms_picture *picture, struct kms_display *display,
	const struct kr_hwc_display_state *state) KR_MUST_CHECK;
void kms_picture_finish(struct kms_picture *picture, struct kms_display *display);
/* Nothing in it has to be waited for any more. */
bool kms_picture_is_ready(const struct kms_picture *picture);
/* Fences that it waits for wake the device. */
void kms_picture_watch(const struct kms_picture *picture, int epoll, bool watch);
/* Commits it; *out is the kernel's fence of it. 0 or -errno. */
int kms_picture_show(struct kms_picture *picture, struct kms_display *display, int *out)
	KR_MUST_CHECK;

#endif
