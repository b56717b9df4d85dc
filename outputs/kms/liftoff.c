/* SPDX-License-Identifier: Apache-2.0 */
/* See liftoff.h. */
#include "outputs/kms/liftoff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outputs/kms/log.h"
#include "util/fd.h"

static void
log_of_liftoff(enum liftoff_log_priority priority, const char *fmt, va_list args)
{
	char text[512];

	vsnprintf(text, sizeof(text), fmt, args);
	kms_debug("kms: libliftoff: %s", text);
}

/*
 * libliftoff 0.3 duplicates the descriptor (its header says that it takes it), and without
 * O_CLOEXEC: programs that krafla run starts would have the card. It is the lowest that was free.
 */
int
kms_liftoff_open(int drm, struct liftoff_device **device)
{
	struct stat card, other;
	int free_one, ret = kr_fd_dup(drm, &free_one);

	if (ret)
		return ret;
	close(free_one);
	liftoff_log_set_handler(log_of_liftoff);
	*device = liftoff_device_create(drm);
	if (!*device)
		return -ENOMEM;
	if (!fstat(drm, &card) && !fstat(free_one, &other) && card.st_rdev == other.st_rdev)
		(void)fcntl(free_one, F_SETFD, FD_CLOEXEC);
	return liftoff_device_register_all_planes(*device);
}
