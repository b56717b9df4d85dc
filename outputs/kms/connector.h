/* SPDX-License-Identifier: Apache-2.0 */
/* Connectors: where a screen is plugged in, and the modes that it has. */
#ifndef KR_OUTPUTS_KMS_CONNECTOR_H
#define KR_OUTPUTS_KMS_CONNECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <krafla/composer.h>
#include <xf86drmMode.h>
#include "outputs/kms/card.h"
#include "outputs/kms/edid.h"
#include "util/macros.h"

#define KMS_MAX_CONNECTORS 16
#define KMS_MAX_MODES      128

enum kms_connector_property {
	KMS_CONNECTOR_CRTC_ID,
	KMS_CONNECTOR_COLORSPACE,
	KMS_CONNECTOR_HDR,
	KMS_CONNECTOR_MAX_BPC,
	KMS_CONNECTOR_EDID,
	KMS_CONNECTOR_PROPERTIES,
};

struct kms_connector {
	uint32_t id;
	char name[KMS_CONNECTOR_NAME]; /* as the kernel has it: HDMI-A-1 */
	bool screen;                   /* something that shows: not for writeback */
	bool connected;                /* and one is plugged in, with a mode */
	uint32_t possible_crtcs;
	uint32_t width_mm, height_mm; /* 0: unknown */
	struct kms_property property[KMS_CONNECTOR_PROPERTIES];
	struct {
		struct kms_value bt2020, dci_p3;
	} colorspaces; /* of KMS_CONNECTOR_COLORSPACE */
	struct kms_edid edid;
	drmModeModeInfo modes[KMS_MAX_MODES]; /* the preferred one first */
	unsigned mode_count;
};

/* Whether one is connected that has that name ("": any). */
bool kms_connector_any(int drm, const char *name);
/*
 * All connectors of the card but those for writeback, in the kernel's order, asked anew. How many,
 * or -errno.
 */
int kms_connectors_list(int drm, uint32_t ids[KMS_MAX_CONNECTORS]) KR_MUST_CHECK;
/* 0 or -errno: it is gone. */
int kms_connector_read(int drm, uint32_t id, struct kms_connector *connector) KR_MUST_CHECK;

/* Refresh of a mode: the time of a frame, ns. */
int64_t kms_mode_period_ns(const drmModeModeInfo *mode);
/* Of the mode of that number; -1: it isn't known. */
int32_t kms_connector_attribute(
	const struct kms_connector *connector, unsigned number, enum krafla_attribute attribute);

#endif
