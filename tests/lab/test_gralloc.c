/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers on real devices, beyond what every backend promises (tests/gralloc/test_conformance.c,
 * which runs here too): who may have them, how large they get, and fences of the kernel inside
 * them, seen by the public interface and by poll.
 */
#include "tests/lab/rig.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>
#include <xf86drm.h>

#include "gralloc/backends.h"
#include "gralloc/handle.h"
#include "sync/fence/fence.h"
#include "tests/lab/card.h"
#include "util/clock.h"

#define USAGE  (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)
#define NOBODY 65534

static const char *const words[] = {"udmabuf", "dma-heap"};

static struct kr_buffer_devices devices;

/* Real devices, and this in place of KRAFLA_BUFFERS. */
static void
choose(const char *word)
{
	devices.word = word;
	kr_buffer_set_devices(&devices);
}

static AHardwareBuffer *
allocate(const char *word, uint32_t width, uint32_t height)
{
	const AHardwareBuffer_Desc desc = {.width = width,
		.height = height,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = USAGE};
	AHardwareBuffer *buffer;

	choose(word);
	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	return buffer;
}

static enum kr_buffer_backend
backend_of(const AHardwareBuffer *buffer)
{
	return kr_buffer_get_info((const struct kr_buffer *)(const void *)buffer)->backend;
}

static int
fd_of(const AHardwareBuffer *buffer)
{
	return kr_buffer_get_info((const struct kr_buffer *)(const void *)buffer)->fd;
}

static bool
is_ready(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	return poll(&p, 1, 0) == 1 && (p.revents & events);
}

/* What the exporter of a dma-buf calls itself. */
static void
assert_exporter(const AHardwareBuffer *buffer, const char *name)
{
	char path[64], line[64], *text;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd_of(buffer));
	snprintf(line, sizeof(line), "exp_name:\t%s\n", name);
	text = rig_read_file(path);
	if (!strstr(text, line))
		fail_msg("%s isn't there:\n%s", line, text);
	free(text);
}

static void
each_backend_is_what_it_says(void **state)
{
	AHardwareBuffer *buffer = allocate("udmabuf", 64, 64);

	assert_int_equal(backend_of(buffer), KR_BUFFER_UDMABUF);
	assert_exporter(buffer, "udmabuf");
	AHardwareBuffer_release(buffer);
	buffer = allocate("dma-heap", 64, 64);
	assert_int_equal(backend_of(buffer), KR_BUFFER_DMA_HEAP);
	assert_exporter(buffer, "system");
	AHardwareBuffer_release(buffer);
	buffer = allocate("auto", 64, 64);
	assert_int_equal(backend_of(buffer), KR_BUFFER_DMA_HEAP);
	AHardwareBuffer_release(buffer);
	buffer = allocate("memfd", 64, 64);
	assert_int_equal(backend_of(buffer), KR_BUFFER_MEMFD);
	AHardwareBuffer_release(buffer);
}

/* 4096 x 4224 x 4 bytes are more than the 64 MiB that udmabuf gives. */
static void
large_buffers_come_from_who_has_them(void **state)
{
	const AHardwareBuffer_Desc desc = {4096, 4224, 1, 1, USAGE, 0, 0, 0};
	AHardwareBuffer *buffer = allocate("dma-heap", 4096, 4224);

	assert_int_equal(lseek(fd_of(buffer), 0, SEEK_END), 4096 * 4224 * 4);
	AHardwareBuffer_release(buffer);
	choose("udmabuf");
	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), -ENODEV);
}

