/* SPDX-License-Identifier: Apache-2.0 */
/* krafla info: gathers everything as JSON (facts.h) and prints that, as it is or as text. */
#include "tools/command/command.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "tools/info/driver_places.h"
#include "tools/info/facts.h"

static const char help[] =
	"usage: krafla info [--json]\n\n"
	"Shows the Vulkan loader of this krafla, every driver that was found and why it is or\n"
	"isn't used, the loader service, the devices with their tier and what the next one would\n"
	"need, what buffers can be made of, the layers, the display that KRAFLA_DISPLAY names,\n"
	"the graphics cards with their screens, and who draws the pictures of krafla run.\n\n"
	"  --json       the same as JSON\n"
	"  -h, --help   this text\n";

static const char *
text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "?";
}

static void
print_loader(const json_t *loader)
{
	printf("loader\n  %s\n", text(loader, "path"));
	if (json_object_get(loader, "error"))
		printf("    can't be used: %s\n", text(loader, "error"));
	else
		printf("    Krafla %s, profile %s, Vulkan %s, %zu instance extensions\n",
			text(loader, "version"), text(loader, "profile"),
			text(loader, "api_version"),
			json_array_size(json_object_get(loader, "extensions")));
}

/* What a driver answered that was asked for its devices. */
static void
print_outcome(const json_t *driver)
{
	const json_t *devices = json_object_get(driver, "devices");
	const char *error = json_string_value(json_object_get(driver, "error"));

	if (error)
		printf("    no devices: %s\n", error);
	else if (json_is_integer(devices) && !json_integer_value(devices) &&
		json_is_string(json_object_get(driver, "path")))
		printf("    no devices of it are here\n");
}

static void
print_drivers(const json_t *drivers)
{
	const json_t *driver;
	size_t i;

	puts("drivers");
	json_array_foreach(drivers, i, driver)
	{
		const char *path = json_string_value(json_object_get(driver, "path"));

		printf("  [%s] %s%s%s\n    %s\n",
			json_is_true(json_object_get(driver, "used")) ? "+" : "-",
			text(driver, "source"), path ? " " : "", path ? path : "",
			text(driver, "reason"));
		print_outcome(driver);
	}
	kr_info_print_driver_places(drivers);
}

static void
print_missing(const json_t *of)
{
	const json_t *missing;
	size_t i;

	json_array_foreach(json_object_get(of, "missing_for_next_tier"), i, missing)
		printf("    %s %s\n", i ? "        " : "missing ", json_string_value(missing));
}

static void
print_devices(const json_t *devices)
{
	const json_t *device;
	size_t i;

	puts("devices");
	json_array_foreach(devices, i, device)
	{
		const char *tier = json_string_value(json_object_get(device, "tier"));
		const char *driver = json_string_value(json_object_get(device, "driver_name"));

		printf("  %s (%s), Vulkan %s\n", text(device, "name"), text(device, "type"),
			text(device, "api_version"));
		printf("    driver   %s%s%s\n", driver ? driver : "", driver ? ", " : "",
			text(device, "library"));
		printf("    tier     %s, buffers: %s",
			tier ? tier : "none: it can't present to Krafla's windows",
			text(device, "import"));
		if (json_object_get(device, "fences"))
			printf("; fences: %s", text(device, "fences"));
		if (json_object_get(device, "hardware_buffers"))
			printf("\n    AHardwareBuffers in Vulkan: %s",
				text(device, "hardware_buffers"));
		putchar('\n');
		print_missing(device);
	}
	if (!json_array_size(devices))
		puts("  none");
}

static void
print_buffers(const json_t *buffers, const char *error)
{
	const json_t *backend;
	size_t i;

	puts("buffers");
	if (error)
		printf("  %s\n", error);
	json_array_foreach(buffers, i, backend)
	{
		const char *device = json_string_value(json_object_get(backend, "device"));
		const char *refusal = json_string_value(json_object_get(backend, "error"));

		printf("  [%s] %s%s%s%s\n", refusal ? "-" : "+", text(backend, "name"),
			device ? " " : "", device ? device : "",
			json_is_true(json_object_get(backend, "chosen")) ? ", in use" : "");
		if (refusal)
			printf("    %s\n", refusal);
	}
}

static void
print_layers(const json_t *layers)
{
	const json_t *layer;
	size_t i;

	puts("layers");
	json_array_foreach(layers, i, layer) printf("  %s, Vulkan %s\n    %s\n",
		text(layer, "name"), text(layer, "api_version"), text(layer, "manifest"));
	if (!json_array_size(layers))
		puts("  none");
}

static void
print_displays(const json_t *displays)
{
	const json_t *display;
	size_t i;

	puts("displays");
	json_array_foreach(displays, i, display)
	{
		printf("  %s\n", text(display, "socket"));
		if (json_is_true(json_object_get(display, "reachable"))) {
			printf("    %lldx%lld, %s clock, tier %s\n",
				(long long)json_integer_value(json_object_get(display, "width")),
				(long long)json_integer_value(json_object_get(display, "height")),
				text(display, "clock"), text(display, "tier"));
			print_missing(display);
		} else {
			printf("    can't be reached: %s\n", text(display, "error"));
		}
	}
	if (!json_array_size(displays))
		puts("  none: KRAFLA_DISPLAY isn't set");
}

static int
run_command(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	json_t *drivers, *devices, *all;
	bool json = false;
	int c, failed = 0;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c != 'j' && c != 'h')
			return kr_option_error("info", c, argv);
		if (c == 'h')
			return fputs(help, stdout) < 0 ? KR_EXIT_FAILURE : KR_EXIT_OK;
		json = true;
	}
	if (optind < argc)
		return kr_usage_error("info", "'%s' is one argument too many", argv[optind]);
	kr_info_drivers(&drivers, &devices);
	all = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "krafla",
		KRAFLA_VERSION, "loader", kr_info_loader(), "drivers", drivers, "service",
		kr_info_service(), "devices", devices, "buffers", kr_info_buffers(),
		"buffers_error", kr_info_buffers_error(), "layers", kr_info_layers(), "displays",
		kr_info_displays(), "cards", kr_info_cards(), "composition", kr_info_composition());
	if (!all) {
		kr_complain("info", "out of memory");
		return KR_EXIT_FAILURE;
	}
	if (json) {
		failed = json_dumpf(all, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		print_loader(json_object_get(all, "loader"));
		print_drivers(drivers);
		kr_info_print_service(json_object_get(all, "service"));
		print_devices(devices);
		print_buffers(json_object_get(all, "buffers"),
			json_string_value(json_object_get(all, "buffers_error")));
		print_layers(json_object_get(all, "layers"));
		print_displays(json_object_get(all, "displays"));
		kr_info_print_cards(json_object_get(all, "cards"));
		kr_info_print_composition(json_object_get(all, "composition"));
	}
	json_decref(all);
	return failed ? KR_EXIT_FAILURE : KR_EXIT_OK;
}

const struct kr_subcommand kr_subcommand_info = {
	.name = "info",
	.summary = "show loader, drivers, devices and their tiers, layers, displays",
	.help = help,
	.run = run_command,
};
