/* SPDX-License-Identifier: Apache-2.0 */
/* Driver libraries: see library.h. */
#include "discover/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "discover/service.h"
#include "manifest/elf_file.h"
#include "util/library.h"
#include "util/log.h"
#include "util/mutex.h"
#include "util/text.h"

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct kr_list libraries KR_GUARDED_BY(lock) = KR_LIST_INITIALIZER(libraries);

static struct kr_driver_library *
find_locked(enum kr_driver_source source, const char *path) KR_REQUIRES(lock)
{
	struct kr_driver_library *library;

	kr_list_for_each (library, &libraries, link) {
		if (library->source == source && !strcmp(library->path, path))
			return library;
	}
	return NULL;
}

static struct kr_driver_library *
find(enum kr_driver_source source, const char *path)
{
	struct kr_driver_library *library;

	kr_mutex_lock(&lock);
	library = find_locked(source, path);
	if (library)
		library->refs++;
	kr_mutex_unlock(&lock);
	return library;
}

static void
close_library(struct kr_driver_library *library)
{
	if (library->hal && library->hal->common.close)
		library->hal->common.close(&library->hal->common);
	if (!library->stays)
		kr_library_close(library->dso);
	free(library->path);
	free(library);
}

/*
 * Why dlopen refuses a file, as far as its first bytes tell; that is clearer than what dlerror
 * says. A bare name is searched for by dlopen, which knows to pass over what doesn't fit.
 */
static int
check_file(const char *path, char **reason)
{
	char *why = NULL;
	int ret = strchr(path, '/') ? kr_elf_check(path, &why) : 0;

	if (ret)
		*reason = why ? kr_asprintf("%s can't be used: %s", path, why) : NULL;
	free(why);
	return ret;
}

static int
open_dso(enum kr_driver_source source, const char *path, const char *origin, void **dso,
	char **reason)
{
	const char *error;
	int ret;

	if (source == KR_DRIVER_MANIFEST)
		kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER, "Searching for ICD drivers named %s", path);
	kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER, "Opening driver %s (%s%s)", path,
		source == KR_DRIVER_MANIFEST ? "manifest " : "", origin);
	*dso = kr_library_load(
		path, (source == KR_DRIVER_HAL ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL, &error);
	if (*dso)
		return 0;
	ret = check_file(path, reason);
	if (ret)
		return ret;
	*reason = kr_asprintf("%s can't be opened: %s", path, error);
	return -ELIBACC;
}

static struct kr_driver_library *
create(enum kr_driver_source source, const char *path)
{
	struct kr_driver_library *library = calloc(1, sizeof(*library));

	if (!library)
		return NULL;
	kr_list_init(&library->link);
	library->source = source;
	library->refs = 1;
	library->path = strdup(path);
	if (library->path)
		return library;
	free(library);
	return NULL;
}

/* Into the list, unless another thread was faster: then that one's, which has the same dso. */
static struct kr_driver_library *
publish(struct kr_driver_library *take_library)
{
	struct kr_driver_library *other;

	kr_mutex_lock(&lock);
	other = find_locked(take_library->source, take_library->path);
	if (other)
		other->refs++;
	else
		kr_list_append(&libraries, &take_library->link);
	kr_mutex_unlock(&lock);
	if (!other)
		return take_library;
	close_library(take_library);
	return other;
}

int
kr_driver_library_open(enum kr_driver_source source, const char *path, const char *origin,
	struct kr_driver_library **library, char **reason)
{
	struct kr_driver_library *new;
	int ret;

	*library = find(source, path);
	if (*library)
		return 0;
	new = create(source, path);
	if (!new)
		return -ENOMEM;
	ret = open_dso(source, path, origin, &new->dso, reason);
	if (ret) {
		close_library(new);
		return ret;
	}
	*library = publish(new);
	return 0;
}

int
kr_driver_library_adopt(enum kr_driver_source source, const char *path, void *dso,
	struct kr_driver_library **library)
{
	struct kr_driver_library *new = create(source, path);

	if (!new)
		return -ENOMEM;
	new->dso = dso;
	new->stays = true;
	*library = publish(new);
	return 0;
}

int
kr_driver_library_open_served(struct kr_driver_service *service, const char *name,
	const char *origin, struct kr_driver_library **library, char **reason)
{
	char *key = kr_asprintf(KR_SERVICE_SCHEME "%s", name);
	void *dso;
	int ret = 0;

	if (!key)
		return -ENOMEM;
	*library = find(KR_DRIVER_MANIFEST, key);
	if (!*library) {
		kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER, "Opening driver %s (manifest %s)", key,
			origin);
		ret = service->impl->open_library(service, name, &dso, reason);
		if (!ret)
			ret = kr_driver_library_adopt(KR_DRIVER_MANIFEST, key, dso, library);
	}
	free(key);
	return ret;
}

struct kr_driver_library *
kr_driver_library_ref(struct kr_driver_library *library)
{
	kr_mutex_lock(&lock);
	library->refs++;
	kr_mutex_unlock(&lock);
	return library;
}

void
kr_driver_library_unref(struct kr_driver_library *library)
{
	bool last;

	if (!library)
		return;
	kr_mutex_lock(&lock);
	last = --library->refs == 0;
	if (last)
		kr_list_remove(&library->link);
	kr_mutex_unlock(&lock);
	if (last)
		close_library(library);
}
