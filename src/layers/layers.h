/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers: which there are, which are enabled, and the chains of vkCreateInstance and vkCreateDevice
 * through them (K-21 to K-26, docs/loader.md; vk_layer.h). In this order, for one call of the
 * application:
 *
 *   rules      what the settings file and the VK_LOADER_LAYERS_* variables say   (rules.c)
 *   layers     what there is: manifests found, ordered, meta-layers checked, what is
 *              disabled taken out                   (find.c, meta.c, by_settings.c)
 *   selection  what of it is enabled, nearest to the application first           (select.c)
 *   chain      its libraries, opened and connected; belongs to an instance       (chain.c, open.c)
 *   links      the structs that layers look for when something is created        (links.c)
 *
 * Whoever finds layers elsewhere makes kr_manifest_layer of them; from the list on
 * all layers are alike.
 *
 * Thread-safety: no shared state; a chain isn't changed once made.
 */
#ifndef KR_LAYERS_LAYERS_H
#define KR_LAYERS_LAYERS_H

#include <stdbool.h>
#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_layer.h>
#include "manifest/filters.h"
#include "manifest/layer_manifest.h"
#include "manifest/settings.h"
#include "util/list.h"
#include "util/macros.h"

struct kr_layer_rules {
	/* The profile has layers described by their libraries; nothing else here counts then. */
	bool by_library;
	/* NULL: the file has no layers section, or there is none. With one it decides. */
	const struct kr_settings *settings;
	struct kr_filters enable;  /* VK_LOADER_LAYERS_ENABLE */
	struct kr_filters disable; /* VK_LOADER_LAYERS_DISABLE */
	struct kr_filters allow;   /* VK_LOADER_LAYERS_ALLOW */
};

/* `settings` is borrowed for as long as the rules are used. */
void kr_layer_rules_read(struct kr_layer_rules *rules, const struct kr_settings *settings);
/* VK_LOADER_LAYERS_DISABLE takes it, and neither _ALLOW nor _ENABLE exempts it. */
bool kr_layer_is_filtered(
	const struct kr_layer_rules *rules, const struct kr_manifest_layer *layer);

/* From wide to narrow. */
enum kr_layer_scope {
	KR_LAYERS_ALL,
	/* those that may be enabled without being asked for, and what they need */
	KR_LAYERS_IMPLICIT,
};

struct kr_layers {
	/*
	 * kr_manifest_layer.link; in the order of chains as far as the settings order them, else
	 * implicit ones first. A name may be there twice: the first one counts.
	 */
	struct kr_list list;
	const struct kr_manifest_layer *override; /* in the list and enabled, else NULL */
};

VkResult kr_layers_find(const struct kr_layer_rules *rules, enum kr_layer_scope scope,
	struct kr_layers *layers) KR_MUST_CHECK;
void kr_layers_finish(struct kr_layers *layers);
/* NULL when there is none of that name. */
const struct kr_manifest_layer *kr_layers_get(const struct kr_layers *layers, const char *name);

/* Why a layer is enabled. */
enum kr_layer_cause {
	KR_LAYER_IMPLICIT,
	KR_LAYER_BY_VARIABLE, /* VK_INSTANCE_LAYERS */
	KR_LAYER_BY_FILTER,   /* VK_LOADER_LAYERS_ENABLE */
	KR_LAYER_BY_APPLICATION,
	KR_LAYER_BY_META,
	KR_LAYER_BY_SETTINGS,
};

struct kr_layer_choice {
	const struct kr_manifest_layer *manifest;
	enum kr_layer_cause cause;
	bool requested; /* the application named it, whatever the cause */
};

/* Nearest to the application first; a meta-layer behind its components. */
struct kr_layer_selection {
	uint32_t count;
	struct kr_layer_choice *items;
};

/* What the application named in its create info. */
struct kr_layer_request {
	uint32_t count;
	const char *const *names;
	uint32_t api_version; /* of the application */
};

/* VK_ERROR_LAYER_NOT_PRESENT, with a message, for a name that isn't in the list. */
VkResult kr_layers_select(const struct kr_layers *layers, const struct kr_layer_rules *rules,
	const struct kr_layer_request *request, const VkAllocationCallbacks *allocator,
	struct kr_layer_selection *selection) KR_MUST_CHECK;
/* Implicit layers alone, as before there is an instance. */
VkResult kr_layers_select_implicit(const struct kr_layers *layers,
	const struct kr_layer_rules *rules, struct kr_layer_selection *selection) KR_MUST_CHECK;
void kr_layer_selection_finish(
	struct kr_layer_selection *selection, const VkAllocationCallbacks *allocator);

struct kr_layer {
	struct kr_layer_choice choice;
	void *dso;
	PFN_vkGetInstanceProcAddr get_instance_proc_addr;
	PFN_vkGetDeviceProcAddr get_device_proc_addr; /* NULL: no part in device chains */
	PFN_GetPhysicalDeviceProcAddr get_physical_device_proc_addr; /* may be NULL */
};

struct kr_layer_chain {
	struct kr_layers all;
	struct kr_layer_selection enabled; /* meta-layers included */
	uint32_t count;                    /* at least 1 */
	struct kr_layer layers[];          /* nearest to the application first */
};

/*
 * Finds and loads the layers that are enabled for an instance; *chain is NULL when none
 * is. VK_ERROR_LAYER_NOT_PRESENT for one of the request that isn't there or can't be
 * loaded; any other that can't be is left out with a message. `settings` is what
 * kr_settings_read gave, or NULL for none.
 */
VkResult kr_layer_chain_create(const struct kr_settings *settings,
	const struct kr_layer_request *request, const VkAllocationCallbacks *allocator,
	struct kr_layer_chain **chain) KR_MUST_CHECK;
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
 * vkCreateInstance of the first layer, with everything chained that layers look for. *instance
 * comes in as the loader's object: the bottom finds it there, as in every loader.
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
