/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The integration tests of Fuchsia's vulkan_loader, by their names, of the real kraflad: its
 * packages hold a fake driver, its devices are files. What is given as a mount where that can be
 * had is tried as memory, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "delivery/delivery.h"
#include "files.h"
#include "harness.h"
#include "tests/service/rig.h"
#include "wire/service.h"

#define GPU_CLASS ", \"classes\": [{\"pattern\": \"class/gpu/*\", \"package\": \"fake\"}]"

static struct service_run service;

static void
start_with_gpu(const char *keys)
{
	char all[300];

	service_package("fake", "libvulkan_fake.so");
	service_node("class/gpu/000", "5");
	snprintf(all, sizeof(all), GPU_CLASS "%s", keys);
	service_start(&service, all);
}

/* Executable, and nobody who has it can write to it. */
static void
expect_executable(int fd)
{
	char path[64];
	void *map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	int again;

	assert_true(map != MAP_FAILED);
	munmap(map, 4096);
	assert_true(write(fd, "x", 1) < 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDWR | O_CLOEXEC);
	if (again >= 0) {
		assert_true(write(again, "x", 1) < 0);
		assert_true(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0) ==
			MAP_FAILED);
		close(again);
	}
}

static void
expect_manifest_load(const char *keys)
{
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS], fd, library;
	size_t count;

	start_with_gpu(keys);
	fd = service_client(&service);
	service_get(fd, "0-libvulkan_fake.so", 0, &answer, fds, &count);
	if (answer.package.kind == KR_DELIVERY_MOUNT) {
		assert_int_equal(count, 1);
		library = openat(fds[0], "libvulkan_fake.so", O_RDONLY | O_CLOEXEC);
		assert_true(library >= 0);
		expect_executable(library);
		close(library);
	} else {
		assert_int_equal(answer.package.kind, KR_DELIVERY_MEMORY);
		assert_true(count >= 2);
		expect_executable(fds[1]);
	}
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	service_get(fd, "not-present.so", 0, &answer, fds, &count);
	assert_int_equal(answer.package.kind, KR_DELIVERY_NONE);
	assert_int_equal(count, 0);
	close(fd);
	service_stop(&service);
}

/* F-01, F-04 */
static void
manifest_load(void **state)
{
	expect_manifest_load("");
}

static void
manifest_load_memory(void **state)
{
	expect_manifest_load(", \"delivery\": \"memory\"");
}

/* F-01, M-02 */
static void
device_fs(void **state)
{
	const struct kr_ls_message list = {.type = KR_LS_DEVICE_FS, .device_fs = {1}};
	const struct kr_ls_message node = {
		.type = KR_LS_OPEN_DEVICE, .open_device = {2, "class/gpu/000"}};
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS], fd;
	char *text, said[8] = "";
	size_t count;

	start_with_gpu("");
	fd = service_client(&service);
	/* A Get answers when the devices have been looked at. */
	service_get(fd, "0-libvulkan_fake.so", 0, &answer, fds, &count);
	assert_int_not_equal(answer.package.kind, KR_DELIVERY_NONE);
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	service_ask(fd, &list, &answer, fds, &count);
	text = service_file(fds[0], answer.devices.kind, "class/gpu/000");
	assert_non_null(text);
	free(text);
	close(fds[0]);
	service_ask(fd, &node, &answer, fds, &count);
	assert_int_equal(answer.device.error, 0);
	assert_int_equal(read(fds[0], said, sizeof(said)), 1);
	assert_string_equal(said, "5");
	close(fds[0]);
	close(fd);
	service_stop(&service);
}

