/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A card: an open device of the kernel's that sets modes atomically, and what it is made of. Found
 * by what the user said, and told of in sentences where it can't be had.
 */
#ifndef KR_OUTPUTS_KMS_CARD_H
#define KR_OUTPUTS_KMS_CARD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include "outputs/kms/properties.h"
#include "outputs/kms/seat.h"
#include "util/macros.h"

#define KMS_MAX_PLANES     32
#define KMS_MAX_CRTCS      8
#define KMS_CONNECTOR_NAME 48

enum kms_plane_property {
	KMS_PLANE_TYPE,
	KMS_PLANE_FB_ID,
	KMS_PLANE_CRTC_ID,
	KMS_PLANE_SRC_X,
	KMS_PLANE_SRC_Y,
	KMS_PLANE_SRC_W,
	KMS_PLANE_SRC_H,
	KMS_PLANE_CRTC_X,
	KMS_PLANE_CRTC_Y,
	KMS_PLANE_CRTC_W,
	KMS_PLANE_CRTC_H,
	KMS_PLANE_IN_FENCE_FD,
	KMS_PLANE_ROTATION,
	KMS_PLANE_ALPHA,
	KMS_PLANE_BLEND,
	KMS_PLANE_ZPOS,
	KMS_PLANE_PROPERTIES,
};

#define KMS_MAX_FORMATS 64

struct kms_plane {
	uint32_t id;
	uint32_t possible_crtcs; /* by their place in the card's list */
	uint32_t formats[KMS_MAX_FORMATS];
	unsigned format_count;
	struct kms_property property[KMS_PLANE_PROPERTIES];
};

enum kms_crtc_property {
	KMS_CRTC_ACTIVE,
	KMS_CRTC_MODE_ID,
	KMS_CRTC_OUT_FENCE_PTR,
	KMS_CRTC_PROPERTIES,
};

struct kms_crtc {
	uint32_t id;
	bool used; /* by a screen */
	struct kms_property property[KMS_CRTC_PROPERTIES];
};

struct kms_card {
	int fd;
	int seat_id;
	char path[64];
	char driver[32];
	bool prime; /* takes dma-bufs */
	struct kms_crtc crtcs[KMS_MAX_CRTCS];
	unsigned crtc_count;
	struct kms_plane planes[KMS_MAX_PLANES];
	unsigned plane_count;
};

/* What the user said: [CARD][:CONNECTOR]; an empty part is left to us. */
struct kms_wish {
	char card[64];
	char connector[KMS_CONNECTOR_NAME];
};

/* 0; -EINVAL (logged). NULL and "" wish for nothing. */
int kms_wish_parse(const char *argument, struct kms_wish *wish) KR_MUST_CHECK;

/*
 * Opens the card: the one that was wished for, else the first with a screen that is connected.
 * What goes wrong is logged, with what to do: -ENOENT, -ENODEV, -EACCES, -EBUSY, -EOPNOTSUPP.
 */
int kms_card_open(struct kms_card *card, struct kms_seat *seat, const struct kms_wish *wish)
	KR_MUST_CHECK;
/* Fills what can be known of a card whose descriptor is open, without a word. */
void kms_card_look(struct kms_card *card);
void kms_card_close(struct kms_card *card, struct kms_seat *seat);
/* The place of a CRTC in the card's list, -1. */
int kms_card_crtc_index(const struct kms_card *card, uint32_t crtc);
bool kms_plane_takes(const struct kms_plane *plane, uint32_t fourcc);

#endif
