/* SPDX-License-Identifier: Apache-2.0 */
/* Finding libraries: see search.h. */
#include "service/package/search.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/package/elf.h"
#include "service/package/internal.h"
#include "util/file.h"
#include "util/text.h"

#define MAX_DEPTH 8 /* files that include files */

/*
 * What the dynamic linker looks into without being told, on the systems that Krafla is built for.
 */
static const char *const defaults[] = {
#if defined(__x86_64__)
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
	"/lib/aarch64-linux-gnu",
	"/usr/lib/aarch64-linux-gnu",
#endif
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
};

static int read_configuration(struct kr_package_search *search, const char *path, int depth);

/* `include PATTERN`: relative to the file's directory. */
static int
read_included(struct kr_package_search *search, const char *from, const char *pattern, int depth)
{
	const char *slash = strrchr(from, '/');
	char *path = pattern[0] == '/' ? strdup(pattern)
				       : kr_asprintf("%.*s/%s", slash ? (int)(slash - from) : 1,
						 slash ? from : ".", pattern);
	glob_t found = {0};
	int ret = 0;

	if (!path)
		return -ENOMEM;
	if (!glob(path, 0, NULL, &found)) {
		for (size_t i = 0; !ret && i < found.gl_pathc; i++)
			ret = read_configuration(search, found.gl_pathv[i], depth + 1);
	}
	globfree(&found);
	free(path);
	return ret;
}

static int
take_line(struct kr_package_search *search, const char *from, char *line, int depth)
{
	char *end;

	line[strcspn(line, "#\n")] = '\0';
	line += strspn(line, " \t");
	end = line + strlen(line);
	while (end > line && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '/'))
		*--end = '\0';
	if (!strncmp(line, "include", 7) && strchr(" \t", line[7]) && line[7])
		return read_included(search, from, line + 7 + strspn(line + 7, " \t"), depth);
	return line[0] == '/' ? kr_package_list_add(&search->directories, line) : 0;
}

static int
read_configuration(struct kr_package_search *search, const char *path, int depth)
{
	char *line = NULL;
	size_t room = 0;
	FILE *file;
	int ret = 0;

	if (depth > MAX_DEPTH || kr_file_open(path, &file))
		return 0;
	while (!ret && getline(&line, &room, file) >= 0)
		ret = take_line(search, path, line, depth);
	free(line);
	fclose(file);
	return ret;
}

int
kr_package_search_init(struct kr_package_search *search, const char *configuration)
{
	int ret;

	*search = (struct kr_package_search){0};
	ret = read_configuration(search, configuration, 0);
	for (size_t i = 0; !ret && i < KR_ARRAY_LEN(defaults); i++)
		ret = kr_package_list_add(&search->directories, defaults[i]);
	if (ret)
		kr_package_search_finish(search);
	return ret;
}

void
kr_package_search_finish(struct kr_package_search *search)
{
	for (char **at = search->directories; at && *at; at++)
		free(*at);
	free(search->directories);
	*search = (struct kr_package_search){0};
}

static bool
is_ours(const char *path)
{
	struct stat status;
	bool ours;
	int fd;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	ours = kr_package_is_our_elf(fd);
	close(fd);
	return ours;
}

/* A path if it is a library for us; takes it. 0, -ENOENT or -ENOMEM. */
static int
try_path(char *take_path, char **path)
{
	if (!take_path)
		return -ENOMEM;
	if (is_ours(take_path)) {
		*path = take_path;
		return 0;
	}
	free(take_path);
	return -ENOENT;
}

/* $ORIGIN and ${ORIGIN} stand for the directory of who asks. */
static int
try_run_path(const char *item, size_t len, const char *origin, const char *name, char **path)
{
	size_t skip = 0;

	if (len >= 7 && !strncmp(item, "$ORIGIN", 7))
		skip = 7;
	else if (len >= 9 && !strncmp(item, "${ORIGIN}", 9))
		skip = 9;
	return try_path(
		kr_asprintf("%s%.*s/%s", skip ? origin : "", (int)(len - skip), item + skip, name),
		path);
}

int
kr_package_search_find(const struct kr_package_search *search, const char *run_path,
	const char *origin, const char *name, char **path)
{
	const char *item;
	size_t len;
	int ret = -ENOENT;

	while (ret == -ENOENT && kr_list_next(&run_path, ':', &item, &len))
		ret = try_run_path(item, len, origin, name, path);
	for (char **at = search->directories; ret == -ENOENT && at && *at; at++)
		ret = try_path(kr_asprintf("%s/%s", *at, name), path);
	return ret;
}
