/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-probe LIBRARY TIMEOUT_MS [open]: opens a driver as the loader would, makes an instance and counts its
 * devices (with `open` it opens the library and calls nothing); says on its standard output what came of it, as discover/probe_run.c reads it. Started by the loader (with
 * KRAFLA_PROBE) and by `krafla explain`.
 *
 * A child does it, and this process watches: it tells of a child that crashes, and kills one that takes too
 * long. The child says through a pipe how far it is, a step a byte.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "discover/internal.h"
#include "discover/library.h"
#include "discover/probe.h"
#include "util/clock.h"

enum step { OPEN, CONNECT, CREATE, ENUMERATE, DESTROY, DONE, STEPS };

static const char *const step_names[STEPS] = {
	[OPEN] = "while it was opened",
	[CONNECT] = "while its interface was agreed on",
	[CREATE] = "in vkCreateInstance",
	[ENUMERATE] = "in vkEnumeratePhysicalDevices",
	[DESTROY] = "in vkDestroyInstance",
};

/* What goes through the pipe: a step, and at last how many devices there are. */
struct message {
	enum step step;
	int devices;
};

static void
tell(int fd, enum step step, int devices)
{
	const struct message message = {step, devices};

	while (write(fd, &message, sizeof(message)) < 0 && errno == EINTR)
		continue;
}

static int
count_devices(const struct kr_driver *driver, int fd)
{
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	PFN_vkEnumeratePhysicalDevices enumerate;
	PFN_vkDestroyInstance destroy;
	VkInstance instance = NULL;
	uint32_t count = 0;

	tell(fd, CREATE, -1);
	if (driver->create_instance(&info, NULL, &instance) != VK_SUCCESS)
		return -1;
	tell(fd, ENUMERATE, -1);
	enumerate = (PFN_vkEnumeratePhysicalDevices)driver->get_instance_proc_addr(
		instance, "vkEnumeratePhysicalDevices");
	if (!enumerate || enumerate(instance, &count, NULL) != VK_SUCCESS)
		return -1;
	tell(fd, DESTROY, (int)count);
	destroy = (PFN_vkDestroyInstance)driver->get_instance_proc_addr(
		instance, "vkDestroyInstance");
	if (destroy)
		destroy(instance, NULL);
	return (int)count;
}

/* A driver that can't be used is no bad one: the loader will see that for itself. */
static int
open_driver(const char *path, bool open_only, int fd)
{
	struct kr_driver *driver = kr_driver_create(KR_DRIVER_MANIFEST, path, NULL);
	struct kr_library *library;
	char *reason = NULL;
	bool hal;

	tell(fd, OPEN, -1);
	if (!driver || kr_library_open(KR_DRIVER_MANIFEST, path, "probe", &library, &reason))
		return -1;
	kr_driver_take_library(driver, library);
	if (open_only)
		return -1;
	tell(fd, CONNECT, -1);
	hal = dlsym(library->dso, HAL_MODULE_INFO_SYM_AS_STR);
	if (hal ? kr_hal_connect(driver, &reason) : kr_icd_connect(driver, &reason))
		return -1;
	return count_devices(driver, fd);
}

/* The child. What the driver prints must not come between: standard output is not the answer's any more. */
static _Noreturn void
try_driver(const char *path, bool open_only, int fd)
{
	const struct rlimit no_core = {0, 0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	setrlimit(RLIMIT_CORE, &no_core);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	tell(fd, DONE, open_driver(path, open_only, fd));
	_exit(0);
}

/* Reads how far the child comes until it is done, gone or out of time; false for the last. */
static bool
watch(int fd, int64_t deadline, struct message *last)
{
	while (last->step != DONE) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		struct message message;
		ssize_t got;

		if (kr_clock_now() >= deadline)
			return false;
		if (poll(&poll_fd, 1, kr_deadline_poll_ms(deadline)) <= 0)
			continue;
		got = read(fd, &message, sizeof(message));
		if (got < 0 && errno == EINTR)
			continue;
		if (got != sizeof(message) || message.step >= STEPS)
			return true;
		*last = message;
	}
	return true;
}

static void
answer(bool in_time, const struct message *last, int status, const char *timeout)
{
	const char *where = last->step == DONE ? "" : step_names[last->step];

	if (last->step == DONE)
		printf("%d %d success\n", KR_PROBE_WORKS, last->devices);
	else if (!in_time)
		printf("%d -1 nothing for %s ms %s\n", KR_PROBE_HUNG, timeout, where);
	else if (WIFSIGNALED(status))
		printf("%d -1 signal %d (%s) %s\n", KR_PROBE_CRASHED, WTERMSIG(status),
			strsignal(WTERMSIG(status)), where);
	else
		printf("%d -1 exit code %d %s\n", KR_PROBE_CRASHED, WEXITSTATUS(status), where);
}

int
main(int argc, char **argv)
{
	struct message last = {OPEN, -1};
	int fds[2], status = 0;
	bool in_time;
	pid_t child;

	if (argc < 3 || argc > 4 || atoi(argv[2]) <= 0 || (argc == 4 && strcmp(argv[3], "open"))) {
		fputs("usage: krafla-probe LIBRARY TIMEOUT_MS [open]\n", stderr);
		return 2;
	}
	if (pipe2(fds, O_CLOEXEC))
		return 125;
	child = fork();
	if (child < 0)
		return 125;
	if (!child)
		try_driver(argv[1], argc == 4, fds[1]);
	close(fds[1]);
	in_time = watch(fds[0], kr_deadline_in((uint64_t)atoi(argv[2]) * 1000000), &last);
	/* Its whole group: a driver may have started processes. What has ended keeps its status. */
	kill(-child, SIGKILL);
	kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	answer(in_time, &last, status, argv[2]);
	return fflush(stdout) ? 125 : 0;
}
