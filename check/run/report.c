/* SPDX-License-Identifier: Apache-2.0 */
/* What all reports have in common. */
#include "check/run/report.h"

const char *
check_verdict_word(const struct check_result *result)
{
	switch (result->verdict) {
	case CHECK_HELD:
		return "held";
	case CHECK_NOT_APPLICABLE:
		return "not applicable";
	case CHECK_SKIPPED:
		return "skipped";
	default:
		return result->row->optional ? "remark" : "failed";
	}
}

void
check_totals_add(struct check_totals *totals, const struct check_result *result)
{
	switch (result->verdict) {
	case CHECK_HELD:
		totals->held++;
		break;
	case CHECK_NOT_APPLICABLE:
		totals->not_applicable++;
		break;
	case CHECK_SKIPPED:
		totals->skipped++;
		break;
	default:
		if (result->row->optional)
			totals->remarks++;
		else
			totals->failed++;
	}
}

const char *
check_driver_kind(const struct check_driver *driver)
{
	return driver->icd ? "through Krafla's adapter" : "HAL module";
}
