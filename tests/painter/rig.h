/* SPDX-License-Identifier: Apache-2.0 */
/* A painter of a driver for tests, and waiting for its answers. */
#ifndef KR_TESTS_PAINTER_RIG_H
#define KR_TESTS_PAINTER_RIG_H

#include "harness.h"

#include "gralloc/buffer.h"
#include "painter/painter.h"

enum rig_driver {
	RIG_LAVAPIPE,
	RIG_SWIFTSHADER,
};

/* Only that driver from now on; skips the case where it isn't there. */
void rig_use(enum rig_driver driver);
/* Started and ready. */
struct kr_painter *rig_start(struct kr_painter_report *report);
/* Until dispatch says something else than 0, or `ms` are over (0 then). */
int rig_dispatch(struct kr_painter *painter, unsigned ms, const char **why);
/* Adds a buffer and waits for the verdict. */
enum kr_painter_verdict rig_add(struct kr_painter *painter, uint64_t id, struct kr_buffer *buffer);
/* Draws and waits for the result. */
struct kr_painter_result rig_paint(
	struct kr_painter *painter, const struct kr_painter_request *request);

#endif
