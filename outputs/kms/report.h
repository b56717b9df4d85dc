/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cards there are and what they could show, for `krafla info`: asked of the module, so that
 * nobody else needs libdrm.
 */
#ifndef KR_OUTPUTS_KMS_REPORT_H
#define KR_OUTPUTS_KMS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#define KMS_REPORT_SYMBOL  "kr_kms_report"
#define KMS_REPORT_SCREENS 16

struct kms_card_report {
	char path[64];
	char driver[32];
	int error;   /* -errno: it can't be opened, and nothing else is known */
	bool modes;  /* it has connectors */
	bool atomic; /* it sets modes atomically */
	bool fences; /* commits take fences, and give them */
	bool import; /* it takes dma-bufs of others */
	unsigned planes;
	unsigned screens;
	struct {
		char name[48];
		bool connected;
		uint32_t width, height, hz; /* of the preferred mode */
	} screen[KMS_REPORT_SCREENS];
};

/* Fills at most `room`; how many there are. Sets no mode. */
typedef unsigned (*kms_report_fn)(struct kms_card_report *reports, unsigned room);

#endif
