/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake behind kr_sync_ioctl: sync_files. A file is known by the inode of its pipe, so that
 * duplicates are the same file. It answers as Linux 6.12 was measured to (docs/kernel-fences.md,
 * tests/lab/test_kernel_fence.c, which asks the real one the same): the status that comes without
 * points is that of all of them together, the one that comes with them is the first that isn't
 * "signalled"; a merge drops signalled and failed members.
 */
#include "fake_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <krafla/sync.h>
#include "support.h"
#include "sync/fence/kernel_calls.h"

#define IOC_MERGE        0xC0303E03u
#define IOC_FILE_INFO    0xC0383E04u
#define IOC_SET_DEADLINE 0x40103E05u
#define MAX_FILES        64

struct merge_data {
	char name[32];
	int32_t fd2, fence;
	uint32_t flags, pad;
};

struct point {
	char timeline[32];
	int status;
	int64_t time;
	int64_t deadline;
};

struct file {
	ino_t inode;
	int write_end; /* -1: readable by now */
	char name[32];
	bool forgets; /* how its points ended, as a point of a syncobj's timeline does */
	struct fake_set set;
};

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
static struct point points[FAKE_MAX_POINTS];
static struct file files[MAX_FILES];
static int point_count, file_count, merge_count, merge_error, interruptions;
static bool old_kernel;
static int fail_point = -1, fail_status;

ino_t
fake_inode(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino ^ (ino_t)st.st_dev << 40;
}

static struct file *
file_of(int fd)
{
	ino_t inode = fake_inode(fd);

	for (int i = 0; inode && i < file_count; i++) {
		if (files[i].inode == inode)
			return &files[i];
	}
	return NULL;
}

const struct fake_set *
fake_file_set_locked(int fd)
{
	const struct file *file = file_of(fd);

	return file ? &file->set : NULL;
}

bool
fake_is_done_locked(const struct fake_set *set)
{
	for (int i = 0; i < set->count; i++) {
		if (!points[set->point[i]].status)
			return false;
	}
	return true;
}

void
fake_add_locked(struct fake_set *into, const struct fake_set *from)
{
	for (int i = 0; i < from->count; i++) {
		bool known = false;

		for (int k = 0; k < into->count; k++)
			known |= into->point[k] == from->point[i];
		if (!known)
			into->point[into->count++] = from->point[i];
	}
}

/* The first that has not signalled, which is what is told together with the points. */
static int
first_status(const struct fake_set *set)
{
	for (int i = 0; i < set->count; i++) {
		if (points[set->point[i]].status != 1)
			return points[set->point[i]].status;
	}
	return 1;
}

static int
whole_status(const struct file *file)
{
	if (!fake_is_done_locked(&file->set))
		return 0;
	return file->forgets ? 1 : first_status(&file->set);
}

static void
update(struct file *file)
{
	if (!fake_is_done_locked(&file->set))
		return;
	if (file->write_end >= 0)
		close(file->write_end); /* hangup: poll says ready */
	file->write_end = -1;
}

static struct file *
new_file(const char *name, int *fd)
{
	struct file *file = &files[file_count];
	int ends[2];

	if (file_count == MAX_FILES || pipe2(ends, O_CLOEXEC))
		return NULL;
	file_count++;
	memset(file, 0, sizeof(*file));
	file->inode = fake_inode(ends[0]);
	file->write_end = ends[1];
	strncpy(file->name, name, sizeof(file->name) - 1);
	*fd = ends[0];
	return file;
}

int
fake_new_file_locked(const char *name, const struct fake_set *set)
{
	struct fake_set active = {0};
	struct file *file;
	int fd;

	for (int i = 0; i < set->count; i++) {
		if (!points[set->point[i]].status)
			active.point[active.count++] = set->point[i];
	}
	file = new_file(name, &fd);
	if (!file)
		return -EMFILE;
	file->set = active;
	update(file);
	return fd;
}

/* A stub stands for what had ended before. */
static int
fill(const struct file *file, struct sync_file_info *info)
{
	struct sync_fence_info *out = sync_get_fence_info(info);
	uint32_t room = info->num_fences;

	if (room && room < (uint32_t)file->set.count)
		return -EINVAL;
	memcpy(info->name, file->name, sizeof(info->name));
	info->status = room ? first_status(&file->set) : whole_status(file);
	info->num_fences = (uint32_t)KR_MAX(file->set.count, 1);
	if (room && !file->set.count)
		out[0] = (struct sync_fence_info){.driver_name = "stub", .status = 1};
	for (int i = 0; room && i < file->set.count; i++) {
		const struct point *point = &points[file->set.point[i]];

		memcpy(out[i].obj_name, point->timeline, sizeof(out[i].obj_name));
		strcpy(out[i].driver_name, "fake");
		out[i].status = point->status;
		out[i].timestamp_ns = (uint64_t)point->time;
	}
	return 0;
}

