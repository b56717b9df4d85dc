/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that mean harm to who tries them: FAKE says which (meson.build). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_icd.h>
#include "util/macros.h"

#define FLOODS  1 /* asks for what is refused, without end, from many threads */
#define TELLS   2 /* tells its steps without end */
#define ESCAPES 3 /* has devices unless it gets somewhere else than it may; says so */
#define PRINTS  4 /* writes to standard error without end, then has devices */

#define FORGES 5 /* tells itself how it ended */

#define MESSAGE_SIZE 840 /* of struct message, tools/probe/probe.c */

static int object;
static unsigned escapes;

/* --- without end --- */

static void *
flood(void *data)
{
	for (;;)
		(void)!syscall(SYS_socket, 1, 1, 0);
	return NULL;
}

static void
flood_filter(void)
{
	pthread_t thread;

	for (int i = 0; i < 64; i++)
		(void)!pthread_create(&thread, NULL, flood, NULL);
	for (;;)
		pause();
}

static bool
is_pipe(int fd, int mode)
{
	struct stat status;

	return fd > 2 && !fstat(fd, &status) && S_ISFIFO(status.st_mode) &&
		(fcntl(fd, F_GETFL) & O_ACCMODE) == mode;
}

static void
flood_pipes(void)
{
	char zeros[1024] = {0};

	int fd = 3;

	while (fd < 256 && !is_pipe(fd, O_WRONLY))
		fd++;
	for (;;)
		(void)!write(fd, zeros, MESSAGE_SIZE);
}

/* A step, the number of devices, and a sentence of more than a line. */
static void
forge(void)
{
	char message[MESSAGE_SIZE] = {6 /* DONE */, 0, 0, 0, -1, -1, -1, -1};
	int fd = 3;

	strcpy(message + 8, "\x1b[31m\xff\rred\ntried nothing\nlacks everything");
	while (fd < 256 && !is_pipe(fd, O_WRONLY))
		fd++;
	(void)!write(fd, message, sizeof(message));
	pause();
}

static void
print(void)
{
	static char line[4096];

	memset(line, 'x', sizeof(line) - 1);
	memcpy(line, "\x1b[31m", 5);
	line[sizeof(line) - 1] = '\n';
	for (int i = 0; i < 2048; i++)
		(void)!write(2, line, sizeof(line));
}

/* --- ways out --- */

static void
must_fail(bool did, const char *what)
{
	if (!did)
		return;
	escapes++;
	fprintf(stderr, "hostile driver: %s\n", what);
}

/* What must work all the same. */
static void
must_work(bool did, const char *what)
{
	if (did)
		return;
	escapes++;
	fprintf(stderr, "hostile driver: can't %s: %s\n", what, strerror(errno));
}

static void
try_processes(pid_t victim)
{
	struct rlimit64 limit = {0, 0};
	cpu_set_t set;
	pid_t child;
	long fd;

	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child) {
		setsid();
		sleep(30);
		_exit(0);
	}
	must_fail(child > 0, "it makes a process");
	must_fail(!kill(victim, SIGCONT), "it sends signals");
	must_fail(!kill(0, SIGCONT), "it sends signals to a group");
	must_fail(!syscall(SYS_tgkill, victim, victim, SIGCONT), "it sends signals by tgkill");
	must_fail(!syscall(SYS_prlimit64, victim, RLIMIT_NOFILE, &limit, NULL), "it sets limits");
	must_fail(!setpriority(PRIO_PROCESS, (id_t)victim, 19), "it sets a priority");
	/* A user who has no process: a real one's would keep what this does to them. */
	must_fail(!setpriority(PRIO_USER, 4343, 19) || errno == ESRCH,
		"it sets priorities of a user");
	must_fail(!sched_getaffinity(0, sizeof(set), &set) &&
			!sched_setaffinity(victim, sizeof(set), &set),
		"it sets an affinity");
	fd = syscall(SYS_pidfd_open, victim, 0);
	must_fail(fd >= 0 && !syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0), "it has a pidfd");
	must_fail(!prctl(PR_SET_PDEATHSIG, 0), "it outlives its parent");
	must_fail(!setpgid(0, getpgid(victim)), "it joins another group");
	must_work(!syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0), "signal itself");
	must_work(!setpriority(PRIO_PROCESS, 0, 19), "set its priority");
	must_work(!sched_setaffinity((pid_t)syscall(SYS_gettid), sizeof(set), &set),
		"set its affinity");
	must_work(!syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit), "ask for its limits");
}

