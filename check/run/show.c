/* SPDX-License-Identifier: Apache-2.0 */
/* See show.h. */
#include "check/run/show.h"

#include <stdlib.h>
#include <string.h>

#include "check/run/words.h"

void
check_believe_facts(const struct check_shared *shared, struct check_facts *facts)
{
	uint8_t known;

	memcpy(&known, &shared->facts.known, sizeof(known));
	*facts = (struct check_facts){
		.known = known == true,
		.version = shared->facts.version,
		.api_version = shared->facts.api_version,
		.device_count = shared->facts.device_count,
	};
	memcpy(facts->device_name, shared->facts.device_name, sizeof(facts->device_name));
	check_clean(facts->device_name, sizeof(facts->device_name));
	if (!facts->known || !facts->device_count || facts->device_count > CHECK_MAX_PHYSICAL)
		*facts = (struct check_facts){0};
}

bool
check_show_driver(const struct check_driver *driver, struct check_driver *shown)
{
	*shown = (struct check_driver){check_word(driver->name), check_word(driver->module),
		check_word(driver->icd), driver->device};
	return shown->name && shown->module && (shown->icd || !driver->icd);
}

void
check_free_shown(struct check_driver *shown)
{
	free((char *)shown->name);
	free((char *)shown->module);
	free((char *)shown->icd);
}
