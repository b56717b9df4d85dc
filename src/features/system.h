/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a system may declare: the tables of its devices, and one list made of them.
 *
 * Of several devices: the level is the highest that one of them holds. Version, compute and named
 * features are the best of the devices with that level, so that who looks for what is declared
 * finds it; where no device holds a level, of all. What CPUs are spared counts only where all
 * devices are CPUs.
 */
#ifndef KR_FEATURES_SYSTEM_H
#define KR_FEATURES_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "features/facts.h"
#include "features/session.h"
#include "features/table.h"

struct kr_feature_declaration {
	const char *name;
	bool declared;
	uint32_t version;
};

/* Names of features: those of the rows, and deqp.level, which no device answers. */
#define KR_FEATURE_NAMES 9

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

/* What is declared of the tables of these devices. */
void kr_feature_declare(const struct kr_feature_device *devices, uint32_t count,
	struct kr_feature_declaration declarations[KR_FEATURE_NAMES]);

/* The declaration of that name, NULL for a name that isn't known. */
struct kr_feature_declaration *kr_feature_find(
	struct kr_feature_declaration declarations[KR_FEATURE_NAMES], const char *name);
/* As hasSystemFeature: whether it is declared, in this version or a higher one. */
bool kr_feature_has(struct kr_feature_declaration declarations[KR_FEATURE_NAMES], const char *name,
	uint32_t version);

#endif