static void
try_rights(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {0};
	struct {
		uint64_t set, clear, propagation, user;
	} writable = {.clear = 1};

	must_fail(syscall(SYS_capget, &header, data) || data[0].effective || data[0].permitted ||
			data[1].effective || data[1].permitted,
		"it has capabilities");
	must_fail(!syscall(SYS_unshare, CLONE_NEWUSER), "it makes a user namespace");
	must_fail(!syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &writable,
			  sizeof(writable)),
		"it makes mounts writable");
	must_fail(syscall(SYS_add_key, "user", "krafla-hostile", "x", 1, -2) >= 0,
		"it leaves a key behind");
}

static void
try_files(void)
{
	const int fd = open("file", O_RDONLY | O_CLOEXEC);
	struct timespec times[2] = {{1, 0}, {1, 0}};
	int flags = FS_NODUMP_FL;

	must_work(fd >= 0, "read a file");
	must_fail(!ioctl(fd, FS_IOC_SETFLAGS, &flags), "it changes flags of files");
	must_fail(!syscall(SYS_fremovexattr, fd, "user.krafla"), "it removes attributes");
	must_fail(!syscall(SYS_lremovexattr, "file", "user.krafla"), "it removes attributes");
	must_fail(!syscall(452 /* fchmodat2 */, AT_FDCWD, "file", 0600, 0), "it changes modes");
	must_fail(!syscall(SYS_utimensat, fd, NULL, times, 0), "it changes times");
#ifdef SYS_utime
	must_fail(!syscall(SYS_utime, "file", NULL), "it changes times by utime");
	must_fail(!syscall(SYS_futimesat, AT_FDCWD, "file", NULL), "it changes times by futimesat");
#endif
	close(fd);
}

/* Opening them does nothing. */
static void
try_devices(void)
{
	static const char *const nodes[] = {"/dev/kmsg", "/dev/mem", "/dev/tty0", "/dev/ptmx",
		"/dev/uinput", "/dev/fuse", "/dev/loop-control"};
	int fd;

	for (size_t i = 0; i < KR_ARRAY_LEN(nodes); i++) {
		fd = open(nodes[i], O_RDWR | O_NOCTTY | O_CLOEXEC);
		must_fail(fd >= 0, nodes[i]);
		if (fd >= 0)
			close(fd);
	}
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	must_work(fd >= 0, "open the null device");
	close(fd);
}

/* What it was left beside the package and the pipe that it tells its steps by. */
static void
try_descriptors(void)
{
	struct stat status;

	for (int fd = 3; fd < 256; fd++) {
		must_fail(!fstat(fd, &status) && S_ISSOCK(status.st_mode), "it has a socket");
		must_fail(is_pipe(fd, O_RDONLY), "it has a pipe to read from");
	}
}

static void
escape(void)
{
	char text[32] = "";
	FILE *file = fopen("victim", "re");

	must_work(file && fgets(text, sizeof(text), file), "read whom to harm");
	if (file)
		fclose(file);
	try_descriptors();
	try_files();
	if (!access("landlocked", F_OK))
		try_devices();
	try_rights();
	try_processes((pid_t)atoi(text));
}

/* --- the driver --- */

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	if (FAKE == FLOODS)
		flood_filter();
	if (FAKE == TELLS)
		flood_pipes();
	if (FAKE == FORGES)
		forge();
	if (FAKE == PRINTS)
		print();
	if (FAKE == ESCAPES)
		escape();
	*out = (VkInstance)&object;
	return escapes ? VK_ERROR_INCOMPATIBLE_DRIVER : VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
	*count = 1;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions(const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	*count = 0;
	return VK_SUCCESS;
}

KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(
	VkInstance instance, const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction fn;
	} functions[] = {
		{"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
		{"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
		{"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate},
		{"vkEnumerateInstanceExtensionProperties",
			(PFN_vkVoidFunction)enumerate_extensions},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(name, functions[i].name))
			return functions[i].fn;
	}
	return NULL;
}

KR_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(
	uint32_t *version);
VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	return VK_SUCCESS;
}