/* Who may not open the devices gets memfds, or an error when he insists. */
static void
others_than_root_get_memfds(void **state)
{
	static const char *const asked[] = {"auto", "udmabuf", "dma-heap", "memfd"};
	static const int answers[] = {KR_BUFFER_MEMFD, -ENODEV, -ENODEV, KR_BUFFER_MEMFD};

	for (int i = 0; i < 4; i++) {
		int status;
		pid_t pid = fork();

		if (!pid) {
			const struct kr_buffer_desc desc = {64, 64, 1, 1, USAGE};
			struct kr_buffer *buffer;
			int err;

			if (setresuid(NOBODY, NOBODY, NOBODY))
				_exit(100);
			choose(asked[i]);
			err = kr_buffer_allocate(&desc, &buffer);
			if (!err)
				err = (int)kr_buffer_get_info(buffer)->backend;
			_exit(err == answers[i] ? 0 : 1);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

/* What goes in by the public interface comes out, and is what poll on the dma-buf waits for. */
static void
poll_waits_for_fences_inside(void **state)
{
	for (int i = 0; i < 2; i++) {
		AHardwareBuffer *buffer = allocate(words[i], 64, 64);
		int timeline = rig_timeline(), write = rig_fence(timeline, 1), read, out;

		assert_true(is_ready(fd_of(buffer), POLLIN) && is_ready(fd_of(buffer), POLLOUT));
		assert_int_equal(krafla_buffer_import_fence(buffer, KRAFLA_BUFFER_WRITE, write), 0);
		assert_false(is_ready(fd_of(buffer), POLLIN));
		assert_false(is_ready(fd_of(buffer), POLLOUT));
		assert_int_equal(krafla_buffer_export_fence(buffer, KRAFLA_BUFFER_READ, &out), 0);
		assert_int_equal(rig_status(out), 0);
		assert_int_equal(rig_move(timeline, 1, 0), 0);
		assert_int_equal(rig_ended(out), 1);
		assert_true(is_ready(fd_of(buffer), POLLIN) && is_ready(fd_of(buffer), POLLOUT));
		close(out);
		/* A reader holds up writers alone. */
		read = rig_fence(timeline, 2);
		assert_int_equal(krafla_buffer_import_fence(buffer, KRAFLA_BUFFER_READ, read), 0);
		assert_true(is_ready(fd_of(buffer), POLLIN));
		assert_false(is_ready(fd_of(buffer), POLLOUT));
		assert_int_equal(rig_move(timeline, 2, 0), 0);
		assert_true(is_ready(fd_of(buffer), POLLOUT));
		close(read);
		close(write);
		close(timeline);
		AHardwareBuffer_release(buffer);
	}
}

static void
wrong_arguments_are_refused(void **state)
{
	AHardwareBuffer *buffer = allocate("dma-heap", 64, 64);
	int out = -2;

	assert_int_equal(krafla_buffer_export_fence(NULL, 1, &out), -EINVAL);
	assert_int_equal(krafla_buffer_export_fence(buffer, 0, &out), -EINVAL);
	assert_int_equal(krafla_buffer_export_fence(buffer, 4, &out), -EINVAL);
	assert_int_equal(krafla_buffer_export_fence(buffer, 1, NULL), -EINVAL);
	assert_int_equal(krafla_buffer_import_fence(NULL, 1, -1), -EINVAL);
	assert_int_equal(krafla_buffer_import_fence(buffer, 7, -1), -EINVAL);
	assert_int_equal(krafla_buffer_import_fence(buffer, 2, -1), 0);
	assert_int_equal(krafla_buffer_import_fence(buffer, 2, fd_of(buffer)), -EINVAL);
	assert_int_equal(out, -2);
	AHardwareBuffer_release(buffer);
}

/*
 * A graphics driver's dma-buf of the right size, passed off as one of ours: its pages may go while
 * they are read, and its fences be anything.
 */
static void
dma_bufs_of_drivers_are_refused(void **state)
{
	struct drm_mode_create_dumb dumb = {.width = 64, .height = 64, .bpp = 32};
	int drm = card_open("vgem"), foreign = -1;

	assert_int_equal(rig_ioctl(drm, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	assert_int_equal(drmPrimeHandleToFD(drm, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &foreign), 0);
	assert_int_equal(lseek(foreign, 0, SEEK_END), 64 * 64 * 4);
	for (int i = 0; i < 2; i++) {
		AHardwareBuffer *buffer = allocate(words[i], 64, 64);
		struct kr_buffer *taken = NULL;
		struct kr_handle handle;

		memcpy(&handle, AHardwareBuffer_getNativeHandle(buffer), sizeof(handle));
		assert_int_equal(kr_buffer_import(&handle.native, &taken), 0);
		kr_buffer_unref(taken);
		taken = NULL;
		handle.words[3] = foreign;
		assert_int_equal(kr_buffer_import(&handle.native, &taken), -EINVAL);
		assert_null(taken);
		AHardwareBuffer_release(buffer);
	}
	close(foreign);
	close(drm);
}

/*
 * The owner of the fence inside dies: the lock isn't held up, whatever limit the
 * kernel would have had.
 */
static void
a_dead_writer_holds_nobody_up(void **state)
{
	for (int i = 0; i < 2; i++) {
		AHardwareBuffer *buffer = allocate(words[i], 64, 64);
		int timeline = rig_timeline(), fence = rig_fence(timeline, 1), status;
		pid_t pid;
		void *data;

		assert_int_equal(krafla_buffer_import_fence(buffer, KRAFLA_BUFFER_WRITE, fence), 0);
		pid = fork();
		if (!pid) {
			usleep(300000);
			_exit(0);
		}
		/* The child holds the timeline still, and ends with it. */
		close(timeline);
		assert_int_equal(AHardwareBuffer_lock(buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
					 -1, NULL, &data),
			0);
		assert_int_equal(rig_status(fence), -EOWNERDEAD);
		assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		close(fence);
		AHardwareBuffer_release(buffer);
	}
}

/* A writer that stays: the lock ends with -ETIME, before the kernel is asked to wait. */
static void
a_lock_has_a_limit_of_time(void **state)
{
	AHardwareBuffer *buffer = allocate("dma-heap", 64, 64);
	int timeline = rig_timeline(), fence = rig_fence(timeline, 1);
	void *data = NULL;

	assert_int_equal(krafla_buffer_import_fence(buffer, KRAFLA_BUFFER_WRITE, fence), 0);
	assert_int_equal(
		AHardwareBuffer_lock(buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, -1, NULL, &data),
		-ETIME);
	assert_null(data);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), -EINVAL);
	close(fence);
	close(timeline);
	AHardwareBuffer_release(buffer);
}

#define FULL_HD_BYTES (1920 * 1080 * 4)
#define ROUNDS        16

/* What the kernel could give out now. */
static long
free_kilobytes(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	long found = -1;

	assert_non_null(file);
	while (found < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "MemAvailable: %ld kB", &found);
	fclose(file);
	assert_true(found > 0);
	return found;
}

static void
use_and_give_back(const char *word, int pattern)
{
	AHardwareBuffer *buffer = allocate(word, 1920, 1080);
	struct kr_buffer *twin;
	void *data;

	assert_int_equal(kr_buffer_import(AHardwareBuffer_getNativeHandle(buffer), &twin), 0);
	assert_int_equal(AHardwareBuffer_lock(buffer, USAGE, -1, NULL, &data), 0);
	memset(data, pattern, FULL_HD_BYTES);
	AHardwareBuffer_release(buffer);
	assert_int_equal(kr_buffer_map(twin, &data), 0);
	assert_int_equal(((unsigned char *)data)[1000], pattern);
	kr_buffer_unref(twin);
}

/*
 * Memory goes back when the last of the buffer, its mappings and its copies goes: no
 * leak in the kernel.
 */
static void
memory_goes_back(void **state)
{
	for (int i = 0; i < 2; i++) {
		int64_t deadline = kr_clock_now() + RIG_SOON_MS * KR_NSEC_PER_MSEC;
		long before;

		use_and_give_back(words[i], 1); /* what is loaded and cached once */
		before = free_kilobytes();
		for (int round = 0; round < ROUNDS; round++)
			use_and_give_back(words[i], round);
		/*
		 * A quarter of it: what else the machine does moves the figure by a few megabytes.
		 */
		while (before - free_kilobytes() > ROUNDS * (FULL_HD_BYTES / 1024) / 4) {
			assert_true(kr_clock_now() < deadline);
			usleep(10000);
		}
	}
}

static const struct kr_test tests[] = {
	KR_TEST(each_backend_is_what_it_says),
	KR_TEST(large_buffers_come_from_who_has_them),
	KR_TEST(others_than_root_get_memfds),
	KR_TEST(poll_waits_for_fences_inside),
	KR_TEST(wrong_arguments_are_refused),
	KR_TEST(dma_bufs_of_drivers_are_refused),
	KR_TEST(a_dead_writer_holds_nobody_up),
	KR_TEST(a_lock_has_a_limit_of_time),
	KR_TEST_SLOW(memory_goes_back, 0, 60),
};

KR_TEST_MAIN(tests)
