/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each user of clients has: so many connections, and so many descriptors that were sent and not read. The
 * kernel counts the latter against the service's own user, all clients together, and refuses more than a process
 * may have open: one user may hold a fourth of that.
 */
#ifndef KR_SERVICE_USERS_H
#define KR_SERVICE_USERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <jansson.h>
#include "service/peers.h"
#include "util/list.h"
#include "util/macros.h"

struct kr_user {
	struct kr_list link;
	uid_t uid;
	bool known;          /* false: all whose user couldn't be told */
	uint32_t clients;    /* counted by who has the user */
	size_t unread;       /* descriptors */
	int64_t asked_until; /* the count is from just now, until then */
};

struct kr_users {
	struct kr_list all; /* kr_user.link */
	size_t may_hold;    /* descriptors, one user */
};

void kr_users_init(struct kr_users *users);
/* Again once the limit of descriptors was raised. */
void kr_users_measure(struct kr_users *users);
/* Counts one client more. NULL without memory. */
struct kr_user *kr_users_get(struct kr_users *users, const struct kr_peer *peer);
/* One client fewer; who has none is forgotten. */
void kr_users_put(struct kr_user *user);
json_t *kr_users_inspect(const struct kr_users *users);

#endif
