/* SPDX-License-Identifier: Apache-2.0 */
/* Counts messages by the second. */
#include "util/log_budget.h"

#include "util/clock.h"

/* The seconds of a kind begin with a message, so that the first ones are always told. */
static void
begin_second(struct kr_log_budget *budget, uint32_t bits)
{
	int64_t now = kr_clock_now(), until = atomic_load(&budget->until_ns);
	unsigned left_out;

	if (now < until ||
		!atomic_compare_exchange_strong(&budget->until_ns, &until, now + KR_NSEC_PER_SEC))
		return;
	atomic_store(&budget->told, 0);
	left_out = atomic_exchange(&budget->left_out, 0);
	if (left_out)
		kr_log(bits, "%u more messages like the next one were left out", left_out);
}

void
kr_log_limited(struct kr_log_budget *budget, uint32_t bits, const char *fmt, ...)
{
	va_list args;

	begin_second(budget, bits);
	if (atomic_fetch_add(&budget->told, 1) >= KR_LOG_BUDGET) {
		atomic_fetch_add(&budget->left_out, 1);
		return;
	}
	va_start(args, fmt);
	kr_vlog(bits, fmt, args);
	va_end(args);
}
