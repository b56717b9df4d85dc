/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which drivers are checked: the one that was named, or those that the loader would find. To find
 * them is to open them, so that it is done in a process of its own, which tells by a pipe.
 */
#include "check/run/run.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "discover/discover.h"
#include "manifest/driver_manifest.h"
#include "manifest/elf_file.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/file.h"
#include "util/library.h"
#include "util/text.h"

#define FIND_NS    (INT64_C(30) * KR_NSEC_PER_SEC)
#define FOUND_SIZE (64 << 10)

static int
refuse(char **reason, int error, char *take_sentence)
{
	*reason = take_sentence;
	return take_sentence ? error : -ENOMEM;
}

/* What the library is, seen in a process of its own: its constructors are the driver's. */
enum kind { KIND_NEITHER, KIND_HAL, KIND_ICD, KIND_UNLOADABLE };

static enum kind
look_at_library(const char *path, int out)
{
	const char *error = NULL;
	void *dso = kr_library_load(path, RTLD_NOW | RTLD_LOCAL, &error);

	if (!dso) {
		(void)!write(out, error, strlen(error));
		return KIND_UNLOADABLE;
	}
	if (dlsym(dso, HAL_MODULE_INFO_SYM_AS_STR))
		return KIND_HAL;
	return dlsym(dso, "vk_icdGetInstanceProcAddr") ? KIND_ICD : KIND_NEITHER;
}

struct child {
	pid_t pid;
	int fd;
};

/* Forks; 0 in *pid for the child, whose answer goes to `fd`. */
static int
fork_child(struct child *child)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fflush(NULL);
	child->pid = fork();
	if (child->pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return -errno;
	}
	child->fd = fds[!child->pid];
	close(fds[child->pid != 0]);
	if (!child->pid)
		setpgid(0, 0);
	return 0;
}

/* What it said until it ended; its status. */
static int
hear_child(struct child *child, char *text, size_t size)
{
	int status = 0,
	    ret = kr_fd_read_text(child->fd, text, size, kr_deadline_in((uint64_t)FIND_NS));

	if (ret)
		kill(child->pid, SIGKILL);
	kill(-child->pid, ret ? SIGKILL : 0);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	kr_fd_close(&child->fd);
	return status;
}

static int
check_library(const char *path, enum kind *kind, char **reason)
{
	char text[1024] = "", *why = NULL;
	struct child child;
	int ret = kr_elf_check(path, &why), status;

	if (ret) {
		ret = refuse(
			reason, ret, kr_asprintf("%s can't be used: %s", path, why ? why : ""));
		free(why);
		return ret;
	}
	ret = fork_child(&child);
	if (ret)
		return refuse(
			reason, ret, kr_asprintf("no process can be made: %s", strerror(-ret)));
	if (!child.pid)
		_exit((int)look_at_library(path, child.fd));
	status = hear_child(&child, text, sizeof(text));
	if (!WIFEXITED(status))
		return refuse(reason, -EFAULT,
			kr_asprintf("%s can't be loaded: it ended the process (signal %d)", path,
				WTERMSIG(status)));
	*kind = (enum kind)WEXITSTATUS(status);
	if (*kind == KIND_UNLOADABLE)
		return refuse(reason, -ELIBACC, kr_asprintf("%s can't be loaded: %s", path, text));
	if (*kind != KIND_HAL && *kind != KIND_ICD)
		return refuse(reason, -EINVAL,
			kr_asprintf(
				"%s is no driver: it has neither the symbol HMI of a HAL module nor vk_icdGetInstanceProcAddr",
				path));
	return 0;
}

static int
name_icd(const char *path, const char *adapter, struct check_driver *driver, char **reason)
{
	if (!adapter)
		return refuse(reason, -ENOENT,
			kr_asprintf(
				"%s is a Linux driver, which is checked through Krafla's adapter, and vulkan.adapter.so isn't beside this krafla",
				path));
	driver->module = adapter;
	driver->icd = path;
	return 0;
}

