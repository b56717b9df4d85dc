/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a system may declare: the tables of its devices, and one list made of them.
 *
 * Of several devices: the level is the highest that one of them holds. Version, compute and named
 * features are the best of the devices with that level, so that who looks for what is declared
 * finds it; where no device holds a level, of all. What CPUs are spared counts only where all
 * devices are CPUs.
 *
 * Where the profile says that permission files declare (`permission_files` of
 * src/manifest/profile.h) and any are installed, they decide about Android's names, checked against
 * the devices: what a file declares counts as far as a device holds it, and what none declares
 * isn't declared.
 */
#ifndef KR_FEATURES_SYSTEM_H
#define KR_FEATURES_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "features/declaration.h"
#include "features/facts.h"
#include "features/session.h"
#include "features/table.h"

struct kr_feature_device {
	uint32_t number; /* as vkEnumeratePhysicalDevices lists it */
	struct kr_feature_source source;
	struct kr_feature_facts facts;
	struct kr_feature_table table;
};

struct kr_feature_system {
	struct kr_feature_session session;
	struct kr_feature_device *devices;
	uint32_t count;
	struct kr_feature_declaration declarations[KR_FEATURE_NAMES];
	bool by_files; /* permission files decide */
};

#define KR_FEATURE_ALL_DEVICES (-1L)

/*
 * Asks all devices of the libvulkan.so.1 at `path`, or only one, which then is the system. 0;
 * -ENODEV: there is no device; -ERANGE: none of that number; else as kr_feature_session_open; with
 * the reason in `why`. The caller ends it with kr_feature_system_finish.
 */
int kr_feature_system_ask(const char *path, long device, struct kr_feature_system *system,
	char why[KR_FEATURE_WHY]) KR_MUST_CHECK;
void kr_feature_system_finish(struct kr_feature_system *system);

/* Says what is declared by the tables of its devices (and permission files). */
void kr_feature_system_declare(struct kr_feature_system *system);

/*
 * That a feature is held which no device answers, deqp.level, or isn't: by what was found
 * otherwise.
 */
void kr_feature_hold(
	struct kr_feature_system *system, const char *name, bool held, uint32_t version);

/* Whether a file declares what the devices don't hold, or a higher version than they do. */
bool kr_feature_is_overstated(
	const struct kr_feature_system *system, const struct kr_feature_declaration *declaration);

#endif
