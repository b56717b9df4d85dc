/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla features: what the devices here may declare. Drivers are loaded into a child, so that one
 * that crashes or hangs is told of, whatever was asked.
 */
#include "tools/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/features/request.h"
#include "util/text.h"

/* How long drivers may take to say what they have. */
#define ANSWER_S 60

static const char help[] =
	"usage: krafla features [--json] [--device N]\n"
	"       krafla features --has NAME [VERSION] [--device N]\n"
	"       krafla features --write-permissions DIR [--json] [--device N]\n"
	"       krafla features --deqp RESULTS.qpa... --caselist vk-main-YYYY-MM-DD.txt [--json]\n"
	"       krafla features --launch [RELEASE] [--permissions DIR] [--json] [--device N]\n\n"
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
	{"help", no_argument, NULL, 'h'},
	{0},
};

/* The one whose word was typed answers; without any the table is shown. */
static const struct mode {
	const char *option;
	size_t typed; /* of a const char * in the request */
	bool takes_word;
	bool yields; /* answers only where no other does; needs no devices */
	kr_flags_answer_fn answer;
	kr_flags_prepare_fn prepare; /* may be NULL */
} modes[] = {
	{"--has", offsetof(struct kr_flags_request, has), true, false, kr_flags_has, NULL},
	{"--write-permissions", offsetof(struct kr_flags_request, write_dir), false, false,
		kr_flags_write_permissions, NULL},
	{"--launch", offsetof(struct kr_flags_request, launch), true, false, kr_flags_answer_launch,
		kr_flags_prepare_launch},
	{"--deqp", offsetof(struct kr_flags_request, deqp.paths[0]), false, true,
		kr_flags_answer_deqp, NULL},
};
static const struct mode no_mode = {.option = "krafla features", .answer = kr_flags_print};

static bool
is_typed(const struct kr_flags_request *request, const struct mode *mode)
{
	return *(const char *const *)((const char *)request + mode->typed) != NULL;
}

static int
choose_mode(const struct kr_flags_request *request, const struct mode **out)
{
	const struct mode *chosen = NULL;

	for (size_t i = 0; i < KR_ARRAY_LEN(modes); i++) {
		if (!is_typed(request, &modes[i]) || (chosen && modes[i].yields))
			continue;
		if (chosen)
			return kr_usage_error("features", "%s and %s are two questions",
				chosen->option, modes[i].option);
		chosen = &modes[i];
	}
	*out = chosen ? chosen : &no_mode;
	if (!request->deqp.count != !request->case_list)
		return kr_usage_error("features", "--deqp and --caselist are given together");
	if (request->permissions && !request->launch)
		return kr_usage_error("features", "--permissions belongs to --launch");
	if (request->word && !(*out)->takes_word)
		return kr_usage_error("features", "'%s' is one argument too many", request->word);
	return KR_EXIT_OK;
}

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

/*
 * While drivers work, what they print goes to standard error: standard output is the answer's.
 * Both ends flush: a driver may share our stdio.
 */
