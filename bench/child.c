/* SPDX-License-Identifier: Apache-2.0 */
/* Children of krafla-bench: what they see of the machine, and the medians of what they print. */
#include "bench/bench.h"

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WORDS 600 /* a sandbox takes most of them */

void
kr_bench_isolate(const char *const *environment)
{
	extern char **environ;
	static char hidden[][32] = {"HOME=/nonexistent", "XDG_CONFIG_DIRS=/nonexistent",
		"XDG_CONFIG_HOME=/nonexistent", "XDG_DATA_DIRS=/nonexistent",
		"XDG_DATA_HOME=/nonexistent"};

	for (char **entry = environ; *entry;) {
		char name[128];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*entry, "="), *entry);
		if (strncmp(name, "VK_", 3) && strncmp(name, "KRAFLA_", 7) &&
			strncmp(name, "__EGL_", 6))
			entry++;
		else if (unsetenv(name) || !strcmp(name, "="))
			break;
	}
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		putenv(hidden[i]);
	for (; environment && *environment; environment++)
		putenv((char *)*environment);
}

static void
exec_child(struct kr_bench *bench, const char *const *wrap, const char *const *arguments,
	const char *const *environment, int out)
{
	const char *argv[MAX_WORDS];
	unsigned n = 0;

	while (wrap && *wrap && n < MAX_WORDS - 4)
		argv[n++] = *wrap++;
	argv[n++] = bench->self;
	argv[n++] = "--child";
	while (*arguments && n < MAX_WORDS - 1)
		argv[n++] = *arguments++;
	argv[n] = NULL;
	kr_bench_isolate(environment);
	dup2(out, STDOUT_FILENO);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

int
kr_bench_spawn(struct kr_bench *bench, const char *const *wrap, const char *const *arguments,
	const char *const *environment, struct kr_bench_process *process)
{
	int ends[2];

	*process = (struct kr_bench_process){.out = -1};
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	process->pid = fork();
	if (process->pid == 0)
		exec_child(bench, wrap, arguments, environment, ends[1]);
	close(ends[1]);
	process->out = ends[0];
	return process->pid > 0 ? 0 : -1;
}

int
kr_bench_collect(struct kr_bench_process *process, char *out, unsigned size)
{
	unsigned len = 0;
	int status = -1;
	ssize_t got;

	while (process->out >= 0 && len + 1 < size &&
		(got = read(process->out, out + len, size - 1 - len)) > 0)
		len += (unsigned)got;
	out[len] = '\0';
	if (process->out >= 0)
		close(process->out);
	if (process->pid > 0)
		waitpid(process->pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int
kr_bench_child(struct kr_bench *bench, const char *const *arguments, const char *const *environment,
	char *out, unsigned size)
{
	struct kr_bench_process process;

	(void)kr_bench_spawn(bench, NULL, arguments, environment, &process);
	return kr_bench_collect(&process, out, size);
}

void
kr_bench_child_numbers(struct kr_bench *bench, const char *const *arguments,
	const char *const *environment, double numbers[KR_BENCH_NUMBERS])
{
	char out[512], *at = out, *end;

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

/* One run of one loader. */
static void
run_once(struct kr_bench *bench, const char *child, const char *loader, const char *const *more,
	const char *const *environment, double numbers[KR_BENCH_NUMBERS])
{
	const char *arguments[12] = {child, loader};
	unsigned count = 2;

	for (; more && *more && count < 8; more++)
		arguments[count++] = *more;
	kr_bench_child_numbers(bench, arguments, environment, numbers);
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
kr_bench_drivers(const struct kr_bench *bench, char *text, size_t size)
{
	const char *data = getenv("XDG_DATA_DIRS");
	glob_t found = {0};

	if (bench->drivers)
		snprintf(text, size, "VK_DRIVER_FILES=%s", bench->drivers);
	else if (!glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found))
		snprintf(text, size, "VK_DRIVER_FILES=%s", found.gl_pathv[0]);
	else
		snprintf(text, size, "XDG_DATA_DIRS=%s",
			data && *data ? data : "/usr/local/share:/usr/share");
	globfree(&found);
}

void
kr_bench_null_driver(const struct kr_bench *bench, char *text, size_t size)
{
	snprintf(text, size, "VK_DRIVER_FILES=%s", bench->null_manifest);
}
