/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles (DESIGN 5.1): one row of one table each. What differs between `linux`, `android` and `fuchsia` is
 * a member here; no other code asks which profile is on (a test sees to it), it reads the member.
 *
 * Thread-safety: any thread; the profile is chosen at the first call and stays.
 */
#ifndef KR_MANIFEST_PROFILE_H
#define KR_MANIFEST_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

enum kr_profile_driver_bits {
	KR_PROFILE_HAL = 1 << 0,       /* HAL modules */
	KR_PROFILE_MANIFESTS = 1 << 1, /* Linux ICDs by their manifests */
	KR_PROFILE_SERVICE = 1 << 2,   /* the loader service */
};

enum kr_layer_source {
	KR_LAYERS_BY_MANIFEST, /* JSON manifests, explicit and implicit */
	KR_LAYERS_BY_LIBRARY, /* libVkLayer*.so asked themselves, with the rules of debuggable programs */
};

struct kr_profile {
	const char *name;
	uint32_t drivers; /* kr_profile_driver_bits */
	enum kr_layer_source layers;
	bool platform_wsi; /* our window system whatever KRAFLA_WSI says */
	/* Where configuration lies instead of the XDG directories, NULL-terminated; NULL: XDG. */
	const char *const *config_dirs;
};

/* The row that KRAFLA_PROFILE names; `linux` when it names none (said once). */
const struct kr_profile *kr_profile_get(void);

#endif
