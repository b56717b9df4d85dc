/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver libraries of the service: each name is asked for and loaded once in the life of the
 * process (F-04), by whichever thread needs it first. What didn't fit this process stays refused;
 * what failed for want of memory, descriptors or an answer may be tried again.
 */
#include "client/internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <krafla/open_in_namespace.h>
#include "delivery/delivery.h"
#include "util/clock.h"
#include "util/text.h"
#include "wire/service.h"

#define INITIALIZE "vk_icdInitializeOpenInNamespaceCallback"

static struct kr_client_driver *
find_locked(struct kr_client *client, const char *name)
{
	struct kr_client_driver *driver;

	kr_list_for_each (driver, &client->drivers, link) {
		if (!driver->inherited && !strcmp(driver->name, name))
			return driver;
	}
	return NULL;
}

static struct kr_client_driver *
add_locked(struct kr_client *client, const char *name)
{
	struct kr_client_driver *driver = calloc(1, sizeof(*driver));

	if (!driver)
		return NULL;
	driver->name = strdup(name);
	if (!driver->name) {
		free(driver);
		return NULL;
	}
	driver->loading = true;
	kr_list_append(&client->drivers, &driver->link);
	return driver;
}

/*
 * The code that a driver may call must stay while the driver does: this library is never unloaded
 * from here on.
 */
static void
stay(void)
{
	Dl_info info;

	if (dladdr((const void *)(uintptr_t)kr_client_open_in_namespace, &info) && info.dli_fname)
		(void)dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* The same library, before this process was forked. */
static bool
was_introduced(struct kr_client *client, const void *dso)
{
	const struct kr_client_driver *driver;
	bool found = false;

	kr_mutex_lock(&client->lock);
	kr_list_for_each (driver, &client->drivers, link)
		found |= driver->dso == dso;
	kr_mutex_unlock(&client->lock);
	return found;
}

/* F-05: before any other call. */
static int
introduce(void *dso, const char *name, char **reason)
{
	PFN_vk_icdInitializeOpenInNamespaceCallback initialize =
		(PFN_vk_icdInitializeOpenInNamespaceCallback)(uintptr_t)dlsym(dso, INITIALIZE);
	VkResult result;

	if (!initialize)
		return 0;
	stay();
	result = initialize(kr_client_open_in_namespace);
	if (result == VK_SUCCESS)
		return 0;
	*reason = kr_asprintf("%s: " INITIALIZE " failed (VkResult %d)", name, result);
	return -EINVAL;
}

static int
take_package(struct kr_client *client, const char *name, struct kr_answer *answer,
	struct kr_delivery **delivery, char **reason)
{
	enum kr_delivery_kind kind = answer->message.package.kind;
	size_t count = answer->fd_count;

	if (kind == KR_DELIVERY_NONE && !count) {
		atomic_fetch_add(&client->vanished, 1);
		*reason = kr_asprintf("the loader service has no %s any more", name);
		return -ENOENT;
	}
	if ((kind != KR_DELIVERY_MOUNT || count != 1) && (kind != KR_DELIVERY_MEMORY || !count)) {
		*reason = kr_asprintf(
			"the loader service gives %s in a form that isn't known here", name);
		return -EPROTO;
	}
	answer->fd_count = 0;
	return kr_delivery_take(kind, answer->fds, count, delivery, reason);
}

/* Asks for the package: the one part that others must wait for. */
static int
get(struct kr_client *client, const char *name, struct kr_delivery **delivery, char **reason)
{
	struct kr_ls_message request = {.type = KR_LS_GET};
	struct kr_answer answer;
	int err;

	if (strlen(name) >= sizeof(request.get.name)) {
		*reason = kr_asprintf("%s: too long a name for the loader service", name);
		return -EINVAL;
	}
	memcpy(request.get.name, name, strlen(name));
	err = kr_client_begin(client, reason);
	if (err)
		return err;
	err = kr_client_ask(client, &request, KR_LS_PACKAGE, true, &answer, reason);
	kr_client_done(client);
	if (err)
		return err;
	err = take_package(client, name, &answer, delivery, reason);
	kr_answer_finish(&answer);
	return err;
}

static int
load(struct kr_client *client, const char *name, void **dso, char **reason)
{
	struct kr_delivery *delivery;
	int err = get(client, name, &delivery, reason);

	if (err)
		return err;
	err = kr_delivery_load(delivery, dso, reason);
	kr_delivery_destroy(delivery);
	if (err || was_introduced(client, *dso))
		return err;
	return introduce(*dso, name, reason);
}

/* Whether trying again would end the same way. */
static bool
is_final(int error)
{
	switch (error) {
	case -ENOEXEC:
	case -ELIBACC:
	case -EINVAL:
	case -EPERM:
		return true;
	default:
		return false;
	}
}

static int
answer_locked(const struct kr_client_driver *driver, void **dso, char **reason)
{
	if (driver->dso) {
		*dso = driver->dso;
		return 0;
	}
	*reason = driver->reason ? strdup(driver->reason) : NULL;
	return *reason ? driver->error : -ENOMEM;
}

/*
 * The entry of a name: *mine when it is for this thread to load. NULL with *error: no memory, or
 * another thread has been loading it for too long.
 */
static struct kr_client_driver *
enter_locked(struct kr_client *client, const char *name, bool *mine, int *error)
	KR_REQUIRES(client->lock)
{
	int64_t deadline = kr_deadline_in((uint64_t)kr_client_limits.turn_ns);
	struct kr_client_driver *driver;
	int err = 0;

	*mine = false;
	while ((driver = find_locked(client, name)) && driver->loading && err != -ETIMEDOUT)
		err = kr_cond_wait_until(&client->changed, &client->lock, deadline);
	*error = driver ? -ETIMEDOUT : -ENOMEM;
	if (driver)
		return driver->loading ? NULL : driver;
	*mine = true;
	return add_locked(client, name);
}

/* What came of it, for this thread and those that wait. */
static void
settle(struct kr_client *client, struct kr_client_driver *driver, int error, void *dso,
	const char *reason)
{
	kr_mutex_lock(&client->lock);
	driver->loading = false;
	if (!error) {
		driver->dso = dso;
	} else if (is_final(error) && reason) {
		driver->error = error;
		driver->reason = strdup(reason);
	}
	if (!driver->dso && !driver->reason)
		kr_client_driver_destroy(driver);
	kr_cond_broadcast(&client->changed);
	kr_mutex_unlock(&client->lock);
}

int
kr_client_open_library(struct kr_client *client, const char *library, void **dso, char **reason)
{
	struct kr_client_driver *driver;
	bool mine;
	int err;

	*reason = NULL;
	kr_mutex_lock(&client->lock);
	driver = enter_locked(client, library, &mine, &err);
	if (driver && !mine)
		err = answer_locked(driver, dso, reason);
	kr_mutex_unlock(&client->lock);
	if (driver && mine) {
		err = load(client, library, dso, reason);
		settle(client, driver, err, err ? NULL : *dso, *reason);
	} else if (!driver && err == -ETIMEDOUT) {
		*reason = kr_asprintf("another thread has been loading %s for %d s", library,
			(int)(kr_client_limits.turn_ns / KR_NSEC_PER_SEC));
	}
	return err;
}
