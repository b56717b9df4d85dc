/* SPDX-License-Identifier: Apache-2.0 */
/* Children of krafla-bench: what they see of the machine, and the medians of what they print. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WORDS 12

/* Keeps the machine's own manifests, layers and settings out of the comparison. */
static void
isolate(void)
{
	extern char **environ;
	static char hidden[][32] = {"HOME=/nonexistent", "XDG_CONFIG_DIRS=/nonexistent",
		"XDG_CONFIG_HOME=/nonexistent", "XDG_DATA_DIRS=/nonexistent",
		"XDG_DATA_HOME=/nonexistent"};

	for (char **entry = environ; *entry;) {
		char name[128];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*entry, "="), *entry);
		if (strncmp(name, "VK_", 3) && strncmp(name, "KRAFLA_", 7))
			entry++;
		else if (unsetenv(name) || !strcmp(name, "="))
			break;
	}
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		putenv(hidden[i]);
}

static void
exec_child(struct kr_bench *bench, const char *const *arguments, const char *const *environment,
	int out)
{
	const char *argv[MAX_WORDS] = {bench->self, "--child"};
	unsigned n = 2;

	while (*arguments && n < MAX_WORDS - 1)
		argv[n++] = *arguments++;
	argv[n] = NULL;
	isolate();
	for (; environment && *environment; environment++)
		putenv((char *)*environment);
	dup2(out, STDOUT_FILENO);
	execv(bench->self, (char *const *)argv);
	_exit(127);
}

int
kr_bench_child(struct kr_bench *bench, const char *const *arguments, const char *const *environment,
	char *out, unsigned size)
{
	unsigned len = 0;
	int ends[2], status = -1;
	ssize_t got;
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (pid == 0)
		exec_child(bench, arguments, environment, ends[1]);
	close(ends[1]);
	while (len + 1 < size && (got = read(ends[0], out + len, size - 1 - len)) > 0)
		len += (unsigned)got;
	out[len] = '\0';
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* One run of one loader; NAN for what it did not print. */
static void
run_once(struct kr_bench *bench, const char *child, const char *loader, const char *const *more,
	const char *const *environment, double numbers[KR_BENCH_NUMBERS])
{
	const char *arguments[MAX_WORDS] = {child, loader};
	char out[512], *at = out, *end;
	unsigned count = 2;

	for (; more && *more && count < 8; more++)
		arguments[count++] = *more;
	for (unsigned i = 0; i < KR_BENCH_NUMBERS; i++)
		numbers[i] = NAN;
	if (kr_bench_child(bench, arguments, environment, out, sizeof(out)))
		return;
	for (unsigned i = 0; i < KR_BENCH_NUMBERS; i++, at = end) {
		double value = strtod(at, &end);

		if (end == at)
			break;
		numbers[i] = value;
	}
}

void
kr_bench_measure(struct kr_bench *bench, const char *child, const char *const *more,
	const char *const *environment, double numbers[KR_BENCH_LOADERS][KR_BENCH_NUMBERS])
{
	double runs[KR_BENCH_LOADERS][KR_BENCH_MAX_REPEAT][KR_BENCH_NUMBERS];
	double column[KR_BENCH_MAX_REPEAT];

	for (unsigned run = 0; run < bench->repeat; run++) {
		for (unsigned i = 0; i < KR_BENCH_LOADERS; i++) {
			if (bench->loaders[i])
				run_once(bench, child, bench->loaders[i], more, environment,
					runs[i][run]);
		}
	}
	for (unsigned i = 0; i < KR_BENCH_LOADERS; i++) {
		for (unsigned n = 0; n < KR_BENCH_NUMBERS; n++) {
			bool missing = !bench->loaders[i];

			for (unsigned run = 0; !missing && run < bench->repeat; run++) {
				column[run] = runs[i][run][n];
				missing = isnan(column[run]);
			}
			numbers[i][n] = missing ? NAN : kr_bench_median(column, bench->repeat);
		}
	}
}

void
kr_bench_null_driver(const struct kr_bench *bench, char *text, size_t size)
{
	snprintf(text, size, "VK_DRIVER_FILES=%s", bench->null_manifest);
}
