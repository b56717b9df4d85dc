/* SPDX-License-Identifier: Apache-2.0 */
/* The table of profiles: see profile.h. */
#include "manifest/profile.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/env.h"
#include "util/guard.h"
#include "util/log.h"
#include "util/macros.h"
#include "util/properties.h"

#define MAX_CONFIG_DIRS 2

static const char *const fuchsia_config_dirs[] = {
	"/vulkan-loader-configuration", "/pkg/data", NULL};

/* The first row is the one that is on when nothing is said. */
static const struct kr_profile profiles[] = {
	{
		.name = "linux",
		.drivers = KR_PROFILE_HAL | KR_PROFILE_MANIFESTS | KR_PROFILE_SERVICE,
		.layers = KR_LAYERS_BY_MANIFEST,
		.settings = true,
	},
	{
		.name = "android",
		.drivers = KR_PROFILE_HAL | KR_PROFILE_STUB,
		.layers = KR_LAYERS_BY_LIBRARY,
		.platform_wsi = true,
		.guard = true,
		.permission_files = true,
		.log_property = "debug.vulkan.enable_callback",
	},
	{
		.name = "fuchsia",
		.drivers = KR_PROFILE_SERVICE | KR_PROFILE_NAMED,
		.service_by_default = true,
		.layers = KR_LAYERS_BY_MANIFEST,
		.settings = true,
		.config_dirs = fuchsia_config_dirs,
		.config_choice = "/pkg/meta/vulkan-loader-configuration",
	},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct kr_profile chosen;
static char config_dirs[MAX_CONFIG_DIRS][PATH_MAX];
static const char *config_list[MAX_CONFIG_DIRS + 1];

static const struct kr_profile *
find(const char *name, const char *who)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(profiles); i++) {
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	}
	kr_warn("%s: there is no profile \"%.40s\" (there are linux, android and fuchsia); linux is used",
		who, name);
	return &profiles[0];
}

bool
kr_profile_exists(const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(profiles); i++) {
		if (!strcmp(profiles[i].name, name))
			return true;
	}
	return false;
}

/*
 * The directories below KRAFLA_CONFIG_ROOT when that is set: a tree that isn't the system's. What
 * counts as its root: "" is the system's.
 */
static const char *
set_root(struct kr_profile *profile)
{
	const char *root = kr_env_get_code("KRAFLA_CONFIG_ROOT");
	size_t count = 0;

	if (!root || !profile->config_dirs)
		return "";
	for (; profile->config_dirs[count] && count < MAX_CONFIG_DIRS; count++) {
		int len = snprintf(
			config_dirs[count], PATH_MAX, "%s%s", root, profile->config_dirs[count]);

		if (len < 0 || len >= PATH_MAX) {
			kr_warn("KRAFLA_CONFIG_ROOT is too long; ignored");
			return "";
		}
		config_list[count] = config_dirs[count];
	}
	profile->config_dirs = config_list;
	return root;
}

/* F-10: what lies outside of the package counts where the package says that it does. */
static void
leave_out_unchosen(struct kr_profile *profile, const char *root)
{
	char path[PATH_MAX];

	if (!profile->config_choice)
		return;
	snprintf(path, sizeof(path), "%s%s", root, profile->config_choice);
	if (!access(path, F_OK))
		return;
	if (!access(profile->config_dirs[0], F_OK))
		kr_log(KR_LOG_INFO | KR_LOG_LAYER,
			"Ignoring %s: the application's package has no %s, by which it would choose it",
			profile->config_dirs[0], path);
	profile->config_dirs++;
}

static void
choose(void)
{
	char property[KR_PROPERTY_VALUE_MAX];
	const char *variable = kr_env_get("KRAFLA_PROFILE");
	const struct kr_profile *row = &profiles[0];

	if (kr_property_get_system("ro.krafla.profile", property, sizeof(property))) {
		row = find(property, "ro.krafla.profile");
		if (variable && strcmp(variable, row->name))
			kr_warn("KRAFLA_PROFILE=%.40s: this system's profile is %s, which is used",
				variable, row->name);
	} else if (variable) {
		row = find(variable, "KRAFLA_PROFILE");
	}
	chosen = *row;
	kr_guard_set(chosen.guard);
	leave_out_unchosen(&chosen, set_root(&chosen));
}

const struct kr_profile *
kr_profile_get(void)
{
	struct kr_log_hold hold;

	kr_log_hold_begin(&hold);
	pthread_once(&once, choose);
	kr_log_hold_end(&hold);
	return &chosen;
}
