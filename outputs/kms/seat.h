/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seat that a card is taken from: seatd's or logind's, by libseat, where one of them is there;
 * else none, and the card is opened as any file is. With a seat the screen is given up when the
 * user switches to another virtual terminal, and comes back with him.
 */
#ifndef KR_OUTPUTS_KMS_SEAT_H
#define KR_OUTPUTS_KMS_SEAT_H

#include <stdbool.h>
#include "util/macros.h"

struct kms_seat;

/*
 * 0 with *seat, NULL when nobody manages seats here; -ETIMEDOUT a seat is there and isn't given
 * to us, -errno (all logged).
 */
int kms_seat_open(struct kms_seat **seat) KR_MUST_CHECK;
void kms_seat_close(struct kms_seat *seat);
/* -1: nothing to wait for. */
int kms_seat_fd(const struct kms_seat *seat);
/* Takes what has come. 0 or -errno: the seat is lost. */
int kms_seat_dispatch(struct kms_seat *seat) KR_MUST_CHECK;
/* Whether the screens are ours now. True without a seat. */
bool kms_seat_is_active(const struct kms_seat *seat);

/*
 * Opens a device, with the right to set modes of a card. *id is for kms_seat_close_device. 0 or
 * -errno, not logged.
 */
int kms_seat_open_device(struct kms_seat *seat, const char *path, int *fd, int *id) KR_MUST_CHECK;
void kms_seat_close_device(struct kms_seat *seat, int fd, int id);

#endif
