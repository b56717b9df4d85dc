/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another process, with a device of its own and without the adapter, that looks at memory of
 * images by src/gpu, as a display's painter does.
 */
#ifndef KR_TESTS_ADAPTER_ONLOOKER_H
#define KR_TESTS_ADAPTER_ONLOOKER_H

#include <sys/types.h>
#include "gpu.h"
#include "gralloc/gpu_memory.h"

struct onlooker_room;

struct onlooker {
	pid_t pid;
	int socket;
	struct onlooker_room *room; /* of both processes */
};

/* Before anything of Vulkan was done here. On lavapipe, or skips the case. */
void onlooker_start(struct onlooker *onlooker);
/*
 * Its import's result; VK_SUCCESS: the image's pixels, rows of width * 4 bytes, are in *pixels,
 * until it is asked next. Ownership goes back with the layout that the description has.
 */
VkResult onlooker_look(
	struct onlooker *onlooker, const struct kr_gpu_memory *memory, int fd, const void **pixels);
/* Asserts that it has ended well. */
void onlooker_finish(struct onlooker *onlooker);

#endif
