/* SPDX-License-Identifier: Apache-2.0 */
/* The brush of device `gpu`: a painter of its own for each display. */
#ifndef KR_HWC_BRUSH_H
#define KR_HWC_BRUSH_H

#include "hwc/soft.h"

extern const struct kr_soft_brush kr_soft_painter;

#endif
