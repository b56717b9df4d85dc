/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the options of `krafla features`. */
#include "tools/features/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/command/command.h"

const char kr_flags_help[] =
	"usage: krafla features [--json] [--device N]\n"
	"       krafla features --has NAME [VERSION] [--device N]\n"
	"       krafla features --write-permissions DIR [--json] [--device N]\n"
	"       krafla features --deqp RESULTS.qpa... --caselist vk-main-YYYY-MM-DD.txt [--json]\n"
	"       krafla features --launch [RELEASE] [--permissions DIR] [--json] [--device N]\n"
	"       krafla features --profile FILE... [NAME] [--json] [--device N]\n\n"
	"Shows which features the Vulkan devices here may declare (android.hardware.vulkan.level,\n"
	".compute, .version, and features by name), rule by rule: what was asked of the device, what\n"
	"is wanted, what was seen. Devices are asked through Krafla's libvulkan.so.1.\n\n"
	"  --has NAME [VERSION]  whether the system has this feature, in this version or higher, by\n"
	"                        the exit code: 0 it has, 1 it hasn't, 5 there is no device. VERSION\n"
	"                        is a number, 1.1, or a day as 2022-03-01; 0 when left out\n"
	"  --write-permissions DIR\n"
	"                        writes the permission files of what the devices hold into DIR, under\n"
	"                        the names that they are installed by. Exit code 1: another file\n"
	"                        there declares more than that\n"
	"  --deqp RESULTS.qpa    whether these results of Khronos's tests hold the level that the list's\n"
	"                        name is the date of: each case of it passed, or may be left out. Give\n"
	"                        it again for each further file. Exit code 0: holds, 1: doesn't. With\n"
	"                        another question the system has that level when it holds\n"
	"  --caselist LIST       the must-pass list, with the files beside it that it names\n"
	"  --launch [RELEASE]    whether the system may be launched with Android 7, 9, 10 or 13, as far\n"
	"                        as Vulkan is concerned; all of them when none is said. Exit code 0: it\n"
	"                        may, 1: it may not\n"
	"  --permissions DIR     what the system declares is in the permission files there\n"
	"  --profile FILE        which of the profiles in this file, which is Khronos's JSON, a device\n"
	"                        holds, and which line fails; only the profile NAME when it is given.\n"
	"                        Give it again for files with profiles that these need. Exit code 0:\n"
	"                        each is held by a device, 1: one isn't\n"
	"  --device N            only this one, in the order of vkEnumeratePhysicalDevices, from 0\n"
	"  --json                the same as JSON\n"
	"  -h, --help            this text\n";

enum {
	OPTION_DEVICE = 256,
	OPTION_HAS,
	OPTION_WRITE,
	OPTION_DEQP,
	OPTION_CASE_LIST,
	OPTION_LAUNCH,
	OPTION_PERMISSIONS,
	OPTION_PROFILE,
};

static const struct option long_options[] = {
	{"json", no_argument, NULL, 'j'},
	{"device", required_argument, NULL, OPTION_DEVICE},
	{"has", required_argument, NULL, OPTION_HAS},
	{"write-permissions", required_argument, NULL, OPTION_WRITE},
	{"deqp", required_argument, NULL, OPTION_DEQP},
	{"caselist", required_argument, NULL, OPTION_CASE_LIST},
	{"launch", no_argument, NULL, OPTION_LAUNCH},
	{"permissions", required_argument, NULL, OPTION_PERMISSIONS},
	{"profile", required_argument, NULL, OPTION_PROFILE},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static int
read_device(const char *text, long *device)
{
	char *end;

	errno = 0;
	*device = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return kr_usage_error("features", "--device: '%s' is no number of a device", text);
	return KR_EXIT_OK;
}

static int
add_path(struct kr_flags_paths *paths, const char *option)
{
	if (paths->count == KR_FLAGS_MOST_PATHS)
		return kr_usage_error(
			"features", "%s can be given %d times", option, KR_FLAGS_MOST_PATHS);
	paths->paths[paths->count++] = optarg;
	return KR_EXIT_OK;
}

static int
read_option(int c, char **argv, struct kr_flags_request *request)
{
	switch (c) {
	case 'j':
		request->json = true;
		return KR_EXIT_OK;
	case OPTION_DEVICE:
		return read_device(optarg, &request->device);
	case OPTION_HAS:
		request->has = optarg;
		return KR_EXIT_OK;
	case OPTION_WRITE:
		request->write_dir = optarg;
		return KR_EXIT_OK;
	case OPTION_DEQP:
		return add_path(&request->deqp, "--deqp");
	case OPTION_CASE_LIST:
		if (request->case_list)
			return kr_usage_error("features", "a level has one --caselist");
		request->case_list = optarg;
		return KR_EXIT_OK;
	case OPTION_PROFILE:
		return add_path(&request->profiles, "--profile");
	case OPTION_LAUNCH:
		request->launch = "--launch";
		return KR_EXIT_OK;
	case OPTION_PERMISSIONS:
		request->permissions = optarg;
		return KR_EXIT_OK;
	default:
		return kr_option_error("features", c, argv);
	}
}

int
kr_flags_read_options(int argc, char **argv, struct kr_flags_request *request, bool *helped)
{
	int c, code;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == 'h') {
			*helped = true;
			return fputs(kr_flags_help, stdout) < 0 ? KR_EXIT_FAILURE : KR_EXIT_OK;
		}
		code = read_option(c, argv, request);
		if (code != KR_EXIT_OK)
			return code;
	}
	if (optind < argc)
		request->word = argv[optind++];
	if (optind < argc)
		return kr_usage_error("features", "'%s' is one argument too many", argv[optind]);
	return KR_EXIT_OK;
}
