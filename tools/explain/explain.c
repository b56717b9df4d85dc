/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla explain: gathers everything as JSON (entries.h), and what the search says beside it;
 * prints that, as it is or as text.
 */
#include "tools/command/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "manifest/profile.h"
#include "tools/command/json_values.h"
#include "tools/explain/entries.h"
#include "tools/info/driver_places.h"
#include "tools/info/facts.h"
#include "util/log.h"

static const char help[] =
	"usage: krafla explain [--json] [--devices DIR]\n\n"
	"Tells of each driver and layer that was found, in the order considered, whether it is used,\n"
	"why, and what to do about one that isn't; then of wrong variables and settings. Each\n"
	"library is first opened in a process of its own, so that one that crashes is told as well.\n\n"
	"  --json         the same as JSON\n"
	"  --devices DIR  looks for devices in DIR/dev and DIR/sys instead of /dev and /sys\n"
	"  -h, --help     this text\n";

static const char *
text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static void
print_entry(const json_t *entry)
{
	const json_t *devices = json_object_get(entry, "devices");
	const char *path = text(entry, "path"), *named_by = text(entry, "named_by");
	const char *name = text(entry, "name"), *advice = text(entry, "advice");

	printf("  [%s] %s%s%s\n", json_is_true(json_object_get(entry, "used")) ? "+" : "-",
		name ? name : "", name ? " " : "", path ? path : text(entry, "source"));
	printf("      %s: %s\n", text(entry, "verdict"), text(entry, "reason"));
	if (named_by)
		printf("      by: %s\n", named_by);
	if (json_is_integer(devices))
		printf("      devices: %lld\n", (long long)json_integer_value(devices));
	if (advice)
		printf("      do: %s\n", advice);
}

static void
print_entries(const char *heading, const json_t *entries)
{
	const json_t *entry;
	size_t i;

	printf("%s, in the order considered\n", heading);
	json_array_foreach(entries, i, entry) print_entry(entry);
}

static void
print_messages(const json_t *messages)
{
	const json_t *message;
	size_t i;

	if (json_array_size(messages))
		puts("besides");
	json_array_foreach(messages, i, message) printf("  %s\n", json_string_value(message));
}

static int
print(json_t *all, bool json)
{
	int failed = 0;

	if (json) {
		failed = json_dumpf(all, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		printf("profile %s\n", text(all, "profile"));
		kr_info_print_service(json_object_get(all, "service"));
		print_entries("drivers", json_object_get(all, "drivers"));
		kr_info_print_driver_places(json_object_get(all, "drivers"));
		print_entries("layers", json_object_get(all, "layers"));
		if (!json_array_size(json_object_get(all, "layers")))
			puts("  none was found");
		print_messages(json_object_get(all, "messages"));
	}
	return failed ? KR_EXIT_FAILURE : KR_EXIT_OK;
}

static json_t *
new_advice(void)
{
	char *text_of_it = kr_info_driver_advice();
	json_t *advice = kr_tool_json_text(text_of_it);

	free(text_of_it);
	return advice;
}

static void
remember(void *data, uint32_t bits, const char *message)
{
	json_t *messages = data, *text;
	const json_t *known;
	size_t i;

	if (!(bits & (KR_LOG_ERROR | KR_LOG_WARN)))
		return;
	text = kr_tool_json_text(message);
	json_array_foreach(messages, i, known)
	{
		if (json_equal(known, text)) {
			json_decref(text);
			return;
		}
	}
	json_array_append_new(messages, text);
}

/*
 * Gathers what the search warns of from here on, as an array of sentences, each once; NULL
 * without memory. One at a time.
 */
static json_t *
listen_to_search(void)
{
	json_t *messages = json_array();

	if (messages)
		kr_log_set_sink(remember, messages);
	return messages;
}

/* Whether a message speaks of one of these entries. */
static bool
is_told(const char *message, const json_t *entries)
{
	static const char *const keys[] = {"path", "library", "name", "reason"};
	const json_t *entry;
	size_t i;

	json_array_foreach(entries, i, entry)
	{
		for (size_t j = 0; j < KR_ARRAY_LEN(keys); j++) {
			const char *text = json_string_value(json_object_get(entry, keys[j]));

			if (text && strstr(message, text))
				return true;
		}
	}
	return false;
}

/*
 * Leaves only those that speak of none of these entries: wrong variables, a broken settings file.
 */
static void
end_listening(json_t *messages, const json_t *drivers, const json_t *layers)
{
	kr_log_set_sink(NULL, NULL);
	for (size_t i = json_array_size(messages); i-- > 0;) {
		const char *message = json_string_value(json_array_get(messages, i));

		if (is_told(message, drivers) || is_told(message, layers))
			json_array_remove(messages, i);
	}
}

/* What drivers and layers print belongs to stderr: stdout is the answer's. */
static json_t *
gather(const struct kr_explain_options *options)
{
	json_t *drivers, *layers, *messages = listen_to_search(), *advice;
	const char *profile = kr_profile_get()->name;
	int out = dup(STDOUT_FILENO);

	if (out >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	drivers = kr_explain_drivers(options);
	layers = kr_explain_layers();
	end_listening(messages, drivers, layers);
	fflush(stdout);
	if (out >= 0) {
		dup2(out, STDOUT_FILENO);
		close(out);
	}
	advice = kr_info_any_driver_used(drivers) ? json_null() : new_advice();
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "krafla", KRAFLA_VERSION,
		"profile", profile, "service", kr_info_service(), "drivers", drivers,
		"driver_places", kr_info_driver_places(), "driver_advice", advice, "layers", layers,
		"messages", messages);
}

static int
run_command(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"json", no_argument, NULL, 'j'},
		{"devices", required_argument, NULL, 'd'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct kr_explain_options options = {0};
	bool json = false;
	json_t *all;
	int c, code;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		switch (c) {
		case 'j':
			json = true;
			break;
		case 'd':
			options.devices = optarg;
			break;
		case 'h':
			return fputs(help, stdout) < 0 ? KR_EXIT_FAILURE : KR_EXIT_OK;
		default:
			return kr_option_error("explain", c, argv);
		}
	}
	if (optind < argc)
		return kr_usage_error("explain", "'%s' is one argument too many", argv[optind]);
	if (options.devices && access(options.devices, R_OK | X_OK))
		return kr_usage_error(
			"explain", "--devices %s: %s", options.devices, strerror(errno));
	all = gather(&options);
	if (!all) {
		kr_complain("explain", "out of memory");
		return KR_EXIT_FAILURE;
	}
	code = print(all, json);
	json_decref(all);
	return code;
}

const struct kr_subcommand kr_subcommand_explain = {
	.name = "explain",
	.summary = "tell why each driver and layer is or isn't used, and what to do",
	.help = help,
	.run = run_command,
};
