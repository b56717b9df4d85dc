/* SPDX-License-Identifier: Apache-2.0 */
/* The lab itself: each device that its other tests need is there and answers. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/sync_file.h>
#include <linux/udmabuf.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SW_SYNC    "/sys/kernel/debug/sync/sw_sync"
#define MAX_CARDS  8
#define PAGE_BYTES 4096

/* As drm.h and sw_sync.c of the kernel lay them out. */
struct drm_version {
	int major, minor, patch;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};

struct sw_sync_create {
	uint32_t value;
	char name[32];
	int32_t fence;
};

#define DRM_IOC_VERSION _IOWR('d', 0x00, struct drm_version)
#define SW_SYNC_CREATE  _IOWR('W', 0, struct sw_sync_create)
#define SW_SYNC_INC     _IOW('W', 1, uint32_t)

static int
must_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	return fd;
}

static void
kernel_is_the_one_that_was_asked_for(void **state)
{
	struct utsname name;

	assert_int_equal(uname(&name), 0);
	printf("# Linux %s\n", name.release);
	assert_int_equal(strncmp(name.release, "6.12.", 5), 0);
}

static bool
card_is(int number, const char *driver)
{
	char path[32], name[32] = "";
	struct drm_version version = {.name_len = sizeof(name) - 1, .name = name};
	int fd, ret;

	snprintf(path, sizeof(path), "/dev/dri/card%d", number);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	ret = ioctl(fd, DRM_IOC_VERSION, &version);
	close(fd);
	return ret == 0 && !strcmp(name, driver);
}

static void
there_is_a_card_of(const char *driver)
{
	for (int i = 0; i < MAX_CARDS; i++) {
		if (card_is(i, driver)) {
			printf("# card%d is %s\n", i, driver);
			return;
		}
	}
	fail_msg("no /dev/dri/card* is of the driver %s", driver);
}

static void
virtio_gpu_has_a_card(void **state)
{
	there_is_a_card_of("virtio_gpu");
}

static void
vgem_has_a_card(void **state)
{
	there_is_a_card_of("vgem");
}

static void
vkms_has_a_card(void **state)
{
	there_is_a_card_of("vkms");
}

static void
udmabuf_makes_a_dma_buf(void **state)
{
	int device = must_open("/dev/udmabuf");
	int memory = memfd_create("lab", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct udmabuf_create create = {.memfd = (uint32_t)memory, .size = PAGE_BYTES};
	int buffer;

	assert_int_equal(ftruncate(memory, PAGE_BYTES), 0);
	assert_int_equal(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	buffer = ioctl(device, UDMABUF_CREATE, &create);
	assert_true(buffer >= 0);
	assert_int_equal(lseek(buffer, 0, SEEK_END), PAGE_BYTES);
	close(buffer);
	close(memory);
	close(device);
}

static void
dma_heap_makes_a_dma_buf_with_fences(void **state)
{
	int device = must_open("/dev/dma_heap/system");
	struct dma_heap_allocation_data data = {.len = PAGE_BYTES, .fd_flags = O_RDWR | O_CLOEXEC};
	struct dma_buf_export_sync_file fence = {.flags = DMA_BUF_SYNC_RW};
	struct pollfd p = {.events = POLLIN};

	assert_int_equal(ioctl(device, DMA_HEAP_IOCTL_ALLOC, &data), 0);
	assert_int_equal(ioctl((int)data.fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &fence), 0);
	p.fd = fence.fd;
	assert_int_equal(poll(&p, 1, 0), 1); /* nobody uses it */
	close(fence.fd);
	close((int)data.fd);
	close(device);
}

static void
sw_sync_makes_sync_files(void **state)
{
	int timeline = must_open(SW_SYNC);
	struct sw_sync_create create = {.value = 1, .name = "lab"};
	struct sync_file_info info = {0};
	uint32_t step = 1;

	assert_int_equal(ioctl(timeline, SW_SYNC_CREATE, &create), 0);
	assert_int_equal(ioctl(create.fence, SYNC_IOC_FILE_INFO, &info), 0);
	assert_int_equal(info.status, 0);
	assert_int_equal(ioctl(timeline, SW_SYNC_INC, &step), 0);
	info = (struct sync_file_info){0}; /* num_fences asks for as many */
	assert_int_equal(ioctl(create.fence, SYNC_IOC_FILE_INFO, &info), 0);
	assert_int_equal(info.status, 1);
	close(create.fence);
	close(timeline);
}

static void
sockets_can_be_listed(void **state)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 4); /* NETLINK_SOCK_DIAG */

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(access("/sys/module/unix_diag", F_OK), 0);
}

/* S-05: a device that makes kernel fences is for root alone. */
static void
devices_of_krafla_are_closed_to_others(void **state)
{
	static const char *const paths[] = {"/dev/krafla_sync", "/dev/krafla_display"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct stat st;

		if (stat(paths[i], &st))
			fail_msg("%s: %s", paths[i], strerror(errno));
		assert_true(S_ISCHR(st.st_mode));
		assert_int_equal(st.st_mode & 0777, 0600);
		assert_int_equal(st.st_uid, 0);
		close(must_open(paths[i]));
	}
}

int
main(int argc, char **argv)
{
	static const struct kr_test tests[] = {
		KR_TEST(kernel_is_the_one_that_was_asked_for),
		KR_TEST(virtio_gpu_has_a_card),
		KR_TEST(vgem_has_a_card),
		KR_TEST(vkms_has_a_card),
		KR_TEST(udmabuf_makes_a_dma_buf),
		KR_TEST(dma_heap_makes_a_dma_buf_with_fences),
		KR_TEST(sw_sync_makes_sync_files),
		KR_TEST(sockets_can_be_listed),
		KR_TEST(devices_of_krafla_are_closed_to_others),
	};

	return kr_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
