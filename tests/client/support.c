/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <limits.h>
#include <stdio.h>

struct fake_service *
begin(const char *profile)
{
	struct fake_service *service = fake_start();
	char path[PATH_MAX];

	hide_system();
	set_variable("KRAFLA_PROFILE", profile);
	set_variable("KRAFLA_CONFIG_ROOT", kr_test_dir());
	snprintf(path, sizeof(path), "%s/service", service->dir);
	set_variable("KRAFLA_SERVICE", path);
	return service;
}
