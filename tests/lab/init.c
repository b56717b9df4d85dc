/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lab's first process: prepares the machine, runs the programs of /lab/list one after the
 * other, each with a time limit, and powers off. What it says goes to the second serial line, a
 * line each, which begins with '@' (init's own words), '>' (output of the program that runs) or '!'
 * (the kernel log meanwhile); scripts/lab.d/machine.py reads it.
 */
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>

#define RESULTS     "/dev/ttyS1"
#define KERNEL_LOG  "/dev/kmsg"
#define MODULES     "/lab/modules"
#define LIST        "/lab/list"
#define DISK        "/dev/vda"
#define MAX_MESSAGE 8192

struct mount_point {
	const char *type, *path, *options;
};

static int results = -1;
static int kernel_log = -1;

void
lab_write(const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(results, data, size);

		if (n < 0 && errno != EINTR)
			return;
		data += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
}

void
lab_say(const char *format, ...)
{
	char line[1024];
	va_list args;
	int used;

	va_start(args, format);
	used = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (used < 0)
		return;
	used = used < (int)sizeof(line) - 1 ? used : (int)sizeof(line) - 2;
	line[used] = '\n';
	lab_write(line, (size_t)used + 1);
}

/* A record is "priority,number,time,flags;text", and lines of details behind it. */
void
lab_copy_kernel_log(void)
{
	char record[MAX_MESSAGE + 1];

	for (;;) {
		ssize_t n = read(kernel_log, record, MAX_MESSAGE);
		char *text;

		if (n < 0 && errno == EPIPE) {
			lab_say("!WARNING: the kernel log ran over, and its oldest part is lost");
			continue;
		}
		if (n <= 0)
			return;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text)
			continue;
		text[strcspn(text, "\n")] = '\0';
		lab_say("!%s", text + 1);
	}
}

static void
prepare_results(void)
{
	struct termios raw;

	results = open(RESULTS, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (results < 0 || tcgetattr(results, &raw))
		return;
	cfmakeraw(&raw);
	tcsetattr(results, TCSANOW, &raw);
}

/*
 * /tmp and /run stay folders of the first file system, in memory too: a build folder
 * may be below them.
 */
static void
mount_all(void)
{
	static const struct mount_point points[] = {
		{"proc", "/proc", NULL},
		{"sysfs", "/sys", NULL},
		{"devtmpfs", "/dev", NULL},
		{"devpts", "/dev/pts", NULL},
		{"tmpfs", "/dev/shm", NULL},
		{"debugfs", "/sys/kernel/debug", NULL},
	};

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		const struct mount_point *p = &points[i];

		mkdir(p->path, 0755);
		if (mount(p->type, p->path, p->type, 0, p->options) && errno != EBUSY) {
			prepare_results();
			lab_say("@error mounting %s: %s", p->path, strerror(errno));
		}
	}
	chmod("/tmp", 01777);
	mkdir("/run/user", 0755);
	mkdir("/run/user/0", 0700);
}

static void
load_module(char *line)
{
	char *space = strchr(line, ' ');
	int fd;

	line[strcspn(line, "\n")] = '\0';
	*space = '\0';
	fd = open(line, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || syscall(SYS_finit_module, fd, space + 1, 0))
		lab_say("@error loading %s: %s", line, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void
load_modules(void)
{
	FILE *file = fopen(MODULES, "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		load_module(line);
	if (file)
		fclose(file);
}

/* The second, bigger image, where scripts/lab gave the machine one. */
static void
mount_disk(void)
{
	if (!access(DISK, F_OK) && mount(DISK, "/disk", "ext4", MS_RDONLY, NULL))
		lab_say("@error mounting %s: %s", DISK, strerror(errno));
}

int
main(void)
{
	struct utsname name;

	mount_all();
	prepare_results();
	kernel_log = open(KERNEL_LOG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	uname(&name);
	lab_say("@kernel %s", name.release);
	load_modules();
	mount_disk();
	lab_copy_kernel_log();
	lab_run_list(LIST);
	lab_say("@done");
	tcdrain(results);
	reboot(RB_POWER_OFF);
	return 1;
}
