/* SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include <string.h>

static VKAPI_ATTR VkBool32 VKAPI_CALL
hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	struct heard *heard = user;

	heard->errors += severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
	heard->emulated += strstr(data->pMessage, "Emulating call in ICD") != NULL;
	heard->ignored += severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT &&
		strstr(data->pMessage, "pNext");
	return VK_FALSE;
}

void
begin_scene_with(
	struct scene *s, uint32_t version, const char *const *names, const char *const *old_names)
{
	const VkDebugUtilsMessengerCreateInfoEXT info =
		kr_vulkan_messenger_info(VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT |
				VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
				VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
			hear, &s->heard);

	memset(s, 0, sizeof(*s));
	open_fakes(&s->fakes);
	s->fakes.a->api_version = VK_API_VERSION_1_0;
	s->fakes.a->no_properties2 = true;
	s->fakes.a->no_groups = true;
	for (int i = 0; old_names && old_names[i]; i++)
		s->fakes.a->instance_extensions[i] = old_names[i];
	s->fakes.b->instance_extensions[0] = "VK_KHR_external_fence_capabilities";
	s->fakes.b->instance_extensions[1] = "VK_KHR_get_physical_device_properties2";
	s->fakes.b->instance_extensions[2] = "VK_KHR_display";
	s->fakes.b->instance_extensions[3] = "VK_KHR_get_display_properties2";
	use_both_fakes();
	open_loader(&s->l);
	assert_int_equal(try_instance(&s->l, version, names), VK_SUCCESS);
	find_devices(&s->l);
	assert_int_equal(s->l.device_count, 2);
	s->old = s->l.devices[0];
	s->new = s->l.devices[1];
	s->messenger = make_messenger(&s->l, &info);
}

void
begin_scene(struct scene *s, uint32_t version, const char *const *names)
{
	begin_scene_with(s, version, names, NULL);
}

void
end_scene_instance(struct scene *s)
{
	if (s->messenger)
		end_messenger(&s->l, s->messenger);
	s->messenger = VK_NULL_HANDLE;
	end_instance(&s->l);
}

void
end_scene(struct scene *s)
{
	end_scene_instance(s);
	close_loader(&s->l);
	close_fakes(&s->fakes);
}
