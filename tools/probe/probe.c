/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-probe LIBRARY TIMEOUT_MS [open]: opens a driver as the loader would, makes an instance and
 * counts its devices (with `open` it opens the library and calls nothing); says on its standard
 * output what came of it, as discover/probe_run.c reads it. Started by the loader (with
 * KRAFLA_PROBE) and by `krafla explain`.
 * krafla-probe --given mount|memory FD,FD... TIMEOUT_MS: the same for a driver as a client of the
 * loader service gets it, as inherited descriptors; and it says what each device is, as
 * discover/probe_device.h reads it. Started by the service. It is confined (confine.h): a line
 * "lacks TEXT" for each wall that can't be had and a line "tried TEXT" for each attempt at more
 * follow these.
 *
 * A child does it, and this process watches: it tells of a child that crashes, and kills one that
 * takes too long. The child says through a pipe how far it is, a step a byte.
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
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "discover/connect.h"
#include "discover/library.h"
#include "discover/probe.h"
#include "tools/probe/confine.h"
#include "tools/probe/describe.h"
#include "tools/probe/given.h"
#include "tools/probe/relay.h"
#include "util/clock.h"
#include "util/enumerate.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/text.h"

enum step { OPEN, CONNECT, CREATE, ENUMERATE, DESCRIBE, DESTROY, DONE, STEPS };

static const char *const step_names[STEPS] = {
	[OPEN] = "while it was opened",
	[CONNECT] = "while its interface was agreed on",
	[CREATE] = "in vkCreateInstance",
	[ENUMERATE] = "in vkEnumeratePhysicalDevices",
	[DESCRIBE] = "while a device was asked what it is",
	[DESTROY] = "in vkDestroyInstance",
};

/*
 * What goes through the pipe: a step, and at last how many devices there are, or why
 * that can't be said.
 */
struct message {
	enum step step;
	int devices;
	char why[KR_PROBE_TEXT_SIZE];
	bool describes; /* `device` is one of the devices */
	struct kr_probe_device device;
};

/* What the child told. */
struct story {
	struct message last;
	struct kr_probe_device devices[KR_PROBE_DEVICES_MAX];
	size_t device_count;
};

/* What is to be tried. */
struct subject {
	const char *path; /* NULL: given */
	const char *kind, *fds;
	bool open_only;
	const char *timeout;
};

static void
say(int fd, const struct message *message)
{
	while (write(fd, message, sizeof(*message)) < 0 && errno == EINTR)
		continue;
}

static void
tell_why(int fd, enum step step, int devices, const char *why)
{
	struct message message = {.step = step, .devices = devices};

	snprintf(message.why, sizeof(message.why), "%s", why);
	say(fd, &message);
}

static void
tell(int fd, enum step step, int devices)
{
	tell_why(fd, step, devices, "");
}

struct devices_question {
	PFN_vkEnumeratePhysicalDevices enumerate;
	VkInstance instance;
};

static VkResult
ask_devices(const void *context, uint32_t *count, void *items)
{
	const struct devices_question *question = context;

	return question->enumerate(question->instance, count, items);
}

static void
describe(const struct kr_driver *driver, VkInstance instance, bool properties2,
	const VkPhysicalDevice *devices, uint32_t count, int fd)
{
	struct message message = {.step = DESCRIBE, .devices = (int)count};

	for (uint32_t i = 0; i < count && i < KR_PROBE_DEVICES_MAX; i++) {
		message.describes = false;
		say(fd, &message);
		probe_describe(driver, instance, properties2, devices[i], &message.device);
		message.describes = true;
		say(fd, &message);
	}
}

/* As the loader asks, so that what it would meet is met here. The list is the caller's. */
static VkResult
list_devices(
	const struct devices_question *context, const char *name, uint32_t *count, void **items)
{
	const struct kr_enumeration question = {
		.ask = ask_devices,
		.context = context,
		.item_size = sizeof(VkPhysicalDevice),
		.most = KR_MOST_DEVICES,
		.who = name,
		.function = "vkEnumeratePhysicalDevices",
		.log = KR_LOG_DRIVER,
	};

	return kr_enumerate(&question, NULL, count, items);
}

