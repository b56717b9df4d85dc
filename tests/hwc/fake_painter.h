/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A painter of this process behind painter/painter.h, which draws by room `render`, in the place of
 * the real one: for what composers do with painters that are slow, refuse, or die. "Memory of a
 * GPU" is a memfd with rows of pixels without gaps.
 */
#ifndef KR_TESTS_HWC_FAKE_PAINTER_H
#define KR_TESTS_HWC_FAKE_PAINTER_H

#include <krafla/hardware_buffer.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Memory types of buffers that a painter has trouble with. */
enum {
	FAKE_GOOD,
	FAKE_DEADLY_TO_LOOK_AT,
	FAKE_DEADLY_TO_DRAW,
	FAKE_REFUSED,
};

struct fake_painters {
	/* What the next ones are like. */
	int start_error;
	bool is_processor;
	atomic_bool slow; /* it says nothing, until this is cleared */
	atomic_bool die;  /* it does, when it is dispatched */
	bool killed;      /* those that die were killed by somebody else */
	/* What there was. */
	atomic_uint started;
	atomic_uint alive;
	atomic_uint looked; /* buffers that it was given */
	atomic_uint known;  /* that it has now */
	atomic_uint drawn;
	atomic_uint lent; /* pictures */
};
extern struct fake_painters fake_painters;

/* The one that runs says what it is. */
void fake_painter_go_on(void);

/*
 * A buffer with memory of a GPU, of that colour (0xAARRGGBB) there; of `cpu` alone without such
 * memory of CPUs.
 */
AHardwareBuffer *fake_gpu_buffer(uint32_t width, uint32_t height, uint32_t argb, unsigned kind,
	bool with_cpu, uint32_t cpu_argb);

#endif