static int
begin_drivers(void)
{
	int kept;

	(void)fflush(stdout);
	alarm(ANSWER_S);
	kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (kept >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	return kept;
}

static void
end_drivers(int kept)
{
	(void)fflush(stdout);
	if (kept >= 0) {
		dup2(kept, STDOUT_FILENO);
		close(kept);
	}
	alarm(0);
}

static int
ask_and_answer(const struct kr_flags_request *request, const struct mode *mode)
{
	char *prefix = kr_find_prefix();
	char *path = prefix ? kr_asprintf("%s/lib/libvulkan.so.1", prefix) : NULL;
	struct kr_feature_system system;
	char why[KR_FEATURE_WHY] = "it isn't known where this krafla is installed";
	int code, kept, err = -ENOENT;

	if (path) {
		kept = begin_drivers();
		err = kr_feature_system_ask(path, request->device, &system, why);
		end_drivers(kept);
	}
	free(path);
	free(prefix);
	if (err < 0) {
		kr_complain("features", "%s", why);
		return err == -ENODEV || err == -ERANGE ? KR_EXIT_NO_DEVICE : KR_EXIT_FAILURE;
	}
	code = kr_flags_hold_deqp(request, &system);
	if (code == KR_EXIT_OK)
		code = mode->answer(request, &system);
	kept = begin_drivers();
	kr_feature_system_finish(&system);
	end_drivers(kept);
	return code;
}

/* A driver may call exit: that is no answer, whatever the code. */
static int
told_end(int status, bool answered)
{
	if (WIFEXITED(status) && answered)
		return WEXITSTATUS(status);
	if (WIFEXITED(status)) {
		kr_complain("features",
			"a driver ended the process while it was asked; 'krafla explain' lists the drivers");
		return KR_EXIT_FAILURE;
	}
	if (WTERMSIG(status) == SIGALRM)
		kr_complain("features",
			"a driver took more than %d s; 'krafla explain' lists the drivers",
			ANSWER_S);
	else
		kr_complain("features",
			"a driver crashed while it was asked (%s); 'krafla explain' lists the drivers",
			strsignal(WTERMSIG(status)));
	return KR_EXIT_FAILURE;
}

/* Whatever krafla was started with. */
static void
let_alarms_end_us(void)
{
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	signal(SIGALRM, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
}

/* In the child the answer is left in stdout's buffer, for main to write and to look after. */
static int
run_in_child(const struct kr_flags_request *request, const struct mode *mode)
{
	const pid_t parent = getpid();
	/* Shared with the child, which sets it once it knows its exit code. */
	bool *answered = mmap(
		NULL, sizeof(*answered), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child, ended;
	int status, code;

	if (answered == MAP_FAILED) {
		kr_complain("features", "out of memory");
		return KR_EXIT_FAILURE;
	}
	(void)fflush(stdout);
	child = fork();
	if (child < 0) {
		kr_complain("features", "no process can be started: %s", strerror(errno));
		return KR_EXIT_FAILURE;
	}
	if (child == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			return KR_EXIT_FAILURE;
		let_alarms_end_us();
		code = ask_and_answer(request, mode);
		*answered = true;
		return code;
	}
	do
		ended = waitpid(child, &status, 0);
	while (ended < 0 && errno == EINTR);
	if (ended < 0) {
		kr_complain("features", "the answer was lost: %s", strerror(errno));
		return KR_EXIT_FAILURE;
	}
	code = told_end(status, *answered);
	munmap(answered, sizeof(*answered));
	return code;
}

static int
run_command(int argc, char **argv)
{
	struct kr_flags_request request = {.device = KR_FEATURE_ALL_DEVICES};
	const struct mode *mode = &no_mode;
	uint32_t version;
	int c, code;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == 'h')
			return fputs(help, stdout) < 0 ? KR_EXIT_FAILURE : KR_EXIT_OK;
		code = read_option(c, argv, &request);
		if (code != KR_EXIT_OK)
			return code;
	}
	if (optind < argc)
		request.word = argv[optind++];
	if (optind < argc)
		return kr_usage_error("features", "'%s' is one argument too many", argv[optind]);
	code = choose_mode(&request, &mode);
	if (code != KR_EXIT_OK)
		return code;
	if (request.has && request.word && !kr_flags_parse_version(request.word, &version))
		return kr_usage_error("features", "--has: '%s' is no version", request.word);
	code = mode->prepare ? mode->prepare(&request) : KR_EXIT_OK;
	if (code != KR_EXIT_OK)
		return code;
	return mode->yields ? mode->answer(&request, NULL) : run_in_child(&request, mode);
}

const struct kr_subcommand kr_subcommand_features = {
	.name = "features",
	.summary = "what the devices here may declare, and by which rule",
	.help = help,
	.run = run_command,
};
