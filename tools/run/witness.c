/* SPDX-License-Identifier: Apache-2.0 */
/* See witness.h. */
#include "tools/run/witness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/run/loaders.h"
#include "tools/run/say.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/report.h"
#include "util/text.h"

/* Reports that are taken in at a time, so that nobody can keep us busy with them. */
#define MAX_REPORTS 16
/* What may have come by the end: more than a socket holds. */
#define MAX_LAST 1024
/* What is told of them with -v: a program may make instances all day long. */
#define MAX_TOLD 64
/* The first look; the next ones come later and later. */
#define FIRST_LOOK_NS (200 * KR_NSEC_PER_MSEC)
#define MAX_LOOKS     8

static int
open_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int on = 1, fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) ||
		setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)))
		kr_fd_close(&fd);
	return fd;
}

void
kr_witness_init(struct kr_witness *witness, const char *path, const char *ours, bool verbose)
{
	*witness = (struct kr_witness){
		.fd = path ? open_socket(path) : -1,
		.ours = ours ? realpath(ours, NULL) : NULL,
		.verbose = verbose,
		.next_ns = kr_clock_now() + FIRST_LOOK_NS,
	};
	if (witness->fd >= 0)
		witness->path = strdup(path);
}

void
kr_witness_remove(const struct kr_witness *witness)
{
	if (witness->path)
		unlink(witness->path);
}

void
kr_witness_finish(struct kr_witness *witness)
{
	kr_witness_remove(witness);
	kr_run_costs_finish(&witness->egl);
	if (witness->path)
		kr_fd_close(&witness->fd);
	free(witness->path);
	free(witness->ours);
	free(witness->other);
	*witness = (struct kr_witness){.fd = -1};
}

/* The first of these descriptors; the others are closed. */
static void
take_fds(struct cmsghdr *c, int *fd)
{
	size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

	for (size_t i = 0; i < count; i++) {
		int one;

		memcpy(&one, CMSG_DATA(c) + i * sizeof(int), sizeof(one));
		if (*fd < 0)
			*fd = one;
		else
			kr_fd_close(&one);
	}
}

/* The sender's id, as the kernel knows it, and a descriptor that came along (-1: none). */
static pid_t
sender_of(struct msghdr *message, int *take_fd)
{
	struct ucred who = {0};
	struct cmsghdr *c;

	*take_fd = -1;
	for (c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS)
			memcpy(&who, CMSG_DATA(c), sizeof(who));
		else if (c->cmsg_type == SCM_RIGHTS)
			take_fds(c, take_fd);
	}
	return who.pid;
}

/* What a name may have of strangers' text. */
static void
keep_name(char *out, size_t size, const char *text)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++)
		out[n++] = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
				(*text >= '0' && *text <= '9') || *text == '_'
			? *text
			: '?';
	out[n] = '\0';
}

static void
take(struct kr_witness *witness, const char *text, pid_t pid)
{
	static const char refused[] = KR_REPORT_EXTENSION " ";
	char name[sizeof(witness->extension)];
	bool tell = witness->verbose && witness->told < MAX_TOLD;

	witness->told += tell;
	if (!strcmp(text, KR_REPORT_INSTANCE)) {
		witness->instance = true;
		if (tell)
			kr_say("process %d has made a Vulkan instance", pid);
	} else if (!strcmp(text, KR_REPORT_NO_DRIVER)) {
		witness->no_driver = true;
		if (tell)
			kr_say("process %d found no Vulkan driver", pid);
	} else if (!strncmp(text, refused, sizeof(refused) - 1)) {
		keep_name(name, sizeof(name), text + sizeof(refused) - 1);
		if (tell)
			kr_say("process %d was refused the instance extension %s", pid, name);
		if (!witness->extension[0])
			memcpy(witness->extension, name, sizeof(name));
	}
}

static bool
hear_one(struct kr_witness *witness)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))];
	} control;
	char text[KR_REPORT_MAX + 1];
	struct iovec data = {text, KR_REPORT_MAX};
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(witness->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	pid_t pid;
	int fd;

	if (n < 0)
		return false;
	text[n] = '\0';
	pid = sender_of(&message, &fd);
	if (fd >= 0 && !strcmp(text, KR_REPORT_EGL)) {
		kr_run_costs_take(&witness->egl, fd);
		return true;
	}
	kr_fd_close(&fd);
	take(witness, text, pid);
	return true;
}

static void
hear(struct kr_witness *witness, int most)
{
	for (int i = 0; i < most && witness->path && hear_one(witness); i++)
		;
}

void
kr_witness_hear(struct kr_witness *witness)
{
	hear(witness, MAX_REPORTS);
}

void
kr_witness_hear_last(struct kr_witness *witness)
{
	hear(witness, MAX_LAST);
}

void
kr_witness_look(struct kr_witness *witness, pid_t program, bool shown, int64_t now)
{
	struct kr_loaders found = {0};

	if (now < witness->next_ns)
		return;
	witness->next_ns = ++witness->looks < MAX_LOOKS && !shown
		? now + (FIRST_LOOK_NS << witness->looks)
		: KR_FOREVER;
	if (shown || !witness->ours)
		return;
	kr_loaders_find(program, witness->ours, &found);
	witness->looked |= found.processes > 0;
	witness->ours_seen |= found.ours;
	if (!found.other || witness->other) {
		free(found.other);
		return;
	}
	witness->other = found.other;
	witness->other_pid = found.other_pid;
	memcpy(witness->other_name, found.other_name, sizeof(witness->other_name));
	if (witness->verbose)
		kr_say("process %d (%s) has loaded another Vulkan loader, %s: what it presents with it isn't shown here",
			found.other_pid, found.other_name, found.other);
}

char *
kr_witness_why(const struct kr_witness *w, bool window)
{
	if (w->no_driver)
		return strdup(
			"Vulkan found no driver for it; 'krafla explain' tells where was looked and what to do");
	if (w->extension[0])
		return kr_asprintf(
			"it was refused the Vulkan extension %s, which neither the drivers here nor krafla have",
			w->extension);
	if (w->other)
		return kr_asprintf(
			"its process %d (%s) has loaded another Vulkan loader, %s, beside or in place of %s; what it presents with that one can't be shown here",
			w->other_pid, w->other_name, w->other, w->ours);
	if (window)
		return NULL;
	if (w->instance)
		return strdup(
			"it used Vulkan, but made no surface that it could have presented to");
	if (w->looked && !w->ours_seen)
		return kr_asprintf(
			"none of its processes has loaded a Vulkan loader; it presents nothing with Vulkan, or has a loader built in");
	if (w->ours_seen)
		return strdup("it loaded this krafla's libvulkan.so.1 but made no Vulkan instance");
	return strdup(
		"it never made a Vulkan instance with this krafla's libvulkan.so.1; it ended before that, presents nothing with Vulkan, or has a loader of its own");
}
