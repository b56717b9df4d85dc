/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An output module as the version before made them: all that is known of it is where
 * its version stands.
 */
#include "surface/output_module.h"
#include "util/macros.h"

struct old_output_module {
	uint32_t abi;
	const char *name;
	void (*other)(void);
};

extern const struct old_output_module kr_output_module;
KR_EXPORT const struct old_output_module kr_output_module = {
	.abi = KR_OUTPUT_MODULE_ABI - 1,
	.name = "old",
};
