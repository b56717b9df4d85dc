# SPDX-License-Identifier: Apache-2.0
# find_package(VulkanLoader CONFIG) gives the target Vulkan::Loader, as the usual loader's files do: the library, to
# link with and to run with. Headers are another package's (VulkanHeaders, or the system's).
get_filename_component(_krafla_libdir "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

if(NOT EXISTS "${_krafla_libdir}/libvulkan.so.1")
	set(VulkanLoader_FOUND FALSE)
	set(VulkanLoader_NOT_FOUND_MESSAGE
		"${_krafla_libdir}/libvulkan.so.1 isn't there, which ${CMAKE_CURRENT_LIST_FILE} was installed with")
	unset(_krafla_libdir)
	return()
endif()

if(NOT TARGET Vulkan::Loader)
	add_library(Vulkan::Loader SHARED IMPORTED)
	set_target_properties(Vulkan::Loader PROPERTIES
		IMPORTED_LOCATION "${_krafla_libdir}/libvulkan.so.1"
		IMPORTED_SONAME "libvulkan.so.1")
endif()
unset(_krafla_libdir)
