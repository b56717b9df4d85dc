/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of krafla-output-display-*.so: outputs of a display that need libraries, loaded on
 * demand. (krafla-output-xcb.so and its like are something else: they are for the windows of
 * programs, see surface/output_module.h.) A module and its host each have their own copy of the
 * platform, so everything that crosses goes through these two tables.
 */
#ifndef KR_COMPOSER_OUTPUT_MODULE_H
#define KR_COMPOSER_OUTPUT_MODULE_H

#include <stdbool.h>
#include <stdint.h>
#include "composer/output/output.h"
#include "util/macros.h"

/* Raised with every change of these tables, and of those of output.h. */
#define KR_DISPLAY_OUTPUT_ABI    2
#define KR_DISPLAY_OUTPUT_SYMBOL "kr_display_output_module"

/* What a module may call in its host. */
struct kr_display_output_host {
	uint32_t abi;
	void (*log)(uint32_t bits, const char *message);
	/* As of output.h: keeps pixels, on the display's thread; any thread lets go. */
	bool (*hold_take)(struct kr_picture_hold *hold);
	void (*hold_drop)(struct kr_picture_hold *hold);
	/* A fence that signals when picture `number` is shown; as of sync/fence/fence.h. */
	int (*fence_create)(uint64_t number, int *producer, int *fence);
	void (*fence_signal)(int take_producer, int status);
};

struct kr_display_output_options {
	const char *argument; /* what was said behind the colon: which server; NULL: nothing */
	const char *title;    /* of a window, UTF-8 */
	/* The pictures', as far as it is known before the first one. */
	uint32_t width;
	uint32_t height;
};

struct kr_display_output_module {
	uint32_t abi;
	const char *name;
	/*
	 * What is opened wants all pictures. A server is waited for here. 0, or -errno: told, with
	 * what to do about it.
	 */
	int (*open)(const struct kr_display_output_host *host,
		const struct kr_display_output_options *options, struct kr_display_output **output);
};

#endif
