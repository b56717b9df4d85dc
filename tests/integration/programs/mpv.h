/* SPDX-License-Identifier: Apache-2.0 */
/* mpv as Debian has it, on lavapipe. */
#ifndef KR_TESTS_MPV_H
#define KR_TESTS_MPV_H

/* Ends the case as skipped (no-mpv) when it isn't there. */
void skip_without_mpv(void);
/*
 * "--vulkan-device=NAME", valid until the case ends: it takes no software device unless it is
 * named.
 */
const char *mpv_device(void);

#endif
