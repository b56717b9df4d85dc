/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of probe_memory.h. Each has four lines: what kind of file and version this is, the
 * library's path, its identity, the verdict. Several processes may write one at a time: each
 * renames its own into place.
 */
#include "discover/probe_memory.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/log.h"
#include "util/text.h"

#define HEADING     "krafla-probe 1"
#define LINKER_LIST "/etc/ld.so.cache"
#define FILE_ROOM   (3 * 4352) /* the longest that is written */
#define LINE_SIZE   4352       /* PATH_MAX and more */

/* FNV-1a: a name for the file; the path itself is inside. */
static uint64_t
hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

/*
 * Who runs a program with another's HOME neither believes what is there nor writes to it: that user
 * may have made it any place by a link. One that isn't there yet will be our own.
 */
static bool
is_of_another(const char *base)
{
	DIR *dir = opendir(base);
	struct stat status;
	bool another;

	/* What can't be looked into can't be written to either. */
	if (!dir)
		return false;
	another = !fstat(dirfd(dir), &status) && status.st_uid != geteuid();
	closedir(dir);
	if (!another)
		return false;
	kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
		"%s belongs to another user: what probes found isn't remembered there", base);
	return true;
}

static char *
memory_path(const char *library_path, const char *(*env_get)(const char *name), bool *no_memory)
{
	const char *cache = env_get("XDG_CACHE_HOME"), *home = env_get("HOME");
	const char *base = cache ? cache : home;
	char *path;

	if (!base || base[0] != '/' || is_of_another(base))
		return NULL;
	path = kr_asprintf("%s%s/krafla/probe/%016" PRIx64, base, cache ? "" : "/.cache",
		hash_text(library_path));
	*no_memory = !path;
	return path;
}

/* By fopen, which is how all files are reached here. */
static int
identify(const char *path, struct stat *status)
{
	FILE *file;
	int ret = kr_file_open(path, &file);

	if (ret)
		return ret;
	ret = fstat(fileno(file), status) ? -errno : 0;
	fclose(file);
	return ret;
}

/*
 * The file by which a library is known again. A name without a directory is looked for as dlopen
 * does: in LD_LIBRARY_PATH, else by the dynamic linker's own list, which ldconfig writes anew when
 * a package changes. 0 or -errno.
 */
static int
find_file(const char *library_path, const char *(*env_get)(const char *name), struct stat *file)
{
	const char *list = env_get("LD_LIBRARY_PATH"), *item;
	size_t len;

	if (library_path[0] == '/')
		return identify(library_path, file);
	if (strchr(library_path, '/'))
		return -EINVAL;
	while (kr_list_next(&list, ':', &item, &len)) {
		char *path = kr_asprintf("%.*s/%s", (int)len, item, library_path);
		int ret = path ? identify(path, file) : 0;

		free(path);
		if (!path)
			return -ENOMEM;
		if (!ret)
			return 0;
	}
	return identify(LINKER_LIST, file);
}

int
kr_probe_memory_begin(struct kr_probe_memory *memory, const char *library_path,
	const char *(*env_get)(const char *name))
{
	struct stat file;
	bool no_memory = false;
	int ret = find_file(library_path, env_get, &file);

	*memory = (struct kr_probe_memory){0};
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	snprintf(memory->identity, sizeof(memory->identity), "%jx:%jx %jd %jd.%09ld",
		(uintmax_t)file.st_dev, (uintmax_t)file.st_ino, (intmax_t)file.st_size,
		(intmax_t)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
	memory->path = memory_path(library_path, env_get, &no_memory);
	return no_memory ? -ENOMEM : 0;
}

void
kr_probe_memory_finish(struct kr_probe_memory *memory)
{
	free(memory->path);
	*memory = (struct kr_probe_memory){0};
}

static bool
line_is(FILE *file, char line[LINE_SIZE], const char *expected)
{
	if (!fgets(line, LINE_SIZE, file))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return !expected || !strcmp(line, expected);
}

static bool
read_verdict(const char *line, struct kr_probe_result *result)
{
	unsigned outcome;
	int devices, end = 0;

	if (sscanf(line, "%u %d %n", &outcome, &devices, &end) != 2 || !end ||
		outcome > KR_PROBE_HUNG)
		return false;
	result->outcome = outcome;
	result->devices = devices;
	snprintf(result->text, sizeof(result->text), "%s", line + end);
	return true;
}

/* What another has put there, where others may write, isn't believed. */
static bool
is_own(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && status.st_uid == geteuid();
}

bool
kr_probe_memory_load(const struct kr_probe_memory *memory, const char *library_path,
	struct kr_probe_result *result)
{
	char line[LINE_SIZE];
	FILE *file;
	bool known;

	if (!memory->path || kr_file_open(memory->path, &file))
		return false;
	known = is_own(fileno(file)) && line_is(file, line, HEADING) &&
		line_is(file, line, library_path) && line_is(file, line, memory->identity) &&
		line_is(file, line, NULL) && read_verdict(line, result);
	fclose(file);
	return known;
}

/* Makes the directories of the file. The first are the user's own and most often there. */
static void
make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

static int
write_file(const char *path, const struct kr_probe_memory *memory, const char *library_path,
	const struct kr_probe_result *result)
{
	struct rlimit limit;
	FILE *file;
	int ret = 0;

	/* Beyond it the kernel would end the program by a signal. */
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < FILE_ROOM)
		return -EFBIG;
	file = fopen(path, "wxe");
	if (!file)
		return -errno;
	if (fprintf(file, HEADING "\n%s\n%s\n%u %d %s\n", library_path, memory->identity,
		    (unsigned)result->outcome, result->devices, result->text) < 0)
		ret = -EIO;
	if (fclose(file))
		ret = -EIO;
	return ret;
}

void
kr_probe_memory_store(const struct kr_probe_memory *memory, const char *library_path,
	const struct kr_probe_result *result)
{
	char *path;
	int ret = -ENOMEM;

	if (!memory->path)
		return;
	path = kr_asprintf("%s.%ld.%p", memory->path, (long)getpid(), (void *)&path);
	if (path) {
		make_directories(path);
		ret = write_file(path, memory, library_path, result);
		if (!ret && rename(path, memory->path))
			ret = -errno;
		if (ret)
			remove(path);
	}
	if (ret)
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"what the probe of %s found can't be remembered in %s: %s", library_path,
			memory->path, strerror(-ret));
	free(path);
}
