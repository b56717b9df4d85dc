/* SPDX-License-Identifier: Apache-2.0 */
/* What the fake service answers. */
#include "fake_service_say.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "delivery/delivery.h"
#include "harness.h"
#include "util/fd.h"
#include "wire/loader_service.h"
#include "wire/packet.h"
#include "wire/service.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static bool
say(struct fake_service *service, int client, struct kr_ls_message *message, const int *fds,
	size_t count)
{
	uint8_t bytes[4096] = {0};
	int fault = atomic_load(&service->fault);
	size_t size;

	if (fault == FAKE_WRONG_SERIAL)
		message->package.serial += 7;
	if (fault == FAKE_WRONG_TYPE && message->type != KR_LS_FEATURES)
		*message = (struct kr_ls_message){
			.type = KR_LS_FEATURES, .features = {.serial = message->package.serial}};
	if (message->type == KR_LS_FEATURES)
		count = 0;
	size = kr_ls_encode(message, bytes);
	if (fault == FAKE_GARBAGE)
		memset(bytes, 0xee, size);
	if (fault == FAKE_LONG)
		size = sizeof(bytes);
	return kr_packet_send(client, bytes, size, fds, count) == 0;
}

static int
make_memory(const struct fake_service *service, const char *text, size_t size)
{
	int fd = memfd_create("fake", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(write(fd, text, size), size);
	if (atomic_load(&service->fault) != FAKE_NOT_SEALED)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, SEALS), 0);
	return fd;
}

static int
copy_library(const struct fake_service *service, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), memory;
	off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
	char *map;

	if (size <= 0)
		return -1;
	map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
	memory = make_memory(service, map, (size_t)size);
	munmap(map, (size_t)size);
	close(file);
	return memory;
}

static const char *
needs(int fault)
{
	switch (fault) {
	case FAKE_NEEDS_NEWER:
		return "{\"library\":\"libc.so.6\",\"versions\":[\"GLIBC_9.99\"]}";
	case FAKE_NEEDS_MISSING:
		return "{\"library\":\"libnowhere.so.9\",\"versions\":[]}";
	default:
		return "{\"library\":\"libc.so.6\",\"versions\":[]}";
	}
}

static void
replace(const struct fake_service *service)
{
	char old[PATH_MAX], new[PATH_MAX];

	snprintf(old, sizeof(old), "%s/manifests/.next.json", service->dir);
	snprintf(new, sizeof(new), "%s/manifests/1-b.so.json", service->dir);
	assert_int_equal(rename(old, new), 0);
}

static bool
give_package(struct fake_service *service, int client, const struct kr_ls_get *get)
{
	int fault = atomic_load(&service->fault);
	struct kr_ls_message answer = {
		.type = KR_LS_PACKAGE, .package = {get->serial, KR_DELIVERY_MEMORY}};
	char path[PATH_MAX], index[512];
	int fds[2];
	bool sent;

	snprintf(path, sizeof(path), "%s/packages/%s", service->dir, get->name);
	fds[1] = copy_library(service, path);
	if (fds[1] < 0) {
		answer.package.kind = KR_DELIVERY_NONE;
		if (fault == FAKE_REPLACES)
			replace(service);
		return say(service, client, &answer, NULL, 0);
	}
	snprintf(index, sizeof(index),
		"{\"version\":1,\"name\":\"%s\",\"driver\":\"driver.so\",\"files\":[{\"path\":"
		"\"driver.so\",\"role\":\"driver\"}],\"needs\":[%s]}",
		get->name, needs(fault));
	fds[0] = make_memory(service, index, strlen(index));
	if (fault == FAKE_WRONG_KIND)
		answer.package.kind = 77;
	sent = say(service, client, &answer, fds, 2);
	kr_fd_close(&fds[0]);
	kr_fd_close(&fds[1]);
	return sent;
}

/* Appends {"name": ..., "text": ...}. */
static void
list_file(FILE *out, const char *dir, const char *name, bool first)
{
	char path[PATH_MAX + 256], text[4096];
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "re");
	size = fread(text, 1, sizeof(text), file);
	fclose(file);
	fprintf(out, "%s{\"name\":\"%s\",\"text\":\"", first ? "" : ",", name);
	for (size_t i = 0; i < size; i++)
		fprintf(out, "%s%c", text[i] == '"' ? "\\" : "", text[i]);
	fprintf(out, "\"}");
}

static int
make_listing(const struct fake_service *service, const char *path)
{
	const struct dirent *entry;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	DIR *dir = opendir(path);
	bool first = true;
	int fd;

	fprintf(out, "{\"files\":[");
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		list_file(out, path, entry->d_name, first);
		first = false;
	}
	fprintf(out, "]}");
	fclose(out);
	closedir(dir);
	fd = make_memory(service, text, size);
	free(text);
	return fd;
}

/* Nodes have no text, and folders of their own. */
static void
list_nodes(FILE *out, const char *dir, const char *below, bool *first)
{
	const struct dirent *entry;
	char path[PATH_MAX];
	DIR *folder;

	snprintf(path, sizeof(path), "%s/%s", dir, below);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		char deeper[PATH_MAX];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(deeper, sizeof(deeper), "%s%s/", below, entry->d_name);
		if (entry->d_type == DT_DIR) {
			list_nodes(out, dir, deeper, first);
		} else {
			fprintf(out, "%s{\"name\":\"%s%s\",\"text\":\"\"}", *first ? "" : ",",
				below, entry->d_name);
			*first = false;
		}
	}
	if (folder)
		closedir(folder);
}

