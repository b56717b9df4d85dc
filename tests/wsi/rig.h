/* SPDX-License-Identifier: Apache-2.0 */
/* A surface on a real window, a device on the fake driver, and a way to make the window fail. */
#ifndef KR_TESTS_WSI_RIG_H
#define KR_TESTS_WSI_RIG_H

#include <krafla/native_window.h>
#include "fake_device.h"
#include "fake_driver.h"
#include "far_end.h"
#include "window/consumer/consumer.h"
#include "window/queue/frame.h"
#include "window/queue/presentation.h"
#include "window/queue/queue.h"
#include "wsi/wsi.h"

/* A window that hands everything to another, except what it is told to fail. */
struct proxy_window {
	ANativeWindow base;
	ANativeWindow *inner;
	int refs;
	int fail_perform;     /* operation that fails, -1 none */
	int fail_query;       /* question that fails, -1 none */
	int dequeue_error;    /* returned by dequeueBuffer when not 0 */
	int dequeue_error_at; /* 0: each; n: only the n-th from now */
	int queue_error;
	int dequeue_fence; /* given out with the next buffer instead of its own, -1 none */
	int32_t hint;      /* transform hint, -1 the inner window's */
	int64_t timeout;   /* that was set last */
	uint32_t timeouts; /* how often it was set */
	android_native_rect_t damage[32];
	size_t damage_count;
	uint32_t damages;
	uint32_t cancels;
	int cancel_status; /* of the fence that the last one came with */
	uint32_t dequeues;
	char device[32];      /* the device that was named last */
	int32_t scaling_mode; /* as it was last told: NATIVE_WINDOW_SCALING_MODE_* */
	bool android;         /* it knows none of Krafla's own operations */
	bool shows_protected; /* its far end says so */
	bool gives_protected; /* and its buffers say so, where they are asked to be */
	bool protects;        /* they were */
	bool stands_in; /* it answers for presentations and what was shown, not the inner one */
	struct far_end far_end;
	bool says_abilities; /* likewise for what it can show */
	struct kr_abilities abilities;
};

struct alloc_probe {
	VkAllocationCallbacks callbacks;
	uint32_t count;   /* allocations so far */
	uint32_t fail_at; /* the n-th fails, 0 none */
	int live;
};

struct rig {
	struct proxy_window window;
	struct kr_queue *queue;
	struct kr_consumer *consumer; /* NULL: null sink */
	struct kr_wsi_surface *surface;
	struct kr_wsi_device *device;
	struct kr_wsi_gpu gpu;
	struct kr_wsi_surface_ops ops;
	VkPresentModeKHR mode_said;
	uint32_t refreshes;
	uint32_t destroys;
};

/* What the window's far end asks for; CPU_READ_OFTEN unless a case says something else before. */
extern uint64_t rig_consumer_usage;
/* Likewise for its time; nothing unless a case says something. */
extern struct kr_timing rig_timing;
extern int64_t rig_refresh_ns;
/* With a local consumer (frames stay with it) or a null sink (frames come back at once). */
void rig_init(struct rig *rig, bool consumer);
/* With a consumer that can do everything and tells, and a driver that bears shared images. */
void rig_init_able(struct rig *rig);
void rig_finish(struct rig *rig);
/* The device anew, as rig->gpu says now. */
void rig_remake_device(struct rig *rig, bool compression_control);
/* The window says what it can show: everything. */
void rig_give_abilities(struct rig *rig);

VkSwapchainKHR rig_swapchain(struct rig *rig, VkPresentModeKHR mode);
VkResult rig_acquire(struct rig *rig, VkSwapchainKHR swapchain, uint64_t timeout, uint32_t *index);
VkResult rig_present(struct rig *rig, VkSwapchainKHR swapchain, uint32_t index);
void rig_destroy(struct rig *rig, VkSwapchainKHR swapchain);

void alloc_probe_init(struct alloc_probe *probe);

#endif
