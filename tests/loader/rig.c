/* SPDX-License-Identifier: Apache-2.0 */
/* Two drivers with different extensions: see rig.h. */
#include "rig.h"

void
open_rig_without_instance(struct rig *r, const char *const *names)
{
	open_fakes(&r->fakes);
	for (int i = 0; names[i]; i++)
		r->fakes.a->instance_extensions[i] = names[i];
	use_both_fakes();
	open_loader(&r->l);
}

void
open_rig(struct rig *r, const char *const *names)
{
	open_rig_without_instance(r, names);
	make_instance(&r->l, names);
	assert_int_equal(r->l.device_count, 2);
}

VkBool32
surface_support(const struct rig *r, uint32_t device, VkSurfaceKHR surface)
{
	VkBool32 supported = 17;

	assert_int_equal(EXPORTED(&r->l, vkGetPhysicalDeviceSurfaceSupportKHR)(
				 r->l.devices[device], 0, surface, &supported),
		VK_SUCCESS);
	return supported;
}

void
end_surface(struct rig *r, VkSurfaceKHR surface)
{
	EXPORTED(&r->l, vkDestroySurfaceKHR)(r->l.instance, surface, NULL);
}

void
close_rig(struct rig *r)
{
	end_instance(&r->l);
	close_loader(&r->l);
	assert_int_equal(r->fakes.a->surfaces, 0);
	close_fakes(&r->fakes);
}
