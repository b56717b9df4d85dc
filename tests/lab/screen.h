/* SPDX-License-Identifier: Apache-2.0 */
/* Short ways to use /dev/krafla_display, for its tests. */
#ifndef KR_LAB_SCREEN_H
#define KR_LAB_SCREEN_H

#include "kernel/uapi/krafla_display.h"
#include "rig.h"

#define SCREEN_WIDTH  32
#define SCREEN_HEIGHT 16
#define SCREEN_HZ     60
#define SCREEN_SIZE   (SCREEN_WIDTH * SCREEN_HEIGHT * 4)

/* The module's limits; they stay until they are set again. */
#define SCREEN_READY_MS "/sys/module/krafla_display/parameters/ready_ms"
#define SCREEN_HOLD_MS  "/sys/module/krafla_display/parameters/hold_ms"
#define SCREEN_SHORT_MS "200"
#define SCREEN_LONG_MS  "60000"

/* A dma-buf of the dma-heap, and its memory. */
struct picture {
	int fd;
	uint8_t *memory;
	size_t size;
};

struct picture picture_create(size_t size);
/* A picture of the screen's size, filled with a colour that `seed` chooses. */
struct picture picture_of(unsigned seed);
void picture_fill(struct picture *picture, unsigned seed);
void picture_destroy(struct picture *picture);
/* Makes the dma-buf itself carry this fence, as one that writes to it. */
void picture_carry(const struct picture *picture, int fence);
/* The checksum that the display gives for pixels without gaps. */
uint32_t picture_checksum(const uint8_t *data, size_t size);

/* The display, owned, in a mode of SCREEN_WIDTH x SCREEN_HEIGHT, with long limits. */
int screen_open(unsigned hz);
int screen_mode(int screen, unsigned width, unsigned height, unsigned hz);
struct krafla_display_info screen_info(int screen);
/* A picture of the screen's size, as the arguments of the ioctl. */
struct krafla_display_buffer screen_args(const struct picture *picture, int in_fence);
/* Queues it; its out-fence, or -errno. `frame` (may be NULL) gets its number. */
int screen_try(int screen, const struct picture *picture, int in_fence, uint64_t *frame);
int screen_show(int screen, const struct picture *picture, int in_fence, uint64_t *frame);
/* Waits until the frame's `event` is recorded; the case fails when it isn't soon. */
struct krafla_display_record screen_record(int screen, uint64_t frame, unsigned event);
/* Is there such a record now? */
bool screen_has_record(int screen, uint64_t frame, unsigned event);
/* Whether the screen has this picture's colour. */
bool screen_shows(int screen, const struct picture *picture);
void screen_wait_vsyncs(int screen, unsigned count);

/*
 * What most cases play with: two pictures, the screen at SCREEN_HZ, a fence that is open until
 * its timeline is moved to 1, and the out-fences of the pictures, -1 until they are shown. Who
 * closes one sets it to -1.
 */
struct scene {
	struct picture a, b;
	int timeline, fence;
	int screen;
	int left_a, left_b;
};

struct scene scene_open(void);
void scene_close(struct scene *scene);
/* Closes one of its descriptors. */
void scene_drop(int *fd);

#endif
