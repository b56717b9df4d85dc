/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A screen: a connector, the CRTC that drives it, the mode that is set, and the commits that change
 * what its planes show.
 *
 * Commits don't wait, and one at a time is on its way: the kernel refuses a second one before the
 * first has been shown, so who comes too early waits for the event that says so. A commit's
 * out-fence is the present fence of its frame and the release fence of what it replaces. It is
 * counted whether a frame was on the screen at the first vertical blank that it could make.
 */
#ifndef KR_OUTPUTS_KMS_SCREEN_H
#define KR_OUTPUTS_KMS_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include "outputs/kms/card.h"
#include "outputs/kms/colour.h"
#include "outputs/kms/connector.h"
#include "outputs/kms/events.h"
#include "outputs/kms/framebuffer.h"
#include "util/clock.h"
#include "util/macros.h"

/* How long a frame may take to get to the screen before nobody waits for it any longer. */
#define KMS_FLIP_LIMIT_NS  (2 * KR_NSEC_PER_SEC)
#define KMS_EVENT_LIMIT_NS (20 * KR_NSEC_PER_MSEC)
#define KMS_DUMBS          2 /* one is shown while the other is written */

/* Values of the property "pixel blend mode", as the kernel numbers them. */
enum kms_blend {
	KMS_BLEND_PREMULTIPLIED = 0,
	KMS_BLEND_COVERAGE = 1,
};

/* What a plane shall show. */
struct kms_scanout {
	const struct kms_plane *plane;
	uint32_t fb;
	struct kms_framebuffer *framebuffer; /* NULL: memory of the card's own */
	uint64_t src[4];                     /* x, y, w, h in 1/65536 pixels */
	int32_t dst[4];                      /* x, y, w, h */
	uint64_t rotation;                   /* DRM_MODE_ROTATE_0... */
	uint16_t alpha;
	uint64_t blend; /* KMS_BLEND_PREMULTIPLIED... */
	int in_fence;   /* borrowed, of the kernel; -1: ready */
};

/* What became of the commits. */
struct kms_counts {
	uint64_t commits;
	uint64_t flips;   /* that the kernel has said are on the screen */
	uint64_t on_time; /* at the first vertical blank after they were ready */
	uint64_t late;
	uint64_t waited;  /* came before the last one was shown */
	uint64_t refused; /* by the kernel */
	uint64_t unseen;  /* made while another has the screen */
};

struct kms_screen {
	struct kms_card *card;
	struct kms_framebuffers *framebuffers;
	struct kms_listener *listener; /* gets the events of its commits */
	struct kms_connector connector;
	struct kms_crtc *crtc;
	unsigned mode; /* of connector.modes */
	uint32_t mode_blob;
	struct kms_colour colour;
	struct kr_hdr_metadata hdr; /* that the screen was told */
	uint32_t hdr_blob;          /* of it; 0: none is said */
	bool hdr_changed;           /* the next commit says it */
	int64_t period_ns;
	bool lit;  /* the mode is set: commits can be made */
	bool lost; /* the connector or the card is gone */
	struct kms_dumb dumbs[KMS_DUMBS];
	unsigned dumb; /* the one that is written next */
	const struct kms_plane *primary;
	struct kms_framebuffer *shown[KMS_MAX_PLANES]; /* by the card's planes; pinned */
	struct kms_framebuffer *coming[KMS_MAX_PLANES];
	uint32_t planes_used; /* by the last commit, bits */
	bool pending;
	int pending_fence;                   /* the kernel's, of the commit on its way, own; -1 */
	int64_t pending_since;               /* when it was made */
	int pending_acquire[KMS_MAX_PLANES]; /* what it waits for, own */
	unsigned pending_acquires;
	int64_t flip_ns; /* when the last was shown; 0 */
	struct kms_counts counts;
};

/*
 * Takes the CRTC that is left for the connector and sets `mode` of its modes, with a black picture.
 * 0 or -errno (logged).
 */
int kms_screen_open(struct kms_screen *screen, struct kms_card *card,
	struct kms_framebuffers *framebuffers, struct kms_listener *listener,
	const struct kms_connector *connector, unsigned mode) KR_MUST_CHECK;
/* Turns it off, unless it is another's now (`ours`). */
void kms_screen_close(struct kms_screen *screen, bool ours);
/* Another mode; 0 or -errno (logged), the old one stays then. */
int kms_screen_set_mode(struct kms_screen *screen, unsigned mode) KR_MUST_CHECK;
/*
 * What its pictures are in from now on, and the light in them (NULL: nothing is known). Another
 * dataspace sets the mode anew; metadata alone come with the next commit. 0; -EOPNOTSUPP (logged),
 * -errno as the kernel answers: then the old one stays.
 */
int kms_screen_set_colour(struct kms_screen *screen, int32_t dataspace,
	const struct kr_hdr_metadata *hdr) KR_MUST_CHECK;
/* Sets the mode anew with a black picture, as after another had the screen. Waits. */
int kms_screen_light(struct kms_screen *screen) KR_MUST_CHECK;
int kms_screen_darken(struct kms_screen *screen);

/*
 * Shows these, and nothing on planes that aren't among them. *out: the commit's fence, the
 * caller's. -ETIMEDOUT the last one isn't on the screen yet; -EACCES the screen is another's;
 * -errno, as the kernel answers.
 */
int kms_screen_commit(struct kms_screen *screen, const struct kms_scanout *scanouts, unsigned count,
	int *out) KR_MUST_CHECK;
/* The kernel says that the commit is on the screen. */
void kms_screen_handle_flip(struct kms_screen *screen, int64_t time_ns);
/* Waits until no commit is on its way: 0, -ETIMEDOUT. Takes events of the card meanwhile. */
int kms_screen_settle(struct kms_screen *screen, int64_t deadline_ns);
/*
 * The kernel signals a commit's fence just before it sends the event: when it has, the event is
 * waited for, so that who waits for the fence finds the commit done.
 */
void kms_screen_look(struct kms_screen *screen);
/* The memory that the next commit may show: nobody reads it. Settle before. */
struct kms_dumb *kms_screen_next_dumb(struct kms_screen *screen);

#endif
