/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which right lacks. The kernel says no more than EACCES or EPERM; the reasons are looked for in
 * the order in which it checks (ptrace(2), "Ptrace access mode checking"): user and group, whether
 * the process is dumpable, security modules.
 */
#include "tools/fences/process.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/text.h"

#define WITH_PTRACE "krafla would need CAP_SYS_PTRACE (root has it)"

struct identity {
	unsigned uid[3]; /* real, effective, saved */
	unsigned gid[3];
	bool known;
};

static bool
parse_ids(const char *text, const char *key, unsigned ids[3])
{
	const char *line = strstr(text, key);

	return line && sscanf(line + strlen(key), "%u %u %u", &ids[0], &ids[1], &ids[2]) == 3;
}

static struct identity
identity_of(pid_t pid)
{
	struct identity id = {.known = false};
	char text[4096];

	if (kr_fences_read_proc(pid, "status", text, sizeof(text)) >= 0)
		id.known = parse_ids(text, "\nUid:", id.uid) && parse_ids(text, "\nGid:", id.gid);
	return id;
}

static bool
all_are(const unsigned ids[3], unsigned own)
{
	return ids[0] == own && ids[1] == own && ids[2] == own;
}

static char *
of_user(const struct identity *id)
{
	const struct passwd *entry = getpwuid(id->uid[1]);
	char number[24];

	snprintf(number, sizeof(number), "%u", id->uid[1]);
	if (id->uid[0] == getuid())
		return kr_asprintf("it runs setuid, as user %s: " WITH_PTRACE,
			entry ? entry->pw_name : number);
	return kr_asprintf("it belongs to user %s: " WITH_PTRACE, entry ? entry->pw_name : number);
}

/* /proc gives the files of a process that isn't dumpable to root. */
static bool
is_undumpable(pid_t pid, const struct identity *id)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	return !stat(path, &st) && st.st_uid != id->uid[1];
}

/* NULL: nothing of this is the reason. */
static char *
common_reason(pid_t pid)
{
	struct identity id = identity_of(pid);

	if (!id.known)
		return kr_asprintf(
			"/proc hides it (mounted with hidepid): root may see it, or the group that /proc was mounted with as gid");
	if (!all_are(id.uid, geteuid()))
		return of_user(&id);
	if (!all_are(id.gid, getegid()))
		return kr_asprintf("it runs with the group %u: " WITH_PTRACE, id.gid[1]);
	if (is_undumpable(pid, &id))
		return kr_asprintf(
			"it isn't dumpable (prctl PR_SET_DUMPABLE, or started from a file that can't be read or gives privileges): " WITH_PTRACE);
	return NULL;
}

char *
kr_fences_why_no_list(pid_t pid, int err)
{
	char *reason = NULL;

	if (err == -EACCES || err == -EPERM)
		reason = common_reason(pid);
	if (reason)
		return reason;
	return kr_asprintf(
		"its descriptors can't be listed: %s (denied by a security module or across user namespaces)",
		strerror(-err));
}

/* What pidfd_getfd answers for krafla itself, which every rule of ptrace allows. */
static int
try_own(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0), fd;
	int err;

	if (pidfd < 0)
		return -errno;
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, pidfd, 0);
	err = fd < 0 ? -errno : 0;
	kr_fd_close(&fd);
	kr_fd_close(&pidfd);
	return err;
}

static int
yama_scope(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (file && fscanf(file, "%d", &scope) != 1)
		scope = 0;
	if (file)
		fclose(file);
	return scope;
}

char *
kr_fences_why_no_look(pid_t pid, int err)
{
	int own = try_own(), scope;
	char *reason;

	if (own == -ENOSYS)
		return kr_asprintf(
			"this kernel has no pidfd_getfd (Linux 5.6 and later have it), or a seccomp filter denies it");
	if (own)
		return kr_asprintf("krafla itself may not use pidfd_getfd (%s): a seccomp filter",
			strerror(-own));
	reason = common_reason(pid);
	if (reason)
		return reason;
	scope = yama_scope();
	if (scope == 3)
		return kr_asprintf("Yama lets nobody look (kernel.yama.ptrace_scope is 3)");
	if (scope)
		return kr_asprintf(
			"Yama lets only %s look (kernel.yama.ptrace_scope is %d): set it to 0, or " WITH_PTRACE,
			scope == 1 ? "its parents" : "administrators", scope);
	return kr_asprintf(
		"pidfd_getfd: %s (denied by a security module, or it has more capabilities than krafla)",
		strerror(-err));
}
