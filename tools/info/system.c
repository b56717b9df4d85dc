/* SPDX-License-Identifier: Apache-2.0 */
/* The loader, the layers and the display. */
#include "tools/info/facts.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/queries.h"
#include "manifest/profile.h"
#include "tools/command/command.h"
#include "tools/command/json_values.h"
#include "tools/info/tier.h"
#include "util/clock.h"
#include "util/enumerate.h"
#include "util/env.h"
#include "util/log.h"
#include "util/text.h"
#include "window/queue/sink.h"
#include "window/remote/remote.h"

#define DISPLAY_ANSWER_NS (2 * KR_NSEC_PER_SEC)

static json_t *
list_extensions(PFN_vkEnumerateInstanceExtensionProperties enumerate)
{
	const struct kr_enumerate_question question = {
		.of_instance = enumerate, .who = "libvulkan.so.1", .log = KR_LOG_DRIVER};
	VkExtensionProperties *list = NULL;
	json_t *array = json_array();
	uint32_t count = 0;

	if (!enumerate || kr_enumerate_extensions(&question, NULL, &count, &list) != VK_SUCCESS)
		return array;
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array,
			json_pack("{s:o, s:i}", "name", kr_tool_json_text(list[i].extensionName),
				"spec_version", (int)list[i].specVersion));
	free(list);
	return array;
}

static void
ask_loader(void *dso, json_t *loader)
{
	PFN_vkGetInstanceProcAddr get =
		(PFN_vkGetInstanceProcAddr)(uintptr_t)dlsym(dso, "vkGetInstanceProcAddr");
	PFN_vkEnumerateInstanceVersion get_version = NULL;
	uint32_t version = VK_API_VERSION_1_0;

	if (!get) {
		json_object_set_new(
			loader, "error", json_string("it has no vkGetInstanceProcAddr"));
		return;
	}
	get_version = (PFN_vkEnumerateInstanceVersion)get(NULL, "vkEnumerateInstanceVersion");
	if (get_version && get_version(&version) != VK_SUCCESS)
		version = VK_API_VERSION_1_0;
	json_object_set_new(loader, "api_version", kr_tool_json_version(version));
	json_object_set_new(loader, "extensions",
		list_extensions((PFN_vkEnumerateInstanceExtensionProperties)get(
			NULL, "vkEnumerateInstanceExtensionProperties")));
}

json_t *
kr_info_loader(void)
{
	char *prefix = kr_find_prefix();
	char *path = prefix ? kr_asprintf("%s/lib/libvulkan.so.1", prefix) : NULL;
	json_t *loader = json_object();
	void *dso = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

	json_object_set_new(loader, "path", kr_tool_json_text(path ? path : "?"));
	json_object_set_new(loader, "version", json_string(KRAFLA_VERSION));
	json_object_set_new(loader, "profile", json_string(kr_profile_get()->name));
	if (dso)
		ask_loader(dso, loader);
	else
		json_object_set_new(
			loader, "error", kr_tool_json_text(path ? dlerror() : "out of memory"));
	/* It stays open: drivers it has loaded may have threads. */
	free(path);
	free(prefix);
	return loader;
}

json_t *
kr_info_layers(void)
{
	struct kr_layer_query query;
	const struct kr_manifest_layer *layer;
	json_t *array = json_array();

	if (kr_layer_query_begin(&query, KR_LAYERS_ALL) != VK_SUCCESS)
		return array;
	kr_list_for_each (layer, &query.layers.list, link)
		json_array_append_new(array,
			json_pack("{s:o, s:o, s:o, s:o, s:o}", "name",
				kr_tool_json_text(layer->name), "description",
				kr_tool_json_text(layer->description), "api_version",
				kr_tool_json_version(layer->api_version), "manifest",
				kr_tool_json_text(layer->path), "library",
				kr_tool_json_text(layer->library_path ? layer->library_path : "")));
	kr_layer_query_end(&query);
	return array;
}

static json_t *
ask_display(const char *socket)
{
	struct kr_remote_display info;
	struct kr_sink *sink;
	json_t *display;
	int err = kr_sink_remote_connect(
		socket, "krafla info", kr_clock_now() + DISPLAY_ANSWER_NS, &sink, &info);

	if (err < 0)
		return json_pack("{s:o, s:b, s:s}", "socket", kr_tool_json_text(socket),
			"reachable", 0, "error", strerror(-err));
	sink->impl->destroy(sink);
	display = json_pack("{s:o, s:b, s:i, s:i, s:I, s:s}", "socket", kr_tool_json_text(socket),
		"reachable", 1, "width", (int)info.width, "height", (int)info.height, "refresh_ns",
		(json_int_t)info.refresh_ns, "clock", info.virtual_clock ? "virtual" : "real");
	/*
	 * Its composer maps dma-bufs and polls fences of either kind; what comes is the
	 * device's affair.
	 */
	kr_tier_set(display, true, json_array(),
		json_pack("[s]", "a display doesn't say whether planes show its pictures"));
	return display;
}

json_t *
kr_info_displays(void)
{
	const char *socket = kr_env_get("KRAFLA_DISPLAY");
	json_t *array = json_array();

	if (socket)
		json_array_append_new(array, ask_display(socket));
	return array;
}
