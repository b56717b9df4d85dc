/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terminators: the functions at the bottom of an instance's chain, below the last layer. Those that
 * are written by hand stand at the end of their file in a table; instance_functions.c puts the
 * tables together, with what is generated for commands that one driver answers (gen/terminators.h).
 */
#ifndef KR_LOADER_HANDLES_TERMINATORS_H
#define KR_LOADER_HANDLES_TERMINATORS_H

#include <stddef.h>
#include "gen/commands.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_terminator {
	enum kr_command_id id;
	PFN_vkVoidFunction function;
};

struct kr_terminators {
	const struct kr_terminator *items;
	size_t count;
};

/* The row of terminator_<name>, under the command's own name or another one of it. */
#define KR_TERMINATOR_OF(command, name)                                                            \
	{                                                                                          \
		KR_CMD_##command, (PFN_vkVoidFunction)terminator_##name                            \
	}
#define KR_TERMINATOR(name) KR_TERMINATOR_OF(name, name)
/* Core, and KHR before that. */
#define KR_TERMINATOR_TWICE(name) KR_TERMINATOR_OF(name, name), KR_TERMINATOR_OF(name##KHR, name)

/* All tables. */
extern const struct kr_terminators kr_terminators_messengers;
extern const struct kr_terminators kr_terminators_emulated;
extern const struct kr_terminators kr_terminators_properties2;
extern const struct kr_terminators kr_terminators_instance;
extern const struct kr_terminators kr_terminators_extensions;
extern const struct kr_terminators kr_terminators_features;
extern const struct kr_terminators kr_terminators_enumerate;
extern const struct kr_terminators kr_terminators_display_mode;
extern const struct kr_terminators kr_terminators_display;
extern const struct kr_terminators kr_terminators_presentation_support;
extern const struct kr_terminators kr_terminators_surface_queries;
extern const struct kr_terminators kr_terminators_surface;
extern const struct kr_terminators kr_terminators_calibrated;

#endif
