/* SPDX-License-Identifier: Apache-2.0 */
/* See real_rig.h. */
#include "real_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "delivery/delivery.h"
#include "harness.h"
#include "util/clock.h"
#include "util/text.h"
#include "wire/packet.h"

static void
make_folders(const char *path)
{
	char *copy = strdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755))
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
	free(copy);
}

static void
write_file(const char *path, const char *text)
{
	FILE *file;

	make_folders(path);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void
copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	struct stat st;

	assert_true(in >= 0 && out >= 0);
	assert_int_equal(fstat(in, &st), 0);
	assert_int_equal(sendfile(out, in, NULL, (size_t)st.st_size), st.st_size);
	close(in);
	close(out);
}

void
real_package(const char *name, const char *library)
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
	snprintf(path, sizeof(path), "%s/drivers/%s/metadata.json", kr_test_dir(), name);
	write_file(path,
		"{\"version\": 1, \"file_path\": \"libvulkan_fake.so\", "
		"\"manifest_path\": \"manifest.json\"}");
}

void
real_node(const char *path, const char *text)
{
	char full[300];

	snprintf(full, sizeof(full), "%s/dev/%s", kr_test_dir(), path);
	write_file(full, text);
}

void
real_configure(const char *directory, const char *keys)
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
real_start(struct real_service *service, const char *keys)
{
	const char *dir = kr_test_dir();
	char config[300], path[300];

	/* All may be read by others: the service's child that makes mounts is somebody else, in a way. */
	assert_int_equal(chmod(dir, 0755), 0);
	snprintf(path, sizeof(path), "%s/sys/class/drm/x", dir);
	make_folders(path);
	snprintf(path, sizeof(path), "%s/dev/x", dir);
	make_folders(path);
	snprintf(config, sizeof(config), "%s/kraflad.json", dir);
	real_configure("drivers", keys);
	snprintf(service->path, sizeof(service->path), "%s/service", dir);
	daemon_start(&service->run,
		(const char *const[]){KRAFLAD, "--config", config, "--socket", service->path, NULL},
		-1);
	daemon_expect(&service->run, "listens");
}

void
real_stop(struct real_service *service)
{
	daemon_stop(&service->run);
}

static void
receive(int fd, struct kr_ls_message *answer, int *fds, size_t *count)
{
	const int64_t deadline = kr_deadline_in(20 * KR_NSEC_PER_SEC);
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
real_ask(int fd, const struct kr_ls_message *message, struct kr_ls_message *answer, int *fds,
	size_t *count)
{
	uint8_t bytes[KR_LS_MAX_SIZE];

	assert_int_equal(kr_packet_send(fd, bytes, kr_ls_encode(message, bytes), NULL, 0), 0);
	receive(fd, answer, fds, count);
}

int
real_client(const struct real_service *service)
{
	const struct kr_ls_message hello = {.type = KR_LS_HELLO, .hello = {KR_LS_VERSION}};
	int fd = daemon_connect(service->path), fds[KR_LS_MAX_FDS];
	struct kr_ls_message answer;
	size_t count;

	real_ask(fd, &hello, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_WELCOME);
	return fd;
}

void
real_get(int fd, const char *name, uint32_t options, struct kr_ls_message *answer, int *fds,
	size_t *count)
{
	struct kr_ls_message get = {.type = KR_LS_GET, .get = {.serial = 7, .options = options}};

	snprintf(get.get.name, sizeof(get.get.name), "%s", name);
	real_ask(fd, &get, answer, fds, count);
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
real_file(int tree, uint32_t kind, const char *name)
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
