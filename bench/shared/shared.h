/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of `krafla-bench shared` know of each other: two processes with a device each, of
 * which one (the producer) draws pictures into images that the other (the consumer) copies, in
 * three ways that differ in nothing but how images and turns go over.
 */
#ifndef KR_BENCH_SHARED_SHARED_H
#define KR_BENCH_SHARED_SHARED_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/vulkan_child.h"
#include "gen/tables.h"
#include "gpu/gpu.h"

struct kr_buffer;

#define SHARED_SLOTS 3 /* images of a pair, used in turns */
#define SHARED_USAGE                                                                               \
	(VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |                       \
		VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT)

enum shared_way {
	SHARED_KRAFLA, /* src/gpu, handles of gralloc, user-space fences */
	SHARED_BARE,   /* opaque descriptors, VkFences that are waited for, a byte in a socket */
	SHARED_GPU,    /* the same with opaque semaphores: the GPU waits */
	SHARED_WAYS,
};

struct shared_slot {
	struct kr_gpu_image image;
	VkImageMemoryBarrier acquire;
	VkImageMemoryBarrier release;
	VkCommandBuffer commands;
	VkFence done;
	bool submitted; /* `done` is of something */
	/* of SHARED_GPU: what the end before and the end behind signal */
	VkSemaphore wait;
	VkSemaphore signal;
	/* of the consumer: where it copies to */
	VkBuffer copy;
	VkDeviceMemory copy_memory;
	const uint32_t *pixels;
};

/* A device of one process, for one way. */
struct shared_end {
	struct vulkan_child vk;
	struct kr_device_table d;
	struct kr_gpu gpu;
	enum shared_way way;
	bool producer;
	bool semaphores; /* their opaque descriptors can be had */
	bool budget;     /* the device tells how much memory is used */
	uint32_t width;
	uint32_t height;
};

/* 0, or 1 with a message; what a device hasn't got is told by its bools. */
int shared_end_open(struct shared_end *end, const char *loader, enum shared_way way);
void shared_end_close(struct shared_end *end);
/* How much of the GPU's memory is in use, as the device tells; of a processor's, this process's. */
double shared_end_memory_kb(struct shared_end *end);

/* Makes what a slot has besides its image. */
int shared_slot_create(struct shared_end *end, struct shared_slot *slot);
void shared_slot_destroy(struct shared_end *end, struct shared_slot *slot);
/* The producer makes an image and sends it; the consumer receives and imports it. */
int shared_slot_send(struct shared_end *end, struct shared_slot *slot, int socket);
int shared_slot_receive(struct shared_end *end, struct shared_slot *slot, int socket);
/* Of SHARED_KRAFLA: makes an image, and a buffer with its memory, which the caller unrefs. */
int shared_slot_export(struct shared_end *end, struct shared_slot *slot, struct kr_buffer **buffer);
/* The same for SHARED_BARE and SHARED_GPU: bare.c. */
int shared_bare_send(struct shared_end *end, struct shared_slot *slot, int socket);
int shared_bare_receive(struct shared_end *end, struct shared_slot *slot, int socket);

/* Draws or copies picture `number`: records and submits. */
int shared_slot_submit(struct shared_end *end, struct shared_slot *slot, uint64_t number);
int shared_slot_finish(struct shared_end *end, struct shared_slot *slot);
/* Whether the consumer's copy is of that picture. */
bool shared_slot_shows(
	const struct shared_end *end, const struct shared_slot *slot, uint64_t number);

/* Waits until the other end is done with the slot's image; -EPIPE it is gone. */
int shared_turn_take(struct shared_end *end, struct shared_slot *slot, int socket);
/* What was submitted goes to the other end, which gets to know when it is done. */
int shared_turn_give(struct shared_end *end, struct shared_slot *slot, int socket);

/* A producer's process with its socket. */
struct shared_source {
	int pid;
	int socket;
	struct shared_slot slots[SHARED_WAYS][SHARED_SLOTS];
	uint64_t frames[SHARED_WAYS]; /* so many of each way were there */
};

/* What a consumer asks of a producer: so many frames, or, where that is 0, to send its images. */
struct shared_order {
	uint32_t way;
	uint32_t frames;
};

struct shared_size {
	const char *krafla; /* loaders */
	const char *other;
	uint32_t width;
	uint32_t height;
};

/* A program of its own, since drivers mayn't be forked. */
int shared_source_start(struct shared_source *source, const struct shared_size *size);
/* What is left of it. */
void shared_source_end(struct shared_source *source);
const char *shared_loader(const struct shared_size *size, enum shared_way way);

#endif
