/* SPDX-License-Identifier: Apache-2.0 */
/* What a command inherits: see inherit.h. */
#include "tools/deliver/inherit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/command/command.h"
#include "util/env.h"
#include "util/fd.h"
#include "util/text.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x0020
#endif

/* Where the manifest goes in a sandbox of bwrap when it can't be in a mount. */
#define BWRAP_MANIFEST "/run/" KR_PARCEL_MANIFEST

const char *const kr_inherit_removed[] = {
	"VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE", NULL};

/* --- descriptors --- */

/* Moves *fd to a high number, where it stays open on exec. 0 or -errno, *fd unchanged. */
static int
leave_open(int *fd)
{
	struct rlimit limit = {.rlim_cur = 0};
	int first = KR_INHERIT_FIRST, moved;

	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur <= KR_INHERIT_FIRST)
		first = (int)limit.rlim_cur / 2;
	moved = fcntl(*fd, F_DUPFD, first);
	if (moved < 0)
		return -errno;
	close(*fd);
	*fd = moved;
	return 0;
}

static int
tell_failure(const char *what, int err)
{
	kr_complain("deliver", "can't leave %s open for the command: %s%s", what, strerror(-err),
		err == -EMFILE || err == -EINVAL ? KR_DELIVER_RAISE_LIMIT : "");
	return KR_EXIT_FAILURE;
}

static int
fill_memory(const char *name, int from, const char *text, int *memory)
{
	static const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	size_t left = text ? strlen(text) : 0;
	struct stat status;
	ssize_t n = 1;
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	/* Linux before 6.3 doesn't know that flag. */
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (!text && !fstat(from, &status))
		left = (size_t)status.st_size;
	while (left && n > 0) {
		n = text ? write(fd, text + strlen(text) - left, left)
			 : sendfile(fd, from, NULL, left);
		left -= n > 0 ? (size_t)n : 0;
	}
	if (left || fcntl(fd, F_ADD_SEALS, seals) < 0 || lseek(fd, 0, SEEK_SET) < 0) {
		int err = left && n == 0 ? -EIO : -errno;

		close(fd);
		return err;
	}
	*memory = fd;
	return 0;
}

/*
 * A sealed copy of what `from` reads, or of the text. 0 or -errno. Beyond RLIMIT_FSIZE
 * the kernel sends a signal, which isn't to end krafla, nor to be inherited by the
 * command as one that is ignored.
 */
static int
make_memory(const char *name, int from, const char *text, int *memory)
{
	sigset_t limit, before;
	int err;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &limit, &before);
	err = fill_memory(name, from, text, memory);
	(void)sigtimedwait(&limit, NULL, &(struct timespec){0});
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

/* --- the shim --- */

/*
 * A file of the shim's directory: of the installed krafla, or beside the one that
 * runs in its build folder.
 */
static char *
find_file(const char *name)
{
	char *prefix = kr_find_prefix();
	char *path = prefix ? kr_asprintf("%s/lib/krafla/%s", prefix, name) : NULL;

	if (path && access(path, R_OK) < 0) {
		free(path);
		path = kr_asprintf("%s/tools/%s", prefix, name);
	}
	free(prefix);
	return path;
}

static int
open_shim(int *shim)
{
	char *path = find_file(KR_PARCEL_SHIM);
	int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	int err = file < 0 ? -errno : 0, memory_err = 0;

	if (!err)
		memory_err = make_memory(KR_PARCEL_SHIM, file, NULL, shim);
	kr_fd_close(&file);
	if (memory_err)
		kr_complain("deliver", "can't copy %s into sealed memory (memfd_create): %s", path,
			strerror(-memory_err));
	else if (err)
		kr_complain("deliver", "can't read %s, which belongs to krafla: %s",
			path ? path : KR_PARCEL_SHIM, strerror(-err));
	free(path);
	return err || memory_err ? KR_EXIT_FAILURE : 0;
}

/* --- the manifest --- */

static char *
write_manifest(const char *library, const char *api_version)
{
	json_t *root = json_pack("{s:s, s:{s:s, s:s}}", "file_format_version", "1.0.0", "ICD",
		"library_path", library, "api_version", api_version);
	char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;

	json_decref(root);
	return text;
}

/*
 * The library that the manifest names: the shim, which loads the driver, or the
 * driver. A new string or NULL.
 */
static char *
name_library(const struct kr_parcel *parcel, bool itself)
{
	char *path = NULL;
	int shim = -1, err;

	if (itself && parcel->kind != KR_DELIVERY_MOUNT) {
		kr_complain("deliver",
			"--library-path needs a mount, and '%s' could only be had as copies in memory",
			parcel->name);
		return NULL;
	}
	if (itself)
		return kr_asprintf("/proc/self/fd/%d/%s", parcel->fds[0],
			kr_delivery_index(parcel->delivery)->driver);
	if (open_shim(&shim))
		return NULL;
	err = leave_open(&shim);
	if (!err)
		path = kr_asprintf("/proc/self/fd/%d", shim);
	else
		tell_failure(KR_PARCEL_SHIM, err);
	return path;
}

