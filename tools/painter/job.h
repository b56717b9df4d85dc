/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture on its way: one command buffer, one submit, one fence. Thread-safety: one thread.
 */
#ifndef KR_TOOLS_PAINTER_JOB_H
#define KR_TOOLS_PAINTER_JOB_H

#include "tools/painter/readback.h"
#include "tools/painter/upload.h"

/* What is drawn on: it stays from picture to picture, in the order of bytes of the last one. */
struct kr_paint_canvas {
	struct kr_paint_memory memory;
	uint32_t width, height;
	uint32_t row_bytes;
	enum kr_pixels_order order;
	bool fresh; /* the memory has what somebody else left there: it is cleared first */
};

/* Nobody uses the old one. -EOPNOTSUPP: it is too large for the device; -ENOMEM. */
int kr_paint_canvas_fit(const struct kr_paint_device *device, struct kr_paint_canvas *canvas,
	uint32_t width, uint32_t height) KR_MUST_CHECK;

struct kr_paint_job {
	bool busy; /* submitted, and the fence wasn't waited for */
	uint64_t number;
	bool turn;        /* what stays on the canvas gets the other order of bytes first */
	int64_t deadline; /* of the fence */
	VkCommandPool pool;
	VkCommandBuffer commands;
	VkFence fence;
	VkQueryPool queries; /* VK_NULL_HANDLE: none */
	VkDescriptorSet sets[KR_PAINT_MAX_PASSES];
	struct kr_paint_bindings bound[KR_PAINT_MAX_PASSES];
	VkPipeline code[KR_PAINT_MAX_PASSES];
	struct kr_paint_memory layers, tiles, sums;
	struct kr_paint_uploads uploads;
	struct kr_paint_slot *slot; /* NULL: no readback */
	struct kr_paint_band bands[KR_PAINT_MAX_BANDS];
	unsigned band_count;
};

/*
 * Something that its sets name was destroyed, and what comes next may have the same handle: they
 * are written anew.
 */
void kr_paint_job_forget(struct kr_paint_job *job);
/* Zeroed before. -EIO, -ENOMEM. */
int kr_paint_job_init(const struct kr_paint_device *device,
	const struct kr_paint_pipeline *pipeline, struct kr_paint_job *job) KR_MUST_CHECK;
/*
 * Submits a picture that was planned, of the canvas's size. 0; -ENOMEM, -ETIME: nothing was
 * submitted; -EIO the device is lost.
 */
int kr_paint_job_start(const struct kr_paint_device *device, struct kr_paint_pipeline *pipeline,
	struct kr_paint_job *job, struct kr_paint_picture *picture, struct kr_paint_canvas *canvas)
	KR_MUST_CHECK;
/* 0 it is done, and `gpu_ns` is what it took (0: not known); -EAGAIN not until then; -EIO. */
int kr_paint_job_wait(const struct kr_paint_device *device, struct kr_paint_job *job,
	uint64_t timeout_ns, uint64_t *gpu_ns) KR_MUST_CHECK;

#endif
