/* SPDX-License-Identifier: Apache-2.0 */
/* The chain as a picture, for whoever debugs layers: one line of the log each. */
#include "layers/internal.h"

#include "util/log.h"

#define LINE (KR_LOG_DEBUG | KR_LOG_LAYER)

/* In the words of other loaders, which tools compare. */
static const char *
cause_text(enum kr_layer_cause cause)
{
	switch (cause) {
	case KR_LAYER_IMPLICIT:
		return "Implicit Layer";
	case KR_LAYER_BY_VARIABLE:
		return "Environment Variable VK_INSTANCE_LAYERS";
	case KR_LAYER_BY_FILTER:
		return "Environment Variable VK_LOADER_LAYERS_ENABLE";
	case KR_LAYER_BY_APPLICATION:
		return "By the Application";
	case KR_LAYER_BY_META:
		return "Meta Layer (Vulkan Configurator)";
	case KR_LAYER_BY_SETTINGS:
		return "Loader Settings File (Vulkan Configurator)";
	}
	return "nobody";
}

static void
tell_layer(const struct kr_layer *layer)
{
	const struct kr_manifest_layer *manifest = layer->choice.manifest;

	kr_log(LINE, "   %s", manifest->name);
	kr_log(LINE, "           Type: %s", manifest->implicit ? "Implicit" : "Explicit");
	kr_log(LINE, "           Enabled By: %s", cause_text(layer->choice.cause));
	if (manifest->implicit)
		kr_log(LINE, "               Disable Env Var:  %s",
			manifest->disable_environment.name);
	if (manifest->enable_environment.name)
		kr_log(LINE,
			"               This layer was enabled because Env Var %s was set to Value %s",
			manifest->enable_environment.name, manifest->enable_environment.value);
	kr_log(LINE, "           Manifest: %s", manifest->path);
	kr_log(LINE, "           Library:  %s", manifest->library_path);
	kr_log(LINE, "     ||");
}

void
kr_layer_chain_tell(const struct kr_layer_chain *chain, const char *function, const char *bottom,
	uint32_t first, bool devices)
{
	if (!kr_log_enabled(LINE))
		return;
	kr_log(LINE, "%s layer callstack setup to:", function);
	kr_log(LINE, "   <Application>");
	kr_log(LINE, "     ||");
	kr_log(LINE, "   <Loader>");
	kr_log(LINE, "     ||");
	for (uint32_t i = first; i < chain->count; i++) {
		if (!devices || chain->layers[i].get_device_proc_addr)
			tell_layer(&chain->layers[i]);
	}
	kr_log(LINE, "   <%s>", bottom);
}
