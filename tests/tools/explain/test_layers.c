/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla explain` (K-42): planted faults of layers, and the sentences that tell of
 * them, word for word.
 */
#include "rig.h"

#include <stdio.h>
#include <string.h>

#define DISABLE_X ",\"disable_environment\":{\"DISABLE_X\":\"1\"}"

static void
layer_manifest_is_broken(void **state)
{
	make_system();
	put("data/vulkan/explicit_layer.d/a.json", "[]");
	explain("");
	expect_layer("a.json", "bad manifest",
		"@/data/vulkan/explicit_layer.d/a.json: isn't a JSON object",
		"repair or remove @/data/vulkan/explicit_layer.d/a.json, or install its package again");
}

static void
layer_library_is_missing(void **state)
{
	make_system();
	put_layer("explicit_layer.d", "a", "@/libVkLayer_khronos_validation.so", "");
	explain("VK_INSTANCE_LAYERS=VK_LAYER_a");
	expect_layer("a.json", "unloadable",
		"named by VK_INSTANCE_LAYERS, but its library fails: @/libVkLayer_khronos_validation.so can't be used: No such file or directory",
		"install the package that has libVkLayer_khronos_validation.so; it is usually in vulkan-validationlayers (Debian, Ubuntu), vulkan-validation-layers (Fedora, Arch); or remove the manifest that it has left behind: @/data/vulkan/explicit_layer.d/a.json");
}

static void
layer_library_crashes(void **state)
{
	make_system();
	copy(FAKES "/probed_exits.so", "a.so");
	put_layer("implicit_layer.d", "a", "@/a.so", DISABLE_X);
	explain("");
	expect_layer("a.json", "unloadable",
		"implicit: enabled for every program, but its library fails: its probe ended with exit code 3 while it was opened",
		"install the package of @/data/vulkan/implicit_layer.d/a.json again");
}

static void
layer_is_there_for_the_asking(void **state)
{
	make_system();
	put_layer("explicit_layer.d", "a", "@/a.so", "");
	explain("");
	expect_layer("a.json", "available", "an explicit layer: used by programs that ask for it",
		"VK_INSTANCE_LAYERS=VK_LAYER_a uses it with any program");
}

static void
implicit_layer_is_disabled(void **state)
{
	make_system();
	put_layer("implicit_layer.d", "a", "@/a.so", DISABLE_X);
	explain("DISABLE_X=1");
	expect_layer(
		"a.json", "disabled", "DISABLE_X is set, which disables it", "unset DISABLE_X");
}

static void
implicit_layer_waits(void **state)
{
	make_system();
	put_layer("implicit_layer.d", "a", "@/a.so",
		DISABLE_X ",\"enable_environment\":{\"ENABLE_X\":\"yes\"}");
	explain("");
	expect_layer("a.json", "not enabled", "an implicit layer that waits for ENABLE_X=yes",
		"set ENABLE_X=yes");
}

static void
layer_is_filtered(void **state)
{
	make_system();
	put_layer("implicit_layer.d", "a", "@/a.so", DISABLE_X);
	explain("VK_LOADER_LAYERS_DISABLE='~implicit~'");
	expect_layer("a.json", "disabled", "VK_LOADER_LAYERS_DISABLE disables it",
		"unset VK_LOADER_LAYERS_DISABLE, or name it in VK_LOADER_LAYERS_ALLOW=VK_LAYER_a");
}

static void
layer_that_is_used(void **state)
{
	make_system();
	copy(FAKES "/icd_v5.so", "a.so");
	put_layer("implicit_layer.d", "a", "@/a.so", DISABLE_X);
	explain("");
	expect_layer("a.json", "used", "implicit: enabled for every program", NULL);
}

/* K-45: where layers have no manifests, what they say of themselves. */
static void
layers_that_describe_themselves(void **state)
{
	char variables[1024];

	make_system();
	put("app/none", "");
	copy(BUILD_DIR "/../profiles/layer_b.so", "app/libVkLayer_b.so");
	snprintf(variables, sizeof(variables),
		"KRAFLA_PROFILE=android KRAFLA_PROP_ro_krafla_layers_application=%s",
		kr_test_path("app"));
	explain(variables);
	expect_layer("libVkLayer_b.so", "available", "used by programs that ask for it",
		"the property debug.vulkan.layers=VK_LAYER_KR_b uses it with any program");
	strcat(variables, " KRAFLA_PROP_debug_vulkan_layers=VK_LAYER_KR_b");
	explain(variables);
	expect_layer("libVkLayer_b.so", "used", "a property debug.vulkan.layer* names it", NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(layer_manifest_is_broken),
	KR_TEST(layer_library_is_missing),
	KR_TEST(layer_library_crashes),
	KR_TEST(layer_is_there_for_the_asking),
	KR_TEST(implicit_layer_is_disabled),
	KR_TEST(implicit_layer_waits),
	KR_TEST(layer_is_filtered),
	KR_TEST(layer_that_is_used),
	KR_TEST(layers_that_describe_themselves),
};

KR_TEST_MAIN(tests)
