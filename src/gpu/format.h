/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which formats of Vulkan are which formats of buffers: the one table of both, for the adapter,
 * swapchains, allocators. What lies in a buffer of memory that CPUs have is said by gralloc
 * (kr_format_layout); which of them a device can do is asked of its driver.
 */
#ifndef KR_GPU_FORMAT_H
#define KR_GPU_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/vulkan.h"

/* Row `i` of the table, the best first for each format of buffers; false: there are no more. */
bool kr_gpu_format_at(size_t i, VkFormat *format, uint32_t *buffer_format);

/* An image of a buffer of that format (AHARDWAREBUFFER_FORMAT_*); UNDEFINED: a BLOB is none. */
VkFormat kr_gpu_format_of_buffer(uint32_t buffer_format);
/* The format of buffers for it, 0 if none. */
uint32_t kr_gpu_buffer_format(VkFormat format);
/* Whether an image of this format can be a view of a buffer of that. */
bool kr_gpu_format_matches(VkFormat format, uint32_t buffer_format);
/* Windows and displays have it. */
bool kr_gpu_format_is_shown(VkFormat format);
/* Planes in memory (linear.c): 2 or 3 of YCbCr, else 1. */
uint32_t kr_gpu_format_planes(uint32_t format);
/* Only a sampler with a conversion reads it. */
bool kr_gpu_format_needs_conversion(VkFormat format);
/* It has depth or stencil. */
bool kr_gpu_format_is_depth(VkFormat format);

#endif
