/* SPDX-License-Identifier: Apache-2.0 */
/* The alpha of pixels that were converted, which gralloc/pixels.h leaves out. */
#ifndef KR_OUTPUTS_ALPHA_H
#define KR_OUTPUTS_ALPHA_H

#include <stdint.h>

/* Into the X of `to`; of a format that has none it is full. */
void output_copy_alpha(uint32_t format, const void *from, uint32_t *to, uint32_t width);

#endif
