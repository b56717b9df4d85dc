/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client in processes that are killed, stopped, forked, and run out of descriptors while they
 * connect, search and load drivers; the service (a fake) dies and stops as well.
 *
 *   each search ends, with what the service has or with a reason;
 *   a process without trouble finds what there is, and finds it again when the service is gone;
 *   what is open in the end is what loaded libraries keep; a forked child searches for itself.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../profiles/support.h"
#include "client/client.h"
#include "client/connection.h"
#include "discover/discover.h"
#include "fake_service.h"
#include "fake_service_say.h"
#include "harness.h"
#include "kill.h"
#include "util/fd.h"

enum { SERVICE, FIRST, SECOND };
enum { COUNT_FOUND = KILL_COUNT_OWN, COUNT_REASONS, COUNT_IN_CHILDREN };

#define MAX_CLIENTS 64
#define NOTICE_MS   5

/* --- service --- */

struct host {
	struct kill_actor *actor;
	struct fake_service fake;
	struct pollfd fds[1 + MAX_CLIENTS]; /* the listening socket first */
	nfds_t count;
};

/* What a child inherits would keep sockets open that are taken for the service's. */
static void
close_everything(struct kill_actor *actor, void *data)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
}

/*
 * All rounds have one directory, and the service of an earlier one may have died anywhere in here.
 */
static void
offer_once(struct host *host, const char *name, const char *library)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/manifests/%s.json", host->fake.dir, name);
	if (!access(path, F_OK))
		return;
	snprintf(path, sizeof(path), "%s/packages/%s", host->fake.dir, name);
	unlink(path);
	fake_offer(&host->fake, name, library);
}

static void
make_files(struct host *host)
{
	static const char *const names[] = {"manifests", "packages", "dev"};
	char path[PATH_MAX];

	snprintf(host->fake.dir, sizeof(host->fake.dir), "%s", host->actor->board->dir);
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", host->fake.dir, names[i]);
		if (mkdir(path, 0755) && errno != EEXIST)
			kill_complain(host->actor, "no directory: %s", strerror(errno));
	}
	offer_once(host, "0-a.so", TEST_ICD);
	offer_once(host, "1-b.so", TEST_FAKE_B);
}

static bool
listen_there(struct host *host)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return false;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/service", host->fake.dir);
	unlink(address.sun_path);
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) || listen(fd, 64))
		kill_complain(host->actor, "no socket: %s", strerror(errno));
	host->fds[0] = (struct pollfd){.fd = fd, .events = POLLIN};
	host->count = 1;
	return true;
}

/* The fake needs descriptors to answer: without, it closes the connection. */
static void
serve(struct host *host)
{
	for (nfds_t i = host->count - 1; i > 0; i--) {
		if (!host->fds[i].revents ||
			(!kill_is_exhausted(host->actor) &&
				fake_answer(&host->fake, host->fds[i].fd)))
			continue;
		close(host->fds[i].fd);
		host->fds[i] = host->fds[--host->count];
	}
	if (host->fds[0].revents && host->count <= MAX_CLIENTS) {
		int fd = accept4(host->fds[0].fd, NULL, NULL, SOCK_CLOEXEC);

		if (fd >= 0)
			host->fds[host->count++] = (struct pollfd){.fd = fd, .events = POLLIN};
	}
}

static bool
is_gone(struct kill_actor *actor, unsigned link)
{
	struct kill_parcel parcel;
	int fd;

	return kill_receive(actor, link, &parcel, &fd, 0) < 0;
}

static void
play_service(struct kill_actor *actor)
{
	static struct host host;
	struct kill_parcel ready = {0};
	bool first = true, second = true;

	host = (struct host){.actor = actor};
	actor->in_child = close_everything;
	atomic_store(&host.fake.listing, kill_chance(&actor->random, 50));
	make_files(&host);
	if (!listen_there(&host))
		return;
	for (unsigned i = 0; i < 2; i++)
		(void)kill_send(actor, i, &ready, -1);
	while (first || second) {
		kill_step(actor, "serving");
		if (poll(host.fds, host.count, NOTICE_MS) > 0)
			serve(&host);
		first = first && !is_gone(actor, 0);
		second = second && !is_gone(actor, 1);
	}
	while (host.count)
		close(host.fds[--host.count].fd);
}

/* --- clients --- */

