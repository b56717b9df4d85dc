/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/egl_costs.h"

#include <inttypes.h>
#include <string.h>

#define LARGEST (UINT64_C(1) << 53) /* that JSON's readers all have, and sums of which fit */

void
kr_run_costs_take(struct kr_run_costs *costs, pid_t pid, const char *text)
{
	struct kr_run_cost cost;
	unsigned i;

	if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		    &cost.frames, &cost.copies, &cost.copied_bytes, &cost.cpu_waits,
		    &cost.cpu_waits_late, &cost.cpu_wait_ns) != 6 ||
		cost.frames > LARGEST || cost.copies > LARGEST || cost.copied_bytes > LARGEST ||
		cost.cpu_waits > LARGEST || cost.cpu_waits_late > LARGEST ||
		cost.cpu_wait_ns > LARGEST)
		return;
	for (i = 0; i < costs->count && costs->of[i].pid != pid; i++)
		;
	if (i == KR_RUN_COSTS_PROCESSES)
		return;
	costs->count += i == costs->count;
	costs->of[i].pid = pid;
	costs->of[i].cost = cost;
}

static struct kr_run_cost
sum_up(const struct kr_run_costs *costs)
{
	struct kr_run_cost sum = {0};

	for (unsigned i = 0; i < costs->count; i++) {
		const struct kr_run_cost *cost = &costs->of[i].cost;

		sum.frames += cost->frames;
		sum.copies += cost->copies;
		sum.copied_bytes += cost->copied_bytes;
		sum.cpu_waits += cost->cpu_waits;
		sum.cpu_waits_late += cost->cpu_waits_late;
		sum.cpu_wait_ns += cost->cpu_wait_ns;
	}
	return sum;
}

void
kr_run_costs_print(const struct kr_run_costs *costs, FILE *out)
{
	const struct kr_run_cost sum = sum_up(costs);
	const char *between = "  egl        ";

	if (sum.frames) {
		fprintf(out, "%s%" PRIu64 " frames, %" PRIu64 " copied (%.1f MB)", between,
			sum.frames, sum.copies, (double)sum.copied_bytes / 1e6);
		between = "; ";
	}
	if (sum.cpu_waits) {
		fprintf(out, "%s%" PRIu64 " waits on the CPU for fences, %.2f ms", between,
			sum.cpu_waits, (double)sum.cpu_wait_ns / 1e6);
		between = "; ";
	}
	if (sum.cpu_waits_late)
		fprintf(out, ", %" PRIu64 " given up", sum.cpu_waits_late);
	if (sum.frames || sum.cpu_waits)
		fputc('\n', out);
}

json_t *
kr_run_costs_json(const struct kr_run_costs *costs)
{
	const struct kr_run_cost sum = sum_up(costs);

	if (!costs->count)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "frames", (json_int_t)sum.frames,
		"copies", (json_int_t)sum.copies, "copied_bytes", (json_int_t)sum.copied_bytes,
		"cpu_waits", (json_int_t)sum.cpu_waits, "cpu_waits_late",
		(json_int_t)sum.cpu_waits_late, "cpu_wait_ns", (json_int_t)sum.cpu_wait_ns);
}