/*
 * Puts the manifest where the command finds it, *path. Loaders want a name that ends in .json,
 * which a descriptor alone doesn't have.
 */
static int
place_manifest(const char *manifest, const struct kr_deliver_options *options,
	struct kr_inheritance *inheritance, char **path)
{
	int fd = kr_deliver_give_manifest(manifest), err;

	*path = NULL;
	if (fd >= 0) {
		err = leave_open(&fd);
		if (!err)
			*path = kr_asprintf("/proc/self/fd/%d/" KR_PARCEL_MANIFEST, fd);
	} else if (options->bwrap) {
		err = make_memory(KR_PARCEL_MANIFEST, -1, manifest, &fd);
		if (!err)
			err = leave_open(&fd);
		kr_words_add(&inheritance->arguments, "--ro-bind-data");
		kr_words_addf(&inheritance->arguments, "%d", fd);
		kr_words_add(&inheritance->arguments, BWRAP_MANIFEST);
		*path = strdup(BWRAP_MANIFEST);
	} else {
		/* It names the installed shim, whatever `manifest` says. */
		*path = find_file(KR_PARCEL_MANIFEST);
		err = *path && access(*path, R_OK) < 0 ? -errno : 0;
		if (options->sandbox && *path)
			kr_complain("deliver",
				"no mount can be had for the manifest, so it is %s: the sandbox must show that directory under its name",
				*path);
	}
	return err ? tell_failure(KR_PARCEL_MANIFEST, err) : 0;
}

/* --- the whole --- */

/* "mount:900", "memory:900,901,902": what the shim reads. */
static char *
name_descriptors(const struct kr_parcel *parcel)
{
	char *text = kr_asprintf(
		"KRAFLA_DELIVERED=%s", parcel->kind == KR_DELIVERY_MOUNT ? "mount" : "memory");

	for (size_t i = 0; text && i < parcel->count; i++) {
		char *longer = kr_asprintf("%s%c%d", text, i ? ',' : ':', parcel->fds[i]);

		free(text);
		text = longer;
	}
	return text;
}

static void
add_library_path(const struct kr_parcel *parcel, struct kr_words *variables)
{
	const char *old = kr_env_get("LD_LIBRARY_PATH");

	kr_words_addf(variables, "LD_LIBRARY_PATH=/proc/self/fd/%d%s%s", parcel->fds[0],
		old ? ":" : "", old ? old : "");
}

/* Those by which the driver finds files of its package. */
static void
add_package_variables(const struct kr_parcel *parcel, struct kr_words *variables)
{
	const struct kr_index *index = kr_delivery_index(parcel->delivery);

	for (size_t i = 0; i < index->variable_count; i++) {
		char *value = kr_index_variable_value(
			index, i, parcel->kind == KR_DELIVERY_MOUNT, parcel->fds);

		variables->failed = variables->failed || !value;
		if (value)
			kr_words_addf(variables, "%s=%s", index->variables[i].name, value);
		free(value);
	}
}

int
kr_inherit(struct kr_parcel *parcel, const struct kr_deliver_options *options,
	struct kr_inheritance *inheritance)
{
	char *library, *manifest = NULL, *path = NULL, *delivered = NULL;
	int code = KR_EXIT_FAILURE;

	*inheritance = (struct kr_inheritance){0};
	for (size_t i = 0; i < parcel->count; i++) {
		int err = leave_open(&parcel->fds[i]);

		if (err)
			return tell_failure(parcel->name, err);
	}
	library = name_library(parcel, options->library_path);
	if (library)
		manifest = write_manifest(library, parcel->api_version);
	if (manifest)
		code = place_manifest(manifest, options, inheritance, &path);
	delivered = name_descriptors(parcel);
	if (path && delivered) {
		kr_words_addf(&inheritance->variables, "VK_DRIVER_FILES=%s", path);
		/* What loaders before 1.3.207 read instead. */
		kr_words_addf(&inheritance->variables, "VK_ICD_FILENAMES=%s", path);
		if (options->library_path)
			add_library_path(parcel, &inheritance->variables);
		else
			kr_words_add(&inheritance->variables, delivered);
		add_package_variables(parcel, &inheritance->variables);
	}
	free(delivered);
	free(path);
	free(manifest);
	free(library);
	return code;
}

void
kr_inheritance_finish(struct kr_inheritance *inheritance)
{
	kr_words_finish(&inheritance->variables);
	kr_words_finish(&inheritance->arguments);
}
