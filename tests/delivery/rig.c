/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries for tests: see rig.h. */
#include "rig.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"
#include "util/text.h"

#define ALL_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

const struct rig_file rig_first[] = {
	RIG_BASE("krd_base_v1.so"), RIG_MID("krd_mid.so"), RIG_DRIVER("krd_driver.so"), {0}};
const struct rig_file rig_second[] = {
	RIG_BASE("krd_base_v2.so"), RIG_MID("krd_mid.so"), RIG_DRIVER("krd_driver_other.so"), {0}};

const char *
rig_source(const char *source)
{
	static char path[1024];

	snprintf(path, sizeof(path), "%s%s", *source == '/' ? "" : TEST_BUILD_DIR "/", source);
	return path;
}

static char *
append(char *take_text, char *take_piece)
{
	char *all;

	assert_non_null(take_text);
	assert_non_null(take_piece);
	all = kr_asprintf("%s%s", take_text, take_piece);
	assert_non_null(all);
	free(take_text);
	free(take_piece);
	return all;
}

char *
rig_index(const struct rig_file *files, const char *needs)
{
	const char *driver = "";
	char *text, *list = strdup("");

	for (size_t i = 0; files[i].path; i++) {
		bool has = files[i].soname;

		if (!strcmp(files[i].role, "driver"))
			driver = files[i].path;
		list = append(list,
			kr_asprintf("%s{\"path\": \"%s\", \"role\": \"%s\"%s%s%s%s}", i ? ", " : "",
				files[i].path, files[i].role, has ? ", \"soname\": \"" : "",
				has ? files[i].soname : "", has ? "\"" : "",
				files[i].own ? ", \"own\": true" : ""));
	}
	text = kr_asprintf(
		"{\"version\": 1, \"name\": \"0-%s\", \"driver\": \"%s\", \"files\": [%s], "
		"\"needs\": %s}",
		driver, driver, list, needs ? needs : "[{\"library\": \"libc.so.6\"}]");
	free(list);
	return text;
}

int
rig_object(const char *name, const void *bytes, size_t size, int seals)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	for (size_t done = 0; done < size;) {
		ssize_t ret = write(fd, (const char *)bytes + done, size - done);

		assert_true(ret > 0);
		done += (size_t)ret;
	}
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static int
object_of_file(const char *name, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), fd;
	struct stat status;
	void *bytes;

	if (file < 0)
		fail_msg("%s: %s", path, strerror(errno));
	assert_int_equal(fstat(file, &status), 0);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	assert_true(bytes != MAP_FAILED);
	fd = rig_object(name, bytes, (size_t)status.st_size, ALL_SEALS);
	munmap(bytes, (size_t)status.st_size);
	close(file);
	return fd;
}

static void
copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	char bytes[65536];
	ssize_t len;

	if (in < 0 || out < 0)
		fail_msg("%s to %s: %s", from, to, strerror(errno));
	while ((len = read(in, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(out, bytes, (size_t)len), len);
	assert_int_equal(len, 0);
	close(in);
	close(out);
}

char *
rig_write(const struct rig_file *files, const char *needs)
{
	static int number;
	char *directory = kr_asprintf("%s/package%d", kr_test_dir(), number++);
	char *index = rig_index(files, needs), *path;
	FILE *file;

	assert_int_equal(mkdir(directory, 0755), 0);
	for (size_t i = 0; files[i].path; i++) {
		path = kr_asprintf("%s/%s", directory, files[i].path);
		copy_file(rig_source(files[i].source), path);
		free(path);
	}
	path = kr_asprintf("%s/%s", directory, KR_INDEX_FILE);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(index, file) >= 0);
	assert_int_equal(fclose(file), 0);
	free(path);
	free(index);
	return directory;
}

static int
clone_tree(const char *directory)
{
	return (int)syscall(SYS_open_tree, AT_FDCWD, directory,
		OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

static int
clone_tree_somehow(const char *directory)
{
	int fd = clone_tree(directory);

	if (fd < 0 && errno == EPERM && !unshare(CLONE_NEWUSER | CLONE_NEWNS))
		fd = clone_tree(directory);
	return fd;
}

const enum kr_delivery_kind rig_kinds[2] = {KR_DELIVERY_MEMORY, KR_DELIVERY_MOUNT};

size_t
rig_kind_count(void)
{
	int fd = clone_tree_somehow(TEST_BUILD_DIR);

	if (fd < 0)
		return 1;
	close(fd);
	return 2;
}

int
rig_mount(const char *directory, uint64_t attributes)
{
	struct mount_attr attr = {.attr_set = attributes};
	int fd = clone_tree_somehow(directory);

	if (fd < 0)
		kr_test_skip("no-mounts", strerror(errno));
	assert_int_equal(syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
				 sizeof(attr)),
		0);
	return fd;
}

void
rig_pack(struct rig_package *package, enum kr_delivery_kind kind, const struct rig_file *files,
	const char *needs)
{
	*package = (struct rig_package){.kind = kind};
	if (kind == KR_DELIVERY_MOUNT) {
		char *directory = rig_write(files, needs);

		package->fds[package->count++] =
			rig_mount(directory, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID);
		free(directory);
	} else {
		char *index = rig_index(files, needs);

		package->fds[package->count++] =
			rig_object("index", index, strlen(index), ALL_SEALS);
		free(index);
		for (size_t i = 0; files[i].path; i++)
			package->fds[package->count++] =
				object_of_file(files[i].path, rig_source(files[i].source));
	}
}

struct kr_delivery *
rig_deliver(enum kr_delivery_kind kind, const struct rig_file *files, const char *needs)
{
	struct kr_delivery *delivery;
	struct rig_package package;
	char *reason;

	rig_pack(&package, kind, files, needs);
	if (kr_delivery_take(kind, package.fds, package.count, &delivery, &reason))
		fail_msg("%s", reason);
	return delivery;
}

void *
rig_load(struct kr_delivery *delivery)
{
	char *reason;
	void *dso;

	if (kr_delivery_load(delivery, &dso, &reason))
		fail_msg("%s", reason);
	return dso;
}

int
rig_call(void *dso, const char *function)
{
	int (*call)(void) = (int (*)(void))dlsym(dso, function);

	if (!call)
		fail_msg("%s isn't there", function);
	return call();
}

int
rig_find(const char *soname, struct kr_process_library *library)
{
	struct kr_process_search search = {0};
	int ret = kr_process_library_find(&search, soname, library);

	kr_process_search_finish(&search);
	return ret;
}

int
rig_mapped(const char *text)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[4096];
	int count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		count += strstr(line, text) != NULL;
	fclose(file);
	return count;
}
