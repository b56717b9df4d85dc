/* SPDX-License-Identifier: Apache-2.0 */
/* Who is at the other end of a connection. */
#ifndef KR_SERVICE_USERS_CREDENTIALS_H
#define KR_SERVICE_USERS_CREDENTIALS_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/macros.h"

struct kr_credentials {
	pid_t pid; /* 0: not known */
	uid_t uid;
	bool known; /* the user is: it has a number in this process's user namespace */
};

/*
 * Users from outside of the service's user namespace all have one number there (65534 mostly): they
 * are not known, unless that number is also somebody's, when they can't be told from him and count
 * as he.
 */
void kr_credentials_read(int socket, struct kr_credentials *credentials);
/*
 * The number that all those users have here who have none of their own, as owners of files too.
 * False: that number is somebody's, or all users have one.
 */
bool kr_credentials_hidden_users(uid_t *uid);

#endif
