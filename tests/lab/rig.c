/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the lab's tests (rig.h). */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODULE_LIST    "/lab/modules" /* lines "PATH PARAMETERS", of the lab's init */
#define UNLOAD_STEP_MS 5
#define MAX_POINTS     8

int
rig_ioctl(int fd, unsigned long request, void *arg)
{
	int ret = ioctl(fd, request, arg);

	return ret < 0 ? -errno : ret;
}

#ifdef __x86_64__
int
rig_compat_ioctl(int fd, unsigned request, void *arg)
{
	int ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(54), "b"(fd), "c"(request), "d"((unsigned)(uintptr_t)arg)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret;
}
#endif

int
rig_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail_msg("%s: %s (the lab has it: scripts/lab)", path, strerror(errno));
	return fd;
}

int
rig_next_fd(void)
{
	int fd = rig_open("/dev/null");

	close(fd);
	return fd;
}

int
rig_timeline(void)
{
	return rig_open("/dev/krafla_sync");
}

int
rig_try_fence(int timeline, uint64_t value, uint32_t timeout_ms)
{
	struct krafla_sync_create args = {.value = value, .timeout_ms = timeout_ms, .fence = -1};
	int err = rig_ioctl(timeline, KRAFLA_SYNC_IOC_CREATE, &args);

	return err ? err : args.fence;
}

int
rig_fence(int timeline, uint64_t value)
{
	int fence = rig_try_fence(timeline, value, RIG_LONG_MS);

	assert_true(fence >= 0);
	return fence;
}

int
rig_move(int timeline, uint64_t value, int error)
{
	struct krafla_sync_signal args = {.value = value, .error = error};

	return rig_ioctl(timeline, KRAFLA_SYNC_IOC_SIGNAL, &args);
}

struct krafla_sync_info
rig_info(int timeline)
{
	struct krafla_sync_info info;

	assert_int_equal(rig_ioctl(timeline, KRAFLA_SYNC_IOC_INFO, &info), 0);
	return info;
}

int
rig_status(int fence)
{
	struct sync_file_info info = {0};

	assert_int_equal(rig_ioctl(fence, SYNC_IOC_FILE_INFO, &info), 0);
	return info.status;
}

unsigned
rig_point(int fence, struct sync_fence_info *point)
{
	struct sync_fence_info points[MAX_POINTS] = {0};
	struct sync_file_info info = {
		.num_fences = MAX_POINTS, .sync_fence_info = (uintptr_t)points};

	assert_int_equal(rig_ioctl(fence, SYNC_IOC_FILE_INFO, &info), 0);
	*point = points[0];
	return info.num_fences;
}

bool
rig_ends(int fence, int timeout_ms)
{
	struct pollfd p = {.fd = fence, .events = POLLIN};

	return poll(&p, 1, timeout_ms) == 1;
}

int
rig_ended(int fence)
{
	assert_true(rig_ends(fence, RIG_SOON_MS));
	return rig_status(fence);
}

int
rig_merge(int a, int b)
{
	struct sync_merge_data args = {.name = "rig", .fd2 = b};

	assert_int_equal(rig_ioctl(a, SYNC_IOC_MERGE, &args), 0);
	return args.fence;
}

pid_t
rig_child(void (*body)(int socket), int *socket)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(ends[0]);
		body(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	*socket = ends[0];
	return pid;
}

void
rig_send(int socket, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec iov = {&byte, 1};
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	assert_int_equal(sendmsg(socket, &msg, MSG_NOSIGNAL), 1);
}

int
rig_receive(int socket)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = {&byte, 1};
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control)};
	struct cmsghdr *c;
	int fd;

	assert_int_equal(recvmsg(socket, &msg, MSG_CMSG_CLOEXEC), 1);
	c = CMSG_FIRSTHDR(&msg);
	assert_non_null(c);
	memcpy(&fd, CMSG_DATA(c), sizeof(int));
	return fd;
}

void
rig_kill(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

int
rig_unload(const char *module, int timeout_ms)
{
	for (int waited = 0; waited <= timeout_ms; waited += UNLOAD_STEP_MS) {
		if (!syscall(SYS_delete_module, module, O_NONBLOCK))
			return 0;
		if (errno != EAGAIN)
			return -errno;
		/* What let go of the last fence does so to the module a grace period later. */
		poll(NULL, 0, UNLOAD_STEP_MS);
	}
	return -EAGAIN;
}

void
rig_load(const char *module)
{
	FILE *list = fopen(MODULE_LIST, "re");
	char line[512], wanted[64];
	bool found = false;

	assert_non_null(list);
	snprintf(wanted, sizeof(wanted), "/%s.ko", module);
	while (!found && fgets(line, sizeof(line), list)) {
		char *space = strchr(line, ' ');

		*space = '\0';
		found = strlen(line) > strlen(wanted) &&
			!strcmp(line + strlen(line) - strlen(wanted), wanted);
	}
	fclose(list);
	if (!found)
		fail_msg("%s names no %s.ko", MODULE_LIST, module);
	int fd = open(line, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(syscall(SYS_finit_module, fd, "", 0), 0);
	close(fd);
}

char *
rig_read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	if (getdelim(&text, &size, '\0', file) < 0 && text)
		text[0] = '\0';
	fclose(file);
	return text;
}

void
rig_write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}