int
fake_new_point_locked(const char *timeline)
{
	if (point_count == FAKE_MAX_POINTS)
		return -EMFILE;
	points[point_count] = (struct point){.status = 0};
	strncpy(points[point_count].timeline, timeline, sizeof(points[0].timeline) - 1);
	return point_count++;
}

void
fake_end_point_locked(int point, int status)
{
	points[point].status = status;
	points[point].time = kr_clock_now();
	for (int i = 0; i < file_count; i++)
		update(&files[i]);
	fake_syncobj_update_locked();
}

static int
merge(const struct file *one, struct merge_data *data)
{
	const struct file *two = file_of(data->fd2);
	struct fake_set set = {0};

	merge_count++;
	if (merge_error)
		return merge_error;
	if (fail_point >= 0)
		fake_end_point_locked(fail_point, fail_status);
	if (!two)
		return -ENOENT;
	fake_add_locked(&set, &one->set);
	fake_add_locked(&set, &two->set);
	data->fence = fake_new_file_locked(data->name, &set);
	return data->fence < 0 ? data->fence : 0;
}

static int
file_ioctl(int fd, unsigned long request, void *data)
{
	struct file *file = file_of(fd);

	if (!file)
		return -ENOTTY;
	if (request == IOC_FILE_INFO)
		return fill(file, data);
	if (request == IOC_MERGE)
		return merge(file, data);
	if (request != IOC_SET_DEADLINE || old_kernel)
		return -ENOTTY;
	for (int i = 0; i < file->set.count; i++)
		memcpy(&points[file->set.point[i]].deadline, data, sizeof(int64_t));
	return 0;
}

static int
fake_ioctl(int fd, unsigned long request, void *data)
{
	int err;

	if (fcntl(fd, F_GETFD) < 0)
		return -EBADF;
	pthread_mutex_lock(&fake_lock);
	if (interruptions && interruptions--)
		err = -EINTR;
	else
		err = file_ioctl(fd, request, data);
	if (err == -ENOTTY)
		err = fake_dma_buf_ioctl_locked(fd, request, data);
	if (err == -ENOTTY)
		err = fake_syncobj_ioctl_locked(fd, request, data);
	if (err == -ENOTTY)
		err = fake_device_ioctl_locked(fd, request, data);
	pthread_mutex_unlock(&fake_lock);
	return err;
}

static int
fake_file_system(int fd, long *type)
{
	pthread_mutex_lock(&fake_lock);
	*type = fake_is_dma_buf_locked(fd) ? FAKE_DMA_BUF : 0x01021994;
	pthread_mutex_unlock(&fake_lock);
	return fcntl(fd, F_GETFD) < 0 ? -EBADF : 0;
}

void
fake_kernel_install(void)
{
	static const struct kr_sync_kernel_calls calls = {fake_ioctl, fake_file_system};

	kr_sync_set_kernel_calls(&calls);
}

void
fake_kernel_remove(void)
{
	kr_sync_set_kernel_calls(NULL);
	pthread_mutex_lock(&fake_lock); /* the reactor may still ask */
	for (int i = 0; i < file_count; i++) {
		if (files[i].write_end >= 0)
			close(files[i].write_end);
	}
	point_count = file_count = merge_count = merge_error = interruptions = 0;
	old_kernel = false;
	fail_point = -1;
	fake_dma_buf_reset_locked();
	fake_syncobj_reset_locked();
	fake_device_reset_locked();
	pthread_mutex_unlock(&fake_lock);
}

int
fake_fence(const char *timeline, int *point)
{
	struct file *file;
	int fd = -1;

	pthread_mutex_lock(&fake_lock);
	file = new_file("fake", &fd);
	*point = fake_new_point_locked(timeline);
	assert_true(file && *point >= 0);
	file->set.point[file->set.count++] = *point;
	pthread_mutex_unlock(&fake_lock);
	return fd;
}

void
fake_signal(int point, int status)
{
	pthread_mutex_lock(&fake_lock);
	fake_end_point_locked(point, status);
	pthread_mutex_unlock(&fake_lock);
}

void
fake_forgets(int fd)
{
	pthread_mutex_lock(&fake_lock);
	file_of(fd)->forgets = true;
	pthread_mutex_unlock(&fake_lock);
}

int64_t
fake_deadline(int point)
{
	return points[point].deadline;
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

void
fake_ends_while_merging(int point, int status)
{
	fail_point = point;
	fail_status = status;
}

void
fake_interrupts(int count)
{
	interruptions = count;
}

void
fake_old_kernel(void)
{
	old_kernel = true;
}

bool
fake_is_old(void)
{
	return old_kernel;
}
