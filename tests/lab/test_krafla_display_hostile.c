/* SPDX-License-Identifier: Apache-2.0 */
/* krafla_display.ko answers wrong arguments with an errno, and keeps nothing of them. */
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* S-05 */
static void
only_root_may_open_it(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat("/dev/krafla_display", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_uid, 0);
}

static void
wrong_modes(void **state)
{
	int screen = rig_open("/dev/krafla_display"), other = rig_open("/dev/krafla_display");
	struct krafla_display_mode padded = {2, 2, 60, 1};

	(void)state;
	assert_int_equal(screen_mode(screen, 0, 2, 60), -EINVAL);
	assert_int_equal(screen_mode(screen, 2, 0, 60), -EINVAL);
	assert_int_equal(screen_mode(screen, 2, 2, 0), -EINVAL);
	assert_int_equal(screen_mode(screen, KRAFLA_DISPLAY_MAX_SIZE + 1, 2, 60), -EINVAL);
	assert_int_equal(screen_mode(screen, 2, KRAFLA_DISPLAY_MAX_SIZE + 1, 60), -EINVAL);
	assert_int_equal(screen_mode(screen, 2, 2, KRAFLA_DISPLAY_MAX_REFRESH + 1), -EINVAL);
	assert_int_equal(screen_mode(screen, UINT32_MAX, UINT32_MAX, UINT32_MAX), -EINVAL);
	assert_int_equal(rig_ioctl(screen, KRAFLA_DISPLAY_IOC_SET_MODE, &padded), -EINVAL);
	assert_int_equal(rig_ioctl(screen, KRAFLA_DISPLAY_IOC_SET_MODE, NULL), -EFAULT);
	assert_int_equal(screen_info(screen).width, 0);
	assert_int_equal(screen_mode(screen, 0, 0, 0), 0);
	assert_int_equal(screen_mode(screen, 2, 2, 60), 0);
	assert_int_equal(screen_mode(other, 2, 2, 60), -EBUSY);
	assert_int_equal(screen_mode(other, 0, 0, 0), -EBUSY);
	assert_int_equal(screen_info(screen).width, 2);
	/* Closing what isn't the owner's leaves the owner alone. */
	close(other);
	assert_int_equal(screen_info(screen).width, 2);
	close(screen);
}

static void
not_the_owner(void **state)
{
	struct picture a = picture_of(1);
	int other = rig_open("/dev/krafla_display"), screen;

	(void)state;
	assert_int_equal(screen_try(other, &a, -1, NULL), -EPERM);
	screen = screen_open(SCREEN_HZ);
	assert_int_equal(screen_try(other, &a, -1, NULL), -EPERM);
	close(other);
	close(screen);
	picture_destroy(&a);
}

static void
expect(int screen, struct krafla_display_buffer args, int expected)
{
	assert_int_equal(rig_ioctl(screen, KRAFLA_DISPLAY_IOC_DISPLAY, &args), expected);
}

static void
wrong_descriptors(void **state)
{
	struct picture a = picture_of(1);
	int screen = screen_open(SCREEN_HZ), timeline = rig_timeline();
	int fence = rig_fence(timeline, 1), fds = kr_test_count_fds();
	int memory = memfd_create("no buffer", MFD_CLOEXEC);
	const struct krafla_display_buffer good = screen_args(&a, fence);
	struct krafla_display_buffer bad = good;

	(void)state;
	bad.buffer = -1;
	expect(screen, bad, -EBADF);
	bad.buffer = 12345;
	expect(screen, bad, -EBADF);
	bad.buffer = memory;
	expect(screen, bad, -EINVAL);
	bad.buffer = fence;
	expect(screen, bad, -EINVAL);
	bad = good;
	bad.in_fence = -2;
	expect(screen, bad, -EBADF);
	bad.in_fence = INT32_MIN;
	expect(screen, bad, -EBADF);
	bad.in_fence = 12345;
	expect(screen, bad, -EBADF);
	bad.in_fence = memory;
	expect(screen, bad, -EINVAL);
	bad.in_fence = a.fd;
	expect(screen, bad, -EINVAL);
	bad.in_fence = screen;
	expect(screen, bad, -EINVAL);
	close(memory);
	assert_int_equal(kr_test_count_fds(), fds);
	assert_int_equal(screen_info(screen).queued, 0);
	close(fence);
	close(timeline);
	close(screen);
	picture_destroy(&a);
}

