/* SPDX-License-Identifier: Apache-2.0 */
/* An output of a display as another version would make it. */
#include "composer/output/module.h"

extern const struct kr_display_output_module kr_display_output_module;
KR_EXPORT const struct kr_display_output_module kr_display_output_module = {
	.abi = KR_DISPLAY_OUTPUT_ABI + 1,
	.name = "x11",
};