static int
make_node_listing(const struct fake_service *service, const char *path)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool first = true;
	int fd;

	fprintf(out, "{\"files\":[");
	list_nodes(out, path, "", &first);
	fprintf(out, "]}");
	fclose(out);
	fd = make_memory(service, text, size);
	free(text);
	return fd;
}

static bool
give_tree(struct fake_service *service, int client, enum kr_ls_type type, uint32_t serial)
{
	int fault = atomic_load(&service->fault);
	bool listing = atomic_load(&service->listing);
	struct kr_ls_message answer = {.type = type,
		.manifests = {serial, listing ? KR_DELIVERY_MEMORY : KR_DELIVERY_MOUNT}};
	char path[PATH_MAX];
	bool sent;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", service->dir,
		type == KR_LS_MANIFESTS ? "manifests" : "dev");
	if (listing && fault != FAKE_NO_DIRECTORY)
		fd = type == KR_LS_MANIFESTS ? make_listing(service, path)
					     : make_node_listing(service, path);
	else if (fault == FAKE_NO_DIRECTORY)
		fd = make_memory(service, "{}", 2);
	else
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fault == FAKE_WRONG_KIND)
		answer.manifests.kind = 77;
	sent = say(service, client, &answer, &fd, 1);
	kr_fd_close(&fd);
	return sent;
}

static bool
give_device(struct fake_service *service, int client, const struct kr_ls_open_device *request)
{
	struct kr_ls_message answer = {.type = KR_LS_DEVICE, .device = {request->serial, 0}};
	char path[PATH_MAX];
	bool sent;
	int fd;

	atomic_fetch_add(&service->opened, 1);
	snprintf(path, sizeof(path), "%s/dev/%s", service->dir, request->path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	answer.device.error = fd < 0 ? errno : 0;
	sent = say(service, client, &answer, &fd,
		fd < 0 || atomic_load(&service->fault) == FAKE_DEVICE_NO_FD ? 0 : 1);
	kr_fd_close(&fd);
	return sent;
}

static bool
refuse(struct fake_service *service, int client, uint32_t serial, int error)
{
	struct kr_ls_message answer = {
		.type = KR_LS_REFUSED, .refused = {serial, error, "no\x1b[2J room"}};

	return say(service, client, &answer, NULL, 0);
}

static bool
answer_hello(struct fake_service *service, int client)
{
	int fault = atomic_load(&service->fault);
	struct kr_ls_message welcome = {
		.type = KR_LS_WELCOME,
		.welcome =
			{
				.version = fault == FAKE_WRONG_VERSION ? 9 : 1,
				.features = KR_SERVICE_GET | KR_SERVICE_DEVICE_FS |
					KR_SERVICE_MANIFEST_FS,
				.max_requests = fault == FAKE_NO_REQUESTS ? 0 : 16,
			},
	};
	uint8_t bytes[KR_LS_MAX_SIZE];
	size_t size = kr_ls_encode(&welcome, bytes);

	return fault == FAKE_SAYS_NOTHING || !kr_packet_send(client, bytes, size, NULL, 0);
}

static bool
answer_manifests(struct fake_service *service, int client, const struct kr_ls_manifest_fs *request)
{
	bool idle = request->options & KR_SERVICE_WAIT_FOR_IDLE;

	atomic_fetch_add(&service->manifest_requests, 1);
	atomic_fetch_add(&service->idle_requests, idle);
	if (idle && atomic_load(&service->fault) == FAKE_PARKS_IDLE)
		return true;
	return give_tree(service, client, KR_LS_MANIFESTS, request->serial);
}

static bool
answer_request(struct fake_service *service, int client, struct kr_ls_message *request)
{
	int fault = atomic_load(&service->fault);
	struct kr_ls_message features = {.type = KR_LS_FEATURES, .features = {0, 7}};

	if (fault == FAKE_ANSWERS_NOTHING)
		return true;
	if (fault == FAKE_REFUSES || fault == FAKE_REFUSES_OK)
		return refuse(
			service, client, request->get.serial, fault == FAKE_REFUSES ? EBUSY : 0);
	switch (request->type) {
	case KR_LS_GET_FEATURES:
		features.features.serial = request->get_features.serial;
		return say(service, client, &features, NULL, 0);
	case KR_LS_GET:
		atomic_fetch_add(&service->gets, 1);
		if (fault == FAKE_DIES_ON_GET || fault == FAKE_PARKS_GET)
			return fault == FAKE_PARKS_GET;
		return give_package(service, client, &request->get);
	case KR_LS_MANIFEST_FS:
		return answer_manifests(service, client, &request->manifest_fs);
	case KR_LS_DEVICE_FS:
		return give_tree(service, client, KR_LS_DEVICES, request->device_fs.serial);
	case KR_LS_OPEN_DEVICE:
		return give_device(service, client, &request->open_device);
	default:
		return false;
	}
}

bool
fake_answer(struct fake_service *service, int client)
{
	struct kr_ls_message request;
	uint8_t bytes[KR_LS_MAX_SIZE];
	size_t size, count;
	int err = kr_packet_receive(client, bytes, sizeof(bytes), &size, NULL, 0, &count);

	if (err)
		return err == -EAGAIN;
	if (kr_ls_decode(bytes, size, 0, &request))
		return false;
	if (request.type == KR_LS_HELLO)
		return answer_hello(service, client);
	return answer_request(service, client, &request);
}
