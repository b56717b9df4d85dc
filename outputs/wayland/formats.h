/* SPDX-License-Identifier: Apache-2.0 */
/* Which formats of ours a compositor takes, and what it calls them. */
#ifndef KR_OUTPUTS_WAYLAND_FORMATS_H
#define KR_OUTPUTS_WAYLAND_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#define WAYLAND_FORMATS 6

struct wayland_formats {
	bool taken[WAYLAND_FORMATS][2]; /* [][1]: with alpha */
};

/* The compositor takes this one, by its DRM fourcc; one that isn't ours is nothing. */
void wayland_formats_add(struct wayland_formats *formats, uint32_t fourcc);
/*
 * The fourcc of AHARDWAREBUFFER_FORMAT_* with or without its alpha; 0: it isn't taken. One that has
 * no alpha is the same in both.
 */
uint32_t wayland_formats_find(const struct wayland_formats *formats, uint32_t format, bool blended);
/* wl_shm's number of a fourcc: two are its own. */
uint32_t wayland_shm_format(uint32_t fourcc);
/* And back. */
uint32_t wayland_fourcc_of_shm(uint32_t format);

#endif
