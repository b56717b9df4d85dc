/* SPDX-License-Identifier: Apache-2.0 */
/*
 * android.software.vulkan.deqp.level (V-02): the date of a must-pass list as an integer, year in
 * bits 31-16, month in 15-8, day in 7-0. It holds when each case of the list has a result that
 * passes, in files of results that are whole.
 */
#ifndef KR_TOOLS_FEATURES_DEQP_DEQP_H
#define KR_TOOLS_FEATURES_DEQP_DEQP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/features/deqp/cases.h"
#include "tools/features/deqp/log.h"
#include "util/macros.h"

struct kr_flags_paths;

struct kr_flags_deqp_file {
	const char *path;
	struct kr_flags_log_facts facts;
};

struct kr_flags_deqp {
	uint32_t level;
	bool holds;
	struct kr_flags_cases cases;
	size_t counts[KR_FLAGS_VERDICTS]; /* of the list's cases */
	size_t refusing;                  /* cases of the list */
	uint64_t others;                  /* results of cases that the list hasn't got */
	struct kr_flags_deqp_file *files;
	size_t file_count;
	uint32_t unended; /* sessions, in all files */
};

/*
 * Reads the list and the results, and judges. 0, also when the level doesn't hold, or -errno with
 * the reason in `why`: something can't be read, or isn't what it should be. On a terminal, standard
 * error shows how far it is. kr_flags_deqp_finish in either case.
 */
int kr_flags_deqp_judge(struct kr_flags_deqp *deqp, const struct kr_flags_paths *results,
	const char *list, char why[KR_FLAGS_WHY]) KR_MUST_CHECK;
void kr_flags_deqp_finish(struct kr_flags_deqp *deqp);

#endif