/* F-01: Fuchsia's three bits, and Krafla's own for who may inspect. */
static void
features(void **state)
{
	const struct kr_ls_message ask = {.type = KR_LS_GET_FEATURES, .get_features = {1}};
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS], fd;
	size_t count;

	service_start(&service, "");
	fd = service_client(&service);
	service_ask(fd, &ask, &answer, fds, &count);
	assert_int_equal(answer.features.features,
		KR_SERVICE_GET | KR_SERVICE_DEVICE_FS | KR_SERVICE_MANIFEST_FS |
			KR_SERVICE_INSPECT);
	assert_int_equal(answer.features.features & 7, 1 | 2 | 4);
	close(fd);
	service_stop(&service);
}

static void
expect_manifest_fs(const char *keys)
{
	const struct kr_ls_message ask = {
		.type = KR_LS_MANIFEST_FS, .manifest_fs = {1, KR_SERVICE_WAIT_FOR_IDLE}};
	static const char wanted[] =
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": "
		"\"0-libvulkan_fake.so\", \"api_version\": \"1.1.0\"}}";
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS], fd;
	json_t *served, *expected;
	size_t count;
	char *text;

	start_with_gpu(keys);
	fd = service_client(&service);
	service_ask(fd, &ask, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_MANIFESTS);
	assert_int_equal(count, 1);
	text = service_file(fds[0], answer.manifests.kind, "0-libvulkan_fake.so.json");
	assert_non_null(text);
	served = json_loads(text, 0, NULL);
	expected = json_loads(wanted, 0, NULL);
	assert_true(json_equal(served, expected));
	json_decref(served);
	json_decref(expected);
	free(text);
	close(fds[0]);
	close(fd);
	service_stop(&service);
}

/* M-02, M-03 */
static void
manifest_fs(void **state)
{
	expect_manifest_fs("");
}

static void
manifest_fs_memory(void **state)
{
	expect_manifest_fs(", \"delivery\": \"memory\"");
}

/* M-01: the nodes of device classes that have a package of their own. */
static void
goldfish_sync_device_fs(void **state)
{
	static const char *const nodes[] = {
		"goldfish-sync/000", "goldfish-pipe/000", "goldfish-address-space/000"};
	const struct kr_ls_message list = {.type = KR_LS_DEVICE_FS, .device_fs = {1}};
	struct kr_ls_message node = {.type = KR_LS_OPEN_DEVICE}, answer;
	int fds[KR_LS_MAX_FDS], fd, tree;
	size_t count;
	uint32_t kind;

	service_package("goldfish", "libvulkan_goldfish.so");
	for (size_t i = 0; i < KR_ARRAY_LEN(nodes); i++)
		service_node(nodes[i], "");
	service_start(&service,
		", \"classes\": [{\"pattern\": \"goldfish-sync/*\", \"package\": \"goldfish\"}, "
		"{\"pattern\": \"goldfish-pipe/*\", \"package\": \"goldfish\"}, "
		"{\"pattern\": \"goldfish-address-space/*\", \"package\": \"goldfish\"}]");
	fd = service_client(&service);
	service_get(fd, "0-libvulkan_goldfish.so", 0, &answer, fds, &count);
	assert_int_not_equal(answer.package.kind, KR_DELIVERY_NONE);
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	service_ask(fd, &list, &answer, fds, &count);
	tree = fds[0];
	kind = answer.devices.kind;
	for (size_t i = 0; i < KR_ARRAY_LEN(nodes); i++) {
		char *text = service_file(tree, kind, nodes[i]);

		assert_non_null(text);
		free(text);
		strcpy(node.open_device.path, nodes[i]);
		service_ask(fd, &node, &answer, fds, &count);
		assert_int_equal(answer.device.error, 0);
		close(fds[0]);
	}
	close(tree);
	close(fd);
	service_stop(&service);
}

static bool
has(const json_t *list, const char *text)
{
	const json_t *element;
	size_t i;

	json_array_foreach(list, i, element)
	{
		if (!strcmp(json_string_value(element), text))
			return true;
	}
	return false;
}

