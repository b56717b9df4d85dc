/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/egl_costs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/macros.h"

#define LARGEST (UINT64_C(1) << 53) /* that JSON's readers all have, and sums of which fit */

/* In the order of egl/vendor/report.h. */
struct cost {
	uint64_t frames;
	uint64_t copies;
	uint64_t copied_bytes;
	uint64_t cpu_waits;
	uint64_t cpu_waits_late;
	uint64_t cpu_wait_ns;
};

/* A memfd, or a file of tmpfs: nobody makes who reads that wait, as a pipe or FUSE could. */
static bool
is_memory(int fd, struct stat *status)
{
	return fcntl(fd, F_GET_SEALS) >= 0 && !fstat(fd, status) && S_ISREG(status->st_mode);
}

static bool
is_new(const struct kr_run_costs *costs, const struct stat *status)
{
	for (unsigned i = 0; i < costs->count; i++) {
		if (costs->of[i].device == status->st_dev && costs->of[i].number == status->st_ino)
			return false;
	}
	return costs->count < KR_RUN_COSTS_PROCESSES;
}

void
kr_run_costs_take(struct kr_run_costs *costs, int take_fd)
{
	struct stat status;

	if (!is_memory(take_fd, &status) || !is_new(costs, &status)) {
		kr_fd_close(&take_fd);
		return;
	}
	costs->of[costs->count].fd = take_fd;
	costs->of[costs->count].device = status.st_dev;
	costs->of[costs->count].number = status.st_ino;
	costs->count++;
}

void
kr_run_costs_finish(struct kr_run_costs *costs)
{
	while (costs->count)
		kr_fd_close(&costs->of[--costs->count].fd);
}

/* False: they are no numbers. It isn't mapped: whoever has it might make it smaller. */
static bool
read_cost(int fd, struct cost *cost)
{
	uint64_t numbers[sizeof(*cost) / sizeof(uint64_t)];

	if (pread(fd, numbers, sizeof(numbers), 0) != (ssize_t)sizeof(numbers))
		return false;
	for (size_t i = 0; i < KR_ARRAY_LEN(numbers); i++) {
		if (numbers[i] > LARGEST)
			return false;
	}
	memcpy(cost, numbers, sizeof(*cost));
	return true;
}

static struct cost
sum_up(const struct kr_run_costs *costs)
{
	struct cost sum = {0}, cost;

	for (unsigned i = 0; i < costs->count; i++) {
		if (!read_cost(costs->of[i].fd, &cost))
			continue;
		sum.frames += cost.frames;
		sum.copies += cost.copies;
		sum.copied_bytes += cost.copied_bytes;
		sum.cpu_waits += cost.cpu_waits;
		sum.cpu_waits_late += cost.cpu_waits_late;
		sum.cpu_wait_ns += cost.cpu_wait_ns;
	}
	return sum;
}

void
kr_run_costs_print(const struct kr_run_costs *costs, FILE *out)
{
	const struct cost sum = sum_up(costs);
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
	const struct cost sum = sum_up(costs);

	if (!costs->count)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "frames", (json_int_t)sum.frames,
		"copies", (json_int_t)sum.copies, "copied_bytes", (json_int_t)sum.copied_bytes,
		"cpu_waits", (json_int_t)sum.cpu_waits, "cpu_waits_late",
		(json_int_t)sum.cpu_waits_late, "cpu_wait_ns", (json_int_t)sum.cpu_wait_ns);
}
