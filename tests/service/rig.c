/* SPDX-License-Identifier: Apache-2.0 */
/* See rig.h. */
#include "rig.h"

#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "delivery/delivery.h"
#include "files.h"
#include "harness.h"
#include "util/clock.h"
#include "util/text.h"
#include "wire/packet.h"

#define PATIENCE_NS (20 * KR_NSEC_PER_SEC)

static void __attribute__((noreturn)) become(const char *const argv[], int output, int handed_over)
{
	char pid[32];

	if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
		_exit(1);
	if (handed_over >= 0) {
		snprintf(pid, sizeof(pid), "%d", (int)getpid());
		if (handed_over == 3 ? fcntl(3, F_SETFD, 0) : dup2(handed_over, 3) < 0)
			_exit(1);
		setenv("LISTEN_PID", pid, 1);
		setenv("LISTEN_FDS", "1", 1);
	}
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(1);
}

void
daemon_start(struct daemon_run *run, const char *const argv[], int handed_over)
{
	int ends[2];

	memset(run, 0, sizeof(*run));
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	run->pid = fork();
	assert_true(run->pid >= 0);
	if (!run->pid)
		become(argv, ends[1], handed_over);
	close(ends[1]);
	run->output = ends[0];
}

/* False: it says nothing more. */
static bool
listen_on(struct daemon_run *run, int64_t deadline)
{
	struct pollfd pollfd = {.fd = run->output, .events = POLLIN};
	ssize_t got;

	if (poll(&pollfd, 1, kr_deadline_poll_ms(deadline)) <= 0)
		return kr_clock_now() < deadline;
	got = read(run->output, run->said + run->length, sizeof(run->said) - 1 - run->length);
	if (got <= 0)
		return false;
	run->length += (size_t)got;
	run->said[run->length] = '\0';
	return true;
}

void
daemon_expect(struct daemon_run *run, const char *text)
{
	const int64_t deadline = kr_deadline_in(PATIENCE_NS);

	while (!strstr(run->said, text)) {
		if (!listen_on(run, deadline))
			fail_msg("it didn't say '%s', but: %s", text, run->said);
	}
}

int
daemon_wait(struct daemon_run *run)
{
	const int64_t deadline = kr_deadline_in(PATIENCE_NS);
	int status;

	while (listen_on(run, deadline))
		;
	if (kr_clock_now() >= deadline)
		kill(run->pid, SIGKILL);
	assert_int_equal(waitpid(run->pid, &status, 0), run->pid);
	close(run->output);
	if (!WIFEXITED(status))
		fail_msg("it was ended by signal %d: %s", WTERMSIG(status), run->said);
	return WEXITSTATUS(status);
}

void
daemon_stop(struct daemon_run *run)
{
	kill(run->pid, SIGTERM);
	assert_int_equal(daemon_wait(run), 0);
}

int
daemon_run_once(struct daemon_run *run, const char *const argv[])
{
	daemon_start(run, argv, -1);
	return daemon_wait(run);
}

