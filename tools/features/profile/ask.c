/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a device by names: see ask.h. */
#include "tools/features/profile/ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* Of a list that a structure points to: there are some 30 layouts of images. */
#define MOST_ELEMENTS 4096u

/* What all chained structures begin with. */
struct chained {
	uint32_t type;
	void *next;
};

static PFN_vkVoidFunction
find(const struct kr_feature_source *source, const char *name)
{
	return source->get_instance_proc_addr(source->instance, name);
}

/* Devices of 1.0 have it by the extension that brought it. */
static PFN_vkVoidFunction
find_newer(const struct kr_feature_device *device, const char *core, const char *of_extension)
{
	PFN_vkVoidFunction function = NULL;

	if (device->facts.properties.apiVersion >= VK_API_VERSION_1_1)
		function = find(&device->source, core);
	return function ? function : find(&device->source, of_extension);
}

static int
list_instance_extensions(struct kr_flags_view *view)
{
	PFN_vkEnumerateInstanceExtensionProperties list =
		(PFN_vkEnumerateInstanceExtensionProperties)view->device->source
			.get_instance_proc_addr(NULL, "vkEnumerateInstanceExtensionProperties");
	uint32_t count = 0;

	if (!list || list(NULL, &count, NULL) != VK_SUCCESS || !count)
		return 0;
	view->instance_extensions = calloc(count, sizeof(*view->instance_extensions));
	if (!view->instance_extensions)
		return -ENOMEM;
	if (list(NULL, &count, view->instance_extensions) >= VK_SUCCESS)
		view->instance_extension_count = count;
	return 0;
}

int
kr_flags_view_init(struct kr_flags_view *view, const struct kr_feature_device *device)
{
	*view = (struct kr_flags_view){
		.device = device,
		.get_features = (PFN_vkGetPhysicalDeviceFeatures2)find_newer(
			device, "vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceFeatures2KHR"),
		.get_properties = (PFN_vkGetPhysicalDeviceProperties2)find_newer(device,
			"vkGetPhysicalDeviceProperties2", "vkGetPhysicalDeviceProperties2KHR"),
		.get_format = (PFN_vkGetPhysicalDeviceFormatProperties)find(
			&device->source, "vkGetPhysicalDeviceFormatProperties"),
		.get_format2 = (PFN_vkGetPhysicalDeviceFormatProperties2)find_newer(device,
			"vkGetPhysicalDeviceFormatProperties2",
			"vkGetPhysicalDeviceFormatProperties2KHR"),
		.get_families = (PFN_vkGetPhysicalDeviceQueueFamilyProperties)find(
			&device->source, "vkGetPhysicalDeviceQueueFamilyProperties"),
		.get_families2 = (PFN_vkGetPhysicalDeviceQueueFamilyProperties2)find_newer(device,
			"vkGetPhysicalDeviceQueueFamilyProperties2",
			"vkGetPhysicalDeviceQueueFamilyProperties2KHR"),
	};
	if (view->get_families)
		view->get_families(device->source.device, &view->family_count, NULL);
	return list_instance_extensions(view);
}

void
kr_flags_view_finish(struct kr_flags_view *view)
{
	free(view->instance_extensions);
	view->instance_extensions = NULL;
}

static uint32_t
find_version(const VkExtensionProperties *extensions, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(extensions[i].extensionName, name))
			return extensions[i].specVersion ? extensions[i].specVersion : 1;
	}
	return 0;
}

uint32_t
kr_flags_view_extension(const struct kr_flags_view *view, const char *name)
{
	const struct kr_feature_facts *facts = &view->device->facts;
	uint32_t version = find_version(facts->extensions, facts->extension_count, name);

	return version
		? version
		: find_version(view->instance_extensions, view->instance_extension_count, name);
}

bool
kr_flags_view_brings(const struct kr_flags_view *view, const struct kr_capability_struct *structure)
{
	const char *list = structure->extensions, *item;
	size_t length;

	if (structure->core && view->device->facts.properties.apiVersion >= structure->core)
		return true;
	while (kr_list_next(&list, ' ', &item, &length)) {
		char name[VK_MAX_EXTENSION_NAME_SIZE] = "";

		if (length < sizeof(name))
			memcpy(name, item, length);
		if (kr_flags_view_extension(view, name))
			return true;
	}
	return false;
}

static bool
ask_family(const struct kr_flags_view *view, struct chained *chained, void *out, size_t size,
	uint32_t family)
{
	uint32_t count = view->family_count;
	VkQueueFamilyProperties2 *families;
	struct chained *each;

	if (family >= count || !view->get_families2)
		return false;
	families = calloc(count, sizeof(*families));
	each = calloc(count, size);
	for (uint32_t i = 0; families && each && i < count; i++) {
		struct chained *one = (struct chained *)((char *)each + i * size);

		*one = *chained;
		families[i] = (VkQueueFamilyProperties2){
			.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2,
			.pNext = chained->type == VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2 ? NULL
											      : one,
		};
	}
	if (families && each) {
		view->get_families2(view->device->source.device, &count, families);
		if (chained->type == VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2)
			memcpy(out, &families[family], size);
		else
			memcpy(out, (char *)each + family * size, size);
	}
	free(families);
	free(each);
	return families && each && family < count;
}

