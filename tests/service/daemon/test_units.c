/* SPDX-License-Identifier: Apache-2.0 */
/* The systemd units, as systemd itself reads them. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/service/rig.h"
#include "harness.h"

static struct daemon_run run;

/* The line "ExecStart=" as it would be installed, with a program that is there. */
static void
put_units(const char *service, const char *socket)
{
	char line[1024], text[8192] = "";
	FILE *file = fopen(service, "r");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char *rest = strstr(line, "/kraflad");

		if (!strncmp(line, "ExecStart=", 10) && rest)
			snprintf(line + 10, sizeof(line) - 10, "%s%s", KRAFLAD,
				strstr(service, "user") ? " --user\n" : "\n");
		strncat(text, line, sizeof(text) - strlen(text) - 1);
	}
	fclose(file);
	kr_test_file("kraflad.service", text);
	file = fopen(socket, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	kr_test_file("kraflad.socket", text);
}

static void
need_systemd(void)
{
	if (access("/usr/bin/systemd-analyze", X_OK) || access("/usr/lib/systemd/system", X_OK))
		kr_test_skip("no-systemd", NULL);
}

static void
verify(const char *service, const char *socket, const char *kind)
{
	char paths[2][300];
	int code;

	need_systemd();
	put_units(service, socket);
	snprintf(paths[0], sizeof(paths[0]), "%s/kraflad.service", kr_test_dir());
	snprintf(paths[1], sizeof(paths[1]), "%s/kraflad.socket", kr_test_dir());
	code = daemon_run_once(&run,
		(const char *const[]){"/usr/bin/systemd-analyze", "verify", kind, "--man=no",
			paths[0], paths[1], NULL});
	/* What it says of these files; other units of the machine may be no good. */
	if (strstr(run.said, "kraflad"))
		fail_msg("%s", run.said);
	assert_int_equal(code, 0);
}

static void
system_units(void **state)
{
	verify(UNITS "/kraflad.service", UNIT_SOURCES "/kraflad.socket", "--system");
}

static void
user_units(void **state)
{
	setenv("XDG_RUNTIME_DIR", kr_test_dir(), 1);
	verify(UNITS "/kraflad-user.service", UNIT_SOURCES "/kraflad-user.socket", "--user");
}

/* I-05: "OK" is below 5; what the service needs leaves it at 2. */
static void
exposure(void **state)
{
	char path[300];

	need_systemd();
	put_units(UNITS "/kraflad.service", UNIT_SOURCES "/kraflad.socket");
	snprintf(path, sizeof(path), "%s/kraflad.service", kr_test_dir());
	if (daemon_run_once(&run,
		    (const char *const[]){"/usr/bin/systemd-analyze", "security", "--offline=true",
			    "--threshold=25", "--no-pager", path, NULL}))
		fail_msg("%s", run.said);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(system_units, 0, 60),
	KR_TEST_SLOW(user_units, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(exposure, 0, 60),
};

KR_TEST_MAIN(tests)
