/* SPDX-License-Identifier: Apache-2.0 */
/* A list: there are few users. See users.h. */
#include "service/users/users.h"

#include <stdlib.h>
#include <sys/resource.h>

/* Of what others leave. */
#define SHARE 4

void
kr_users_init(struct kr_users *users)
{
	kr_list_init(&users->all);
	users->unread = 0;
	kr_users_measure(users);
}

void
kr_users_measure(struct kr_users *users)
{
	struct rlimit limit;

	users->limit = 1024;
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		users->limit = limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX : (size_t)limit.rlim_cur;
}

static size_t
share_of(size_t all, size_t others)
{
	return others < all ? (all - others) / SHARE : 0;
}

void
kr_users_count(struct kr_users *users, struct kr_user *user, ssize_t change)
{
	users->unread += (size_t)change;
	user->unread += (size_t)change;
}

size_t
kr_users_share(const struct kr_users *users, const struct kr_user *user)
{
	return share_of(users->limit, users->unread - user->unread);
}

size_t
kr_users_process_share(const struct kr_users *users, const struct kr_user *user, size_t others)
{
	return share_of(kr_users_share(users, user), others);
}

struct kr_user *
kr_users_get(struct kr_users *users, const struct kr_credentials *credentials)
{
	struct kr_user *user;

	kr_list_for_each (user, &users->all, link) {
		if (user->known == credentials->known &&
			(!user->known || user->uid == credentials->uid)) {
			user->clients++;
			return user;
		}
	}
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	user->uid = credentials->uid;
	user->known = credentials->known;
	user->clients = 1;
	kr_list_append(&users->all, &user->link);
	return user;
}

void
kr_users_put(struct kr_user *user)
{
	if (--user->clients)
		return;
	kr_list_remove(&user->link);
	free(user);
}

json_t *
kr_users_inspect(const struct kr_users *users)
{
	json_t *list = json_array();
	const struct kr_user *user;

	kr_list_for_each (user, &users->all, link) {
		json_t *uid = user->known ? json_integer(user->uid) : json_null();

		json_array_append_new(list,
			json_pack("{s:o, s:i, s:I}", "uid", uid, "clients", (int)user->clients,
				"unread_descriptors", (json_int_t)user->unread));
	}
	return list;
}
