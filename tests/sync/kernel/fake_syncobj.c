/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake kernel's DRM device: syncobjs, as Linux 6.12 was measured to answer
 * (docs/kernel-fences.md, tests/lab/test_syncobj.c). A syncobj is a list of steps, each a value
 * with the points that it waits for beside those of the steps before; a binary one is a single step
 * of value 0. A question for a point is answered by the first step at or after it.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_kernel.h"
#include "support.h"

#define MAX_OBJECTS 16
#define MAX_STEPS   16

#define IOC_GET_CAP         0xC010640Cu
#define IOC_CREATE          0xC00864BFu
#define IOC_DESTROY         0xC00864C0u
#define IOC_HANDLE_TO_FD    0xC01064C1u
#define IOC_FD_TO_HANDLE    0xC01064C2u
#define IOC_WAIT            0xC02064C3u
#define IOC_SIGNAL          0xC01064C5u
#define IOC_TIMELINE_WAIT   0xC02864CAu
#define IOC_QUERY           0xC01864CBu
#define IOC_TRANSFER        0xC02064CCu
#define IOC_TIMELINE_SIGNAL 0xC01864CDu
#define IOC_EVENTFD         0xC01864CFu

struct step {
	uint64_t value;
	struct fake_set set;
};

static struct object {
	bool used;
	ino_t shared; /* of the fd that it was exported as */
	int count;
	struct step steps[MAX_STEPS];
} objects[MAX_OBJECTS];
static struct {
	int fd; /* -1: none waits */
	uint32_t flags;
	uint32_t handle;
	uint64_t value;
} watcher = {.fd = -1};
static ino_t device;
static uint64_t caps[2];

static struct object *
object_of(uint32_t handle)
{
	return handle && handle < MAX_OBJECTS && objects[handle].used ? &objects[handle] : NULL;
}

/* What a point waits for, in *set; false when it wasn't submitted. */
static bool
find(const struct object *object, uint64_t value, struct fake_set *set)
{
	set->count = 0;
	for (int i = 0; i < object->count; i++) {
		fake_add_locked(set, &object->steps[i].set);
		if (value ? object->steps[i].value >= value : i == object->count - 1)
			return true;
	}
	return false;
}

static int
put(struct object *object, uint64_t value, const struct fake_set *set)
{
	if (!value)
		object->count = 0;
	if (object->count == MAX_STEPS)
		return -ENOMEM;
	object->steps[object->count].value = value;
	object->steps[object->count++].set = *set;
	return 0;
}

static int
create(uint32_t data[2])
{
	for (uint32_t i = 1; i < MAX_OBJECTS; i++) {
		if (objects[i].used)
			continue;
		memset(&objects[i], 0, sizeof(objects[i]));
		objects[i].used = true;
		data[0] = i;
		return data[1] & 1 ? put(&objects[i], 0, &(struct fake_set){0}) : 0;
	}
	return -ENOMEM;
}

struct handle_data {
	uint32_t handle, flags;
	int32_t fd;
	uint32_t pad;
};

static int
handle_to_fd(struct handle_data *data)
{
	struct object *object = object_of(data->handle);
	struct fake_set set;

	if (!object)
		return -ENOENT;
	if (data->flags & 1) {
		if (!find(object, 0, &set))
			return -EINVAL;
		data->fd = fake_new_file_locked("exported", &set);
	} else {
		data->fd = memfd_create("fake syncobj", MFD_CLOEXEC);
		object->shared = fake_inode(data->fd);
	}
	return data->fd < 0 ? -EMFILE : 0;
}

static int
fd_to_handle(struct handle_data *data)
{
	struct object *object = object_of(data->handle);
	const struct fake_set *set = fake_file_set_locked(data->fd);

	if (data->flags & 1)
		return !object ? -ENOENT : !set ? -EINVAL : put(object, 0, set);
	for (uint32_t i = 1; i < MAX_OBJECTS; i++) {
		data->handle = i;
		if (objects[i].used && objects[i].shared == fake_inode(data->fd))
			return 0;
	}
	return -EINVAL;
}

struct array_data {
	uint64_t handles, points;
	uint32_t count, flags;
};

static int
query(const struct array_data *data)
{
	const struct object *object = object_of(*(uint32_t *)(uintptr_t)data->handles);
	uint64_t *value = (uint64_t *)(uintptr_t)data->points;
	struct fake_set set;

	if (!object || data->count != 1)
		return -ENOENT;
	*value = 0;
	for (int i = 0; i < object->count; i++) {
		if (data->flags & 1 ||
			(find(object, object->steps[i].value, &set) && fake_is_done_locked(&set)))
			*value = object->steps[i].value;
	}
	return 0;
}

static int
signal_points(uint64_t handles, const uint64_t *value)
{
	struct object *object = object_of(*(uint32_t *)(uintptr_t)handles);

	return object ? put(object, value ? *value : 0, &(struct fake_set){0}) : -ENOENT;
}

struct transfer_data {
	uint32_t from, to;
	uint64_t from_value, to_value;
	uint32_t flags, pad;
};

