/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that makes swapchains on a surface, over a driver that does nothing, and
 * a display for it.
 */
#ifndef KR_TESTS_SURFACE_PROGRAM_H
#define KR_TESTS_SURFACE_PROGRAM_H

#include <pthread.h>
#include <stdint.h>
#include "composer/composer.h"
#include "surface/surface.h"
#include "wsi/wsi.h"

/* A display of the composer's, which KRAFLA_DISPLAY names until it is stopped. */
struct screen {
	char path[108];
	struct kr_display *display;
	pthread_t thread;
};

void screen_start(struct screen *screen, enum kr_display_clock clock);
void screen_stop(struct screen *screen);

struct program {
	struct kr_wsi_surface *surface;
	struct kr_wsi_device *device;
	VkPresentModeKHR mode;
	VkSwapchainKHR swapchain; /* the newest */
};

void program_start(
	struct program *p, const struct kr_surface_request *request, VkPresentModeKHR mode);
void program_stop(struct program *p);
/* The newest swapchain in place of the one there was, which stays to be destroyed. */
VkSwapchainKHR program_replace(struct program *p, uint32_t width, uint32_t height);
VkResult program_acquire(struct program *p, uint32_t *index);
VkResult program_present(struct program *p, VkSwapchainKHR swapchain, uint32_t index);
/* Frames, each of which must be taken. */
void program_show(struct program *p, uint32_t frames);
/*
 * One swapchain more: some frames each, sometimes with an image of the old one still acquired,
 * which is presented late or never; the old one goes before or after the first frames of the new.
 */
void program_recreate(struct program *p, uint32_t round, uint32_t width, uint32_t height);

#endif
