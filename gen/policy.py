# SPDX-License-Identifier: Apache-2.0
"""What the generator decides for itself: the short hand-written lists, all in one place."""

# Extensions of these platforms are generated; their headers come through src/util/vulkan.h.
# None stands for an extension without platform.
PLATFORMS = (
    None,
    "android",
    "xcb",
    "xlib",
    "xlib_xrandr",
    "wayland",
    "directfb",
    "provisional",
)

# libvulkan.so.1 exports every core command and the commands of these extensions.
EXPORTED_EXTENSIONS = (
    "VK_KHR_surface",
    "VK_KHR_swapchain",
    "VK_KHR_display",
    "VK_KHR_display_swapchain",
    "VK_KHR_get_surface_capabilities2",
    "VK_KHR_get_display_properties2",
    "VK_KHR_xcb_surface",
    "VK_KHR_xlib_surface",
    "VK_KHR_wayland_surface",
    "VK_KHR_android_surface",
    "VK_EXT_headless_surface",
    "VK_EXT_direct_mode_display",
    "VK_EXT_acquire_xlib_display",
    "VK_EXT_acquire_drm_display",
    "VK_ANDROID_external_memory_android_hardware_buffer",
)

# The extensions that everything of the window system depends on, directly or through others.
WINDOW_SYSTEM_ROOTS = ("VK_KHR_surface",)

# Entry points whose bodies are written by hand in src/entry: trampolines.c only declares them.
HAND_WRITTEN_ENTRY = (
    "vkCreateInstance",
    "vkDestroyInstance",
    "vkEnumerateInstanceExtensionProperties",
    "vkEnumerateInstanceLayerProperties",
    "vkEnumerateInstanceVersion",
    "vkGetInstanceProcAddr",
    "vkGetDeviceProcAddr",
    "vkCreateDevice",
    "vkDestroyDevice",
    "vkEnumerateDeviceExtensionProperties",
    "vkEnumerateDeviceLayerProperties",
)

# Physical-device commands whose terminators the loader writes by hand. Those that take a
# VkSurfaceKHR, themselves or in a structure, are left out without being named here.
EXCLUDED_TERMINATORS = (
    "vkCreateDevice",
    "vkEnumerateDeviceExtensionProperties",
    "vkEnumerateDeviceLayerProperties",
)

# Handles of the window system that no driver may be handed when they are ours.
REACHING_HANDLES = ("VkSurfaceKHR", "VkSwapchainKHR")

# The enums that say what an untyped uint64_t object handle is.
OBJECT_TYPE_ENUMS = ("VkObjectType", "VkDebugReportObjectTypeEXT")

# A structure that extends one of these switches a feature of the device on.
FEATURE_ROOTS = ("VkDeviceCreateInfo", "VkPhysicalDeviceFeatures2")

# What is chained to one of these speaks about our swapchains too: a split present has to split it,
# a stripped chain has to know it.
SWAPCHAIN_CHAINS = ("VkSwapchainCreateInfoKHR", "VkPresentInfoKHR")
