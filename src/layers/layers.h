/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explicit layers: which there are, which an instance uses, and the chains of vkCreateInstance and
 * vkCreateDevice through them (abi.md 9).
 *
 * A chain owns its layers' libraries and belongs to one instance. Its order is that of the calls:
 * layers of VK_INSTANCE_LAYERS first (nearest to the application), then the application's own, each
 * in the order named. Implicit layers are not loaded yet.
 *
 * Thread-safety: no shared state; a chain isn't changed once made.
 */
#ifndef KR_LAYERS_LAYERS_H
#define KR_LAYERS_LAYERS_H

#include <stdbool.h>
#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_layer.h>
#include "manifest/layer_manifest.h"
#include "util/list.h"
#include "util/macros.h"

/* The explicit layers of the system, the first of each name, in order of discovery. */
VkResult kr_layers_find(struct kr_list *layers /* kr_layer_manifest.link */) KR_MUST_CHECK;
void kr_layers_finish(struct kr_list *layers);
/* Implicit layers come with the rest of the loader; whoever debugs shall know that they don't run. */
void kr_layers_tell_implicit(void);
/* NULL when there is none of that name. */
const struct kr_layer_manifest *kr_layers_get(const struct kr_list *layers, const char *name);

void kr_layer_properties(const struct kr_layer_manifest *layer, VkLayerProperties *properties);

struct kr_layer {
	const struct kr_layer_manifest *manifest; /* in the chain's list */
	void *dso;
	PFN_vkGetInstanceProcAddr get_instance_proc_addr;
	PFN_vkGetDeviceProcAddr get_device_proc_addr; /* NULL: no part in device chains */
	PFN_GetPhysicalDeviceProcAddr get_physical_device_proc_addr; /* may be NULL */
};

struct kr_layer_chain {
	struct kr_list manifests; /* kr_layer_manifest.link: all there are */
	uint32_t count;
	struct kr_layer layers[]; /* nearest to the application first */
};

/*
 * Finds and loads the layers that the environment and `names` ask for; *chain is NULL when that is
 * none. VK_ERROR_LAYER_NOT_PRESENT for one of `names` that isn't there or can't be loaded; one of
 * the environment is left out with a message.
 */
VkResult kr_layer_chain_create(uint32_t name_count, const char *const *names,
	const VkAllocationCallbacks *allocator, struct kr_layer_chain **chain) KR_MUST_CHECK;
void kr_layer_chain_destroy(struct kr_layer_chain *chain, const VkAllocationCallbacks *allocator);
/* `chain` may be NULL. */
bool kr_layer_chain_has_instance_extension(const struct kr_layer_chain *chain, const char *name);
bool kr_layer_chain_has_device_extension(const struct kr_layer_chain *chain, const char *name);

/* What lies below the last layer. */
struct kr_layer_bottom {
	PFN_vkGetInstanceProcAddr get_instance_proc_addr;
	PFN_GetPhysicalDeviceProcAddr get_physical_device_proc_addr;
	PFN_vkGetDeviceProcAddr get_device_proc_addr;
	PFN_vkSetInstanceLoaderData set_instance_data;
	PFN_vkSetDeviceLoaderData set_device_data;
	PFN_vkLayerCreateDevice layer_create_device;
	PFN_vkLayerDestroyDevice layer_destroy_device;
};

/*
 * vkCreateInstance of the first layer, with everything chained that layers look for. *instance comes
 * in as the loader's object: the bottom finds it there, as in every loader.
 */
VkResult kr_layer_chain_create_instance(const struct kr_layer_chain *chain,
	const struct kr_layer_bottom *bottom, const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkInstance *instance) KR_MUST_CHECK;

/*
 * The same for vkCreateDevice; *top becomes the ProcAddr function of the first layer in the chain.
 * The chain starts below the layer with the ProcAddr function `above`, at the first layer for NULL.
 */
VkResult kr_layer_chain_create_device(const struct kr_layer_chain *chain,
	const struct kr_layer_bottom *bottom, PFN_vkGetInstanceProcAddr above, VkInstance instance,
	VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *device, PFN_vkGetDeviceProcAddr *top)
	KR_MUST_CHECK;

#endif
