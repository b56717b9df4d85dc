/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake behind kr_kernel_sync_ops. A file is known by the inode of its pipe, so that duplicates are
 * the same file. It answers as Linux 6.12 was measured to (explicit-sync.md 1.2, 1.3): with num_fences
 * 0 the status is that of the first member that isn't signalled; a merge drops signalled and failed
 * members.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <krafla/sync.h>

#define MAX_POINTS 64
#define MAX_FILES  64

struct point {
	char timeline[32];
	int status;
	int64_t time;
};

struct file {
	ino_t inode;
	int write_end; /* -1: readable by now */
	char name[32];
	int count;
	int points[MAX_POINTS];
};

static pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
static struct point points[MAX_POINTS];
static struct file files[MAX_FILES];
static int point_count, file_count, merge_count, merge_error;

static ino_t
inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) || !S_ISFIFO(st.st_mode) ? 0 : st.st_ino;
}

static struct file *
file_of(int fd)
{
	ino_t inode = inode_of(fd);

	for (int i = 0; inode && i < file_count; i++) {
		if (files[i].inode == inode)
			return &files[i];
	}
	return NULL;
}

static int
status_of(const struct file *file)
{
	for (int i = 0; i < file->count; i++) {
		if (points[file->points[i]].status != 1)
			return points[file->points[i]].status;
	}
	return 1;
}

static void
update(struct file *file)
{
	for (int i = 0; i < file->count; i++) {
		if (!points[file->points[i]].status)
			return;
	}
	if (file->write_end >= 0)
		close(file->write_end); /* hangup: poll says ready */
	file->write_end = -1;
}

static int
new_file(const char *name, struct file **out)
{
	struct file *file = &files[file_count];
	int ends[2];

	if (file_count == MAX_FILES || pipe2(ends, O_CLOEXEC))
		return -1;
	file_count++;
	memset(file, 0, sizeof(*file));
	file->inode = inode_of(ends[0]);
	file->write_end = ends[1];
	strncpy(file->name, name, sizeof(file->name) - 1);
	*out = file;
	return ends[0];
}

static int
fill(const struct file *file, struct sync_file_info *info)
{
	struct sync_fence_info *out = sync_get_fence_info(info);
	uint32_t room = info->num_fences;

	if (room && room < (uint32_t)file->count)
		return -EINVAL;
	memcpy(info->name, file->name, sizeof(info->name));
	info->status = status_of(file);
	info->num_fences = (uint32_t)file->count;
	for (int i = 0; room && i < file->count; i++) {
		const struct point *point = &points[file->points[i]];

		memcpy(out[i].obj_name, point->timeline, sizeof(out[i].obj_name));
		strcpy(out[i].driver_name, "fake");
		out[i].status = point->status;
		out[i].timestamp_ns = (uint64_t)point->time;
	}
	return 0;
}

static int
file_info(int fd, void *data)
{
	struct file *file;
	int err;

	if (fcntl(fd, F_GETFD) < 0)
		return -EBADF;
	pthread_mutex_lock(&fake_lock);
	file = file_of(fd);
	err = file ? fill(file, data) : -ENOTTY;
	pthread_mutex_unlock(&fake_lock);
	return err;
}

static void
take_points(struct file *into, const struct file *from)
{
	for (int i = 0; i < from->count; i++) {
		bool known = points[from->points[i]].status != 0;

		for (int k = 0; k < into->count; k++)
			known |= into->points[k] == from->points[i];
		if (!known)
			into->points[into->count++] = from->points[i];
	}
}

static int
merge(const char *name, int fd1, int fd2, int *merged)
{
	struct file *file, *a, *b;
	int fd = -ENOENT;

	pthread_mutex_lock(&fake_lock);
	merge_count++;
	a = file_of(fd1);
	b = file_of(fd2);
	if (merge_error)
		fd = merge_error;
	else if (a && b && (fd = new_file(name, &file)) >= 0) {
		take_points(file, a);
		take_points(file, b);
		update(file);
		*merged = fd;
	}
	pthread_mutex_unlock(&fake_lock);
	return fd < 0 ? fd : 0;
}

void
fake_kernel_install(void)
{
	static const struct kr_kernel_sync_ops ops = {file_info, merge};

	kr_fence_set_kernel_ops(&ops);
}

void
fake_kernel_remove(void)
{
	kr_fence_set_kernel_ops(NULL);
	pthread_mutex_lock(&fake_lock); /* the reactor may still ask */
	for (int i = 0; i < file_count; i++) {
		if (files[i].write_end >= 0)
			close(files[i].write_end);
	}
	point_count = file_count = merge_count = merge_error = 0;
	pthread_mutex_unlock(&fake_lock);
}

int
fake_fence(const char *timeline, int *point)
{
	struct file *file;
	int fd;

	pthread_mutex_lock(&fake_lock);
	fd = new_file("fake", &file);
	assert_true(fd >= 0 && point_count < MAX_POINTS);
	points[point_count] = (struct point){.status = 0};
	strncpy(points[point_count].timeline, timeline, sizeof(points[0].timeline) - 1);
	file->points[file->count++] = point_count;
	*point = point_count++;
	pthread_mutex_unlock(&fake_lock);
	return fd;
}

void
fake_signal(int point, int status)
{
	pthread_mutex_lock(&fake_lock);
	points[point].status = status;
	points[point].time = kr_clock_now();
	for (int i = 0; i < file_count; i++)
		update(&files[i]);
	pthread_mutex_unlock(&fake_lock);
}

int
fake_merges(void)
{
	return merge_count;
}

void
fake_merge_fails(int err)
{
	merge_error = err;
}
