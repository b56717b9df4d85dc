/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a loader service for a driver: see parcel.h. */
#include "tools/deliver/parcel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/connection.h"
#include "client/manifests.h"
#include "manifest/driver_manifest.h"
#include "tools/command/command.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/text.h"
#include "wire/service.h"

/* --- nodes --- */

#define MAX_LISTING (1024 * 1024)

/* "dri/renderD128" of files in a directory and in those below it. Takes the descriptor. */
static void
add_nodes_of(int take_directory, const char *below, struct kr_words *nodes)
{
	DIR *dir = fdopendir(take_directory);
	const struct dirent *entry;

	if (!dir)
		close(take_directory);
	while (dir && (entry = readdir(dir))) {
		char *path =
			entry->d_name[0] == '.' ? NULL : kr_asprintf("%s%s", below, entry->d_name);
		char *deeper = path && !*below ? kr_asprintf("%s/", path) : NULL;
		int fd = deeper ? openat(take_directory, entry->d_name,
					  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
				: -1;

		if (fd >= 0)
			add_nodes_of(fd, deeper, nodes);
		else if (path)
			kr_words_add(nodes, path);
		free(deeper);
		free(path);
	}
	if (dir)
		closedir(dir);
}

static void
add_nodes_listed(int memory, struct kr_words *nodes)
{
	char *text = malloc(MAX_LISTING);
	ssize_t size = text ? pread(memory, text, MAX_LISTING, 0) : -1;
	json_t *root = size > 0 ? json_loadb(text, (size_t)size, 0, NULL) : NULL;
	const json_t *file;
	size_t i;

	json_array_foreach(json_object_get(root, "files"), i, file)
	{
		const char *name = json_string_value(json_object_get(file, "name"));

		if (name)
			kr_words_add(nodes, name);
	}
	json_decref(root);
	free(text);
}

/* --- choosing --- */

struct choice {
	const char *wanted;
	char *library; /* its name for the service; NULL: none yet */
	uint32_t api_version;
	struct kr_words found;
};

/* "libvulkan_lvp.so" of "0-libvulkan_lvp.so". */
static const char *
plain_name(const char *library)
{
	size_t digits = strspn(library, "0123456789");

	return digits && library[digits] == '-' ? library + digits + 1 : library;
}

static void
consider(struct choice *choice, const struct kr_manifests_file *file)
{
	struct kr_manifest_driver manifest;
	const char *name;
	char *reason = NULL;

	if (kr_manifest_driver_parse(file->name, file->text, file->size, &manifest, &reason)) {
		free(reason);
		return;
	}
	name = plain_name(manifest.library_path);
	kr_words_add(&choice->found, name);
	/* They come in the order of their numbers. */
	if (!choice->library &&
		(!choice->wanted || kr_deliver_is_named(choice->wanted, name, file->name))) {
		choice->library = strdup(manifest.library_path);
		choice->api_version = manifest.api_version;
	}
	kr_manifest_driver_finish(&manifest);
}

static void
tell_none(const char *path, const struct choice *choice)
{
	if (choice->wanted)
		kr_complain("deliver", "the loader service at %s offers no driver '%s'%s", path,
			choice->wanted, choice->found.count ? "; it offers:" : ", nor any other");
	else
		kr_complain("deliver", "the loader service at %s offers no driver", path);
	for (size_t i = 0; i < choice->found.count; i++)
		fprintf(stderr, "  %s\n", choice->found.items[i]);
}

/* --- asking --- */

static int
ask(struct kr_connection *connection, struct kr_ls_message *request, enum kr_ls_type expected,
	struct kr_answer *answer)
{
	char *reason = NULL;
	int err = kr_connection_ask(connection, request, expected, true, answer, &reason);

	if (err)
		kr_complain("deliver", "%s", reason ? reason : strerror(-err));
	free(reason);
	return err ? KR_EXIT_FAILURE : 0;
}

static int
choose(struct kr_connection *connection, struct choice *choice)
{
	struct kr_ls_message request = {
		.type = KR_LS_MANIFEST_FS, .manifest_fs.options = KR_SERVICE_WAIT_FOR_IDLE};
	struct kr_manifests *manifests = NULL;
	struct kr_answer answer;
	char *reason = NULL;
	int code = ask(connection, &request, KR_LS_MANIFESTS, &answer), err;

	if (code)
		return code;
	err = answer.message.manifests.kind == KR_DELIVERY_MOUNT
		? kr_manifests_read_directory(answer.fds[0], &manifests, &reason)
		: kr_manifests_read_listing(answer.fds[0], &manifests, &reason);
	kr_answer_finish(&answer);
	if (err)
		kr_complain("deliver", "%s", reason ? reason : strerror(-err));
	for (size_t i = 0; !err && i < manifests->count; i++)
		consider(choice, &manifests->files[i]);
	kr_manifests_unref(manifests);
	free(reason);
	if (!err && !choice->library)
		tell_none(kr_connection_path(connection), choice);
	return choice->library ? 0 : KR_EXIT_FAILURE;
}

static int
get(struct kr_connection *connection, const struct choice *choice, bool strict,
	struct kr_parcel *parcel)
{
	struct kr_ls_message request = {
		.type = KR_LS_GET, .get.options = strict ? KR_SERVICE_GET_STRICT : 0};
	struct kr_answer answer;
	int code;

	snprintf(request.get.name, sizeof(request.get.name), "%s", choice->library);
	code = ask(connection, &request, KR_LS_PACKAGE, &answer);
	if (code)
		return code;
	if (!answer.fd_count || answer.fd_count > KR_ARRAY_LEN(parcel->fds)) {
		kr_complain("deliver", "the loader service at %s no longer has '%s': try again",
			kr_connection_path(connection), choice->library);
		kr_answer_finish(&answer);
		return KR_EXIT_FAILURE;
	}
	parcel->kind = answer.message.package.kind;
	parcel->count = answer.fd_count;
	memcpy(parcel->fds, answer.fds, answer.fd_count * sizeof(*answer.fds));
	parcel->name = strdup(choice->library);
	parcel->api_version = kr_asprintf("%u.%u.%u", (choice->api_version >> 22) & 0x7f,
		(choice->api_version >> 12) & 0x3ff, choice->api_version & 0xfff);
	return 0;
}

static int
list_nodes(struct kr_connection *connection, struct kr_words *nodes)
{
	struct kr_ls_message request = {.type = KR_LS_DEVICE_FS};
	struct kr_answer answer;
	int code = ask(connection, &request, KR_LS_DEVICES, &answer);

	if (code)
		return code;
	if (answer.message.devices.kind == KR_DELIVERY_MOUNT)
		add_nodes_of(answer.fds[--answer.fd_count], "", nodes);
	else
		add_nodes_listed(answer.fds[0], nodes);
	kr_answer_finish(&answer);
	return 0;
}

int
kr_deliver_ask(struct kr_connection *connection, const struct kr_deliver_options *options,
	struct kr_parcel *parcel)
{
	struct choice choice = {.wanted = options->driver};
	int code = choose(connection, &choice);

	if (!code)
		code = get(connection, &choice, options->strict, parcel);
	if (!code && options->bwrap)
		code = list_nodes(connection, &parcel->nodes);
	kr_words_finish(&choice.found);
	free(choice.library);
	return code;
}

/* --- finding it --- */

static int
open_service(const char *path, bool named, struct kr_connection **connection)
{
	char *reason = NULL;
	int err = kr_connection_open(
		path, kr_clock_now() + kr_client_limits.answer_ns, connection, &reason);

	/*
	 * Where nobody listens there is no service; one that is there and doesn't work is an error.
	 */
	if (err && !named && (err == -ENOENT || err == -ECONNREFUSED || err == -EACCES))
		err = 0;
	if (err)
		kr_complain("deliver", "%s", reason ? reason : strerror(-err));
	free(reason);
	return err ? KR_EXIT_FAILURE : 0;
}

/*
 * XDG_RUNTIME_DIR may be left over from another user (su): his service says what code runs here
 * only when somebody names it, as in libvulkan (src/client/client.c).
 */
static int
refuse_others(const char *path, struct kr_connection **connection)
{
	const uid_t user = *connection ? kr_connection_user(*connection) : 0;

	if (!user || user == geteuid())
		return 0;
	kr_complain("deliver",
		"the loader service at %s is that of user %u, and this is user %u: name it with --service to use it all the same, or say --no-service",
		path, (unsigned)user, (unsigned)geteuid());
	kr_connection_close(*connection);
	*connection = NULL;
	return KR_EXIT_FAILURE;
}

int
kr_deliver_find_service(const struct kr_deliver_options *options, struct kr_connection **connection)
{
	const char *named = options->service ? options->service : kr_env_get("KRAFLA_SERVICE");
	const char *directory = kr_env_get_directory("XDG_RUNTIME_DIR");
	char *path;
	int code;

	*connection = NULL;
	if (options->no_service || (named && !strcmp(named, "none")))
		return 0;
	if (named)
		return open_service(named, true, connection);
	code = open_service(KR_SERVICE_SYSTEM_SOCKET, false, connection);
	if (code || *connection || !directory)
		return code;
	path = kr_asprintf("%s/" KR_SERVICE_USER_SOCKET, directory);
	code = path ? open_service(path, false, connection) : KR_EXIT_FAILURE;
	if (!code)
		code = refuse_others(path, connection);
	free(path);
	return code;
}
