/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same device by its UUID, else by its nodes in /dev. Drivers that draw on the CPU are one
 * device, the CPU, whatever UUIDs they make up for it.
 */
#include "tools/features/launch/match.h"

#include <string.h>
#include <sys/sysmacros.h>

#include "tools/features/drivers.h"

static bool
is_set(const uint8_t uuid[VK_UUID_SIZE])
{
	static const uint8_t none[VK_UUID_SIZE];

	return memcmp(uuid, none, sizeof(none)) != 0;
}

void
kr_flags_identify(const struct kr_feature_device *device, struct kr_flags_identity *identity)
{
	const struct kr_feature_source *source = &device->source;
	const bool has_drm = kr_feature_facts_have_extension(
		&device->facts, VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME);
	VkPhysicalDeviceDrmPropertiesEXT drm = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT};
	VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
		.pNext = has_drm ? &drm : NULL};
	VkPhysicalDeviceProperties2 question = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
	PFN_vkGetPhysicalDeviceProperties2 get =
		(PFN_vkGetPhysicalDeviceProperties2)source->get_instance_proc_addr(
			source->instance, "vkGetPhysicalDeviceProperties2");
	int kept;

	*identity = (struct kr_flags_identity){.type = device->facts.properties.deviceType};
	if (!get || device->facts.properties.apiVersion < VK_API_VERSION_1_1)
		return;
	kept = kr_flags_begin_drivers();
	get(source->device, &question);
	kr_flags_end_drivers(kept);
	identity->has_uuid = is_set(id.deviceUUID);
	memcpy(identity->uuid, id.deviceUUID, sizeof(identity->uuid));
	if (drm.hasPrimary)
		identity->nodes[0] =
			makedev((unsigned)drm.primaryMajor, (unsigned)drm.primaryMinor);
	if (drm.hasRender)
		identity->nodes[1] = makedev((unsigned)drm.renderMajor, (unsigned)drm.renderMinor);
	identity->has_nodes = identity->nodes[0] || identity->nodes[1];
}

static bool
is_gpu(VkPhysicalDeviceType type)
{
	return type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ||
		type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ||
		type == VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU;
}

enum kr_flags_likeness
kr_flags_match(const struct kr_flags_identity *vulkan, const struct kr_flags_gles_device *gles,
	const char **by)
{
	*by = "what draws";
	if (gles->is_software && vulkan->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
		return KR_FLAGS_SAME;
	if (gles->is_software && is_gpu(vulkan->type))
		return KR_FLAGS_DIFFERENT;
	if (gles->is_listed && gles->has_nodes && vulkan->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
		return KR_FLAGS_DIFFERENT;
	if (gles->has_uuid && vulkan->has_uuid) {
		*by = "its UUID";
		return memcmp(gles->uuid, vulkan->uuid, sizeof(gles->uuid)) ? KR_FLAGS_DIFFERENT
									    : KR_FLAGS_SAME;
	}
	if (gles->has_nodes && vulkan->has_nodes) {
		*by = "its nodes";
		for (int i = 0; i < 2; i++) {
			if (gles->nodes[i] && gles->nodes[i] == vulkan->nodes[i])
				return KR_FLAGS_SAME;
		}
		return KR_FLAGS_DIFFERENT;
	}
	*by = "nothing";
	return KR_FLAGS_UNCOMPARED;
}
