/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each user of clients has: so many connections, and so many descriptors that were sent and
 * not read. The kernel counts the latter against the service's own user, all clients together, and
 * refuses more than a process may have open. A user may hold a fourth of what the other users leave
 * of that, and a process a fourth of what the other processes of its user leave of his: so each
 * gets less than the one before, and none gets the last. Who holds nothing gets one answer in any
 * case.
 */
#ifndef KR_SERVICE_USERS_USERS_H
#define KR_SERVICE_USERS_USERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <jansson.h>
#include "service/users/credentials.h"
#include "util/list.h"
#include "util/macros.h"

struct kr_user {
	struct kr_list link;
	uid_t uid;
	bool known;          /* false: all whose user couldn't be told */
	uint32_t clients;    /* counted by who has the user */
	size_t unread;       /* descriptors; kr_users_count changes it */
	int64_t asked_until; /* the count is from just now, until then */
};

struct kr_users {
	struct kr_list all; /* kr_user.link */
	size_t limit;       /* the kernel's, of descriptors that aren't read */
	size_t unread;      /* of all users */
};

void kr_users_init(struct kr_users *users);
/* Again once the limit of descriptors was raised. */
void kr_users_measure(struct kr_users *users);
/* Counts one client more. NULL without memory. */
struct kr_user *kr_users_get(struct kr_users *users, const struct kr_credentials *credentials);
/* So many descriptors more, or fewer, lie unread. */
void kr_users_count(struct kr_users *users, struct kr_user *user, ssize_t change);
/*
 * The largest number that the user may hold; of his processes one beside which the others hold
 * `others`.
 */
size_t kr_users_share(const struct kr_users *users, const struct kr_user *user);
size_t kr_users_process_share(
	const struct kr_users *users, const struct kr_user *user, size_t others);
/* One client fewer; who has none is forgotten. */
void kr_users_put(struct kr_user *user);
json_t *kr_users_inspect(const struct kr_users *users);

#endif
