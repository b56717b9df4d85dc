/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles (DESIGN 5.1, docs/profiles.md): one row of one table each. What differs between `linux`,
 * `android` and `fuchsia` is a member here; no other code asks which profile is on (a test sees to
 * it), it reads the member.
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
	KR_PROFILE_SERVICE = 1 << 2,   /* the loader service, where one is configured */
	KR_PROFILE_STUB = 1 << 3,      /* without any driver: instances without devices (D-04) */
	KR_PROFILE_NAMED =
		1 << 4, /* Linux ICDs whose manifests a variable names, and no others (F-07) */
};

enum kr_manifest_layer_source {
	KR_LAYERS_BY_MANIFEST, /* JSON manifests, explicit and implicit */
	/* libVkLayer*.so asked themselves, with the rules of debuggable programs */
	KR_LAYERS_BY_LIBRARY,
};

struct kr_profile {
	const char *name;
	uint32_t drivers; /* kr_profile_driver_bits */
	enum kr_manifest_layer_source layers;
	/* the usual sockets of the service are tried when KRAFLA_SERVICE isn't set */
	bool service_by_default;
	bool platform_wsi; /* our window system whatever KRAFLA_WSI says */
	bool settings;     /* vk_loader_settings.json is looked for */
	/* A process that isn't debuggable lets no variable name code (util/guard.h). */
	bool guard;
	bool permission_files; /* those that are installed say which features are declared */
	/* The property that has debug reports written in debuggable processes, or NULL. */
	const char *log_property;
	/* Where configuration lies instead of the XDG directories, NULL-terminated; NULL: XDG. */
	const char *const *config_dirs;
	/*
	 * The file in the application's package by which it chooses to take the first of them,
	 * which lies outside (F-10); without it that one is left out. NULL: it counts anyway.
	 */
	const char *config_choice;
};

/*
 * The row that is on: the property ro.krafla.profile of the system's file names it, where that is
 * silent KRAFLA_PROFILE; `linux` when neither names one (a wrong name is said once). The first call
 * also sets the guard of this library's copy of util.
 */
const struct kr_profile *kr_profile_get(void);
/* Whether there is a row of that name. */
bool kr_profile_exists(const char *name);

#endif
