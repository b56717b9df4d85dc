/* SPDX-License-Identifier: Apache-2.0 */
/* kraflad for a benchmark: its directory, its packages, its start and its end. */
#include "bench/service/rig.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int
service_rig_fail(struct service_rig *rig, const char *what, const char *why)
{
	snprintf(rig->reason, sizeof(rig->reason), "%s: %s", what, why);
	return 1;
}

static int
fail_errno(struct service_rig *rig, const char *what)
{
	return service_rig_fail(rig, what, strerror(errno));
}

int
service_rig_create(struct kr_bench *bench, struct service_rig *rig)
{
	char self[SERVICE_PATH];

	memset(rig, 0, sizeof(*rig));
	snprintf(self, sizeof(self), "%s", bench->self);
	snprintf(rig->prefix, sizeof(rig->prefix), "%s", dirname(dirname(self)));
	strcpy(rig->root, "/tmp/krafla-bench.XXXXXX");
	if (!mkdtemp(rig->root)) {
		rig->root[0] = '\0';
		return fail_errno(rig, "/tmp");
	}
	snprintf(rig->socket, sizeof(rig->socket), "%s/socket", rig->root);
	snprintf(rig->packages, sizeof(rig->packages), "%s/packages", rig->root);
	snprintf(rig->dev, sizeof(rig->dev), "%s/dev", rig->root);
	snprintf(rig->sys, sizeof(rig->sys), "%s/sys", rig->root);
	/* Clients of the sandbox may be of another user. */
	if (chmod(rig->root, 0755) || mkdir(rig->packages, 0755) || mkdir(rig->dev, 0755) ||
		mkdir(rig->sys, 0755))
		return fail_errno(rig, rig->root);
	return 0;
}

int
service_rig_write(struct service_rig *rig, const char *path, const char *text)
{
	char full[2 * SERVICE_PATH];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", rig->root, path);
	for (char *slash = full + strlen(rig->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(full, 0755) && errno != EEXIST)
			return fail_errno(rig, full);
		*slash = '/';
	}
	file = fopen(full, "we");
	if (!file)
		return fail_errno(rig, full);
	return fputs(text, file) < 0 || fclose(file) ? fail_errno(rig, full) : 0;
}

/* What programs say goes to a file; its last words are the reason when one fails. */
static pid_t
start_program(struct service_rig *rig, const char *const *argv)
{
	char log[SERVICE_PATH];
	pid_t pid;
	int fd;

	snprintf(log, sizeof(log), "%s/log", rig->root);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* nothing stays when the benchmark is killed */
	fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	execv(argv[0], (char *const *)argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int
service_rig_fail_logged(struct service_rig *rig, const char *what)
{
	char path[SERVICE_PATH], text[320] = "";
	FILE *file;
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/log", rig->root);
	file = fopen(path, "re");
	if (file) {
		len = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return service_rig_fail(rig, what, *text ? text : "failed without a word");
}

int
service_rig_package(struct service_rig *rig, const char *manifest, const char *name)
{
	char krafla[SERVICE_PATH + 16], directory[2 * SERVICE_PATH];
	const char *argv[] = {krafla, "package", manifest, "-o", directory, NULL};
	int status = -1;
	pid_t pid;

	snprintf(krafla, sizeof(krafla), "%s/bin/krafla", rig->prefix);
	snprintf(directory, sizeof(directory), "%s/%s", rig->packages, name);
	pid = start_program(rig, argv);
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return service_rig_fail_logged(rig, "krafla package");
}

static int
write_settings(struct service_rig *rig, const char *delivery, json_t *take_settings)
{
	json_t *all = json_pack("{s:s, s:[s], s:s, s:s, s:s, s:b, s:s, s:i, s:i, s:i}", "socket",
		rig->socket, "packages", rig->packages, "dev", rig->dev, "sys", rig->sys, "events",
		"inotify", "probe", 0, "delivery", delivery, "max_clients", 4096,
		"max_clients_of_a_user", 4096, "max_clients_of_a_process", 4096);
	char *text;
	int ret;

	json_object_update(all, take_settings);
	json_decref(take_settings);
	text = json_dumps(all, JSON_INDENT(1));
	json_decref(all);
	ret = text ? service_rig_write(rig, "kraflad.json", text) : fail_errno(rig, "kraflad.json");
	free(text);
	return ret;
}

int
service_rig_start(struct service_rig *rig, const char *delivery, json_t *take_settings)
{
	char kraflad[SERVICE_PATH + 16], config[SERVICE_PATH];
	const char *argv[] = {kraflad, "--config", config, NULL};

	snprintf(kraflad, sizeof(kraflad), "%s/bin/kraflad", rig->prefix);
	snprintf(config, sizeof(config), "%s/kraflad.json", rig->root);
	if (write_settings(rig, delivery, take_settings))
		return 1;
	rig->pid = start_program(rig, argv);
	if (rig->pid < 0) {
		rig->pid = 0;
		return fail_errno(rig, "fork");
	}
	return 0;
}

void
service_rig_stop(struct service_rig *rig)
{
	if (!rig->pid)
		return;
	kill(rig->pid, SIGTERM);
	waitpid(rig->pid, NULL, 0);
	rig->pid = 0;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

void
service_rig_remove(struct service_rig *rig)
{
	service_rig_stop(rig);
	if (rig->root[0] && nftw(rig->root, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		fprintf(stderr, "krafla-bench: %s can't be removed: %s\n", rig->root,
			strerror(errno));
	rig->root[0] = '\0';
}
