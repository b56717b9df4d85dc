/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla service: what a loader service is doing, as it tells it (ask.h), for people or as it is.
 */
#include "tools/command/command.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/service/ask.h"

/* Of `krafla service status`: the service answers, and isn't healthy. */
#define EXIT_UNHEALTHY 1

static const char help[] =
	"usage: krafla service status [--socket PATH] [--json]\n\n"
	"Shows what a loader service offers, to whom, what it gave, and what is wrong.\n\n"
	"  --socket PATH  the service that listens there; default: KRAFLA_SERVICE, then\n"
	"                 /run/krafla/service, then krafla/service of XDG_RUNTIME_DIR\n"
	"  --json         all that it tells, as JSON (docs/service.md)\n"
	"  -h, --help     this text\n\n"
	"exit code: 0 it offers drivers, 1 it doesn't (yet), 2 wrong usage, 125 it can't be asked\n";

/* --- for people: a line for each thing, the most important first (docs/service.md) --- */

static const char *
text(const json_t *object, const char *key)
{
	const char *found = json_string_value(json_object_get(object, key));

	return found ? found : "?";
}

static long long
number(const json_t *object, const char *key)
{
	return (long long)json_integer_value(json_object_get(object, key));
}

/* In the unit that leaves the fewest digits. */
static void
print_time(long long ms)
{
	if (ms < 1000)
		printf("%lld ms", ms);
	else if (ms < 120 * 1000)
		printf("%lld s", ms / 1000);
	else if (ms < 120 * 60 * 1000)
		printf("%lld min", ms / (60 * 1000));
	else
		printf("%lld h", ms / (60 * 60 * 1000));
}

static void
print_head(const char *socket, const json_t *state)
{
	const json_t *health = json_object_get(state, "health");
	const json_t *file = json_object_get(json_object_get(state, "config"), "file");
	const json_t *store = json_object_get(state, "store");
	const char *reason = json_string_value(json_object_get(store, "reason"));

	printf("service at %s: %s%s\n", socket, text(health, "state"),
		json_is_false(json_object_get(health, "idle")) ? ", looking at packages or devices"
							       : "");
	printf("process    %lld of user %lld, for ", number(state, "pid"), number(state, "uid"));
	print_time(number(state, "uptime_ms"));
	printf(", krafla %s\n", text(state, "krafla"));
	printf("configured %s\n", json_is_string(file) ? json_string_value(file) : "by defaults");
	printf("delivery   %s%s%s%s\n", text(store, "delivery"), reason ? " (" : "",
		reason ? reason : "", reason ? ")" : "");
}

static void
print_list(const char *heading, const json_t *list)
{
	const json_t *line;
	size_t i;

	if (json_array_size(list))
		puts(heading);
	json_array_foreach(list, i, line) printf("  %s\n", json_string_value(line));
}

static void
print_packages(const json_t *packages)
{
	const json_t *package;
	size_t i;

	puts("packages");
	json_array_foreach(packages, i, package)
	{
		const json_t *generation = json_object_get(package, "generation");
		const char *reason = json_string_value(json_object_get(package, "reason"));

		printf("  %-8s %s (%s), %s%s%s\n", text(package, "state"), text(package, "name"),
			text(package, "resolver"),
			generation ? text(generation, "name") : text(package, "path"),
			reason ? ": " : "", reason ? reason : "");
	}
	if (!json_array_size(packages))
		puts("  none was found");
}

static void
print_candidates(const json_t *candidates)
{
	const json_t *candidate;
	size_t i;

	json_array_foreach(candidates, i, candidate)
	{
		const char *reason = json_string_value(json_object_get(candidate, "reason"));
		const char *package = json_string_value(json_object_get(candidate, "package"));
		const char *tried = json_string_value(json_object_get(candidate, "tried"));

		if (!reason)
			reason = json_string_value(json_object_get(candidate, "sees"));
		printf("    %-8s %s%s%s\n", text(candidate, "state"),
			package ? package : text(candidate, "rule"), reason ? ": " : "",
			reason ? reason : "");
		if (tried)
			printf("      tried, and was kept from it: %s\n", tried);
	}
}

static void
print_device(const char *name, const char *kind, const json_t *device)
{
	const char *driver = json_string_value(json_object_get(device, "driver"));
	const char *reason = json_string_value(json_object_get(device, "reason"));

	printf("  %s (%s): %s%s%s%s%s\n", name, kind, text(device, "state"), driver ? ", " : "",
		driver ? driver : "", reason ? ", " : "", reason ? reason : "");
	print_candidates(json_object_get(device, "candidates"));
}

/*
 * Whether it may be no GPU at all: of some drivers the device is a node that machines have for
 * other things, too (vsock). One that nothing says otherwise of isn't worth lines of its own.
 */
