/* SPDX-License-Identifier: Apache-2.0 */
/* The table of profiles: see profile.h. */
#include "manifest/profile.h"

static const struct kr_profile profiles[] = {
	{
		.name = "linux",
		.drivers = KR_PROFILE_HAL | KR_PROFILE_MANIFESTS,
		.layers = KR_LAYERS_BY_MANIFEST,
	},
};

const struct kr_profile *
kr_profile_get(void)
{
	return &profiles[0];
}
