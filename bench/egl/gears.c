/* SPDX-License-Identifier: Apache-2.0 */
/* The frames that Debian's es2gears_x11 counts in its first five seconds, under Xvfb. */
#include "bench/egl/rows.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME     "es2gears_x11"
#define LIMIT_MS 15000

/* Its lines are to come at once, though they go to a pipe. */
static void
become(struct kr_bench *bench, enum egl_way way, const char *display, int out)
{
	const char *environment[4] = {display};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	egl_vendors(bench, way, environment + 1);
	kr_bench_isolate(environment);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execlp("stdbuf", "stdbuf", "-oL", "es2gears_x11", (char *)NULL);
	_exit(127);
}

/* What it says first; below 0 when it says nothing. */
static double
read_rate(int out)
{
	struct pollfd p = {.fd = out, .events = POLLIN};
	char text[2048] = "";
	size_t length = 0;
	const char *end;

	while (!(end = strstr(text, " FPS")) && length + 1 < sizeof(text)) {
		ssize_t got;

		if (poll(&p, 1, LIMIT_MS) != 1)
			return -1;
		got = read(out, text + length, sizeof(text) - 1 - length);
		if (got <= 0)
			return -1;
		length += (size_t)got;
		text[length] = '\0';
	}
	while (end && end > text && end[-1] != ' ')
		end--;
	return end ? atof(end) : -1;
}

static double
run_once(struct kr_bench *bench, enum egl_way way, const char *display)
{
	double rate;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (pid == 0)
		become(bench, way, display, ends[1]);
	close(ends[1]);
	rate = pid > 0 ? read_rate(ends[0]) : -1;
	close(ends[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return rate;
}

void
egl_rows_gears(struct kr_bench *bench)
{
	double rates[EGL_WAYS][KR_BENCH_MAX_REPEAT];
	char display[32];
	pid_t xvfb = kr_bench_start_xvfb(display, sizeof(display));
	bool failed = xvfb < 0;

	for (unsigned run = 0; !failed && run < bench->repeat; run++) {
		for (enum egl_way way = EGL_PLAIN; way < EGL_WAYS; way++) {
			rates[way][run] = run_once(bench, way, display);
			failed |= rates[way][run] <= 0;
		}
	}
	if (xvfb > 0)
		kr_bench_stop_xvfb(xvfb);
	if (failed)
		kr_bench_skip(bench, NAME, "Xvfb or es2gears_x11 failed");
	else
		kr_bench_row(bench, NAME, "frames/s",
			kr_bench_median(rates[EGL_KRAFLA], bench->repeat), "without Krafla",
			kr_bench_median(rates[EGL_PLAIN], bench->repeat), 0);
}