static void
wrong_layouts(void **state)
{
	struct picture a = picture_of(1), small = picture_create(4096);
	int screen = screen_open(SCREEN_HZ), fds = kr_test_count_fds();
	const struct krafla_display_buffer good = screen_args(&a, -1);
	const struct {
		uint32_t offset, stride;
	} layouts[] = {
		{0, SCREEN_WIDTH * 4 - 4},
		{0, SCREEN_WIDTH * 4 + 2},
		{0, 0},
		{2, SCREEN_WIDTH * 4},
		{(uint32_t)small.size, SCREEN_WIDTH * 4},
		{UINT32_MAX - 3, UINT32_MAX - 3},
		{UINT32_MAX - 3, SCREEN_WIDTH * 4},
		{0, UINT32_MAX - 3},
		{0, 1u << 31},
		{0, 0x11111114}, /* times the last row: 2^32 and a little */
		/*
		 * Past the end by one row, and by one pixel of the last (the heap
		 * gives whole pages).
		 */
		{4096 - SCREEN_SIZE + SCREEN_WIDTH * 4, SCREEN_WIDTH * 4},
		{4096 - SCREEN_SIZE + 4, SCREEN_WIDTH * 4},
	};
	struct krafla_display_buffer bad = good;

	(void)state;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		bad = good;
		bad.buffer = small.fd;
		bad.offset = layouts[i].offset;
		bad.stride = layouts[i].stride;
		expect(screen, bad, -EINVAL);
	}
	bad = good;
	bad.format = 0x36314752; /* RG16 */
	expect(screen, bad, -EINVAL);
	bad.format = 0;
	expect(screen, bad, -EINVAL);
	bad = good;
	bad.flags = 2;
	expect(screen, bad, -EINVAL);
	bad = good;
	bad.pad = 1;
	expect(screen, bad, -EINVAL);
	assert_int_equal(
		screen_mode(screen, KRAFLA_DISPLAY_MAX_SIZE, KRAFLA_DISPLAY_MAX_SIZE, 60), 0);
	bad = good;
	bad.stride = KRAFLA_DISPLAY_MAX_SIZE * 4;
	expect(screen, bad, -EINVAL);
	assert_int_equal(kr_test_count_fds(), fds);
	assert_int_equal(screen_info(screen).queued, 0);
	close(screen);
	picture_destroy(&a);
	picture_destroy(&small);
}

/* The last pixel of the buffer may be the picture's last, and not one less. */
static void
a_picture_may_end_with_its_buffer(void **state)
{
	struct picture a = picture_create(4096);
	int screen = screen_open(SCREEN_HZ);
	struct krafla_display_buffer args = screen_args(&a, -1);

	(void)state;
	args.offset = 4096 - SCREEN_SIZE;
	assert_int_equal(rig_ioctl(screen, KRAFLA_DISPLAY_IOC_DISPLAY, &args), 0);
	screen_record(screen, args.frame, KRAFLA_DISPLAY_SHOWN);
	close(screen);
	close(args.out_fence);
	picture_destroy(&a);
}