static int
name_manifest(const char *path, const char *adapter, struct check_driver *driver, char **reason)
{
	struct kr_manifest_driver manifest;
	char *why = NULL;
	int ret = kr_manifest_driver_read(path, &manifest, &why);
	enum kind kind;

	if (ret) {
		ret = refuse(reason, ret,
			kr_asprintf("%s can't be used: %s", path, why ? why : strerror(-ret)));
		free(why);
		return ret;
	}
	/* A bare name is looked for by the dynamic linker, when the adapter opens it. */
	ret = strchr(manifest.library_path, '/')
		? check_library(manifest.library_path, &kind, reason)
		: 0;
	kr_manifest_driver_finish(&manifest);
	return ret ? ret : name_icd(path, adapter, driver, reason);
}

int
check_driver_named(
	const char *path, const char *adapter, struct check_driver *driver, char **reason)
{
	struct stat status;
	enum kind kind;
	int ret;

	*driver = (struct check_driver){.name = path, .module = path};
	if (stat(path, &status))
		return refuse(reason, -errno, kr_asprintf("%s: %s", path, strerror(errno)));
	if (!S_ISREG(status.st_mode))
		return refuse(reason, -ENODEV, kr_asprintf("%s is no file", path));
	if (kr_has_suffix(path, ".json"))
		return name_manifest(path, adapter, driver, reason);
	ret = check_library(path, &kind, reason);
	if (ret || kind == KIND_HAL)
		return ret;
	return name_icd(path, adapter, driver, reason);
}

/* In the child: "hal PATH" or "icd PATH" for each, NULs between. */
static void
tell_drivers(int fd)
{
	struct kr_driver_list list = {.drivers = KR_LIST_INITIALIZER(list.drivers),
		.candidates = KR_LIST_INITIALIZER(list.candidates)};
	const struct kr_discover_options options = {
		.sources = KR_DISCOVER_HAL | KR_DISCOVER_MANIFESTS};
	const struct kr_driver *driver;

	if (kr_discover_drivers(&options, &list))
		return;
	kr_list_for_each (driver, &list.drivers, link) {
		const char *path = driver->source == KR_DRIVER_MANIFEST ? driver->manifest_path
									: driver->library_path;

		if (path &&
			(driver->source == KR_DRIVER_MANIFEST || driver->source == KR_DRIVER_HAL))
			dprintf(fd, "%s %s\n", driver->source == KR_DRIVER_HAL ? "hal" : "icd",
				path);
	}
}

static int
parse_drivers(const char *adapter, struct check_found *found)
{
	char *rest = found->texts, *line;

	found->drivers = calloc(strlen(found->texts) + 1, sizeof(*found->drivers));
	if (!found->drivers)
		return -ENOMEM;
	while ((line = strsep(&rest, "\n"))) {
		struct check_driver *driver = &found->drivers[found->count];
		bool icd = !strncmp(line, "icd ", 4);

		if (!icd && strncmp(line, "hal ", 4) != 0)
			continue;
		if (icd && !adapter)
			continue;
		driver->name = line + 4;
		driver->module = icd ? adapter : driver->name;
		driver->icd = icd ? driver->name : NULL;
		found->count++;
	}
	return 0;
}

int
check_drivers_find(const char *adapter, struct check_found *found, char **reason)
{
	struct child child;
	int ret;

	*found = (struct check_found){.texts = calloc(1, FOUND_SIZE)};
	if (!found->texts)
		return -ENOMEM;
	ret = fork_child(&child);
	if (ret) {
		check_drivers_free(found);
		return refuse(
			reason, ret, kr_asprintf("no process can be made: %s", strerror(-ret)));
	}
	if (!child.pid) {
		tell_drivers(child.fd);
		_exit(0);
	}
	ret = hear_child(&child, found->texts, FOUND_SIZE);
	if (ret)
		ret = refuse(reason, -EFAULT,
			strdup("looking for drivers crashed or took too long: name one; 'krafla explain' says which can't be used"));
	if (!ret)
		ret = parse_drivers(adapter, found);
	if (!ret && !found->count)
		ret = refuse(reason, -ENODEV,
			strdup("this machine has no driver: name one; 'krafla explain' says what was looked at"));
	if (ret)
		check_drivers_free(found);
	return ret;
}

void
check_drivers_free(struct check_found *found)
{
	free(found->drivers);
	free(found->texts);
	*found = (struct check_found){0};
}
