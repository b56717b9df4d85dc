/* SPDX-License-Identifier: Apache-2.0 */
/* A list: there are few users. See users.h. */
#include "service/users.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "wire/loader_service.h"

void
kr_users_init(struct kr_users *users)
{
	kr_list_init(&users->all);
	kr_users_measure(users);
}

void
kr_users_measure(struct kr_users *users)
{
	struct rlimit limit;
	size_t all = 1024;

	if (!getrlimit(RLIMIT_NOFILE, &limit))
		all = limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX : (size_t)limit.rlim_cur;
	/* One answer must be possible whatever the limit is. */
	users->may_hold = KR_MAX(all / 4, (size_t)KR_LS_MAX_FDS);
}

struct kr_user *
kr_users_get(struct kr_users *users, const struct kr_peer *peer)
{
	struct kr_user *user;

	kr_list_for_each (user, &users->all, link) {
		if (user->known == peer->known && (!user->known || user->uid == peer->uid)) {
			user->clients++;
			return user;
		}
	}
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	user->uid = peer->uid;
	user->known = peer->known;
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
