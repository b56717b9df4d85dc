/* SPDX-License-Identifier: Apache-2.0 */
/* One settings object of the settings file, section by section. For settings.c alone. */
#ifndef KR_MANIFEST_SETTINGS_SECTIONS_H
#define KR_MANIFEST_SETTINGS_SECTIONS_H

#include "manifest/settings.h"
#include "util/json.h"
#include "util/macros.h"

/*
 * Reads all that `object` says into *settings, which is zero but for its path. A section that isn't
 * what it has to be is told and counts as absent, as in other loaders; but without its `layers` the
 * file as a whole doesn't apply, since half of a chain may be worse than nothing. 0, -ENOMEM, or
 * -EINVAL for the latter. What was read so far stays for kr_settings_finish.
 */
int kr_settings_sections_read(const struct kr_json *object, struct kr_settings *settings)
	KR_MUST_CHECK;

#endif
