/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device of a process that buffers are allocated from: opened once, by Krafla's own loader
 * beside libkrafla.so.0, without layers, and kept. For this folder alone.
 */
#ifndef KR_GPU_ALLOCATOR_SESSION_H
#define KR_GPU_ALLOCATOR_SESSION_H

#include "gpu/gpu.h"

struct kr_gpu_session {
	struct kr_gpu gpu;
	VkQueue queue;
	uint32_t family;
	bool draws; /* that family; else it computes */
	PFN_vkCreateCommandPool CreateCommandPool;
	PFN_vkDestroyCommandPool DestroyCommandPool;
	PFN_vkAllocateCommandBuffers AllocateCommandBuffers;
	PFN_vkBeginCommandBuffer BeginCommandBuffer;
	PFN_vkEndCommandBuffer EndCommandBuffer;
	PFN_vkCmdPipelineBarrier CmdPipelineBarrier;
	PFN_vkCmdClearColorImage CmdClearColorImage;
	PFN_vkCmdClearDepthStencilImage CmdClearDepthStencilImage;
	PFN_vkCmdFillBuffer CmdFillBuffer;
	PFN_vkCreateFence CreateFence;
	PFN_vkDestroyFence DestroyFence;
	PFN_vkQueueSubmit QueueSubmit;
	PFN_vkWaitForFences WaitForFences;
};

/*
 * The first of the devices, best first, that exports images; KRAFLA_GPU names one. 0, or -ENODEV
 * with a sentence (static).
 */
int kr_gpu_session_open(struct kr_gpu_session *session, const char **reason) KR_MUST_CHECK;

#endif