static int
transfer(const struct transfer_data *data)
{
	struct object *from = object_of(data->from), *to = object_of(data->to);
	struct fake_set set;

	if (!from || !to)
		return -ENOENT;
	if (!find(from, data->from_value, &set))
		return -EINVAL;
	return put(to, data->to_value, &set);
}

struct wait_data {
	uint64_t handles, values;
	int64_t deadline;
	uint32_t count, flags;
};

/* The lock is given up while it waits. */
static int
wait_for_point(const struct wait_data *data, uint64_t value)
{
	uint32_t handle = *(uint32_t *)(uintptr_t)data->handles;
	struct fake_set set;

	for (;;) {
		struct object *object = object_of(handle);
		bool submitted;

		if (!object)
			return -ENOENT;
		submitted = find(object, value, &set);
		if (!submitted && !(data->flags & 2))
			return -EINVAL;
		if (submitted && (data->flags & 4 || fake_is_done_locked(&set)))
			return 0;
		if (data->deadline <= kr_clock_now())
			return -ETIME;
		pthread_mutex_unlock(&fake_lock);
		poll(NULL, 0, 1);
		pthread_mutex_lock(&fake_lock);
	}
}

static int
wait_binary(const void *data)
{
	struct wait_data copy = {.flags = 0};

	memcpy(&copy.handles, data, 8);
	memcpy(&copy.deadline, (const char *)data + 8, 16);
	return copy.flags & 4 ? -EINVAL : wait_for_point(&copy, 0);
}

struct event_data {
	uint32_t handle, flags;
	uint64_t value;
	int32_t fd;
	uint32_t pad;
};

static int
watch(const struct event_data *data)
{
	if (fake_is_old())
		return -EINVAL;
	if (!object_of(data->handle))
		return -ENOENT;
	if (data->fd < 0)
		return -EBADF;
	if (fake_file_set_locked(data->fd))
		return -EINVAL; /* a file, but no eventfd */
	watcher.fd = data->fd;
	watcher.flags = data->flags;
	watcher.handle = data->handle;
	watcher.value = data->value;
	fake_syncobj_update_locked();
	return 0;
}

void
fake_syncobj_update_locked(void)
{
	struct object *object = object_of(watcher.handle);
	struct fake_set set;

	if (watcher.fd < 0 || !object || !find(object, watcher.value, &set) ||
		!(watcher.flags & 4 || fake_is_done_locked(&set)))
		return;
	eventfd_write(watcher.fd, 1);
	watcher.fd = -1;
}

static int
get_cap(uint64_t data[2])
{
	if (data[0] != 0x13 && data[0] != 0x14)
		return -EINVAL;
	data[1] = caps[data[0] - 0x13];
	return 0;
}

static int
call(unsigned long request, void *data)
{
	struct array_data *array = data;
	struct wait_data *wait = data;

	switch (request) {
	case IOC_CREATE:
		return create(data);
	case IOC_DESTROY:
		if (!object_of(*(uint32_t *)data))
			return -EINVAL;
		objects[*(uint32_t *)data].used = false;
		return 0;
	case IOC_HANDLE_TO_FD:
		return handle_to_fd(data);
	case IOC_FD_TO_HANDLE:
		return fd_to_handle(data);
	case IOC_WAIT:
		return wait_binary(data);
	case IOC_SIGNAL:
		return signal_points(array->handles, NULL);
	case IOC_TIMELINE_WAIT:
		return wait_for_point(wait, *(uint64_t *)(uintptr_t)wait->values);
	case IOC_QUERY:
		return query(data);
	case IOC_TRANSFER:
		return transfer(data);
	case IOC_TIMELINE_SIGNAL:
		return signal_points(array->handles, (uint64_t *)(uintptr_t)array->points);
	case IOC_EVENTFD:
		return watch(data);
	default:
		return -EINVAL;
	}
}

int
fake_syncobj_ioctl_locked(int fd, unsigned long request, void *data)
{
	int err;

	if (!device || fake_inode(fd) != device)
		return -ENOTTY;
	if (request == IOC_GET_CAP)
		return get_cap(data);
	if (!caps[0])
		return -EOPNOTSUPP;
	err = call(request, data);
	fake_syncobj_update_locked();
	return err;
}

void
fake_syncobj_reset_locked(void)
{
	memset(objects, 0, sizeof(objects));
	watcher.fd = -1;
	device = 0;
}

int
fake_drm(bool syncobjs, bool timelines)
{
	int fd = memfd_create("fake DRM device", MFD_CLOEXEC);

	assert_true(fd >= 0);
	pthread_mutex_lock(&fake_lock);
	device = fake_inode(fd);
	caps[0] = syncobjs;
	caps[1] = timelines;
	pthread_mutex_unlock(&fake_lock);
	return fd;
}

int
fake_syncobjs(void)
{
	int count = 0;

	for (int i = 0; i < MAX_OBJECTS; i++)
		count += objects[i].used;
	return count;
}
