/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of atomic mode setting, as the kernel wants them. */
#ifndef KR_OUTPUTS_KMS_COMMIT_H
#define KR_OUTPUTS_KMS_COMMIT_H

#include <stdbool.h>
#include "outputs/kms/screen.h"
#include "util/macros.h"

/* Sets the screen's mode with its first memory as the picture, or turns it off; waits. */
int kms_commit_mode(const struct kms_screen *screen, bool on) KR_MUST_CHECK;
/* As kms_screen_commit has it, once. */
int kms_commit_planes(const struct kms_screen *screen, const struct kms_scanout *scanouts,
	unsigned count, int *out) KR_MUST_CHECK;

/* A plane's whole picture: memory of the screen's size. */
void kms_commit_cover(struct kms_scanout *scanout, const struct kms_plane *plane, uint32_t fb,
	uint32_t width, uint32_t height);
/* Whether the kernel would take them: nothing happens. */
bool kms_commit_test(
	const struct kms_screen *screen, const struct kms_scanout *scanouts, unsigned count);

#endif
