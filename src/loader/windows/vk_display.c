/* SPDX-License-Identifier: Apache-2.0 */
/* The display of KRAFLA_DISPLAY as a VkDisplayKHR: see vk_display.h. */
#include "loader/windows/vk_display.h"

#include <string.h>

#include "loader/devices/window.h"
#include "loader/messages/messages.h"
#include "surface/display.h"
#include "surface/surface.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"

/* Sizes in which an instance has seen its display. */
#define MAX_MODES 16
#define PLANES    1

/* Its address is the VkDisplayKHR, that of a mode the VkDisplayModeKHR: both last as long as it. */
struct kr_vk_display {
	struct kr_remote_display is; /* as it last said */
	char name[KR_REMOTE_NAME];   /* as it first said: applications keep the pointer */
	uint32_t mode_count;
	VkDisplayModeParametersKHR modes[MAX_MODES];
};

static VkDisplayKHR
display_handle(const struct kr_vk_display *display)
{
	return (VkDisplayKHR)(uintptr_t)display;
}

/* NULL: it has none. */
static char *
name_of(VkDisplayKHR handle)
{
	struct kr_vk_display *display = (struct kr_vk_display *)(uintptr_t)handle;

	return display->name[0] ? display->name : NULL;
}

static VkDisplayModeKHR
mode_handle(const VkDisplayModeParametersKHR *mode)
{
	return (VkDisplayModeKHR)(uintptr_t)mode;
}

/* In 0.001 Hz, as Vulkan has it. */
static uint32_t
refresh_rate(const struct kr_remote_display *is)
{
	if (is->refresh_mhz)
		return is->refresh_mhz;
	return is->refresh_ns > 0 ? (uint32_t)(1000 * KR_NSEC_PER_SEC / is->refresh_ns) : 0;
}

static VkDisplayModeParametersKHR
parameters_of(const struct kr_remote_display *is)
{
	return (VkDisplayModeParametersKHR){{is->width, is->height}, refresh_rate(is)};
}

static bool
same_mode(const VkDisplayModeParametersKHR *one, const VkDisplayModeParametersKHR *other)
{
	return one->visibleRegion.width == other->visibleRegion.width &&
		one->visibleRegion.height == other->visibleRegion.height &&
		one->refreshRate == other->refreshRate;
}

/* The mode that the display is in; NULL when it was seen in too many. */
static const VkDisplayModeParametersKHR *
current_mode(struct kr_vk_display *display)
{
	VkDisplayModeParametersKHR now = parameters_of(&display->is);

	for (uint32_t i = 0; i < display->mode_count; i++) {
		if (same_mode(&display->modes[i], &now))
			return &display->modes[i];
	}
	if (display->mode_count == MAX_MODES)
		return NULL;
	display->modes[display->mode_count] = now;
	return &display->modes[display->mode_count++];
}

