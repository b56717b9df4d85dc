/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of dEQP: a .qpa file. It is text in which lines that begin with '#' frame what stands
 * between them (as qpTestLog of VK-GL-CTS writes them):
 *
 *     #sessionInfo releaseName ...
 *     #beginSession
 *     #beginTestCaseResult dEQP-VK.api.smoke.create_sampler
 *     <?xml ...> ... <Result StatusCode="Pass">...</Result> ...
 *     #endTestCaseResult                  or #terminateTestCaseResult Crash
 *     #endSession
 *
 * Between the frames stand logs, with pictures and the text of shaders, whose lines may begin with
 * '#' too. Files have gigabytes and lines of any length: of each line only the beginning is kept.
 */
#ifndef KR_TOOLS_FEATURES_DEQP_LOG_H
#define KR_TOOLS_FEATURES_DEQP_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/features/deqp/cases.h"
#include "util/macros.h"

struct kr_flags_log_sink {
	/* One case ended, or never did. The name ends with NUL. */
	void (*result)(void *data, const char *name, enum kr_flags_verdict verdict);
	/* Now and then; may be NULL. */
	void (*progress)(void *data, uint64_t done, uint64_t size);
	void *data;
};

struct kr_flags_log_facts {
	uint64_t results;
	uint32_t sessions;
	uint32_t unended; /* sessions without a beginning or an end */
	char release[64]; /* of the first session; "" when it says none */
};

/*
 * Reads one file. 0 or -errno, with the reason in `why`: it can't be read, is no regular file, or
 * has no session, so it is no file of results.
 */
int kr_flags_log_read(const char *path, const struct kr_flags_log_sink *sink,
	struct kr_flags_log_facts *facts, char why[KR_FLAGS_WHY]) KR_MUST_CHECK;

/* "Pass", "missing": as the format or we call it. */
const char *kr_flags_verdict_name(enum kr_flags_verdict verdict);

#endif
