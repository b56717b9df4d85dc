/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One permission file, as systems install them: XML whose root is `permissions` or `config`, and in
 * it elements `feature` and `unavailable-feature` with the attributes `name` and `version`. What
 * else stands there is passed over.
 *
 * Such a file may be anything: it is read whole, up to a limit, and one that isn't well formed
 * counts for nothing. Processing instructions, comments and CDATA are passed over; a document type
 * (and with it entities of its own) is refused.
 */
#ifndef KR_FEATURES_PERMISSION_FILE_H
#define KR_FEATURES_PERMISSION_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/macros.h"

/* The largest of Android's has some 100 KiB. */
#define KR_FEATURE_FILE_MAX  (1u << 20)
#define KR_FEATURE_NAME_MAX  128
#define KR_FEATURE_FILE_DEEP 32

struct kr_feature_permission {
	char name[KR_FEATURE_NAME_MAX];
	uint32_t version; /* 0 where none is said */
	bool unavailable;
};

/*
 * Called for each in turn. A longer name than there is room for isn't told: nobody here knows it.
 */
typedef void (*kr_feature_permission_fn)(
	void *data, const struct kr_feature_permission *permission);

#define KR_FEATURE_FILE_WHY 128

/* 0, or -EINVAL with the line and what is wrong in `why`; what stood before was told then. */
int kr_feature_parse_permissions(const char *text, size_t size, kr_feature_permission_fn tell,
	void *data, char why[KR_FEATURE_FILE_WHY]) KR_MUST_CHECK;
/* The same of a file; also -errno of reading it, -EFBIG, -ENODEV for what is no file. */
int kr_feature_read_permissions(const char *path, kr_feature_permission_fn tell, void *data,
	char why[KR_FEATURE_FILE_WHY]) KR_MUST_CHECK;

#endif
