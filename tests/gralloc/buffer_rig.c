/* SPDX-License-Identifier: Apache-2.0 */
/* See buffer_rig.h. */
#include "buffer_rig.h"

#include "harness.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/uapi/krafla_sync.h"

#define IOC_HEAP_ALLOC     0xC0184800u
#define IOC_UDMABUF_CREATE 0x40187542u
#define RIG_TIMEOUT_MS     20000

static struct {
	char dir[256];
	int error;
	uint64_t limit;
	unsigned asked;
} fake;

bool
rig_is_real(void)
{
	return getenv("KRAFLA_LAB") != NULL;
}

const struct kr_buffer_impl *
rig_impl(void)
{
	const char *word = getenv("KRAFLA_BUFFERS");

	for (int backend = 1; backend <= KR_BUFFER_BACKENDS; backend++) {
		const struct kr_buffer_impl *impl = kr_buffer_impl_from_backend(backend);

		if (word && !strcmp(word, impl->name))
			return impl;
	}
	fail_msg("KRAFLA_BUFFERS names no backend: %s", word ? word : "(unset)");
	return NULL;
}

/* A fake dma-buf, which as a real one can't be resized. */
static int
make_memory(uint64_t size)
{
	int fd = fake_dma_buf();

	if (ftruncate(fd, (off_t)size))
		return -errno;
	return fd;
}

/* As the kernel checks it. */
static int
make_udmabuf(const uint32_t *create)
{
	const uint64_t *range = (const uint64_t *)(const void *)(create + 2);
	int seals = fcntl((int)create[0], F_GET_SEALS);
	struct stat st;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || seals & F_SEAL_WRITE ||
		fstat((int)create[0], &st) || range[0] + range[1] > (uint64_t)st.st_size ||
		range[1] % KR_BUFFER_PAGE || create[1] != 1)
		return -EINVAL;
	return make_memory(range[1]);
}

static int
fake_ioctl(int node, unsigned long request, void *data)
{
	uint64_t *words = data;
	int fd;

	assert_true(fcntl(node, F_GETFD) & FD_CLOEXEC);
	fake.asked++;
	if (fake.error)
		return fake.error;
	if (fake.limit && words[request == IOC_HEAP_ALLOC ? 0 : 2] > fake.limit)
		return -EINVAL;
	if (request == IOC_UDMABUF_CREATE)
		return make_udmabuf(data);
	if (request != IOC_HEAP_ALLOC)
		return -ENOTTY;
	assert_int_equal(words[1] >> 32, O_RDWR | O_CLOEXEC);
	assert_true(words[2] == 0);
	fd = make_memory(words[0]);
	if (fd < 0)
		return fd;
	memcpy((uint32_t *)data + 2, &fd, sizeof(fd));
	return 0;
}

static void
make_node(const char *name)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fake.dir, name);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
}

void
rig_begin(void)
{
	rig_begin_with(NULL);
}

void
rig_begin_with(const char *word)
{
	static struct kr_buffer_devices devices;
	char path[300];

	devices.word = word;
	kr_buffer_set_devices(&devices);
	if (rig_is_real())
		return;
	devices.dir = fake.dir;
	devices.ioctl = fake_ioctl;
	snprintf(fake.dir, sizeof(fake.dir), "%s", kr_test_dir());
	snprintf(path, sizeof(path), "%s/dma_heap", fake.dir);
	assert_true(!mkdir(path, 0700) || errno == EEXIST);
	fake.error = 0;
	fake.limit = fake.asked = 0;
	make_node("dma_heap/system");
	make_node("udmabuf");
	fake_kernel_install();
}

void
rig_end(void)
{
	kr_buffer_set_devices(NULL);
	if (!rig_is_real())
		fake_kernel_remove();
}

static struct rig_fence
create_real_fence(void)
{
	struct krafla_sync_create create = {.value = 1, .timeout_ms = RIG_TIMEOUT_MS};
	struct rig_fence made = {.point = open("/dev/krafla_sync", O_RDWR | O_CLOEXEC)};

	assert_true(made.point >= 0);
	assert_int_equal(ioctl(made.point, KRAFLA_SYNC_IOC_CREATE, &create), 0);
	made.fence = create.fence;
	return made;
}

struct rig_fence
rig_fence_create(void)
{
	struct rig_fence made;

	if (rig_is_real())
		return create_real_fence();
	made.fence = fake_fence("rig", &made.point);
	return made;
}

/* `error` 0: it signals. */
static void
end_fence(const struct rig_fence *fence, int error)
{
	struct krafla_sync_signal signal = {.value = 1, .error = error};

	if (rig_is_real())
		assert_int_equal(ioctl(fence->point, KRAFLA_SYNC_IOC_SIGNAL, &signal), 0);
	else
		fake_signal(fence->point, error ? error : 1);
}

void
rig_fence_signal(struct rig_fence *fence)
{
	end_fence(fence, 0);
}

void
rig_fence_fail(struct rig_fence *fence)
{
	end_fence(fence, -EIO);
}

void
rig_fence_finish(struct rig_fence *fence)
{
	close(fence->fence);
	if (rig_is_real())
		close(fence->point);
}

static int
read_only_heap_memory(uint64_t size)
{
	struct {
		uint64_t len;
		uint32_t fd, fd_flags;
		uint64_t heap_flags;
	} data = {.len = size, .fd_flags = O_RDONLY | O_CLOEXEC};
	int node = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);

	assert_true(node >= 0);
	assert_int_equal(ioctl(node, IOC_HEAP_ALLOC, &data), 0);
	close(node);
	return (int)data.fd;
}

int
rig_read_only_memory(uint64_t size)
{
	char path[64];
	int fd, again;

	/*
	 * A real dma-buf can't be opened again; a udmabuf is one that is made by the heap, to us.
	 */
	if (rig_is_real() && rig_impl()->dma_buf)
		return read_only_heap_memory(size);
	assert_int_equal(rig_impl()->dma_buf ? (fd = make_memory(size)) < 0
					     : rig_impl()->allocate(-1, size, &fd),
		0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(again >= 0);
	close(fd);
	return again;
}

void
rig_device_fails(int err)
{
	fake.error = err;
}

void
rig_device_limits(uint64_t bytes)
{
	fake.limit = bytes;
}

unsigned
rig_device_asked(void)
{
	return fake.asked;
}

const char *
rig_device_dir(void)
{
	return fake.dir;
}

void
rig_device_remove(const char *node)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", fake.dir, node);
	assert_int_equal(unlink(path), 0);
}
