/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of KMS objects, found once by their names. */
#ifndef KR_OUTPUTS_KMS_PROPERTIES_H
#define KR_OUTPUTS_KMS_PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

struct kms_property {
	uint32_t id;    /* 0: the object hasn't it */
	uint64_t value; /* when it was read */
	uint64_t mask;  /* of an enumeration: 1 << each value that it may have */
	uint64_t max;   /* of a range */
};

/* A value of an enumeration. */
struct kms_value {
	bool there;
	uint64_t value;
};

/* Fills properties[i] by names[i]. 0 or -errno. */
int kms_properties_read(int drm, uint32_t object, uint32_t type, const char *const *names,
	size_t count, struct kms_property *properties) KR_MUST_CHECK;
/* The value of that name of an enumeration; of one that isn't there, none. */
struct kms_value kms_property_value(int drm, const struct kms_property *property, const char *name);

#endif
