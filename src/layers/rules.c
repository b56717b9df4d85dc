/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the environment says about layers. From weak to strong, for an implicit layer:
 *
 *   its enable_environment      on when there is none, or when the variable has exactly that value
 *   VK_LOADER_LAYERS_DISABLE    off, unless VK_LOADER_LAYERS_ALLOW names it
 *   VK_LOADER_LAYERS_ENABLE     on
 *   its disable_environment     off when the variable is set, to whatever
 *   the override layer          on when it is one of its components
 */
#include "layers/internal.h"

#include <string.h>

#include "manifest/profile.h"
#include "util/env.h"
#include "util/log.h"

void
kr_layer_rules_read(struct kr_layer_rules *rules, const struct kr_settings *settings)
{
	*rules = (struct kr_layer_rules){
		.by_library = kr_profile_get()->layers == KR_LAYERS_BY_LIBRARY};
	if (rules->by_library)
		return;
	rules->settings = settings && settings->has_layers ? settings : NULL;
	kr_filters_read(&rules->enable, "VK_LOADER_LAYERS_ENABLE", NULL);
	kr_filters_read(&rules->disable, "VK_LOADER_LAYERS_DISABLE", NULL);
	kr_filters_read(&rules->allow, "VK_LOADER_LAYERS_ALLOW", NULL);
}

bool
kr_layer_is_filtered(const struct kr_layer_rules *rules, const struct kr_manifest_layer *layer)
{
	const struct kr_filters *disable = &rules->disable;
	bool kind = layer->implicit ? disable->implicit : disable->explicit;

	return (kind || kr_filters_match(disable, layer->name)) &&
		!kr_filters_match(&rules->allow, layer->name) &&
		!kr_filters_match(&rules->enable, layer->name);
}

/* What the manifest's enable_environment says. */
static bool
is_on_by_itself(const struct kr_manifest_layer *layer)
{
	const struct kr_manifest_environment *enable = &layer->enable_environment;
	const char *value;

	if (!enable->name)
		return true;
	value = kr_env_get_raw(enable->name);
	return value && !strcmp(value, enable->value);
}

bool
kr_layer_implicit_is_enabled(const struct kr_layer_rules *rules,
	const struct kr_manifest_layer *override, const struct kr_manifest_layer *layer,
	bool *forced)
{
	bool on = is_on_by_itself(layer) && !kr_layer_is_filtered(rules, layer);

	if (forced)
		*forced = false;
	if (override && override != layer && kr_names_have(&override->components, layer->name))
		return true;
	if (layer->disable_environment.name && kr_env_get_raw(layer->disable_environment.name))
		return false;
	if (on || !kr_filters_match(&rules->enable, layer->name))
		return on;
	if (forced)
		*forced = true;
	return true;
}
