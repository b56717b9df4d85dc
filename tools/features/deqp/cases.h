/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases of a must-pass list, and what became of each. Lists of later years are lists of files,
 * which stand in a folder beside them: a line that ends with .txt is one.
 *
 * A list has over a million cases, so their names stand in the files' text, and a table of indices
 * finds them.
 */
#ifndef KR_TOOLS_FEATURES_DEQP_CASES_H
#define KR_TOOLS_FEATURES_DEQP_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/macros.h"

/* What results say of a case. Those up to WAIVER hold a level; the others refuse it. */
enum kr_flags_verdict {
	KR_FLAGS_PASS,
	KR_FLAGS_NOT_SUPPORTED,
	KR_FLAGS_QUALITY_WARNING,
	KR_FLAGS_COMPATIBILITY_WARNING,
	KR_FLAGS_WAIVER,
	KR_FLAGS_FAIL,
	KR_FLAGS_PENDING,
	KR_FLAGS_RESOURCE_ERROR,
	KR_FLAGS_INTERNAL_ERROR,
	KR_FLAGS_CRASH,
	KR_FLAGS_TIMEOUT,
	KR_FLAGS_UNKNOWN_CODE, /* ended by a code that the format doesn't have */
	KR_FLAGS_NO_RESULT,    /* ended without saying how */
	KR_FLAGS_TERMINATED,   /* ended by force, without a code that says why */
	KR_FLAGS_TRUNCATED,    /* never ended */
	KR_FLAGS_CONTRADICTED, /* several results, not all alike */
	KR_FLAGS_MISSING,
	KR_FLAGS_VERDICTS,
};

struct kr_flags_case {
	const char *name; /* ends with NUL */
	enum kr_flags_verdict verdict;
};

struct kr_flags_text {
	char *bytes;
	size_t size;
};

struct kr_flags_cases {
	struct kr_flags_text *texts; /* one a file */
	size_t text_count;
	size_t total;                /* bytes of all */
	struct kr_flags_case *cases; /* in the list's order */
	size_t count, room;
	uint32_t *slots; /* index + 1; 0 is free */
	size_t slot_count;
	uint64_t seed;
};

#define KR_FLAGS_WHY 640

/*
 * The level that a list's name stands for: vk-main-YYYY-MM-DD.txt, or vk-master- as it was called
 * before 2022. -EINVAL with the reason in `why` for any other name and for what is no date.
 */
int kr_flags_list_level(const char *path, uint32_t *level, char why[KR_FLAGS_WHY]) KR_MUST_CHECK;
/*
 * Reads a list and the files that it names. All cases are missing then. 0 or -errno, with the
 * reason in `why`; kr_flags_cases_finish in either case.
 */
int kr_flags_cases_read(struct kr_flags_cases *cases, const char *path, char why[KR_FLAGS_WHY])
	KR_MUST_CHECK;
void kr_flags_cases_finish(struct kr_flags_cases *cases);

/* NULL when the list hasn't got it. */
struct kr_flags_case *kr_flags_cases_find(
	const struct kr_flags_cases *cases, const char *name, size_t length);

#endif
