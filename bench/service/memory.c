/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each client costs the service: connected, with manifests and a package, against none; and
 * twice as many more against these, because the first ones find some memory that is free.
 * The clients are held by children, so that their descriptors fit; what they hold is compared, too,
 * since copies would be other files.
 */
#include "bench/service/service.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/service/client.h"

#define HOLDERS     40 /* of the first clients; each has some 600 descriptors */
#define STEPS       3
#define MAX_HOLDERS (STEPS * HOLDERS)

/* Of kraflad and its child, in bytes; of the kernel's slabs. */
struct usage {
	double pss, dirty, mounts, slab;
};

static double
sum_lines(const char *path, const char *const *words)
{
	FILE *file = fopen(path, "re");
	char line[256], word[64];
	double sum = 0, value;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %lf", word, &value) != 2)
			continue;
		for (size_t i = 0; words[i]; i++) {
			if (!strcmp(word, words[i]))
				sum += value;
		}
	}
	if (file)
		fclose(file);
	return sum;
}

static void
add_process(pid_t pid, struct usage *usage)
{
	static const char *const pss[] = {"Pss:", NULL};
	static const char *const dirty[] = {"Private_Dirty:", NULL};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	usage->pss += sum_lines(path, pss) * 1024;
	usage->dirty += sum_lines(path, dirty) * 1024;
}

/* The service's child makes its mounts. */
static void
measure_usage(pid_t pid, struct usage *usage)
{
	static const char *const mounts[] = {"mnt_cache", NULL};
	static const char *const slab[] = {"Slab:", NULL};
	char path[64];
	FILE *file;
	int child;

	*usage = (struct usage){0};
	add_process(pid, usage);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		add_process(child, usage);
	if (file)
		fclose(file);
	usage->mounts = sum_lines("/proc/slabinfo", mounts);
	usage->slab = sum_lines("/proc/meminfo", slab) * 1024;
}

/* The sum over the files that a client was given, of numbers that tell a file from every other. */
static uint64_t
identify(const struct service_client *client)
{
	const struct kr_answer *package = &client->package;
	uint64_t sum = 0;

	for (size_t i = 0; i < package->fd_count; i++) {
		struct stat st = {0};

		fstat(package->fds[i], &st);
		sum = sum * 31 + st.st_dev * 1000003 + st.st_ino;
	}
	return sum;
}

/*
 * In a child: so many clients. Tells the sum for each through `socket`, 0 for one that failed, then
 * holds them until the socket's end.
 */
static void
hold_clients(struct service_rig *rig, const char *name, unsigned count, int socket)
{
	struct service_client *clients = calloc(count, sizeof(*clients));
	char end;

	for (unsigned i = 0; clients && i < count; i++) {
		uint64_t sum = 0;

		if (!service_client_open(rig, &clients[i])) {
			snprintf(clients[i].name, sizeof(clients[i].name), "%s", name);
			if (!service_client_get(rig, &clients[i]))
				sum = identify(&clients[i]);
		}
		if (!sum)
			fprintf(stderr, "krafla-bench: %s\n", rig->reason);
		if (write(socket, &sum, sizeof(sum)) != sizeof(sum))
			_exit(1);
	}
	(void)!read(socket, &end, 1);
	_exit(0);
}

struct holders {
	int sockets[MAX_HOLDERS];
	pid_t pids[MAX_HOLDERS];
	unsigned count;
};

static int
start_holder(struct service_rig *rig, struct holders *holders, const char *name, unsigned clients)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return 1;
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		for (unsigned i = 0; i < holders->count; i++)
			close(holders->sockets[i]);
		hold_clients(rig, name, clients, ends[1]);
	}
	close(ends[1]);
	holders->sockets[holders->count] = ends[0];
	holders->pids[holders->count++] = pid;
	return pid < 0;
}

static void
end_holders(struct holders *holders)
{
	for (unsigned i = 0; i < holders->count; i++) {
		close(holders->sockets[i]);
		if (holders->pids[i] > 0)
			waitpid(holders->pids[i], NULL, 0);
	}
	holders->count = 0;
}

/*
 * More clients, `each` for so many holders; *others grows by those that have other
 * files than `sum` says.
 */
static int
start_clients(struct service_rig *rig, struct holders *holders, const struct service_client *first,
	uint64_t sum, unsigned count, unsigned each, unsigned *others)
{
	unsigned begin = holders->count;

	for (unsigned i = 0; i < count; i++) {
		if (start_holder(rig, holders, first->name, each))
			return service_rig_fail(rig, "a holder of clients", strerror(errno));
	}
	for (unsigned i = begin; i < holders->count; i++) {
		for (unsigned k = 0; k < each; k++) {
			uint64_t other;

			if (recv(holders->sockets[i], &other, sizeof(other), MSG_WAITALL) !=
					sizeof(other) ||
				!other)
				return service_rig_fail(rig, "a client", "got no package");
			*others += other != sum;
		}
	}
	return 0;
}

static void
report_one(
	struct kr_bench *bench, const char *what, const char *kind, const char *unit, double value)
{
	char name[128];

	snprintf(name, sizeof(name), "service: %s, by %s", what, kind);
	kr_bench_row(bench, name, unit, value, NULL, 0, 0);
}

static void
report(struct kr_bench *bench, const char *kind, unsigned clients, const struct usage usage[STEPS])
{
	const struct usage *none = &usage[0], *some = &usage[1], *all = &usage[2];
	double more = (STEPS - 1) * clients;
	char what[96];

	report_one(bench, "private dirty memory, no client", kind, "B", none->dirty);
	snprintf(what, sizeof(what), "memory (PSS) a client, of %u", clients);
	report_one(bench, what, kind, "B", (some->pss - none->pss) / clients);
	report_one(
		bench, "memory (PSS) a client, beyond", kind, "B", (all->pss - some->pss) / more);
	report_one(bench, "private dirty memory a client, beyond", kind, "B",
		(all->dirty - some->dirty) / more);
	report_one(bench, "kernel memory (slab) a client, both ends", kind, "B",
		(all->slab - none->slab) / (more + clients));
	if (none->mounts > 0)
		report_one(bench, "mounts in the kernel a client", kind, "",
			(all->mounts - none->mounts) / (more + clients));
	else
		kr_bench_skip(bench, "service: mounts in the kernel a client",
			"/proc/slabinfo doesn't tell them");
}

static int
measure(struct kr_bench *bench, struct service_rig *rig, const char *kind, struct holders *holders)
{
	unsigned clients = bench->quick ? 120 : 1000, others = 0;
	struct usage usage[STEPS];
	struct service_client first;
	uint64_t sum;
	int ret = service_client_first(rig, &first);

	if (ret)
		return ret;
	sum = identify(&first);
	service_client_close(&first);
	measure_usage(rig->pid, &usage[0]);
	for (unsigned i = 1; i < STEPS && !ret; i++) {
		ret = start_clients(
			rig, holders, &first, sum, i * HOLDERS, clients / HOLDERS, &others);
		measure_usage(rig->pid, &usage[i]);
	}
	if (ret)
		return ret;
	report(bench, kind, clients, usage);
	report_one(bench, "clients with other files than the first", kind, "", others);
	return 0;
}

void
service_memory(struct kr_bench *bench, struct service_rig *rig, const char *kind)
{
	struct holders holders = {0};
	char name[96];

	snprintf(name, sizeof(name), "service: memory a client, by %s", kind);
	if (measure(bench, rig, kind, &holders))
		kr_bench_skip(bench, name, rig->reason);
	end_holders(&holders);
}
