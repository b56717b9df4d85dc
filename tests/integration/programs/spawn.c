/* SPDX-License-Identifier: Apache-2.0 */
/* Child programs with a time limit. */
#include "spawn.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define MAX_TEXT 8192

static char texts[8 * MAX_TEXT];
static size_t texts_used;

static long long
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* What reaches the loader or the programs from whoever runs the tests. */
static void
forget_environment(void)
{
	extern char **environ;
	static const char *const names[] = {"DISPLAY", "WAYLAND_DISPLAY", "LD_LIBRARY_PATH",
		"LD_PRELOAD", "GLIBC_TUNABLES", "EGL_PLATFORM", "__EGL_VENDOR_LIBRARY_DIRS",
		"__EGL_VENDOR_LIBRARY_FILENAMES"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	for (char **entry = environ; *entry;) {
		char name[64];
		int len = (int)strcspn(*entry, "=");

		if (len < (int)sizeof(name) &&
			(!strncmp(*entry, "VK_", 3) ||
				(!strncmp(*entry, "KRAFLA_", 7) &&
					strncmp(*entry, "KRAFLA_PREFIX=", 14)))) {
			snprintf(name, sizeof(name), "%.*s", len, *entry);
			unsetenv(name);
		} else {
			entry++;
		}
	}
}

static void
exec_child(const char *const *argv, const char *const *env, int out)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	forget_environment();
	for (; env && *env; env++)
		putenv((char *)*env);
	execvp(argv[0], (char *const *)argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

void
spawn_start(struct spawn *child, const char *const *argv, const char *const *env)
{
	int ends[2];

	*child = (struct spawn){.code = -1};
	child->output = calloc(1, SPAWN_OUTPUT);
	assert_non_null(child->output);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child->pid = fork();
	if (child->pid == 0)
		exec_child(argv, env, ends[1]);
	close(ends[1]);
	child->out = ends[0];
	assert_true(child->pid > 0);
}

/* Reads what is there within `ms`; false at the end of output. */
static bool
read_some(struct spawn *child, int ms)
{
	struct pollfd p = {.fd = child->out, .events = POLLIN};
	size_t len = strlen(child->output);
	char rest[4096];
	ssize_t got;

	if (poll(&p, 1, ms) <= 0)
		return true;
	got = read(child->out, rest, sizeof(rest));
	if (got <= 0)
		return false;
	if (len + (size_t)got < SPAWN_OUTPUT)
		memcpy(child->output + len, rest, (size_t)got);
	return true;
}

bool
spawn_wait_for(struct spawn *child, const char *text, unsigned limit_s)
{
	long long end = now_ms() + limit_s * 1000LL;

	while (!strstr(child->output, text)) {
		if (now_ms() > end || !read_some(child, 50))
			return strstr(child->output, text) != NULL;
	}
	return true;
}

bool
spawn_wait_for_end_of_output(struct spawn *child, unsigned limit_s)
{
	long long end = now_ms() + limit_s * 1000LL;

	while (read_some(child, 50)) {
		if (now_ms() > end)
			return false;
	}
	return true;
}

void
spawn_wait(struct spawn *child, unsigned limit_s)
{
	long long end = now_ms() + limit_s * 1000LL;
	bool open = true;
	int status;

	while (waitpid(child->pid, &status, WNOHANG) == 0) {
		if (now_ms() > end) {
			kill(child->pid, SIGKILL);
			waitpid(child->pid, &status, 0);
			print_message(
				"killed after %u s; it had printed:\n%s\n", limit_s, child->output);
			return;
		}
		if (open)
			open = read_some(child, 20);
		else
			poll(NULL, 0, 20);
	}
	for (int i = 0; open && i < 64; i++)
		open = read_some(child, 0);
	child->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	child->pid = 0;
}

void
spawn_run(struct spawn *child, unsigned limit_s, const char *const *argv, const char *const *env)
{
	spawn_start(child, argv, env);
	spawn_wait(child, limit_s);
}

void
spawn_finish(struct spawn *child)
{
	if (child->pid > 0) {
		kill(child->pid, SIGKILL);
		waitpid(child->pid, NULL, 0);
	}
	if (child->output)
		close(child->out);
	free(child->output);
	*child = (struct spawn){.code = -1};
}

void
expect_code(const struct spawn *child, int code)
{
	if (child->code != code)
		fail_msg("exit code %d where %d was due; it printed:\n%s", child->code, code,
			child->output);
}

void
expect_text(const struct spawn *child, const char *text)
{
	if (!strcasestr(child->output, text))
		fail_msg("'%s' isn't in what it printed:\n%s", text, child->output);
}

void
expect_no_text(const struct spawn *child, const char *text)
{
	if (strcasestr(child->output, text))
		fail_msg("'%s' is in what it printed:\n%s", text, child->output);
}

/* Into memory that lives as long as the case, which is a process. */
static const char *
keep_text(const char *before, const char *middle, const char *after)
{
	char text[MAX_TEXT];
	int len = snprintf(text, sizeof(text), "%s%s%s", before, middle, after) + 1;
	char *kept = texts + texts_used;

	assert_true(len <= MAX_TEXT && texts_used + (size_t)len <= sizeof(texts));
	memcpy(kept, text, (size_t)len);
	texts_used += (size_t)len;
	return kept;
}

const char *
env_text(const char *name, const char *value)
{
	return keep_text(name, "=", value);
}

const char *
prefix_path(const char *name)
{
	const char *prefix = getenv("KRAFLA_PREFIX");

	if (!prefix)
		fail_msg("KRAFLA_PREFIX names no prefix: run this by `meson test`");
	return keep_text(prefix, "/", name);
}

const char *
library_env(void)
{
	return env_text("LD_LIBRARY_PATH", prefix_path("lib"));
}

const char *
lavapipe_manifest(void)
{
	const char *path = NULL;
	glob_t found = {0};

	struct utsname name;
	size_t chosen = 0;

	/* Another architecture's may be there too: their names tell them apart. */
	(void)!glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found);
	for (size_t i = 0; !uname(&name) && i < found.gl_pathc; i++) {
		if (strstr(found.gl_pathv[i], name.machine))
			chosen = i;
	}
	if (found.gl_pathc)
		path = keep_text(found.gl_pathv[chosen], "", "");
	globfree(&found);
	return path;
}

/* Of the kind that this program is: class and machine. */
static bool
is_of_this_architecture(const char *path)
{
	Elf64_Ehdr own, other; /* e_machine is at one place in both classes */
	int fds[2] = {
		open("/proc/self/exe", O_RDONLY | O_CLOEXEC), open(path, O_RDONLY | O_CLOEXEC)};
	bool same = pread(fds[0], &own, sizeof(own), 0) == sizeof(own) &&
		pread(fds[1], &other, sizeof(other), 0) == sizeof(other) &&
		!memcmp(own.e_ident, other.e_ident, EI_DATA + 1) &&
		own.e_machine == other.e_machine;

	close(fds[0]);
	close(fds[1]);
	return same;
}

const char *
system_loader(void)
{
	const char *path = NULL;
	glob_t found = {0};

	(void)!glob("/usr/lib/*-linux-gnu*/libvulkan.so.1", 0, NULL, &found);
	for (size_t i = 0; !path && i < found.gl_pathc; i++) {
		if (is_of_this_architecture(found.gl_pathv[i]))
			path = keep_text(found.gl_pathv[i], "", "");
	}
	globfree(&found);
	assert_non_null(path);
	return path;
}

const char *
lavapipe_env(void)
{
	return env_text("VK_DRIVER_FILES", lavapipe_manifest());
}

void
skip_without_lavapipe(void)
{
	if (!lavapipe_manifest())
		kr_test_skip("no-lavapipe", "no lvp_icd*.json in /usr/share/vulkan/icd.d");
}