/* Those of Vulkan 1.0, which begin no chain. */
static bool
ask_plain(const struct kr_flags_view *view, const struct kr_capability_struct *structure,
	VkFormat format, uint32_t family, void *out)
{
	const struct kr_feature_facts *facts = &view->device->facts;
	uint32_t count = view->family_count;
	VkQueueFamilyProperties *families;

	switch (structure->role) {
	case KR_CAPABILITY_FEATURES:
		memcpy(out, &facts->features, sizeof(facts->features));
		return true;
	case KR_CAPABILITY_PROPERTIES:
		memcpy(out, &facts->properties, sizeof(facts->properties));
		return true;
	case KR_CAPABILITY_FORMAT:
		if (view->get_format)
			view->get_format(view->device->source.device, format, out);
		return view->get_format != NULL;
	case KR_CAPABILITY_QUEUE:
		families = family < count ? calloc(count, sizeof(*families)) : NULL;
		if (families) {
			view->get_families(view->device->source.device, &count, families);
			memcpy(out, &families[family], sizeof(*families));
			free(families);
		}
		return families != NULL;
	default:
		return false;
	}
}

static bool
ask_chained(const struct kr_flags_view *view, const struct kr_capability_struct *structure,
	VkFormat format, uint32_t family, void *out)
{
	VkPhysicalDevice device = view->device->source.device;
	struct chained *chained = out;
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = out};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = out};
	VkFormatProperties2 formats = {
		.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = out};

	chained->type = structure->type;
	switch (structure->role) {
	case KR_CAPABILITY_FEATURES:
		if (!view->get_features)
			return false;
		view->get_features(
			device, chained->type == (uint32_t)features.sType ? out : &features);
		return true;
	case KR_CAPABILITY_PROPERTIES:
		if (!view->get_properties)
			return false;
		view->get_properties(
			device, chained->type == (uint32_t)properties.sType ? out : &properties);
		return true;
	case KR_CAPABILITY_FORMAT:
		if (!view->get_format2)
			return false;
		view->get_format2(
			device, format, chained->type == (uint32_t)formats.sType ? out : &formats);
		return true;
	case KR_CAPABILITY_QUEUE:
		return ask_family(view, chained, out, structure->size, family);
	default:
		return false;
	}
}

static bool
ask(const struct kr_flags_view *view, const struct kr_capability_struct *structure, VkFormat format,
	uint32_t family, void *out)
{
	return structure->type ? ask_chained(view, structure, format, family, out)
			       : ask_plain(view, structure, format, family, out);
}

/* How many elements the device has for a list that a member points to. */
static uint32_t
count_of(const struct kr_capability_member *member, const char *out)
{
	uint32_t count;

	memcpy(&count, out + member->counter, sizeof(count));
	return count < MOST_ELEMENTS ? count : MOST_ELEMENTS;
}

/*
 * Asks again with room for all lists, which stands behind the structure. `first` said how long they
 * are, and is freed.
 */
static void *
ask_for_lists(const struct kr_flags_view *view, const struct kr_capability_struct *structure,
	VkFormat format, uint32_t family, char *first)
{
	const struct kr_capability_member *members = &kr_capability_members[structure->first];
	size_t size = (structure->size + 7u) & ~(size_t)7;
	const size_t lists = size;
	char *out, *list;

	for (unsigned i = 0; i < structure->count; i++)
		size += members[i].counter
			? ((size_t)count_of(&members[i], first) * members[i].size + 7) & ~(size_t)7
			: 0;
	out = calloc(1, size);
	list = out + lists;
	for (unsigned i = 0; out && i < structure->count; i++) {
		const uint32_t count = members[i].counter ? count_of(&members[i], first) : 0;

		if (!members[i].counter)
			continue;
		memcpy(out + members[i].counter, &count, sizeof(count));
		memcpy(out + members[i].offset, &list, sizeof(list));
		list += ((size_t)count * members[i].size + 7) & ~(size_t)7;
	}
	if (out && !ask(view, structure, format, family, out)) {
		free(out);
		out = NULL;
	}
	/* Whatever a driver says: no list is longer than its room. */
	for (unsigned i = 0; out && i < structure->count; i++) {
		uint32_t count = members[i].counter ? count_of(&members[i], out) : 0;

		if (members[i].counter && count > count_of(&members[i], first))
			count = count_of(&members[i], first);
		if (members[i].counter)
			memcpy(out + members[i].counter, &count, sizeof(count));
	}
	free(first);
	return out;
}

void *
kr_flags_view_ask(const struct kr_flags_view *view, const struct kr_capability_struct *structure,
	VkFormat format, uint32_t family)
{
	void *out = calloc(1, structure->size);

	if (!out || !ask(view, structure, format, family, out)) {
		free(out);
		return NULL;
	}
	for (unsigned i = 0; i < structure->count; i++) {
		if (kr_capability_members[structure->first + i].counter)
			return ask_for_lists(view, structure, format, family, out);
	}
	return out;
}
