/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles against one device: blocks, alternatives, and the profiles that they need. */
#ifndef KR_TOOLS_FEATURES_PROFILE_JUDGE_H
#define KR_TOOLS_FEATURES_PROFILE_JUDGE_H

#include <jansson.h>

#include "tools/features/profile/ask.h"
#include "tools/features/profile/document.h"
#include "util/macros.h"

struct kr_flags_judge {
	const struct kr_flags_document *documents;
	size_t document_count;
	struct kr_flags_view view;
	json_t **blocks;  /* of each document: what kr_flags_judge_block says, by name */
	json_t *profiles; /* by name, what kr_flags_judge_profile says; null while it is judged */
	unsigned depth;
};

/* 0 or -ENOMEM; kr_flags_judge_finish in either case. All is borrowed. */
int kr_flags_judge_init(struct kr_flags_judge *judge, const struct kr_flags_document *documents,
	size_t count, const struct kr_feature_device *device) KR_MUST_CHECK;
void kr_flags_judge_finish(struct kr_flags_judge *judge);

/*
 * Whether the device holds the profile of that name, which may stand in any of the documents; the
 * first that has it counts. An object, borrowed from the judge: "holds"; "error", a text, where it
 * can't be judged; else "version", "api_version" (wanted, seen, holds), "profiles" (those that it
 * needs: profile, holds, error) and "capabilities", each with "any_of" (names of blocks), "holds",
 * and "document"; "optionals" are as these, and don't count. NULL without memory.
 */
const json_t *kr_flags_judge_profile(struct kr_flags_judge *judge, const char *name);

#endif