/* M-06 */
static void
debug_filesystems(void **state)
{
	const struct kr_ls_message ask = {.type = KR_LS_INSPECT, .inspect = {1}};
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS], fd;
	json_t *shown, *debug;
	size_t count;
	char text[65536];
	ssize_t size;

	start_with_gpu("");
	fd = service_client(&service);
	service_get(fd, "0-libvulkan_fake.so", 0, &answer, fds, &count);
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	service_ask(fd, &ask, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_STATE);
	/* A picture that stays as it is. */
	assert_int_equal(fcntl(fds[0], F_GET_SEALS) & 0xf,
		F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	size = pread(fds[0], text, sizeof(text), 0);
	close(fds[0]);
	shown = json_loadb(text, (size_t)size, 0, NULL);
	debug = json_object_get(shown, "debug");
	assert_true(has(json_object_get(debug, "device_fs"), "class/gpu/000"));
	assert_true(has(json_object_get(debug, "manifest_fs"), "0-libvulkan_fake.so.json"));
	json_decref(shown);
	close(fd);
	service_stop(&service);
}

/* M-05: two services, each with packages of its own; neither knows the other's. */
static void
instances_side_by_side(void **state)
{
	static struct service_run other;
	const char *dir = kr_test_dir();
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS], fd;
	char text[600], config[200];
	size_t count;

	start_with_gpu("");
	service_package("../others/second", "libvulkan_second.so");
	snprintf(other.path, sizeof(other.path), "%s/other", dir);
	snprintf(text, sizeof(text),
		"{\"socket\": \"%s\", \"packages\": [\"%s/others\"], \"dev\": \"%s/none\", "
		"\"sys\": "
		"\"%s/sys\", \"events\": \"inotify\", \"probe\": false, \"software\": \"second\"}",
		other.path, dir, dir, dir);
	snprintf(config, sizeof(config), "%s", kr_test_file("other.json", text));
	daemon_start(&other.run, (const char *const[]){KRAFLAD, "--config", config, NULL}, -1);
	daemon_expect(&other.run, "listens");
	fd = service_client(&service);
	service_get(fd, "0-libvulkan_second.so", 0, &answer, fds, &count);
	assert_int_equal(answer.package.kind, KR_DELIVERY_NONE);
	close(fd);
	fd = service_client(&other);
	service_get(fd, "0-libvulkan_second.so", 0, &answer, fds, &count);
	assert_int_not_equal(answer.package.kind, KR_DELIVERY_NONE);
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	service_get(fd, "0-libvulkan_fake.so", 0, &answer, fds, &count);
	assert_int_equal(answer.package.kind, KR_DELIVERY_NONE);
	close(fd);
	service_stop(&other);
	service_stop(&service);
}

/* I-03: what isn't declared isn't offered; the package beside it is. */
static void
imports_are_declared(void **state)
{
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS], fd;
	size_t count;
	char path[300];

	service_package("other", "libvulkan_other.so");
	snprintf(path, sizeof(path), "%s/drivers/other/contents/libvulkan_fake.so", kr_test_dir());
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("uses_popen.so", path), 0);
	snprintf(path, sizeof(path), "cp '%s/uses_popen.so' %s/drivers/other/contents/", PART_DIR,
		kr_test_dir());
	assert_int_equal(system(path), 0);
	start_with_gpu("");
	daemon_expect(&service.run,
		"libvulkan_fake.so imports popen, which the package must declare (it starts programs or waits for them): \"imports\": [\"process\"] in \"krafla\" of metadata.json; instead: ");
	fd = service_client(&service);
	service_get(fd, "0-libvulkan_fake.so", 0, &answer, fds, &count);
	assert_int_not_equal(answer.package.kind, KR_DELIVERY_NONE);
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	close(fd);
	service_stop(&service);
}

