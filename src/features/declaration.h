/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a system declares: a list with an entry for each feature that is known, declared or not.
 */
#ifndef KR_FEATURES_DECLARATION_H
#define KR_FEATURES_DECLARATION_H

#include <stdbool.h>
#include <stdint.h>

/* Names of features: those of the rows, and deqp.level, which no device answers. */
#define KR_FEATURE_NAMES 9

struct kr_feature_declaration {
	const char *name;
	bool declared; /* what the system has: the answer */
	uint32_t version;
	bool held; /* by the devices */
	uint32_t held_version;
	bool in_files; /* declared by permission files, where these are asked */
	uint32_t file_version;
};

/* All names, nothing declared; the level comes first. */
void kr_feature_declarations_init(struct kr_feature_declaration declarations[KR_FEATURE_NAMES]);

/* The declaration of that name, NULL for a name that isn't known. */
struct kr_feature_declaration *kr_feature_find(
	struct kr_feature_declaration declarations[KR_FEATURE_NAMES], const char *name);
/* As hasSystemFeature: whether it is declared, in this version or a higher one. */
bool kr_feature_has(struct kr_feature_declaration declarations[KR_FEATURE_NAMES], const char *name,
	uint32_t version);
/* Whether permission files are what declares it: Android's names, and not those of features. */
bool kr_feature_is_permission(const char *name);

#endif
