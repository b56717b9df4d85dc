/* SPDX-License-Identifier: Apache-2.0 */
/* A device of a driver, without any loader, and pictures in images of shared memory. */
#ifndef KR_TESTS_GPU_RIG_H
#define KR_TESTS_GPU_RIG_H

#include "gen/tables.h"
#include "gpu/gpu.h"
#include "harness.h"
#include "vulkan.h"

struct rig {
	struct kr_vulkan vk;
	struct kr_device_table d;
	struct kr_gpu gpu;
	VkCommandPool pool;
	VkCommandBuffer commands;
};

/*
 * Lavapipe, or skips the case; in the lab the one that is installed there. By hand another, whose
 * manifest KRAFLA_TEST_DRIVER names: cases about lavapipe's files fail then.
 */
void rig_open(struct rig *rig);
void rig_open_swiftshader(struct rig *rig);
/* By a loader, or whatever has the function; its first device. */
void rig_open_with(struct rig *rig, PFN_vkGetInstanceProcAddr get,
	const struct kr_vulkan_instance_info *instance);
/* Its manifest, or skips. */
const char *rig_lavapipe(void);
void rig_close(struct rig *rig);

/* An RGBA8 image that can be copied, drawn and sampled, OPTIMAL, opaque. */
struct kr_gpu_memory rig_wanted(uint32_t width, uint32_t height);
/* Creates and exports one; asserts that this works. */
void rig_export(
	struct rig *rig, const struct kr_gpu_memory *wanted, struct kr_gpu_image *image, int *fd);

/* Every pixel its own: what `seed` says stands at x, y. */
uint32_t rig_pixel(uint32_t seed, uint32_t x, uint32_t y);
/* Puts the picture into level 0, layer 0, and hands the image out; what was there goes. */
void rig_fill(struct rig *rig, const struct kr_gpu_image *image, uint32_t seed);
/* Takes the image in, looks, and hands it out: whether the picture is there. */
bool rig_shows(struct rig *rig, const struct kr_gpu_image *image, uint32_t seed);

/* The same, pixels of four bytes row by row, to be freed. */
uint32_t *rig_read(struct rig *rig, const struct kr_gpu_image *image);

/* A packet of `size` bytes with a descriptor, if fd >= 0; -1 for none when nothing comes. */
void rig_send(int socket, const void *data, size_t size, int fd);
bool rig_receive(int socket, void *data, size_t size, int *fd);

#endif
