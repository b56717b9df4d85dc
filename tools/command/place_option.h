/* SPDX-License-Identifier: Apache-2.0 */
/* Places of windows as people type them: for `krafla run` and `krafla layout`. No state. */
#ifndef KR_TOOLS_COMMAND_PLACE_OPTION_H
#define KR_TOOLS_COMMAND_PLACE_OPTION_H

#include "composer/layout.h"
#include "util/macros.h"

/* Each sets what the text says, and its bits. 0; the exit code of an error, told as `command`'s. */
int kr_place_option_rect(struct kr_layout_place *place, const char *command, const char *text)
	KR_MUST_CHECK;
int kr_place_option_z(struct kr_layout_place *place, const char *command, const char *text)
	KR_MUST_CHECK;
int kr_place_option_alpha(struct kr_layout_place *place, const char *command, const char *text)
	KR_MUST_CHECK;

#endif
