/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of a process, as a verdict. Nothing that the case left in shared memory is believed:
 * it ran beside the driver.
 */
#include "check/run/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "check/run/words.h"
#include "util/clock.h"

static void
copy_calls(const struct check_shared *shared, struct check_result *result)
{
	uint32_t count = atomic_load(&shared->call_count),
		 first = count - KR_MIN(count, CHECK_CALLS);

	result->call_count = count - first;
	for (unsigned i = 0; i < result->call_count; i++) {
		struct check_called *call = &result->calls[i];

		*call = shared->calls[(first + i) % CHECK_CALLS];
		check_clean(call->name, sizeof(call->name));
	}
}

static void
copy_remarks(const struct check_shared *shared, struct check_result *result)
{
	result->remark_count = KR_MIN(atomic_load(&shared->remark_count), CHECK_REMARKS);
	for (unsigned i = 0; i < result->remark_count; i++) {
		memcpy(result->remarks[i], shared->remarks[i], sizeof(result->remarks[i]));
		check_clean(result->remarks[i], sizeof(result->remarks[i]));
	}
}

static void
describe_end(const struct check_process *process, struct check_result *result)
{
	char where[80] = "";

	if (result->call_count)
		snprintf(where, sizeof(where), ", in or after %s",
			result->calls[result->call_count - 1].name);
	result->verdict = CHECK_FAILED;
	if (process->hung)
		snprintf(result->seen, sizeof(result->seen), "it hung: not done after %u s%s",
			process->timeout_s, where);
	else if (WIFSIGNALED(process->status))
		snprintf(result->seen, sizeof(result->seen), "it crashed: signal %d (%s)%s",
			WTERMSIG(process->status), strsignal(WTERMSIG(process->status)), where);
	else
		snprintf(result->seen, sizeof(result->seen),
			"the process ended by itself with exit code %d%s",
			WEXITSTATUS(process->status), where);
}

void
check_process_result(const struct check_process *process, struct check_result *result)
{
	const struct check_shared *shared = process->shared;
	int verdict = atomic_load(&shared->verdict);

	copy_calls(shared, result);
	copy_remarks(shared, result);
	result->seconds = (double)(kr_clock_now() - process->started_ns) / KR_NSEC_PER_SEC;
	result->hung = process->hung;
	if (!process->hung && WIFSIGNALED(process->status))
		result->signal = WTERMSIG(process->status);
	result->trace = check_words(process->trace.text, process->trace.size);
	result->output = check_words(process->output.text, process->output.size);
	result->output_lost = process->output.lost;
	/* A verdict that came before a crash at the end is none. */
	if (process->hung || !WIFEXITED(process->status) || WEXITSTATUS(process->status) ||
		verdict <= CHECK_NO_VERDICT || verdict >= CHECK_VERDICTS) {
		describe_end(process, result);
		return;
	}
	result->verdict = verdict;
	if (verdict == CHECK_HELD)
		return;
	memcpy(result->seen, shared->seen, sizeof(result->seen));
	check_clean(result->seen, sizeof(result->seen));
}