static VkResult
get_locked(struct kr_instance *instance, struct kr_vk_display **display) KR_REQUIRES(instance->lock)
{
	if (!instance->vk_display)
		instance->vk_display = kr_zalloc(instance->allocator, sizeof(*instance->vk_display),
			VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	*display = instance->vk_display;
	return *display ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Whether frames of the device can be shown there. */
static bool
presents(struct kr_physical_device *device)
{
	struct kr_wsi_gpu gpu;

	return kr_surface_display() && kr_physical_device_get_gpu(device, &gpu) == VK_SUCCESS &&
		gpu.native_buffer;
}

/* Asks anew; *handle is VK_NULL_HANDLE when there is none. */
static VkResult
look(struct kr_physical_device *device, VkDisplayKHR *handle, struct kr_remote_display *is)
{
	struct kr_instance *instance = device->owner->instance;
	struct kr_vk_display *display;
	VkResult result;

	*handle = VK_NULL_HANDLE;
	if (!presents(device) || kr_surface_ask_display(kr_surface_display(), is))
		return VK_SUCCESS;
	kr_mutex_lock(&instance->lock);
	result = get_locked(instance, &display);
	if (result == VK_SUCCESS) {
		if (!display->is.width)
			memcpy(display->name, is->name, sizeof(display->name));
		display->is = *is;
		*handle = display_handle(display);
	}
	kr_mutex_unlock(&instance->lock);
	return result;
}

/* What was heard last, for questions about a display that was given out. */
static bool
recall(struct kr_instance *instance, VkDisplayKHR handle, struct kr_remote_display *is,
	VkDisplayModeKHR *mode)
{
	const VkDisplayModeParametersKHR *now;
	struct kr_vk_display *display;

	kr_mutex_lock(&instance->lock);
	display = instance->vk_display;
	if (!display || (handle && handle != display_handle(display))) {
		kr_mutex_unlock(&instance->lock);
		return false;
	}
	*is = display->is;
	now = current_mode(display);
	*mode = now ? mode_handle(now) : VK_NULL_HANDLE;
	kr_mutex_unlock(&instance->lock);
	return true;
}

/* Room for one of one. */
static VkResult
give_one(uint32_t *count, const void *items, bool *fits)
{
	*fits = items && *count >= 1;
	if (items && !*count)
		return VK_INCOMPLETE;
	*count = 1;
	return VK_SUCCESS;
}

VkResult
kr_vk_display_properties(
	struct kr_physical_device *device, uint32_t *count, VkDisplayPropertiesKHR *properties)
{
	struct kr_remote_display is;
	VkDisplayKHR display;
	VkResult result = look(device, &display, &is);
	bool fits;

	if (result != VK_SUCCESS)
		return result;
	if (!display) {
		*count = 0;
		return VK_SUCCESS;
	}
	result = give_one(count, properties, &fits);
	if (fits)
		properties[0] = (VkDisplayPropertiesKHR){
			.display = display,
			.displayName = name_of(display),
			.physicalDimensions = {is.width_mm, is.height_mm},
			.physicalResolution = {is.width, is.height},
			.supportedTransforms = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		};
	return result;
}

VkResult
kr_vk_display_planes(
	struct kr_physical_device *device, uint32_t *count, VkDisplayPlanePropertiesKHR *properties)
{
	struct kr_remote_display is;
	VkDisplayKHR display;
	VkResult result = look(device, &display, &is);
	bool fits;

	if (result != VK_SUCCESS)
		return result;
	if (!display) {
		*count = 0;
		return VK_SUCCESS;
	}
	result = give_one(count, properties, &fits);
	if (fits)
		properties[0] = (VkDisplayPlanePropertiesKHR){.currentDisplay = display};
	return result;
}

VkResult
kr_vk_display_of_plane(
	struct kr_physical_device *device, uint32_t plane, uint32_t *count, VkDisplayKHR *displays)
{
	VkDisplayKHR display = VK_NULL_HANDLE;
	struct kr_remote_display is;
	VkResult result = plane < PLANES ? look(device, &display, &is) : VK_SUCCESS;
	bool fits;

	if (result != VK_SUCCESS)
		return result;
	if (!display) {
		*count = 0;
		return VK_SUCCESS;
	}
	result = give_one(count, displays, &fits);
	if (fits)
		displays[0] = display;
	return result;
}

VkResult
kr_vk_display_modes(struct kr_physical_device *device, VkDisplayKHR display, uint32_t *count,
	VkDisplayModePropertiesKHR *properties)
{
	struct kr_remote_display is;
	VkDisplayModeKHR mode;
	VkResult result;
	bool fits;

	if (!recall(device->owner->instance, display, &is, &mode) || !mode) {
		*count = 0;
		return VK_SUCCESS;
	}
	result = give_one(count, properties, &fits);
	if (fits)
		properties[0] = (VkDisplayModePropertiesKHR){mode, parameters_of(&is)};
	return result;
}

VkResult
kr_vk_display_create_mode(struct kr_physical_device *device, VkDisplayKHR display,
	const VkDisplayModeCreateInfoKHR *info, VkDisplayModeKHR *mode)
{
	struct kr_instance *instance = device->owner->instance;
	VkDisplayModeParametersKHR now;
	struct kr_remote_display is;
	VkDisplayModeKHR current;

	if (!recall(instance, display, &is, &current))
		return VK_ERROR_INITIALIZATION_FAILED;
	now = parameters_of(&is);
	if (current && same_mode(&info->parameters, &now)) {
		*mode = current;
		return VK_SUCCESS;
	}
	kr_instance_log(instance, KR_LOG_ERROR,
		"vkCreateDisplayModeKHR: the display is %ux%u at %u.%03u Hz and can't be %ux%u at %u.%03u Hz: `krafla run --display` says what it is",
		is.width, is.height, now.refreshRate / 1000, now.refreshRate % 1000,
		info->parameters.visibleRegion.width, info->parameters.visibleRegion.height,
		info->parameters.refreshRate / 1000, info->parameters.refreshRate % 1000);
	return VK_ERROR_INITIALIZATION_FAILED;
}

/* A plane covers the display: images of other sizes are scaled to it. */
VkResult
kr_vk_display_plane_capabilities(struct kr_physical_device *device, VkDisplayModeKHR mode,
	uint32_t plane, VkDisplayPlaneCapabilitiesKHR *capabilities)
{
	struct kr_remote_display is;
	VkDisplayModeKHR now;

	memset(capabilities, 0, sizeof(*capabilities));
	if (plane >= PLANES || !recall(device->owner->instance, VK_NULL_HANDLE, &is, &now))
		return VK_SUCCESS;
	capabilities->supportedAlpha = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR;
	if (is.abilities.alphas & 1u << KR_ALPHA_STRAIGHT)
		capabilities->supportedAlpha |= VK_DISPLAY_PLANE_ALPHA_PER_PIXEL_BIT_KHR;
	if (is.abilities.alphas & 1u << KR_ALPHA_PREMULTIPLIED)
		capabilities->supportedAlpha |=
			VK_DISPLAY_PLANE_ALPHA_PER_PIXEL_PREMULTIPLIED_BIT_KHR;
	capabilities->minSrcExtent = (VkExtent2D){1, 1};
	capabilities->maxSrcExtent = capabilities->minDstExtent = capabilities->maxDstExtent =
		((const VkDisplayModeParametersKHR *)(uintptr_t)mode)->visibleRegion;
	return VK_SUCCESS;
}

void
kr_vk_display_finish(struct kr_instance *instance) KR_NO_THREAD_SAFETY
{
	kr_free(instance->allocator, instance->vk_display);
	instance->vk_display = NULL;
}
