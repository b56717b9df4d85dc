/* SPDX-License-Identifier: Apache-2.0 */
/* See find.h. */
#include "tools/layout/find.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/command.h"
#include "tools/run/socket_dir.h"
#include "util/env.h"
#include "util/text.h"

/* Runs that are looked at: each may take its time to answer. */
#define MAX_RUNS 64

struct search {
	long pid; /* 0: any */
	struct kr_control_link found;
	unsigned count;  /* that answer */
	unsigned looked; /* at */
	char *others;    /* sockets of those that answer, a line each */
};

static void
note(struct search *search, struct kr_control_link *link)
{
	char *more = kr_asprintf("%s\n  %d  %.*s", search->others ? search->others : "", link->pid,
		(int)(strlen(link->path) - strlen(KR_CONTROL_SUFFIX)), link->path);

	free(search->others);
	search->others = more;
	if (search->count++ == 0)
		search->found = *link;
	else
		kr_control_link_close(link);
}

static void
look_at(struct search *search, const char *path)
{
	struct kr_control_link link;

	if (search->looked++ >= MAX_RUNS || kr_control_link_open(&link, path) < 0)
		return;
	if (search->pid && search->pid != link.pid)
		kr_control_link_close(&link);
	else
		note(search, &link);
}

static void
look_in(struct search *search, const char *base)
{
	DIR *dir = base ? opendir(base) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path;

		if (strncmp(entry->d_name, KR_SOCKET_DIR_PREFIX, strlen(KR_SOCKET_DIR_PREFIX)) != 0)
			continue;
		path = kr_asprintf(
			"%s/%s/" KR_SOCKET_DIR_NAME KR_CONTROL_SUFFIX, base, entry->d_name);
		if (path)
			look_at(search, path);
		free(path);
	}
	if (dir)
		closedir(dir);
}

/* Where runs make their directories (socket_dir.h), each place once. */
static void
look_everywhere(struct search *search)
{
	const char *places[] = {
		kr_env_get_directory("XDG_RUNTIME_DIR"), kr_env_get_directory("TMPDIR"), "/tmp"};

	for (size_t i = 0; i < KR_ARRAY_LEN(places); i++) {
		bool known = false;

		for (size_t j = 0; j < i && places[i]; j++)
			known |= places[j] && !strcmp(places[i], places[j]);
		if (!known)
			look_in(search, places[i]);
	}
}

static int
find_by_search(long pid, struct kr_control_link *link)
{
	struct search search = {.pid = pid, .found = {.fd = -1}};
	int code = KR_EXIT_FAILURE;

	look_everywhere(&search);
	if (search.count == 1) {
		*link = search.found;
		code = 0;
	} else if (search.count) {
		kr_complain("layout", "there are %u runs; name one by its process or socket:%s",
			search.count, search.others ? search.others : "");
		kr_control_link_close(&search.found);
	} else if (pid) {
		kr_complain("layout",
			"process %ld is no krafla run of yours with a display; 'krafla layout' finds them",
			pid);
	} else {
		kr_complain("layout", "no krafla run of yours has a display");
	}
	free(search.others);
	return code;
}

/* Beside the display's socket, which may be reached by a link. */
static int
find_by_socket(const char *socket, struct kr_control_link *link)
{
	char *real = realpath(socket, NULL);
	char *path = real ? kr_asprintf("%s" KR_CONTROL_SUFFIX, real) : NULL;
	int err = real ? -ENOMEM : -errno;

	if (path)
		err = kr_control_link_open(link, path);
	free(path);
	free(real);
	if (err == 0)
		return 0;
	kr_complain("layout", "no krafla run answers beside %s: %s", socket,
		err == -EPROTO || err == -EPIPE ? "what is there speaks otherwise"
						: strerror(-err));
	return KR_EXIT_FAILURE;
}

int
kr_control_link_find(const char *target, struct kr_control_link *link)
{
	char *end;
	long pid;

	if (!target)
		return find_by_search(0, link);
	errno = 0;
	pid = strtol(target, &end, 10);
	if (isdigit((unsigned char)target[0]) && !*end && !errno && pid > 0)
		return find_by_search(pid, link);
	return find_by_socket(target, link);
}
