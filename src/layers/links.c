/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chains of vkCreateInstance and vkCreateDevice. Each layer finds in pNext a link that says
 * what follows it, and moves that on before it calls down:
 *
 *   create info -> LINK_INFO -> DATA_CALLBACK ... -> the application's own chain
 *                      |
 *                  links[0] -> links[1] -> ...    links[i]: the functions below layer i
 */
#include "layers/internal.h"

#include "util/alloc.h"
#include "util/log.h"

/* A layer without a query of its own hands on that of the next one below. */
static PFN_GetPhysicalDeviceProcAddr
physical_device_query_below(
	const struct kr_layer_chain *chain, uint32_t i, const struct kr_layer_bottom *bottom)
{
	while (++i < chain->count) {
		if (chain->layers[i].get_physical_device_proc_addr)
			return chain->layers[i].get_physical_device_proc_addr;
	}
	return bottom->get_physical_device_proc_addr;
}

static void
fill_instance_links(VkLayerInstanceLink *links, const struct kr_layer_chain *chain,
	const struct kr_layer_bottom *bottom)
{
	for (uint32_t i = 0; i < chain->count; i++) {
		bool last = i + 1 == chain->count;

		links[i] = (VkLayerInstanceLink){
			.pNext = last ? NULL : &links[i + 1],
			.pfnNextGetInstanceProcAddr = last
				? bottom->get_instance_proc_addr
				: chain->layers[i + 1].get_instance_proc_addr,
			.pfnNextGetPhysicalDeviceProcAddr =
				physical_device_query_below(chain, i, bottom),
		};
	}
}

/* Asked as the specification has it; layers older than that rule answer for an instance alone. */
static PFN_vkCreateInstance
first_create(const struct kr_layer_chain *chain, VkInstance instance)
{
	PFN_vkGetInstanceProcAddr get = chain->layers[0].get_instance_proc_addr;
	PFN_vkVoidFunction create = get(VK_NULL_HANDLE, "vkCreateInstance");

	return (PFN_vkCreateInstance)(create ? create : get(instance, "vkCreateInstance"));
}

/* What goes in front of the application's own chain, from the last to the first. */
struct instance_infos {
	VkLayerInstanceCreateInfo data;
	VkLayerInstanceCreateInfo device;
	VkLayerInstanceCreateInfo features;
	VkLayerInstanceCreateInfo link;
};

static void
fill_instance_infos(struct instance_infos *infos, const struct kr_layer_bottom *bottom,
	const void *next, VkLayerInstanceLink *links)
{
	const VkStructureType type = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO;

	infos->data = (VkLayerInstanceCreateInfo){
		.sType = type,
		.pNext = next,
		.function = VK_LOADER_DATA_CALLBACK,
		.u.pfnSetInstanceLoaderData = bottom->set_instance_data,
	};
	infos->device = (VkLayerInstanceCreateInfo){
		.sType = type,
		.pNext = &infos->data,
		.function = VK_LOADER_LAYER_CREATE_DEVICE_CALLBACK,
		.u.layerDevice = {bottom->layer_create_device, bottom->layer_destroy_device},
	};
	/* No feature: the one there is means that the system sorts devices, as Windows does. */
	infos->features = (VkLayerInstanceCreateInfo){
		.sType = type,
		.pNext = &infos->device,
		.function = VK_LOADER_FEATURES,
	};
	infos->link = (VkLayerInstanceCreateInfo){
		.sType = type,
		.pNext = &infos->features,
		.function = VK_LAYER_LINK_INFO,
		.u.pLayerInfo = links,
	};
}

