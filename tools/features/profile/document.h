/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of profiles in Khronos's JSON (schema.khronos.org/vulkan/profiles): blocks of capabilities
 * by name, and profiles, which name the blocks that they want.
 */
#ifndef KR_TOOLS_FEATURES_PROFILE_DOCUMENT_H
#define KR_TOOLS_FEATURES_PROFILE_DOCUMENT_H

#include <jansson.h>

#include "util/macros.h"

#define KR_FLAGS_PROFILE_WHY 640
/* Sixteen times the largest that describes a device with all its formats. */
#define KR_FLAGS_PROFILE_MAX ((size_t)8 << 20)

struct kr_flags_document {
	const char *path;
	json_t *root;
	json_t *profiles, *capabilities; /* objects, borrowed from the root */
};

/*
 * Reads a file. Whole numbers that json_int_t can't hold become strings of digits. 0 or -errno with
 * the reason in `why`: it can't be read, is too large, no JSON, has a key twice, or isn't a file of
 * profiles. The caller frees `root`.
 */
int kr_flags_document_read(const char *path, struct kr_flags_document *document,
	char why[KR_FLAGS_PROFILE_WHY]) KR_MUST_CHECK;

#endif