/* `describes`: what they are, too. */
static int
count_devices(const struct kr_driver *driver, bool describes, int fd)
{
	static const char *const extensions[] = {
		VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME};
	const bool properties2 = describes && probe_has_properties2(driver);
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.enabledExtensionCount = properties2 ? 1 : 0,
		.ppEnabledExtensionNames = extensions};
	struct devices_question question = {0};
	PFN_vkDestroyInstance destroy;
	void *items = NULL;
	uint32_t count = 0;

	tell(fd, CREATE, -1);
	if (driver->create_instance(&info, NULL, &question.instance) != VK_SUCCESS ||
		!question.instance)
		return -1;
	tell(fd, ENUMERATE, -1);
	question.enumerate = (PFN_vkEnumeratePhysicalDevices)driver->get_instance_proc_addr(
		question.instance, "vkEnumeratePhysicalDevices");
	if (!question.enumerate ||
		list_devices(&question, driver->name, &count, &items) != VK_SUCCESS) {
		free(items);
		return -1;
	}
	if (describes)
		describe(driver, question.instance, properties2, items, count, fd);
	free(items);
	tell(fd, DESTROY, (int)count);
	destroy = (PFN_vkDestroyInstance)driver->get_instance_proc_addr(
		question.instance, "vkDestroyInstance");
	if (destroy)
		destroy(question.instance, NULL);
	return (int)count;
}

/*
 * A driver that can't be used is no bad one: the loader will see that for itself. How many devices
 * it has, or -1 with a reason if there is one to give.
 */
static int
open_driver(const struct subject *subject, int fd, char **reason)
{
	const char *name = subject->path ? subject->path : "given";
	struct kr_driver *driver = kr_driver_create(KR_DRIVER_MANIFEST, name, NULL);
	struct kr_driver_library *library;
	bool hal;
	int ret;

	tell(fd, OPEN, -1);
	if (!driver)
		return -1;
	ret = subject->path ? kr_driver_library_open(
				      KR_DRIVER_MANIFEST, subject->path, "probe", &library, reason)
			    : probe_open_given(subject->kind, subject->fds, &library, reason);
	if (ret)
		return -1;
	kr_driver_take_library(driver, library);
	if (subject->open_only)
		return -1;
	tell(fd, CONNECT, -1);
	hal = dlsym(library->dso, HAL_MODULE_INFO_SYM_AS_STR);
	if (hal ? kr_hal_connect(driver, reason) : kr_icd_connect(driver, reason))
		return -1;
	ret = count_devices(driver, !subject->path, fd);
	if (ret < 0)
		*reason = strdup("it makes no instance, or doesn't list its devices");
	return ret;
}

/*
 * The child. What the driver prints must not come between: standard output is not the
 * answer's any more.
 */
