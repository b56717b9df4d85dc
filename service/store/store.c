/* SPDX-License-Identifier: Apache-2.0 */
/* The store itself: see store.h. */
#include "service/store/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "util/fd.h"
#include "util/log.h"

static const char gone[] = "the process that makes the mounts has ended";

/*
 * Each package keeps its files open, as memory objects once more, and answers on their way to
 * clients count too:
 * as many as this user may have.
 */
static void
raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		kr_warn("the limit of open descriptors can't be raised");
}

int
kr_store_create(enum kr_config_delivery choice, struct kr_store **out, char **reason)
{
	struct kr_store *store = calloc(1, sizeof(*store));
	int ret = 0;

	*reason = NULL;
	if (!store)
		return -ENOMEM;
	store->choice = choice;
	kr_list_init(&store->generations);
	raise_limit();
	if (choice != KR_DELIVER_MEMORY)
		ret = kr_mounts_start(&store->mounts, &store->reason);
	if (ret && choice == KR_DELIVER_MOUNT) {
		*reason = store->reason;
		free(store);
		return ret;
	}
	if (ret)
		kr_log(KR_LOG_WARN | KR_LOG_LOUD,
			"drivers are given as copies in memory, not as mounts: %s",
			store->reason ? store->reason : "out of memory");
	*out = store;
	return 0;
}

void
kr_store_destroy(struct kr_store *store)
{
	if (!store)
		return;
	kr_mounts_stop(store->mounts);
	free(store->reason);
	free(store);
}

int
kr_store_directory(const struct kr_store *store)
{
	return store->mounts ? kr_mounts_directory(store->mounts) : -1;
}

const char *
kr_store_why_memory(const struct kr_store *store)
{
	if (store->choice == KR_DELIVER_MEMORY)
		return "the configuration says so";
	if (!store->mounts)
		return store->reason ? store->reason : "out of memory";
	return kr_mounts_pid(store->mounts) < 0 ? gone : NULL;
}

json_t *
kr_store_inspect(const struct kr_store *store)
{
	const char *why = kr_store_why_memory(store);
	const pid_t pid = store->mounts ? kr_mounts_pid(store->mounts) : -1;
	struct rlimit limit = {0};

	getrlimit(RLIMIT_NOFILE, &limit);
	return json_pack("{s:s, s:s?, s:o, s:I}", "delivery", why ? "memory" : "mount", "reason",
		why, "process", pid > 0 ? json_integer(pid) : json_null(), "descriptors",
		(json_int_t)limit.rlim_cur);
}

void
kr_given_finish(struct kr_given *given)
{
	for (size_t i = 0; i < given->count; i++)
		kr_fd_close(&given->fds[i]);
	given->count = 0;
	given->kind = KR_DELIVERY_NONE;
}