int
daemon_connect(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_true(strlen(path) < sizeof(address.sun_path));
	memcpy(address.sun_path, path, strlen(path));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* --- kraflad, its packages and its devices --- */

void
service_package(const char *name, const char *library)
{
	char path[300], *manifest;

	snprintf(path, sizeof(path), "%s/drivers/%s/contents/manifest.json", kr_test_dir(), name);
	manifest = kr_asprintf(
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\", "
		"\"api_version\": \"1.1.0\"}}",
		library);
	write_file(path, manifest);
	free(manifest);
	snprintf(path, sizeof(path), "%s/drivers/%s/contents/libvulkan_fake.so", kr_test_dir(),
		name);
	copy_file(FAKE_DRIVER, path);
	snprintf(path, sizeof(path), "%s/drivers/%s/metadata/metadata.json", kr_test_dir(), name);
	write_file(path,
		"{\"version\": 1, \"file_path\": \"libvulkan_fake.so\", "
		"\"manifest_path\": \"manifest.json\"}");
}

void
service_node(const char *path, const char *text)
{
	char full[300];

	snprintf(full, sizeof(full), "%s/dev/%s", kr_test_dir(), path);
	write_file(full, text);
}

void
service_configure(const char *directory, const char *keys)
{
	const char *dir = kr_test_dir();
	char *text =
		kr_asprintf("{\"packages\": [\"%s/%s\"], \"dev\": \"%s/dev\", \"sys\": \"%s/sys\", "
			    "\"events\": \"inotify\", \"probe\": false%s}",
			dir, directory, dir, dir, keys);

	kr_test_file("kraflad.json", text);
	free(text);
}

void
service_start(struct service_run *service, const char *keys)
{
	const char *dir = kr_test_dir();
	char config[300], path[300];

	/*
	 * All may be read by others: the service's child that makes mounts is somebody else, in a
	 * way.
	 */
	assert_int_equal(chmod(dir, 0755), 0);
	snprintf(path, sizeof(path), "%s/drivers/x", dir);
	make_folders(path);
	snprintf(path, sizeof(path), "%s/sys/class/drm/x", dir);
	make_folders(path);
	snprintf(path, sizeof(path), "%s/dev/x", dir);
	make_folders(path);
	snprintf(config, sizeof(config), "%s/kraflad.json", dir);
	service_configure("drivers", keys);
	snprintf(service->path, sizeof(service->path), "%s/service", dir);
	daemon_start(&service->run,
		(const char *const[]){KRAFLAD, "--config", config, "--socket", service->path, NULL},
		-1);
	daemon_expect(&service->run, "listens");
}

void
service_stop(struct service_run *service)
{
	daemon_stop(&service->run);
}

/* --- a client of it --- */

static void
receive(int fd, struct kr_ls_message *answer, int *fds, size_t *count)
{
	const int64_t deadline = kr_deadline_in(PATIENCE_NS);
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};
	uint8_t bytes[KR_LS_MAX_SIZE];
	size_t size;
	int err;

	assert_int_equal(poll(&pollfd, 1, kr_deadline_poll_ms(deadline)), 1);
	err = kr_packet_receive(fd, bytes, sizeof(bytes), &size, fds, KR_LS_MAX_FDS, count);
	assert_int_equal(err, 0);
	assert_int_equal(kr_ls_decode(bytes, size, *count, answer), 0);
}

void
service_ask(int fd, const struct kr_ls_message *message, struct kr_ls_message *answer, int *fds,
	size_t *count)
{
	uint8_t bytes[KR_LS_MAX_SIZE];

	assert_int_equal(kr_packet_send(fd, bytes, kr_ls_encode(message, bytes), NULL, 0), 0);
	receive(fd, answer, fds, count);
}

int
service_client(const struct service_run *service)
{
	const struct kr_ls_message hello = {.type = KR_LS_HELLO, .hello = {KR_LS_VERSION}};
	int fd = daemon_connect(service->path), fds[KR_LS_MAX_FDS];
	struct kr_ls_message answer;
	size_t count;

	service_ask(fd, &hello, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_WELCOME);
	return fd;
}

void
service_get(int fd, const char *name, uint32_t options, struct kr_ls_message *answer, int *fds,
	size_t *count)
{
	struct kr_ls_message get = {.type = KR_LS_GET, .get = {.serial = 7, .options = options}};

	snprintf(get.get.name, sizeof(get.get.name), "%s", name);
	service_ask(fd, &get, answer, fds, count);
	assert_int_equal(answer->type, KR_LS_PACKAGE);
	assert_int_equal(answer->package.serial, 7);
}

static char *
read_whole(int fd)
{
	struct stat st;
	char *text;

	assert_int_equal(fstat(fd, &st), 0);
	text = calloc(1, (size_t)st.st_size + 1);
	assert_int_equal(pread(fd, text, (size_t)st.st_size, 0), st.st_size);
	return text;
}

static char *
find_listed(int listing, const char *name)
{
	char *text = read_whole(listing), *found = NULL;
	json_t *root = json_loads(text, 0, NULL), *file;
	size_t i;

	assert_non_null(root);
	json_array_foreach(json_object_get(root, "files"), i, file)
	{
		if (!strcmp(json_string_value(json_object_get(file, "name")), name))
			found = strdup(json_string_value(json_object_get(file, "text")));
	}
	json_decref(root);
	free(text);
	return found;
}

char *
service_file(int tree, uint32_t kind, const char *name)
{
	char *text;
	int fd;

	if (kind == KR_DELIVERY_MEMORY)
		return find_listed(tree, name);
	assert_int_equal(kind, KR_DELIVERY_MOUNT);
	fd = openat(tree, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = read_whole(fd);
	close(fd);
	return text;
}
