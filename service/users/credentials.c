/* SPDX-License-Identifier: Apache-2.0 */
/* SO_PEERCRED, and what it means in a user namespace: see credentials.h. */
#include "service/users/credentials.h"

#include <stdio.h>
#include <sys/socket.h>

/* What the kernel says of users that have no number here. */
static unsigned long
read_overflow(void)
{
	FILE *file = fopen("/proc/sys/kernel/overflowuid", "re");
	unsigned long uid = 65534;

	if (!file)
		return uid;
	if (fscanf(file, "%lu", &uid) != 1)
		uid = 65534;
	fclose(file);
	return uid;
}

static bool
has_number(unsigned long uid)
{
	FILE *file = fopen("/proc/self/uid_map", "re");
	unsigned long inside, outside, count;
	bool found = false;

	if (!file)
		return false;
	while (!found && fscanf(file, "%lu %lu %lu", &inside, &outside, &count) == 3)
		found = uid >= inside && uid - inside < count;
	fclose(file);
	return found;
}

bool
kr_credentials_hidden_users(uid_t *uid)
{
	const unsigned long overflow = read_overflow();

	*uid = (uid_t)overflow;
	return !has_number(overflow);
}

void
kr_credentials_read(int socket, struct kr_credentials *credentials)
{
	uid_t hidden;
	struct ucred cred;
	socklen_t size = sizeof(cred);

	*credentials = (struct kr_credentials){.uid = (uid_t)-1};
	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &cred, &size))
		return;
	credentials->pid = cred.pid;
	credentials->known = !kr_credentials_hidden_users(&hidden) || cred.uid != hidden;
	if (credentials->known)
		credentials->uid = cred.uid;
}