/* I-01, I-02: a directory of Fuchsia's layout is offered where it lies, as all of its contents. */
static void
component_is_served(void **state)
{
	const char *dir = kr_test_dir();
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS], fd;
	char path[300], text[500];
	size_t count;

	service_package("../plain", "libvulkan_plain.so");
	snprintf(path, sizeof(path), "%s/plain/meta/metadata/metadata.json", dir);
	write_file(path,
		"{\"version\": 1, \"file_path\": \"contents/libvulkan_fake.so\", "
		"\"manifest_path\": \"contents/manifest.json\"}");
	snprintf(path, sizeof(path), "%s/drivers/fake/component.json", dir);
	snprintf(text, sizeof(text),
		"{\"program\": {\"runner\": \"icd_runner\", \"directory\": \"%s/plain\"}}", dir);
	write_file(path, text);
	service_node("class/gpu/000", "5");
	service_start(&service, GPU_CLASS);
	fd = service_client(&service);
	service_get(fd, "0-libvulkan_plain.so", 0, &answer, fds, &count);
	assert_int_not_equal(answer.package.kind, KR_DELIVERY_NONE);
	if (answer.package.kind == KR_DELIVERY_MOUNT)
		assert_int_equal(faccessat(fds[0], "contents/libvulkan_fake.so", R_OK, 0), 0);
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	close(fd);
	service_stop(&service);
}

/* I-04: without a list no package is offered, and the service says which file it is. */
static void
allow_list_that_is_broken(void **state)
{
	assert_int_equal(mkdir(kr_test_path("platform"), 0755), 0);
	kr_test_file("platform/1.txt", "platform 1\nlibrary libc.so.6\n");
	assert_int_equal(setenv("KRAFLA_PLATFORM", kr_test_path("platform"), 1), 0);
	start_with_gpu("");
	daemon_expect(&service.run, "/platform/1.txt, line 2: library: this word isn't known");
	service_stop(&service);
}

/* Packages of a directory of that resolver, offered as a service is run with `whose`. */
static void
expect_ephemeral(const char *whose, const char *said)
{
	const char *dir = kr_test_dir();
	char text[600], config[200], socket[200];

	snprintf(text, sizeof(text),
		"{\"packages\": [{\"path\": \"%s/drivers\", \"resolver\": \"ephemeral\"}], "
		"\"dev\": \"%s/none\", \"sys\": \"%s/sys\", \"events\": \"inotify\", "
		"\"probe\": false, \"software\": \"fake\"}",
		dir, dir, dir);
	snprintf(config, sizeof(config), "%s", kr_test_file("ephemeral.json", text));
	snprintf(socket, sizeof(socket), "%s/ephemeral", dir);
	daemon_start(&service.run,
		(const char *const[]){KRAFLAD, "--config", config, "--socket", socket, whose, NULL},
		-1);
	daemon_expect(&service.run, said);
	daemon_stop(&service.run);
}

/* I-06: a service of the system is for users, one of a user's for himself. */
static void
ephemeral_packages_are_for_development(void **state)
{
	service_package("fake", "libvulkan_fake.so");
	assert_int_equal(chmod(kr_test_dir(), 0755), 0);
	expect_ephemeral("--system", "it is ephemeral, for development");
	expect_ephemeral("--user", "offers 0-libvulkan_fake.so (package fake)");
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(manifest_load, 0, 60),
	KR_TEST_SLOW(manifest_load_memory, 0, 60),
	KR_TEST_SLOW(device_fs, 0, 60),
	KR_TEST_SLOW(features, 0, 60),
	KR_TEST_SLOW(manifest_fs, 0, 60),
	KR_TEST_SLOW(manifest_fs_memory, 0, 60),
	KR_TEST_SLOW(goldfish_sync_device_fs, 0, 60),
	KR_TEST_SLOW(debug_filesystems, 0, 60),
	KR_TEST_SLOW(instances_side_by_side, 0, 60),
	KR_TEST_SLOW(imports_are_declared, 0, 60),
	KR_TEST_SLOW(allow_list_that_is_broken, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(component_is_served, 0, 60),
	KR_TEST_SLOW(ephemeral_packages_are_for_development, 0, 60),
};

KR_TEST_MAIN(tests)
