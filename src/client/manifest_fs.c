/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manifests that the service serves now. A directory is asked for once and read again when it
 * has changed, which costs one fstat; a listing is asked for each time. When the service is gone,
 * what it served last stays.
 */
#include "client/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "delivery/delivery.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/text.h"
#include "wire/service.h"

/* Far more than the grain of a file system's times. */
#define SETTLED_S 1

/*
 * Notes the directory's time. Of two changes within a grain of the clock the second one doesn't
 * show, so a time that is young is worth nothing.
 */
static bool
has_changed(struct kr_client *client)
{
	struct timespec now;
	struct stat status;
	bool changed;

	clock_gettime(CLOCK_REALTIME, &now);
	if (fstat(client->directory.fd, &status))
		return true;
	changed = !client->directory_settled ||
		status.st_mtim.tv_sec != client->directory_changed.tv_sec ||
		status.st_mtim.tv_nsec != client->directory_changed.tv_nsec;
	client->directory_changed = status.st_mtim;
	client->directory_settled = now.tv_sec - status.st_mtim.tv_sec > SETTLED_S;
	return changed;
}

static void
replace(struct kr_client *client, struct kr_manifests *take_manifests)
{
	kr_manifests_unref(client->manifests);
	client->manifests = take_manifests;
}

/* The directory first notes its time, then is read: what comes between is seen next time. */
static int
read_directory(struct kr_client *client, bool again, char **reason)
{
	struct kr_manifests *manifests;
	bool changed = has_changed(client);
	int err;

	if (client->manifests && !changed && !again)
		return 0;
	err = kr_manifests_read_directory(client->directory.fd, &manifests, reason);
	if (err)
		client->directory_settled = false;
	else
		replace(client, manifests);
	return err;
}

static int
ask(struct kr_client *client, bool idle, struct kr_answer *answer, char **reason)
{
	struct kr_ls_message request = {
		.type = KR_LS_MANIFEST_FS,
		.manifest_fs = {.options = idle ? KR_SERVICE_WAIT_FOR_IDLE : 0},
	};

	return kr_client_ask(client, &request, KR_LS_MANIFESTS, idle, answer, reason);
}

/*
 * Waits until devices have been looked at, the first time; a service that takes too long is asked
 * for what it has.
 */
static int
ask_patiently(struct kr_client *client, struct kr_answer *answer, char **reason)
{
	bool idle = !client->waited_for_idle;
	int err = ask(client, idle, answer, reason);

	if (err == -ETIMEDOUT && idle && client->state == KR_CLIENT_CONNECTED) {
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER, "%s; what it has by now is used",
			*reason ? *reason : "the loader service is late");
		free(*reason);
		*reason = NULL;
		err = ask(client, false, answer, reason);
	}
	if (!err)
		client->waited_for_idle = true;
	return err;
}

static int
take_answer(struct kr_client *client, struct kr_answer *answer, char **reason)
{
	struct kr_manifests *manifests;
	struct stat status;
	int err;

	switch (answer->message.manifests.kind) {
	case KR_DELIVERY_MOUNT:
		if (fstat(answer->fds[0], &status) || !S_ISDIR(status.st_mode))
			break;
		client->directory = kr_kept_fd_take(answer->fds[0]);
		answer->fd_count = 0;
		client->directory_settled = false;
		return read_directory(client, true, reason);
	case KR_DELIVERY_MEMORY:
		err = kr_manifests_read_listing(answer->fds[0], &manifests, reason);
		if (!err)
			replace(client, manifests);
		return err;
	default:
		break;
	}
	*reason = kr_asprintf(
		"the loader service at %s gives manifests in a form that isn't known here",
		client->socket);
	return -EPROTO;
}

/*
 * With the right to talk. `again`: also when nothing seems to have changed. A directory that was
 * closed is asked for.
 */
static int
update(struct kr_client *client, bool again, char **reason)
{
	struct kr_answer answer;
	int err;

	if (kr_kept_fd_is_there(&client->directory))
		return read_directory(client, again, reason);
	err = ask_patiently(client, &answer, reason);
	if (err)
		return err;
	err = take_answer(client, &answer, reason);
	kr_answer_finish(&answer);
	return err;
}

/* A picture of now, or of the last time. A reference; NULL with -errno and its sentence. */
static int
look(struct kr_client *client, bool again, struct kr_manifests **manifests, char **reason)
{
	int err = kr_client_begin(client, reason);

	if (err)
		return err;
	err = update(client, again, reason);
	if (err && err != -ENOMEM && client->manifests) {
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER, "%s; what it had last is used",
			*reason ? *reason : strerror(-err));
		free(*reason);
		*reason = NULL;
		err = 0;
	}
	if (!err)
		*manifests = kr_manifests_ref(client->manifests);
	kr_client_done(client);
	return err;
}

static int
visit(const struct kr_manifests *manifests, const struct kr_manifests *visited,
	kr_service_manifest_fn each, void *data)
{
	int ret = 0;

	for (size_t i = 0; i < manifests->count && !ret; i++) {
		const struct kr_manifests_file *file = &manifests->files[i];

		if (!visited || !kr_manifests_have(visited, file->name))
			ret = each(data, file->name, file->text, file->size);
	}
	return ret;
}

/*
 * What was replaced between reading a manifest and asking for its library has another name by now:
 * then what is new is visited, too, once.
 */
int
kr_client_for_each_manifest(
	struct kr_client *client, kr_service_manifest_fn each, void *data, char **reason)
{
	unsigned vanished = atomic_load(&client->vanished);
	struct kr_manifests *first, *second;
	int ret;

	*reason = NULL;
	ret = look(client, false, &first, reason);
	if (ret)
		return ret;
	ret = visit(first, NULL, each, data);
	if (!ret && atomic_load(&client->vanished) != vanished) {
		ret = look(client, true, &second, reason);
		if (!ret) {
			ret = visit(second, first, each, data);
			kr_manifests_unref(second);
		}
	}
	kr_manifests_unref(first);
	return ret;
}
