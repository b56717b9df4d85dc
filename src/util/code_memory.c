/* SPDX-License-Identifier: Apache-2.0 */
/* See code_memory.h. */
#include "util/code_memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* include/uapi/linux/prctl.h of Linux 6.3, for older headers. */
#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif
#ifndef PR_MDWE_REFUSE_EXEC_GAIN
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

/* 0, or -errno of the step that was refused. Nothing is left. */
static int
try_page(void)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret;

	if (page == MAP_FAILED)
		return -errno;
	ret = mprotect(page, size, PROT_READ | PROT_EXEC) ? -errno : 0;
	munmap(page, size);
	return ret;
}

static bool
is_filtered(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = !strncmp(line, "Seccomp:\t2", 10);
	if (file)
		fclose(file);
	return found;
}

/* A context of SELinux has colons, which those of other modules haven't. False: there is none. */
static bool
read_context(char context[96])
{
	FILE *file = fopen("/proc/self/attr/current", "re");
	const bool got = file && fgets(context, 96, file);

	if (file)
		fclose(file);
	if (got)
		context[strcspn(context, "\n")] = '\0';
	return got && strchr(context, ':');
}

static void
explain(int error, char why[KR_CODE_MEMORY_WHY_SIZE])
{
	char context[96];

	if (prctl(PR_GET_MDWE, 0, 0, 0, 0) > 0)
		snprintf(why, KR_CODE_MEMORY_WHY_SIZE, "PR_SET_MDWE forbids it to this process");
	else if (error == -EACCES && read_context(context))
		snprintf(why, KR_CODE_MEMORY_WHY_SIZE, "SELinux denies execmem to %s", context);
	else if (is_filtered())
		snprintf(why, KR_CODE_MEMORY_WHY_SIZE,
			"a seccomp filter of this process refuses it, as systemd's MemoryDenyWriteExecute= makes one");
	else
		snprintf(why, KR_CODE_MEMORY_WHY_SIZE, "the kernel refuses it: %s",
			strerror(-error));
}

bool
kr_code_memory_forbidden(char why[KR_CODE_MEMORY_WHY_SIZE])
{
	const int ret = try_page();

	if (ret != -EACCES && ret != -EPERM)
		return false;
	explain(ret, why);
	return true;
}
