/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames on their way to the screen of "kms:krafla_display". It gives no kernel's fence for one
 * that has come there: that is read from its records.
 */
#ifndef KR_OUTPUTS_KMS_KRAFLA_FLIGHTS_H
#define KR_OUTPUTS_KMS_KRAFLA_FLIGHTS_H

#include <stdint.h>

#define KMS_KRAFLA_MAX_FLIGHTS 2

struct kms_krafla_flights {
	int fd;          /* of the node; borrowed */
	uint64_t record; /* the next that is read */
	struct {
		uint64_t frame;
		int producer; /* of its fence */
	} flying[KMS_KRAFLA_MAX_FLIGHTS];
	unsigned count;
};

/* Takes the producer of the frame's fence. There is room. */
void kms_krafla_flights_add(struct kms_krafla_flights *flights, uint64_t frame, int take_producer);
/* Signals the fences of those that have come to the screen, or have failed. */
void kms_krafla_flights_read(struct kms_krafla_flights *flights);
/* The same; and the others won't come any more. */
void kms_krafla_flights_cancel(struct kms_krafla_flights *flights);

#endif
