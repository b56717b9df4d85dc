/* SPDX-License-Identifier: Apache-2.0 */
/* The table of this folder. */
#include "check/robust/robust.h"

static const struct check_rows *const files[] = {
	&check_robust_groups,
	&check_robust_threads,
	&check_robust_queues,
	&check_robust_loss,
	&check_robust_processes,
	&check_robust_memory,
	&check_robust_limits,
	&check_robust_leaks,
};

const struct check_table check_table_robust = {"robust", files, KR_ARRAY_LEN(files)};