/* How many drivers are found. */
static unsigned
search(struct kill_actor *actor)
{
	const struct kr_discover_options options = {.service = kr_client_service()};
	const struct kr_driver_candidate *candidate;
	const struct kr_driver *driver;
	struct kr_driver_list list;
	unsigned found = 0;
	int err = kr_discover_drivers(&options, &list);

	if (err)
		kill_complain(actor, "the search fails: %s", strerror(-err));
	kr_list_for_each (driver, &list.drivers, link)
		found++;
	kr_list_for_each (candidate, &list.candidates, link) {
		if (candidate->verdict != KR_CANDIDATE_USED && !candidate->reason)
			kill_complain(actor, "%s isn't used, for no reason", candidate->path);
	}
	kr_driver_list_finish(&list);
	return found;
}

/* The children's own connection: the parent's would be used by both. */
static void
search_in_child(struct kill_actor *actor, void *data)
{
	(void)search(actor);
	kill_count(actor->board, COUNT_IN_CHILDREN);
	close_everything(actor, NULL);
}

static void
name_service(struct kill_actor *actor)
{
	static const char *const unset[] = {
		"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"};
	char path[PATH_MAX];

	for (size_t i = 0; i < KR_ARRAY_LEN(unset); i++)
		unsetenv(unset[i]);
	set_variable("KRAFLA_PROFILE", "fuchsia");
	set_variable("KRAFLA_CONFIG_ROOT", actor->board->dir);
	snprintf(path, sizeof(path), "%s/service", actor->board->dir);
	set_variable("KRAFLA_SERVICE", path);
	kr_client_limits.answer_ns = KR_NSEC_PER_SEC;
	kr_client_limits.parked_ns = KR_NSEC_PER_SEC;
}

/*
 * Loaded libraries keep theirs for the life of the process: an index and a library, memory objects,
 * for each of two.
 */
static void
close_what_libraries_keep(void)
{
	char link[64], target[PATH_MAX];
	int left = 4;

	for (int fd = 3; fd < 1024 && left; fd++) {
		ssize_t length;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, target, sizeof(target) - 1);
		target[KR_MAX(length, (ssize_t)0)] = '\0';
		if (!strncmp(target, "/memfd:fake", strlen("/memfd:fake"))) {
			close(fd);
			left--;
		}
	}
}

static void
search_often(struct kill_actor *actor)
{
	unsigned rounds = 4 + kill_below(&actor->random, 20), most = 0;

	for (unsigned i = 0; i < rounds; i++) {
		unsigned found;

		kill_step(actor, "searching");
		found = search(actor);
		kill_count(actor->board, found == 2 ? COUNT_FOUND : COUNT_REASONS);
		if (found < 2 && !atomic_load(&actor->board->troubles))
			kill_complain(actor, "%u drivers are found, without trouble", found);
		if (found < most && !atomic_load(&actor->board->counts[KILL_COUNT_EXHAUSTIONS]))
			kill_complain(
				actor, "%u drivers are found, before it were %u", found, most);
		most = KR_MAX(most, found);
	}
}

static void
play_client(struct kill_actor *actor)
{
	struct kill_parcel ready;
	int fd, came;

	actor->in_child = search_in_child;
	kill_step(actor, "waiting for the service");
	came = kill_receive(actor, actor->role - FIRST, &ready, &fd, KILL_PATIENCE_NS);
	if (came == 0)
		kill_complain(actor, "no service comes");
	if (came > 0) {
		name_service(actor);
		search_often(actor);
	}
	kill_step(actor, "ending");
	kr_discover_end();
	kr_client_end();
	kill_calm(actor);
	close_what_libraries_keep();
}

static const struct kill_scenario kill_client = {
	.name = "client",
	.roles = {{"service", play_service}, {"first client", play_client},
		{"second client", play_client}},
	.role_count = 3,
	.links = {{{SERVICE, FIRST}}, {{SERVICE, SECOND}}},
	.link_count = 2,
	.counts = {"searches that found all", "searches with reasons", "searches of children"},
};

/* F-02, F-08: never a hang, never a crash, no descriptor more. */
static void
client(void **state)
{
	assert_true(kill_shortly(&kill_client));
}

static const struct kill_scenario *const scenarios[] = {&kill_client};
static const struct kr_test tests[] = {KR_TEST_SLOW(client, 0, 60)};

int
main(int argc, char **argv)
{
	return kill_main(
		argc, argv, scenarios, KR_ARRAY_LEN(scenarios), tests, KR_ARRAY_LEN(tests));
}