static void
wrong_memory(void **state)
{
	struct picture a = picture_of(1);
	int screen = screen_open(1), fds = kr_test_count_fds();
	struct krafla_display_buffer *args =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct krafla_display_record none = {.number = UINT64_MAX};
	struct rlimit before, full = {(rlim_t)fds, 0};
	int next = rig_next_fd();
	uint64_t first, second;

	(void)state;
	close(screen_show(screen, &a, -1, &first));
	*args = screen_args(&a, -1);
	mprotect(args, 4096, PROT_READ);
	assert_int_equal(rig_ioctl(screen, KRAFLA_DISPLAY_IOC_DISPLAY, args), -EFAULT);
	assert_int_equal(kr_test_count_fds(), fds);
	assert_int_equal(rig_next_fd(), next);
	getrlimit(RLIMIT_NOFILE, &before);
	full.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &full), 0);
	assert_int_equal(screen_try(screen, &a, -1, NULL), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	/* Frames that weren't queued have no number. */
	close(screen_show(screen, &a, -1, &second));
	assert_int_equal(second, first + 1);
	assert_int_equal(rig_ioctl(screen, KRAFLA_DISPLAY_IOC_DISPLAY, NULL), -EFAULT);
	assert_int_equal(rig_ioctl(screen, KRAFLA_DISPLAY_IOC_INFO, NULL), -EFAULT);
	assert_int_equal(rig_ioctl(screen, KRAFLA_DISPLAY_IOC_RECORD, NULL), -EFAULT);
	assert_int_equal(rig_ioctl(screen, KRAFLA_DISPLAY_IOC_RECORD, &none), -ENODATA);
	assert_int_equal(rig_ioctl(screen, _IO('K', 99), NULL), -ENOTTY);
	assert_int_equal(pread(screen, args, 64, 0), -1);
	assert_int_equal(errno, EFAULT);
	munmap(args, 4096);
	close(screen);
	picture_destroy(&a);
}

static void
the_queue_is_limited(void **state)
{
	struct picture a = picture_of(1);
	int timeline = rig_timeline(), ready = rig_fence(timeline, 1);
	int screen = screen_open(SCREEN_HZ), left[KRAFLA_DISPLAY_MAX_QUEUED], last;
	uint64_t frame;

	(void)state;
	for (int i = 0; i < KRAFLA_DISPLAY_MAX_QUEUED; i++)
		left[i] = screen_show(screen, &a, ready, NULL);
	assert_int_equal(screen_try(screen, &a, -1, NULL), -EAGAIN);
	assert_int_equal(screen_info(screen).queued, KRAFLA_DISPLAY_MAX_QUEUED);
	assert_int_equal(rig_move(timeline, 1, 0), 0);
	for (int i = 0; i < KRAFLA_DISPLAY_MAX_QUEUED - 1; i++)
		assert_int_equal(rig_ended(left[i]), 1);
	last = screen_show(screen, &a, -1, &frame);
	screen_record(screen, frame, KRAFLA_DISPLAY_SHOWN);
	close(screen);
	for (int i = 0; i < KRAFLA_DISPLAY_MAX_QUEUED; i++)
		close(left[i]);
	close(last);
	close(ready);
	close(timeline);
	picture_destroy(&a);
}

#ifdef __x86_64__
static void
programs_of_32_bits_are_served(void **state)
{
	struct picture a = picture_of(1);
	int screen = screen_open(SCREEN_HZ);
	struct krafla_display_buffer *args = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	(void)state;
	*args = screen_args(&a, -1);
	assert_int_equal(rig_compat_ioctl(screen, KRAFLA_DISPLAY_IOC_DISPLAY, args), 0);
	screen_record(screen, args->frame, KRAFLA_DISPLAY_SHOWN);
	assert_int_equal(rig_status(args->out_fence), 0);
	close(args->out_fence);
	munmap(args, 4096);
	close(screen);
	picture_destroy(&a);
}
#endif

static const struct kr_test tests[] = {
	KR_TEST(only_root_may_open_it),
	KR_TEST(wrong_modes),
	KR_TEST(not_the_owner),
	KR_TEST(wrong_descriptors),
	KR_TEST(wrong_layouts),
	KR_TEST(a_picture_may_end_with_its_buffer),
	KR_TEST(wrong_memory),
	KR_TEST(the_queue_is_limited),
#ifdef __x86_64__
	KR_TEST(programs_of_32_bits_are_served),
#endif
};

KR_TEST_MAIN(tests)
