/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories that clients watch: see store.h. What is in one is also kept here, for the listing
 * that clients get when there are no mounts, or no more.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/store/internal.h"
#include "util/fd.h"
#include "util/log.h"

/* Watchers ignore it: its name begins with a dot. */
#define NEW_FILE ".new"

struct kr_tree {
	struct kr_store *store;
	char *name;
	uint32_t id; /* 0: no mount */
	int directory;
	json_t *files; /* path -> text, in the order they came */
};

/* --- files in a directory: readable by everybody, whatever the process's umask is --- */

static bool
path_is_good(const char *path)
{
	const char *part = path;

	if (strlen(path) >= PATH_MAX - sizeof(NEW_FILE))
		return false;
	for (;;) {
		const size_t len = strcspn(part, "/");

		if (!len || (len == 1 && part[0] == '.') || (len == 2 && !memcmp(part, "..", 2)))
			return false;
		if (!part[len])
			return true;
		part += len + 1;
	}
}

static int
make_folders(int directory, const char *path)
{
	char folder[PATH_MAX];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		if (mkdirat(directory, folder, 0755)) {
			if (errno == EEXIST)
				continue;
			return -errno;
		}
		if (fchmodat(directory, folder, 0755, 0))
			return -errno;
	}
	return 0;
}

static int
write_whole(int fd, const char *text, size_t size)
{
	while (size) {
		const ssize_t written = write(fd, text, size);

		if (written < 0)
			return -errno;
		text += written;
		size -= (size_t)written;
	}
	return fchmod(fd, 0444) ? -errno : 0;
}

int
kr_tree_write(int directory, const char *path, const char *text, size_t size)
{
	char temporary[PATH_MAX];
	const char *name = strrchr(path, '/');
	const int folder_len = name ? (int)(name + 1 - path) : 0;
	int fd, ret;

	if (!path_is_good(path))
		return -EINVAL;
	ret = make_folders(directory, path);
	if (ret)
		return ret;
	snprintf(temporary, sizeof(temporary), "%.*s%s", folder_len, path, NEW_FILE);
	fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	ret = write_whole(fd, text, size);
	close(fd);
	if (!ret && renameat(directory, temporary, directory, path))
		ret = -errno;
	if (ret)
		unlinkat(directory, temporary, 0);
	return ret;
}

static void
unlink_file(int directory, const char *path)
{
	char folder[PATH_MAX];
	char *slash;

	if (!path_is_good(path) || unlinkat(directory, path, 0))
		return;
	snprintf(folder, sizeof(folder), "%s", path);
	while ((slash = strrchr(folder, '/'))) {
		*slash = '\0';
		if (unlinkat(directory, folder, AT_REMOVEDIR))
			return; /* others are in it */
	}
}

/* --- a tree of them --- */

/* No mount for it is no failure: it is given as a listing then. */
static void
mount_tree(struct kr_tree *tree)
{
	struct kr_mounts *mounts = tree->store->mounts;
	int ret;

	if (kr_store_why_memory(tree->store))
		return;
	ret = kr_mounts_make(mounts, &tree->id, &tree->directory);
	if (!ret) {
		ret = kr_mounts_publish(mounts, tree->id, true);
		if (ret) {
			kr_mounts_drop(mounts, tree->id);
			kr_fd_close(&tree->directory);
		}
	}
	if (!ret)
		return;
	tree->id = 0;
	kr_log(KR_LOG_WARN | KR_LOG_LOUD,
		"the directory of %s is given as a listing, not as a mount: %s", tree->name,
		strerror(-ret));
}

int
kr_tree_create(struct kr_store *store, const char *name, struct kr_tree **out)
{
	struct kr_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return -ENOMEM;
	*tree = (struct kr_tree){
		.store = store, .name = strdup(name), .directory = -1, .files = json_object()};
	if (!tree->name || !tree->files) {
		kr_tree_destroy(tree);
		return -ENOMEM;
	}
	mount_tree(tree);
	if (!tree->id && store->choice == KR_DELIVER_MOUNT) {
		kr_tree_destroy(tree);
		return -EIO;
	}
	*out = tree;
	return 0;
}

int
kr_tree_put(struct kr_tree *tree, const char *path, const char *text, size_t size)
{
	json_t *value = path_is_good(path) ? json_stringn(text, size) : NULL;
	int ret;

	if (!value)
		return -EINVAL; /* or no UTF-8 */
	if (tree->id) {
		ret = kr_tree_write(tree->directory, path, text, size);
		if (ret) {
			json_decref(value);
			return ret;
		}
	}
	return json_object_set_new(tree->files, path, value) ? -ENOMEM : 0;
}

void
kr_tree_remove(struct kr_tree *tree, const char *path)
{
	if (json_object_del(tree->files, path))
		return;
	if (tree->id)
		unlink_file(tree->directory, path);
}

static json_t *
listing(const struct kr_tree *tree)
{
	json_t *files = json_array(), *value;
	const char *path;

	json_object_foreach(tree->files, path, value)
	{
		if (json_array_append_new(
			    files, json_pack("{s:s, s:O}", "name", path, "text", value))) {
			json_decref(files);
			return NULL;
		}
	}
	return json_pack("{s:o}", "files", files);
}

static int
give_listing(const struct kr_tree *tree, struct kr_given *given)
{
	json_t *list = listing(tree);
	char *text = list ? json_dumps(list, JSON_COMPACT) : NULL;
	int ret = -ENOMEM, fd;

	if (text)
		ret = kr_memory_from_text(tree->name, text, strlen(text), &fd);
	free(text);
	json_decref(list);
	if (ret)
		return ret;
	given->kind = KR_DELIVERY_MEMORY;
	given->fds[0] = fd;
	given->count = 1;
	return 0;
}

int
kr_tree_give(struct kr_tree *tree, struct kr_given *given)
{
	int ret, fd;

	if (!tree->id)
		return give_listing(tree, given);
	ret = kr_mounts_clone(tree->store->mounts, tree->id, &fd);
	if (ret)
		return tree->store->choice == KR_DELIVER_MOUNT || ret == -ETOOMANYREFS
			? ret
			: give_listing(tree, given);
	given->kind = KR_DELIVERY_MOUNT;
	given->fds[0] = fd;
	given->count = 1;
	return 0;
}

void
kr_tree_destroy(struct kr_tree *tree)
{
	if (!tree)
		return;
	if (tree->id)
		kr_mounts_drop(tree->store->mounts, tree->id);
	kr_fd_close(&tree->directory);
	json_decref(tree->files);
	free(tree->name);
	free(tree);
}
