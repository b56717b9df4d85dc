/* SPDX-License-Identifier: Apache-2.0 */
/* See properties.h. */
#include "outputs/kms/properties.h"

#include <errno.h>
#include <string.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

static uint64_t
mask_of(const drmModePropertyRes *from)
{
	uint64_t mask = 0;

	if (!(from->flags & (DRM_MODE_PROP_ENUM | DRM_MODE_PROP_BITMASK)))
		return 0;
	for (int i = 0; i < from->count_enums; i++) {
		if (from->enums[i].value < 64)
			mask |= UINT64_C(1) << from->enums[i].value;
	}
	return mask;
}

int
kms_properties_read(int drm, uint32_t object, uint32_t type, const char *const *names, size_t count,
	struct kms_property *properties)
{
	drmModeObjectProperties *all = drmModeObjectGetProperties(drm, object, type);

	if (!all)
		return -errno;
	memset(properties, 0, count * sizeof(properties[0]));
	for (uint32_t i = 0; i < all->count_props; i++) {
		drmModePropertyRes *one = drmModeGetProperty(drm, all->props[i]);

		for (size_t k = 0; one && k < count; k++) {
			if (strcmp(one->name, names[k]))
				continue;
			properties[k].id = one->prop_id;
			properties[k].value = all->prop_values[i];
			properties[k].mask = mask_of(one);
			if (one->flags & DRM_MODE_PROP_RANGE && one->count_values == 2)
				properties[k].max = one->values[1];
		}
		drmModeFreeProperty(one);
	}
	drmModeFreeObjectProperties(all);
	return 0;
}

struct kms_value
kms_property_value(int drm, const struct kms_property *property, const char *name)
{
	drmModePropertyRes *one = property->id ? drmModeGetProperty(drm, property->id) : NULL;
	struct kms_value found = {0};

	for (int i = 0; one && i < one->count_enums; i++) {
		if (!strcmp(one->enums[i].name, name))
			found = (struct kms_value){true, one->enums[i].value};
	}
	drmModeFreeProperty(one);
	return found;
}
