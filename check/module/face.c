/* SPDX-License-Identifier: Apache-2.0 */
/* The module, as numbers and pointers: hw_module_t (D-02). */
#include "check/module/module.h"

#include <string.h>

static void
tag(struct check *c)
{
	uint32_t is = check_module(c)->tag;

	CHECK(c, is == HARDWARE_MODULE_TAG, "the module's tag is 0x%08x, where 0x%08x is due", is,
		HARDWARE_MODULE_TAG);
}

static void
id(struct check *c)
{
	const char *is = check_module(c)->id;

	CHECK(c, is, "the module's id is NULL");
	CHECK(c, !strcmp(is, HWVULKAN_HARDWARE_MODULE_ID), "the module's id is \"%.40s\"", is);
}

static void
module_version(struct check *c)
{
	uint16_t is = check_module(c)->module_api_version;

	CHECK(c, is == HWVULKAN_MODULE_API_VERSION_0_1,
		"module_api_version is 0x%04x, where 0x%04x is due", is,
		HWVULKAN_MODULE_API_VERSION_0_1);
}

static void
hal_version(struct check *c)
{
	uint16_t is = check_module(c)->hal_api_version;

	CHECK(c, is == HARDWARE_HAL_API_VERSION, "hal_api_version is 0x%04x, where 0x%04x is due",
		is, HARDWARE_HAL_API_VERSION);
}

static void
methods(struct check *c)
{
	const struct hw_module_t *module = check_module(c);

	CHECK(c, module->methods, "hw_module_t::methods is NULL");
	CHECK(c, module->methods->open, "hw_module_methods_t::open is NULL");
}

static void
name(struct check *c)
{
	const struct hw_module_t *module = check_module(c);

	CHECK(c, module->name && module->name[0], "hw_module_t::name is %s",
		module->name ? "empty" : "NULL");
	CHECK(c, module->author && module->author[0], "hw_module_t::author is %s",
		module->author ? "empty" : "NULL");
}

static const struct check_case rows[] = {
	{
		.name = "module.has_the_tag",
		.requirement = "D-02",
		.expected = "hw_module_t::tag is HARDWARE_MODULE_TAG",
		.consequence = "a platform takes the library for no HAL module: no Vulkan",
		.run = tag,
	},
	{
		.name = "module.is_vulkan",
		.requirement = "D-02",
		.expected = "hw_module_t::id is \"vulkan\"",
		.consequence = "the loader refuses the module: no Vulkan",
		.run = id,
	},
	{
		.name = "module.has_its_version",
		.requirement = "D-02",
		.expected = "hw_module_t::module_api_version is HWVULKAN_MODULE_API_VERSION_0_1",
		.consequence = "a platform can't know what it may call, and may refuse the module",
		.run = module_version,
	},
	{
		.name = "module.has_the_hals_version",
		.requirement = "D-02",
		.expected = "hw_module_t::hal_api_version is HARDWARE_HAL_API_VERSION",
		.consequence =
			"a platform can't know how the module is laid out, and may refuse it",
		.run = hal_version,
	},
	{
		.name = "module.has_methods",
		.requirement = "D-02",
		.expected = "hw_module_t::methods points to an open()",
		.consequence =
			"the module can't be opened: no Vulkan, or a crash at the first call",
		.run = methods,
	},
	{
		.name = "module.has_names",
		.requirement = "D-02",
		.expected = "hw_module_t::name and author are texts",
		.consequence = "who lists the modules of a system crashes, or shows nothing",
		.run = name,
	},
};

const struct check_rows check_module_face = CHECK_ROWS(rows);
