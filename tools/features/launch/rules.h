/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a system has to have to be launched with a release of Android, as far as Vulkan is concerned
 * (V-04, V-05): a table of rules, and what a system says to each.
 */
#ifndef KR_TOOLS_FEATURES_LAUNCH_RULES_H
#define KR_TOOLS_FEATURES_LAUNCH_RULES_H

#include <jansson.h>

#include "features/system.h"
#include "tools/features/launch/gles.h"

#define KR_FLAGS_RELEASES 4
/* "7", "9", "10", "13". */
extern const char *const kr_flags_releases[KR_FLAGS_RELEASES];

struct kr_flags_launch {
	struct kr_feature_system *system;
	const struct kr_flags_gles *gles;
	const char *permissions; /* the directory that --permissions names, or NULL */
	/* What permission files declare, and whether there are any. */
	struct kr_feature_declaration installed[KR_FEATURE_NAMES];
	bool has_files;
};

/*
 * A new object: "release", "holds", and "lines", each with "rule", "source", "wanted", "seen" and
 * "holds", which is null where it can't be known. A line with "condition": true says whether the
 * release's version is asked of this system at all. NULL without memory.
 */
json_t *kr_flags_judge_launch(const struct kr_flags_launch *launch, const char *release);

#endif
