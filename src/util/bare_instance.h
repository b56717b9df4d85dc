/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An instance for Krafla's own work in a process that may be somebody else's (the painter, the
 * allocator of buffers): no layer is in it, whatever settings, variables and implicit manifests
 * say, no window system of ours, no adapter, and `krafla run` isn't told of it. Asked for by name
 * with vkGetInstanceProcAddr of libvulkan.so.1, without an instance; the exported
 * vkGetInstanceProcAddr and vkGetDeviceProcAddr do the rest.
 */
#ifndef KR_UTIL_BARE_INSTANCE_H
#define KR_UTIL_BARE_INSTANCE_H

/* A PFN_vkCreateInstance. Its info names no layers: VK_ERROR_LAYER_NOT_PRESENT. */
#define KR_BARE_INSTANCE_FUNCTION "vkCreateBareInstanceKRAFLA"

#endif