static bool
is_doubtful(const json_t *device)
{
	const json_t *candidate;
	size_t i;

	if (json_is_string(json_object_get(device, "kernel_driver")) ||
		strcmp(text(device, "state"), "no driver") != 0)
		return false;
	json_array_foreach(json_object_get(device, "candidates"), i, candidate)
	{
		if (strcmp(text(candidate, "state"), "absent") != 0)
			return false;
	}
	return true;
}

static void
print_doubtful(const json_t *devices)
{
	const char *between = "  no package for, and perhaps no GPU: ";
	const json_t *device;
	size_t i;

	json_array_foreach(devices, i, device)
	{
		if (!is_doubtful(device))
			continue;
		printf("%s%s", between, text(device, "node"));
		between = ", ";
	}
	if (*between == ',')
		putchar('\n');
}

static void
print_devices(const json_t *offers)
{
	const json_t *devices = json_object_get(offers, "devices"), *device;
	const json_t *software = json_object_get(offers, "software");
	size_t i;

	puts("devices");
	json_array_foreach(devices, i, device)
	{
		if (!is_doubtful(device))
			print_device(text(device, "node"), text(device, "kernel_driver"), device);
	}
	print_doubtful(devices);
	if (!json_array_size(devices))
		puts("  none was found");
	if (json_is_object(software))
		print_device(text(software, "package"), "software", software);
}

static void
print_clients(const json_t *state)
{
	const json_t *clients = json_object_get(state, "clients"), *user;
	const json_t *given = json_object_get(state, "deliveries");
	size_t i;

	printf("clients    %lld connected, of %lld", number(clients, "connected"),
		number(clients, "connections"));
	json_array_foreach(json_object_get(clients, "users"), i, user)
	{
		if (json_is_integer(json_object_get(user, "uid")))
			printf("; user %lld: %lld", number(user, "uid"), number(user, "clients"));
		else
			printf("; unknown users: %lld", number(user, "clients"));
	}
	printf("\n           %lld were turned away, %lld thrown out\n",
		number(clients, "turned_away"), number(clients, "thrown_out"));
	printf("given      %lld packages as mounts, %lld in memory, %lld device nodes; %lld names "
	       "were "
	       "unknown, %lld requests refused\n",
		number(given, "mount"), number(given, "memory"), number(given, "nodes"),
		number(given, "unknown"), number(given, "refused"));
}

/* `state`: what the service at `socket` says; members that are missing are passed over. */
static void
print_service(const char *socket, const json_t *state)
{
	print_head(socket, state);
	print_clients(state);
	print_list("manifests", json_object_get(json_object_get(state, "debug"), "manifest_fs"));
	print_devices(json_object_get(state, "offers"));
	print_packages(json_object_get(json_object_get(state, "packages"), "found"));
	print_list("fallbacks", json_object_get(state, "fallbacks"));
	print_list("problems", json_object_get(json_object_get(state, "health"), "problems"));
}

/* --- the command --- */

static bool
is_healthy(const json_t *state)
{
	const char *health =
		json_string_value(json_object_get(json_object_get(state, "health"), "state"));

	return health && !strcmp(health, "ok");
}

static int
show_status(const char *path, bool json)
{
	char *socket = NULL, *reason = NULL;
	json_t *state = NULL;
	int err = kr_ask_service(path, &socket, &state, &reason), failed = 0;

	if (err) {
		kr_complain("service", "%s", reason ? reason : strerror(-err));
		free(socket);
		free(reason);
		return KR_EXIT_FAILURE;
	}
	if (json) {
		failed = json_dumpf(state, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		print_service(socket, state);
	}
	err = failed ? KR_EXIT_FAILURE : is_healthy(state) ? KR_EXIT_OK : EXIT_UNHEALTHY;
	json_decref(state);
	free(socket);
	free(reason);
	return err;
}

static int
run_command(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"json", no_argument, NULL, 'j'},
		{"socket", required_argument, NULL, 's'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	const char *socket = NULL;
	bool json = false;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		switch (c) {
		case 'j':
			json = true;
			break;
		case 's':
			socket = optarg;
			break;
		case 'h':
			return fputs(help, stdout) < 0 ? KR_EXIT_FAILURE : KR_EXIT_OK;
		default:
			return kr_option_error("service", c, argv);
		}
	}
	if (optind == argc)
		return kr_usage_error("service", "what to do is missing: there is 'status'");
	if (strcmp(argv[optind], "status") != 0)
		return kr_usage_error(
			"service", "'%s' is nothing it does: there is 'status'", argv[optind]);
	if (optind + 1 < argc)
		return kr_usage_error("service", "'%s' is one argument too many", argv[optind + 1]);
	return show_status(socket, json);
}

const struct kr_subcommand kr_subcommand_service = {
	.name = "service",
	.summary = "tell what a loader service offers, to whom, and what is wrong",
	.help = help,
	.run = run_command,
};
