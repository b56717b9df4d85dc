/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernel fences cost beside user-space fences and eventfds, in the machine of the lab: runs
 * krafla-bench, named by KRAFLA_LAB_BENCH, and shows its rows. Each must be there; none is judged:
 * the machine is emulated.
 */
#include "harness.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const wanted[] = {
	"fence create, signal, close",
	"fence merge of two",
	"fence status",
	"fence info",
	"fence wake of a thread",
	"kernel fence create, signal, close",
	"kernel fence merge of two",
	"kernel fence status",
	"kernel fence info",
	"kernel fence wake of a thread",
};

static json_t *
run_bench(void)
{
	const char *path = kr_test_file("report.json", "");
	const char *bench = getenv("KRAFLA_LAB_BENCH");
	json_error_t error;
	json_t *report;
	int status = 0;
	pid_t pid;

	assert_non_null(bench);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		execl(bench, bench, "--quick", "--repeat", "3", "--json", path, "fences", NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	report = json_load_file(path, 0, &error);
	assert_non_null(report);
	return report;
}

static bool
show(json_t *rows, const char *name)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row)
	{
		const char *this = json_string_value(json_object_get(row, "name"));
		char *text;

		if (!this || strcmp(this, name))
			continue;
		text = json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(4));
		printf("# %s\n", text);
		free(text);
		return json_number_value(json_object_get(row, "value")) > 0;
	}
	return false;
}

static void
fences(void **state)
{
	json_t *report = run_bench();

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (!show(json_object_get(report, "rows"), wanted[i]))
			fail_msg("krafla-bench has no value for '%s'", wanted[i]);
	}
	json_decref(report);
}

static const struct kr_test tests[] = {KR_TEST_SLOW(fences, KR_TEST_KEEPS_MEMORY, 100)};

KR_TEST_MAIN(tests)
