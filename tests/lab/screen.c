/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the display's tests (screen.h). */
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STEP_MS 2

struct picture
picture_create(size_t size)
{
	struct dma_heap_allocation_data data = {.len = size, .fd_flags = O_RDWR | O_CLOEXEC};
	struct picture picture = {.size = size};
	int heap = rig_open("/dev/dma_heap/system");

	assert_int_equal(rig_ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &data), 0);
	close(heap);
	picture.fd = (int)data.fd;
	picture.memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, picture.fd, 0);
	assert_ptr_not_equal(picture.memory, MAP_FAILED);
	return picture;
}

void
picture_fill(struct picture *picture, unsigned seed)
{
	for (size_t i = 0; i < picture->size; i++)
		picture->memory[i] = (uint8_t)(i * 7 + seed * 41 + i / 97);
}

struct picture
picture_of(unsigned seed)
{
	struct picture picture = picture_create(SCREEN_SIZE);

	picture_fill(&picture, seed);
	return picture;
}

void
picture_destroy(struct picture *picture)
{
	munmap(picture->memory, picture->size);
	close(picture->fd);
}

void
picture_carry(const struct picture *picture, int fence)
{
	struct dma_buf_import_sync_file args = {.flags = DMA_BUF_SYNC_WRITE, .fd = fence};

	assert_int_equal(rig_ioctl(picture->fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &args), 0);
}

uint32_t
picture_checksum(const uint8_t *data, size_t size)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < size; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

int
screen_mode(int screen, unsigned width, unsigned height, unsigned hz)
{
	struct krafla_display_mode mode = {width, height, hz, 0};

	return rig_ioctl(screen, KRAFLA_DISPLAY_IOC_SET_MODE, &mode);
}

int
screen_open(unsigned hz)
{
	int screen = rig_open("/dev/krafla_display");

	rig_write_file(SCREEN_READY_MS, SCREEN_LONG_MS);
	rig_write_file(SCREEN_HOLD_MS, SCREEN_LONG_MS);
	assert_int_equal(screen_mode(screen, SCREEN_WIDTH, SCREEN_HEIGHT, hz), 0);
	return screen;
}

struct krafla_display_info
screen_info(int screen)
{
	struct krafla_display_info info;

	assert_int_equal(rig_ioctl(screen, KRAFLA_DISPLAY_IOC_INFO, &info), 0);
	return info;
}

struct krafla_display_buffer
screen_args(const struct picture *picture, int in_fence)
{
	return (struct krafla_display_buffer){
		.buffer = picture->fd,
		.in_fence = in_fence,
		.stride = SCREEN_WIDTH * 4,
		.format = KRAFLA_DISPLAY_XRGB8888,
		.out_fence = -1,
	};
}

int
screen_try(int screen, const struct picture *picture, int in_fence, uint64_t *frame)
{
	struct krafla_display_buffer args = screen_args(picture, in_fence);
	int err = rig_ioctl(screen, KRAFLA_DISPLAY_IOC_DISPLAY, &args);

	if (!err && frame)
		*frame = args.frame;
	return err ? err : args.out_fence;
}

int
screen_show(int screen, const struct picture *picture, int in_fence, uint64_t *frame)
{
	int fence = screen_try(screen, picture, in_fence, frame);

	if (fence < 0)
		fail_msg("the frame wasn't queued: %s", strerror(-fence));
	return fence;
}

static bool
find_record(int screen, uint64_t frame, unsigned event, struct krafla_display_record *record)
{
	*record = (struct krafla_display_record){.number = 1};
	while (!rig_ioctl(screen, KRAFLA_DISPLAY_IOC_RECORD, record)) {
		if (record->frame == frame && record->event == event)
			return true;
		*record = (struct krafla_display_record){.number = record->number + 1};
	}
	return false;
}

bool
screen_has_record(int screen, uint64_t frame, unsigned event)
{
	struct krafla_display_record record;

	return find_record(screen, frame, event, &record);
}

struct krafla_display_record
screen_record(int screen, uint64_t frame, unsigned event)
{
	struct krafla_display_record record;

	for (int waited = 0; !find_record(screen, frame, event, &record); waited += STEP_MS) {
		if (waited > RIG_SOON_MS)
			fail_msg(
				"frame %lu has no record of event %u", (unsigned long)frame, event);
		usleep(STEP_MS * 1000);
	}
	return record;
}

bool
screen_shows(int screen, const struct picture *picture)
{
	uint8_t pixels[SCREEN_SIZE + 1];

	assert_int_equal(pread(screen, pixels, sizeof(pixels), 0), SCREEN_SIZE);
	return !memcmp(pixels, picture->memory, SCREEN_SIZE);
}

void
screen_wait_vsyncs(int screen, unsigned count)
{
	uint64_t until = screen_info(screen).vsyncs + count;

	for (int waited = 0; screen_info(screen).vsyncs < until; waited += STEP_MS) {
		assert_true(waited <= RIG_SOON_MS);
		usleep(STEP_MS * 1000);
	}
}

struct scene
scene_open(void)
{
	struct scene scene = {
		.a = picture_of(1),
		.b = picture_of(2),
		.timeline = rig_timeline(),
		.screen = screen_open(SCREEN_HZ),
		.left_a = -1,
		.left_b = -1,
	};

	scene.fence = rig_fence(scene.timeline, 1);
	return scene;
}

void
scene_drop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void
scene_close(struct scene *scene)
{
	int *const fds[] = {
		&scene->fence, &scene->timeline, &scene->screen, &scene->left_a, &scene->left_b};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		scene_drop(fds[i]);
	picture_destroy(&scene->a);
	picture_destroy(&scene->b);
}
