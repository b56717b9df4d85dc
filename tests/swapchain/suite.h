/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every surface of every driver has to do: a plain Vulkan program, which is run by test_matrix
 * for each kind of surface and each driver, and prints a line a case.
 */
#ifndef KR_TESTS_SWAPCHAIN_SUITE_H
#define KR_TESTS_SWAPCHAIN_SUITE_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define SUITE_SIZE ((VkExtent2D){96, 64})

/* Of the device, offered and so enabled. */
enum suite_extension {
	SUITE_MAINTENANCE1,
	SUITE_MUTABLE,
	SUITE_SHARED,
	SUITE_PRESENT_ID,
	SUITE_PRESENT_WAIT,
	SUITE_INCREMENTAL,
	SUITE_MULTISAMPLED,
	SUITE_EXTENSIONS,
};

/* Of VK_EXT_multisampled_render_to_swapchain, which is newer than some headers. */
#define SUITE_SINGLE_SAMPLED_FEATURES                                                              \
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT
#define SUITE_MULTISAMPLED_FEATURES ((VkStructureType)1000616000)
#define SUITE_SWAPCHAIN_FLAGS       ((VkStructureType)1000616001)
#define SUITE_MULTISAMPLED_BIT      ((VkSwapchainCreateFlagBitsKHR)0x100)

struct suite_feature {
	VkStructureType type;
	void *pNext;
	VkBool32 value;
};

struct suite {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkSurfaceKHR surface;
	VkCommandPool pool;
	VkSurfaceCapabilitiesKHR caps;
	VkSurfaceFormatKHR formats[32];
	uint32_t format_count;
	VkPresentModeKHR modes[8];
	uint32_t mode_count;
	/* Of the instance, enabled: VK_EXT_surface_maintenance1 and so on. */
	bool surface_maintenance1, surfaceless, surface_counter;
	bool is_display; /* the surface is a display's */
	bool has[SUITE_EXTENSIONS];
	char text[256]; /* of the case that failed or was skipped */
};

/* What a case says: NULL it holds; else suite->text, which begins with "skip" or "fail". */
typedef const char *(*suite_case)(struct suite *s);
const char *suite_skip(struct suite *s, const char *why);
const char *suite_fail(struct suite *s, const char *what, long got);
/* Fails the case that it stands in unless the condition holds. */
#define SUITE_CHECK(s, condition, got)                                                             \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return suite_fail((s), #condition, (long)(got));                           \
	} while (0)

/* The kinds of surfaces: suite_window.c. NULL when it was made; why not. */
const char *suite_window_extension(const char *kind);
const char *suite_window_create(struct suite *s, const char *kind);
void suite_window_close(void);

/* The first format, FIFO, and what surfaces have at least. */
VkSwapchainCreateInfoKHR suite_info(const struct suite *s);
VkResult suite_create(
	const struct suite *s, const VkSwapchainCreateInfoKHR *info, VkSwapchainKHR *swapchain);
/* Acquires, clears and presents, with this chained to the present. */
VkResult suite_frame(struct suite *s, VkSwapchainKHR swapchain, const void *chain);
VkResult suite_frames(struct suite *s, VkSwapchainKHR swapchain, uint32_t count);
/* The bare acquire, waited for. */
VkResult suite_acquire(struct suite *s, VkSwapchainKHR swapchain, uint32_t *index);
bool suite_has_mode(const struct suite *s, VkPresentModeKHR mode);

/* An image of the program's own over an image of the swapchain, if swapchains are that new. */
const char *suite_bind_image(struct suite *s, const VkSwapchainCreateInfoKHR *info,
	VkSwapchainKHR swapchain, uint32_t index);

/* suite_create.c */
const char *case_surface(struct suite *s);
const char *case_present_mode_caps(struct suite *s);
const char *case_min_image_count(struct suite *s);
const char *case_image_format(struct suite *s);
const char *case_image_usage(struct suite *s);
const char *case_image_extent(struct suite *s);
const char *case_largest_image(struct suite *s);
const char *case_pre_transform(struct suite *s);
const char *case_composite_alpha(struct suite *s);
const char *case_present_mode(struct suite *s);
const char *case_simulated_oom(struct suite *s);
const char *case_image_of_swapchain(struct suite *s);
const char *case_mutable_format(struct suite *s);
const char *case_multisampled(struct suite *s);
const char *case_what_isnt_offered(struct suite *s);

/* suite_present.c */
const char *case_frames(struct suite *s);
const char *case_replace(struct suite *s);
const char *case_deferred(struct suite *s);
const char *case_release(struct suite *s);
const char *case_present_fence(struct suite *s);
const char *case_switch_modes(struct suite *s);
const char *case_scaling(struct suite *s);
const char *case_shared(struct suite *s);
const char *case_present_wait(struct suite *s);
const char *case_damage(struct suite *s);

/* suite_conformance.c */
const char *case_surfaceless(struct suite *s);
const char *case_counters(struct suite *s);
const char *case_all_usages(struct suite *s);
const char *case_release_all(struct suite *s);
const char *case_acquire_too_many(struct suite *s);

#endif