VkResult
kr_layer_chain_create_instance(const struct kr_layer_chain *chain,
	const struct kr_layer_bottom *bottom, const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkInstance *instance)
{
	PFN_vkCreateInstance create = first_create(chain, *instance);
	VkInstanceCreateInfo chained = *info;
	struct instance_infos infos;
	VkLayerInstanceLink *links;
	VkResult result;

	if (!create) {
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER, "layer %s has no vkCreateInstance",
			chain->layers[0].choice.manifest->name);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	links = kr_zalloc_array(
		allocator, chain->count, sizeof(*links), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!links)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	fill_instance_links(links, chain, bottom);
	fill_instance_infos(&infos, bottom, info->pNext, links);
	chained.pNext = &infos.link;
	kr_layer_chain_tell(chain, "vkCreateInstance", "Drivers", 0, false);
	result = create(&chained, allocator, instance);
	kr_free(allocator, links);
	return result;
}

/* The next layer from `first` on that takes part in device chains, or the count. */
static uint32_t
next_device_layer(const struct kr_layer_chain *chain, uint32_t first)
{
	while (first < chain->count && !chain->layers[first].get_device_proc_addr)
		first++;
	return first;
}

static uint32_t
first_below(const struct kr_layer_chain *chain, PFN_vkGetInstanceProcAddr above)
{
	for (uint32_t i = 0; above && i < chain->count; i++) {
		if (chain->layers[i].get_instance_proc_addr == above)
			return i + 1;
	}
	return 0;
}

/* One link for each layer that takes part. */
static void
fill_device_links(VkLayerDeviceLink *links, const struct kr_layer_chain *chain, uint32_t first,
	const struct kr_layer_bottom *bottom)
{
	uint32_t count = 0;

	for (uint32_t i = first; i < chain->count;) {
		uint32_t next = next_device_layer(chain, i + 1);
		bool last = next == chain->count;

		links[count] = (VkLayerDeviceLink){
			.pNext = last ? NULL : &links[count + 1],
			.pfnNextGetInstanceProcAddr = last
				? bottom->get_instance_proc_addr
				: chain->layers[next].get_instance_proc_addr,
			.pfnNextGetDeviceProcAddr = last ? bottom->get_device_proc_addr
							 : chain->layers[next].get_device_proc_addr,
		};
		count++;
		i = next;
	}
}

VkResult
kr_layer_chain_create_device(const struct kr_layer_chain *chain,
	const struct kr_layer_bottom *bottom, PFN_vkGetInstanceProcAddr above, VkInstance instance,
	VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *device, PFN_vkGetDeviceProcAddr *top)
{
	uint32_t first = next_device_layer(chain, first_below(chain, above));
	PFN_vkGetInstanceProcAddr get = first < chain->count
		? chain->layers[first].get_instance_proc_addr
		: bottom->get_instance_proc_addr;
	PFN_vkCreateDevice create = (PFN_vkCreateDevice)get(instance, "vkCreateDevice");
	VkLayerDeviceCreateInfo data = {
		.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
		.pNext = info->pNext,
		.function = VK_LOADER_DATA_CALLBACK,
		.u.pfnSetDeviceLoaderData = bottom->set_device_data,
	};
	VkLayerDeviceCreateInfo link = {
		.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
		.pNext = &data,
		.function = VK_LAYER_LINK_INFO,
	};
	VkDeviceCreateInfo chained = *info;
	VkLayerDeviceLink *links;
	VkResult result;

	if (!create)
		return VK_ERROR_INITIALIZATION_FAILED;
	links = kr_zalloc_array(
		allocator, chain->count, sizeof(*links), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!links)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	fill_device_links(links, chain, first, bottom);
	link.u.pLayerInfo = links;
	kr_layer_chain_tell(chain, "vkCreateDevice", "Device", first, true);
	/* Without a layer in it the chain is the bottom, to which links mean nothing. */
	if (first < chain->count)
		chained.pNext = &link;
	result = create(physical_device, &chained, allocator, device);
	kr_free(allocator, links);
	if (result == VK_SUCCESS)
		*top = first < chain->count ? chain->layers[first].get_device_proc_addr
					    : bottom->get_device_proc_addr;
	return result;
}
