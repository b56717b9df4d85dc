/* SPDX-License-Identifier: Apache-2.0 */
/* Loading outputs of a display that are modules (output/module.h). Any thread. */
#ifndef KR_COMPOSER_MODULE_H
#define KR_COMPOSER_MODULE_H

#include "composer/output/module.h"
#include "util/macros.h"

/* What modules may call in this copy of the platform. */
extern const struct kr_display_output_host kr_display_output_host;

/*
 * The module of that name ("x11"), from KRAFLA_OUTPUT_PATH alone when that is set, else from
 * `folder`. Stays loaded. -ENOENT none, -EPROTO one of another version, -ENOMEM (logged).
 */
int kr_display_output_load(const char *name, const char *folder,
	const struct kr_display_output_module **module) KR_MUST_CHECK;

#endif
