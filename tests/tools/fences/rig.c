/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of `krafla fences`. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

char rig_said[1 << 23];

void
rig_copy(const char *program, char path[RIG_PATH])
{
	char buffer[65536];
	int from = open(program, O_RDONLY | O_CLOEXEC), to;
	ssize_t len;

	assert_true(from >= 0);
	assert_int_equal(chmod(kr_test_dir(), 0755), 0);
	snprintf(path, RIG_PATH, "%s%s", kr_test_dir(), strrchr(program, '/'));
	if (!access(path, X_OK)) {
		close(from);
		return;
	}
	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	assert_true(to >= 0);
	while ((len = read(from, buffer, sizeof(buffer))) > 0)
		assert_int_equal(write(to, buffer, (size_t)len), len);
	assert_int_equal(len, 0);
	assert_int_equal(fchmod(to, 0755), 0);
	close(from);
	close(to);
}

static void
become(uid_t uid)
{
	if (uid && (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)))
		_exit(96);
}

struct rig_child
rig_start_program(const char *const *arguments, uid_t uid)
{
	struct rig_child child = {.pid = 0};
	int to[2], from[2];
	char line[32] = "";
	size_t len = 0;

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	child.waited = fork();
	if (!child.waited) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		become(uid);
		execv(arguments[0], (char *const *)(uintptr_t)arguments);
		_exit(95);
	}
	close(to[0]);
	close(from[1]);
	child.input = to[1];
	child.output = from[0];
	while (len + 1 < sizeof(line) && read(from[0], line + len, 1) == 1 && line[len] != '\n')
		len++;
	child.pid = atoi(line);
	return child;
}

struct rig_child
rig_start(const char *mode, unsigned count, uid_t uid)
{
	char number[16], copy[RIG_PATH] = CHILD;
	const char *const arguments[] = {copy, mode, count ? number : NULL, NULL};

	if (uid)
		rig_copy(CHILD, copy);
	snprintf(number, sizeof(number), "%u", count);
	return rig_start_program(arguments, uid);
}

void
rig_end(struct rig_child *child)
{
	char byte;

	close(child->input);
	/* Ends with the last process that has the other end. */
	while (read(child->output, &byte, 1) > 0)
		;
	close(child->output);
	waitpid(child->waited, NULL, 0);
}

static void
install(struct sock_filter *code, size_t size)
{
	struct sock_fprog program = {(unsigned short)(size / sizeof(code[0])), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(94);
}

static void
deny(enum rig_denied what)
{
	unsigned netlink = what == RIG_PIDFD_GETFD_NETLINK ? AF_NETLINK : UINT32_MAX;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_getfd, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, netlink, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	if (what != RIG_NOTHING)
		install(code, sizeof(code));
}

/* Goes on in a child whose /proc shows nobody of before. */
static void
go_apart(void)
{
	pid_t pid;
	int status;

	if (unshare(CLONE_NEWPID | CLONE_NEWNS) ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		_exit(RIG_NO_NAMESPACE);
	pid = fork();
	if (pid) {
		waitpid(pid, &status, 0);
		_exit(pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 93);
	}
	if (mount("proc", "/proc", "proc", 0, NULL))
		_exit(RIG_NO_NAMESPACE);
}

void
rig_assert_said(const char *text)
{
	if (!strstr(rig_said, text))
		fail_msg("'%s' isn't in:\n%s", text, rig_said);
}

int
rig_fences(const struct rig_look *look, const char *arguments, pid_t pid)
{
	static const struct rig_look plain;
	char line[512], command[1024], program[RIG_PATH] = KRAFLA;
	size_t len = 0;
	int ends[2], status;
	ssize_t got;
	pid_t krafla;

	look = look ? look : &plain;
	snprintf(line, sizeof(line), arguments, (int)pid);
	if (look->uid)
		rig_copy(KRAFLA, program);
	snprintf(command, sizeof(command), "exec %s fences %s 2>&1", program, line);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	krafla = fork();
	if (!krafla) {
		dup2(ends[1], 1);
		if (look->apart)
			go_apart();
		become(look->uid);
		deny(look->denied);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(95);
	}
	close(ends[1]);
	while ((got = read(ends[0], rig_said + len, sizeof(rig_said) - 1 - len)) > 0)
		len += (size_t)got;
	rig_said[len] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(krafla, &status, 0), krafla);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

json_t *
rig_json(const struct rig_look *look, const char *arguments, pid_t pid, int expected)
{
	char line[512];
	int code;
	json_t *all;

	snprintf(line, sizeof(line), "--json %s", arguments);
	code = rig_fences(look, line, pid);
	if (code != expected)
		fail_msg("exit code %d, not %d:\n%s", code, expected, rig_said);
	all = json_loads(rig_said, 0, NULL);
	if (!all)
		fail_msg("this is no JSON:\n%s", rig_said);
	return all;
}

const json_t *
rig_item(const json_t *all, const char *key, size_t index)
{
	return json_array_get(json_object_get(all, key), index);
}

size_t
rig_count(const json_t *all, const char *key)
{
	return json_array_size(json_object_get(all, key));
}

const char *
rig_text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

json_int_t
rig_number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}
