/* SPDX-License-Identifier: Apache-2.0 */
/* The settings file: see settings.h. */
#include "manifest/settings.h"

#include <string.h>

int
kr_settings_read(const struct kr_search_options *options, struct kr_settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	return 0;
}

void
kr_settings_finish(struct kr_settings *settings)
{
	memset(settings, 0, sizeof(*settings));
}
