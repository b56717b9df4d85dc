/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the GPU behind a swapchain's images, for a far end that looks at such (T1): the driver
 * exports it (util/native_memory.h), the buffer gets it beside its own, and the window tells the
 * far end with the next frame.
 */
#ifndef KR_WSI_GPU_MEMORY_H
#define KR_WSI_GPU_MEMORY_H

#include <stdbool.h>
#include "wsi/swapchain.h"

/* Whether images of the swapchain are to have such memory: the far end and the driver can. */
bool kr_wsi_wants_gpu_memory(const struct kr_wsi_swapchain *swapchain);
/*
 * Gives an image's buffer the image's memory. Where that fails, frames reach the far end by the
 * buffer's own memory, as ever.
 */
void kr_wsi_image_give_memory(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image);

#endif
