/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "fake_device.h"
#include "fake_driver.h"
#include "util/clock.h"
#include "util/macros.h"

static char display_variable[160] = "KRAFLA_DISPLAY=";

__attribute__((constructor)) static void
init_environment(void)
{
	putenv(display_variable);
}

static void *
run_display(void *data)
{
	assert_int_equal(kr_display_run(data), 0);
	return NULL;
}

void
screen_start(struct screen *screen, enum kr_display_clock clock)
{
	static const struct kr_display_hooks none;
	struct kr_display_config config = {
		.width = 800,
		.height = 600,
		.size_given = true,
		.refresh_mhz = 60000,
		.clock = clock,
		.idle_ns = 100 * KR_NSEC_PER_MSEC,
		.socket_path = screen->path,
	};

	snprintf(screen->path, sizeof(screen->path), "%s/display", kr_test_dir());
	snprintf(display_variable, sizeof(display_variable), "KRAFLA_DISPLAY=%s", screen->path);
	assert_int_equal(kr_display_create(&config, &none, NULL, &screen->display), 0);
	assert_int_equal(pthread_create(&screen->thread, NULL, run_display, screen->display), 0);
}

void
screen_stop(struct screen *screen)
{
	kr_display_stop(screen->display);
	pthread_join(screen->thread, NULL);
	kr_display_destroy(screen->display);
	strcpy(display_variable, "KRAFLA_DISPLAY=");
}

void
program_start(struct program *p, const struct kr_surface_request *request, VkPresentModeKHR mode)
{
	fake_driver_init();
	*p = (struct program){.mode = mode};
	p->device = fake_device_create();
	assert_int_equal(kr_surface_open(request, NULL, &p->surface), VK_SUCCESS);
}

void
program_stop(struct program *p)
{
	kr_wsi_destroy_swapchain(p->device, p->swapchain);
	kr_wsi_device_destroy(p->device);
	kr_wsi_surface_destroy(p->surface, NULL);
	assert_int_equal(fake.images_live, 0);
}

/* The newest swapchain in place of the one there was, which stays to be destroyed. */
VkSwapchainKHR
program_replace(struct program *p, uint32_t width, uint32_t height)
{
	VkSwapchainKHR old = p->swapchain;
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(p->mode);

	info.imageExtent = (VkExtent2D){width, height};
	info.oldSwapchain = old;
	assert_int_equal(kr_wsi_create_swapchain(p->device, p->surface, &info, NULL, &p->swapchain),
		VK_SUCCESS);
	return old;
}

VkResult
program_acquire(struct program *p, uint32_t *index)
{
	return fake_acquire(p->device, p->swapchain, UINT64_MAX, index);
}

VkResult
program_present(struct program *p, VkSwapchainKHR swapchain, uint32_t index)
{
	return fake_present(p->device, swapchain, index);
}

void
program_show(struct program *p, uint32_t frames)
{
	for (uint32_t i = 0; i < frames; i++) {
		uint32_t index;

		/* The window may have another size by now, it is never lost. */
		assert_in_range(program_acquire(p, &index), VK_SUCCESS, VK_SUBOPTIMAL_KHR);
		assert_in_range(
			program_present(p, p->swapchain, index), VK_SUCCESS, VK_SUBOPTIMAL_KHR);
	}
}

/*
 * One swapchain more: some frames each, sometimes with an image of the old one still acquired,
 * which is presented late or never; the old one goes before or after the first frames of the new.
 */
void
program_recreate(struct program *p, uint32_t round, uint32_t width, uint32_t height)
{
	bool holds = round % 3 == 1 && p->swapchain;
	uint32_t held = 0;
	VkSwapchainKHR old;

	if (holds)
		assert_in_range(program_acquire(p, &held), VK_SUCCESS, VK_SUBOPTIMAL_KHR);
	old = program_replace(p, width, height);
	if (holds && round % 2)
		assert_int_equal(program_present(p, old, held), VK_ERROR_OUT_OF_DATE_KHR);
	if (round % 2)
		kr_wsi_destroy_swapchain(p->device, old);
	program_show(p, round % 5);
	if (!(round % 2))
		kr_wsi_destroy_swapchain(p->device, old);
}