static _Noreturn void
try_driver(const struct subject *subject, const int steps[2], const int pair[2], int errors)
{
	const struct rlimit no_core = {0, 0};
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd = steps[1];
	int devices;
	char *reason = NULL;

	/* The watcher's ends: the filter comes through one of them. */
	close(steps[0]);
	close(pair[0]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	setrlimit(RLIMIT_CORE, &no_core);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	if (errors >= 0) {
		dup2(errors, STDERR_FILENO);
		close(errors);
	}
	if (!subject->path) {
		/* Mesa's would write what it compiles. */
		setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
		probe_confine(pair[1]);
	}
	close(pair[1]);
	devices = open_driver(subject, fd, &reason);
	tell_why(fd, DONE, devices, devices < 0 && reason ? reason : "");
	_exit(0);
}

/* The child from outside: the pipe it tells its steps by, and its filter (-1: none). */
struct watched {
	int steps, filter;
	struct probe_relay errors;
	struct probe_walls walls;
	struct probe_attempts attempts;
};

/* Reads how far the child comes until it is done, gone or out of time; false for the last. */
static bool
watch(struct watched *watched, int64_t deadline, struct story *story)
{
	while (story->last.step != DONE) {
		struct pollfd poll_fds[] = {{.fd = watched->steps, .events = POLLIN},
			{.fd = watched->filter, .events = POLLIN},
			{.fd = watched->errors.fd, .events = POLLIN}};
		struct message message;
		ssize_t got;

		/* There is always something for who is kept busy. */
		if (kr_fd_poll(poll_fds, 3, deadline) <= 0 || kr_clock_now() >= deadline)
			return false;
		if (poll_fds[1].revents & POLLIN)
			probe_answer_call(watched->filter, &watched->walls, &watched->attempts);
		else if (poll_fds[1].revents)
			kr_fd_close(&watched->filter);
		if (poll_fds[2].revents)
			probe_relay_pass(&watched->errors);
		if (!poll_fds[0].revents)
			continue;
		got = read(watched->steps, &message, sizeof(message));
		if (got < 0 && errno == EINTR)
			continue;
		if (got != sizeof(message) || message.step >= STEPS)
			return true;
		message.why[sizeof(message.why) - 1] = '\0';
		message.why[strcspn(message.why, "\n")] = '\0';
		kr_text_clean(message.why, strlen(message.why), false);
		message.device.name[sizeof(message.device.name) - 1] = '\0';
		if (message.describes && story->device_count < KR_PROBE_DEVICES_MAX)
			story->devices[story->device_count++] = message.device;
		story->last = message;
	}
	return true;
}

static void
answer_devices(const struct story *story)
{
	char line[KR_PROBE_DEVICE_LINE_SIZE];

	for (size_t i = 0; i < story->device_count; i++) {
		kr_probe_device_write(&story->devices[i], line);
		fputs(line, stdout);
	}
}

static void
answer(bool in_time, const struct story *story, int status, const char *timeout)
{
	const struct message *last = &story->last;
	const char *where = last->step == DONE ? "" : step_names[last->step];

	if (last->step == DONE)
		printf("%d %d %s\n", KR_PROBE_WORKS, last->devices,
			last->why[0] ? last->why : "success");
	else if (!in_time)
		printf("%d -1 nothing for %s ms %s\n", KR_PROBE_HUNG, timeout, where);
	else if (WIFSIGNALED(status))
		printf("%d -1 signal %d (%s) %s\n", KR_PROBE_CRASHED, WTERMSIG(status),
			strsignal(WTERMSIG(status)), where);
	else
		printf("%d -1 exit code %d %s\n", KR_PROBE_CRASHED, WEXITSTATUS(status), where);
	if (last->step == DONE)
		answer_devices(story);
}

/* Behind the answer: what it was confined by, and what it tried. */
static void
print_confinement(const struct watched *watched)
{
	for (enum probe_wall wall = 0; wall < PROBE_WALLS; wall++) {
		if (watched->walls.errors[wall])
			printf("lacks %s: %s\n", probe_wall_name(wall),
				strerror(-watched->walls.errors[wall]));
	}
	for (size_t i = 0; i < watched->attempts.count; i++)
		printf("tried %s\n", watched->attempts.texts[i]);
}

/* False: it isn't as it should be. */
static bool
read_arguments(int argc, char **argv, struct subject *subject)
{
	if (argc == 5 && !strcmp(argv[1], "--given"))
		*subject = (struct subject){.kind = argv[2], .fds = argv[3], .timeout = argv[4]};
	else if (argc == 3 || (argc == 4 && !strcmp(argv[3], "open")))
		*subject = (struct subject){
			.path = argv[1], .timeout = argv[2], .open_only = argc == 4};
	else
		return false;
	return atoi(subject->timeout) > 0;
}

int
main(int argc, char **argv)
{
	struct story story = {.last = {.step = OPEN, .devices = -1}};
	struct subject subject;
	struct watched watched = {.filter = -1, .errors.fd = -1};
	int fds[2], pair[2], errors = -1, status = 0;
	bool in_time;
	pid_t child;

	if (!read_arguments(argc, argv, &subject)) {
		fputs("usage: krafla-probe LIBRARY TIMEOUT_MS [open]\n"
		      "       krafla-probe --given mount|memory FD[,FD]... TIMEOUT_MS\n",
			stderr);
		return 2;
	}
	if (pipe2(fds, O_CLOEXEC) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return 125;
	if (!subject.path)
		errors = probe_relay_init(&watched.errors);
	child = fork();
	if (child < 0)
		return 125;
	if (!child) {
		kr_fd_close(&watched.errors.fd);
		try_driver(&subject, fds, pair, errors);
	}
	close(fds[1]);
	close(pair[1]);
	kr_fd_close(&errors);
	if (!subject.path)
		probe_receive_walls(pair[0], &watched.walls, &watched.filter);
	watched.steps = fds[0];
	in_time =
		watch(&watched, kr_deadline_in((uint64_t)atoi(subject.timeout) * 1000000), &story);
	/* Its whole group: a driver may have started processes. What has ended keeps its status. */
	kill(-child, SIGKILL);
	kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	probe_relay_finish(&watched.errors);
	answer(in_time, &story, status, subject.timeout);
	if (!subject.path)
		print_confinement(&watched);
	return fflush(stdout) ? 125 : 0;
}
