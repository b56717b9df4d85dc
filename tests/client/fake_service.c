/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_service.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_service_say.h"
#include "harness.h"
#include "util/macros.h"

#define MAX_CLIENTS 256

static void
make_directories(struct fake_service *service)
{
	static const char *const names[] = {"manifests", "packages", "dev", "dev/dri"};
	char path[PATH_MAX];

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", service->dir, names[i]);
		if (mkdir(path, 0755))
			assert_int_equal(errno, EEXIST);
	}
}

static int
listen_at(const char *dir)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/service", dir);
	unlink(address.sun_path);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 64), 0);
	return fd;
}

static void
serve(struct fake_service *service, int listener)
{
	struct pollfd fds[1 + MAX_CLIENTS] = {{.fd = listener, .events = POLLIN}};
	nfds_t count = 1;

	for (;;) {
		if (poll(fds, count, -1) < 0)
			continue;
		for (nfds_t i = count - 1; i > 0; i--) {
			if (!fds[i].revents || fake_answer(service, fds[i].fd))
				continue;
			close(fds[i].fd);
			fds[i] = fds[--count];
		}
		if (fds[0].revents && count <= MAX_CLIENTS) {
			int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

			if (fd < 0)
				continue;
			atomic_fetch_add(&service->connections, 1);
			if (atomic_load(&service->fault) == FAKE_CLOSES)
				close(fd);
			else
				fds[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
		}
	}
}

static void
start(struct fake_service *service)
{
	int listener = listen_at(service->dir);
	pid_t parent = getpid(), child = fork();

	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			serve(service, listener);
		_exit(0);
	}
	service->pid = child;
	close(listener);
}

struct fake_service *
fake_start(void)
{
	struct fake_service *service = mmap(
		NULL, sizeof(*service), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(service, MAP_FAILED);
	snprintf(service->dir, sizeof(service->dir), "%s", kr_test_dir());
	make_directories(service);
	start(service);
	return service;
}

void
fake_kill(struct fake_service *service)
{
	kill(service->pid, SIGKILL);
	assert_int_equal(waitpid(service->pid, NULL, 0), service->pid);
}

void
fake_restart(struct fake_service *service)
{
	fake_kill(service);
	start(service);
}

static void
write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

void
fake_offer(struct fake_service *service, const char *name, const char *library)
{
	char path[PATH_MAX], hidden[PATH_MAX], text[512];

	if (library) {
		snprintf(path, sizeof(path), "%s/packages/%s", service->dir, name);
		assert_int_equal(symlink(library, path), 0);
	}
	snprintf(text, sizeof(text),
		"{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"%s\","
		"\"api_version\":\"1.1.0\"}}",
		name);
	snprintf(hidden, sizeof(hidden), "%s/manifests/.%s", service->dir, name);
	snprintf(path, sizeof(path), "%s/manifests/%s.json", service->dir, name);
	write_file(hidden, text);
	assert_int_equal(rename(hidden, path), 0);
}

void
fake_withdraw(struct fake_service *service, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/manifests/%s.json", service->dir, name);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/packages/%s", service->dir, name);
	assert_int_equal(unlink(path), 0);
}

void
fake_device(struct fake_service *service, const char *path, const char *text)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s/dev/%s", service->dir, path);
	write_file(full, text);
}
