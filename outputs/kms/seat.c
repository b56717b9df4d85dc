/* SPDX-License-Identifier: Apache-2.0 */
/* See seat.h. */
#include "outputs/kms/seat.h"

#include <errno.h>
#include <fcntl.h>
#include <libseat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outputs/kms/log.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/fd.h"

#define SEATD_SOCKET    "/run/seatd.sock"
#define LOGIND_SEATS    "/run/systemd/seats"
#define SEAT_ANSWERS_NS (5 * KR_NSEC_PER_SEC)

struct kms_seat {
	struct libseat *seat;
	bool active;
};

static void
handle_enable(struct libseat *libseat, void *data)
{
	struct kms_seat *seat = data;

	seat->active = true;
}

static void
handle_disable(struct libseat *libseat, void *data)
{
	struct kms_seat *seat = data;

	/* Whoever has the seat next waits for this answer; from it on a commit is refused. */
	seat->active = false;
	libseat_disable_seat(libseat);
}

static const struct libseat_seat_listener listener = {
	.enable_seat = handle_enable,
	.disable_seat = handle_disable,
};

/*
 * libseat's third way, a seatd of its own for root, isn't taken unless it is asked for: it would
 * take over the terminal that a root shell in it was only meant to look from.
 */
static bool
somebody_manages_seats(void)
{
	const char *socket = kr_env_get("SEATD_SOCK");

	if (kr_env_get("LIBSEAT_BACKEND"))
		return true;
	if (!access(socket ? socket : SEATD_SOCKET, R_OK | W_OK))
		return true;
	return kr_env_get("XDG_SESSION_ID") && !access(LOGIND_SEATS, F_OK);
}

static void
log_of_libseat(enum libseat_log_level level, const char *format, va_list args)
{
	char text[256];

	vsnprintf(text, sizeof(text), format, args);
	kms_debug("kms: libseat: %s", text);
}

static int
wait_until_active(struct kms_seat *seat)
{
	int64_t deadline = kr_deadline_in(SEAT_ANSWERS_NS);

	while (!seat->active) {
		int ms = kr_deadline_poll_ms(deadline);

		if (libseat_dispatch(seat->seat, ms) < 0)
			return -errno;
		if (!seat->active && ms <= 0) {
			kms_error(
				"kms: the seat %s isn't given to this program within 5 s: is it started from the virtual terminal that is shown?",
				libseat_seat_name(seat->seat));
			return -ETIMEDOUT;
		}
	}
	return 0;
}

int
kms_seat_open(struct kms_seat **out)
{
	struct kms_seat *seat;
	int ret;

	if (!somebody_manages_seats()) {
		*out = NULL;
		return 0;
	}
	seat = calloc(1, sizeof(*seat));
	if (!seat)
		return -ENOMEM;
	libseat_set_log_handler(log_of_libseat);
	libseat_set_log_level(LIBSEAT_LOG_LEVEL_INFO);
	seat->seat = libseat_open_seat(&listener, seat);
	if (!seat->seat) {
		ret = errno ? -errno : -EACCES;
		kms_error(
			"kms: no seat can be had (%s): start the program from a virtual terminal, as a user that seatd (group video or _seatd) or logind lets at it",
			strerror(-ret));
		free(seat);
		return ret;
	}
	ret = wait_until_active(seat);
	if (ret) {
		kms_seat_close(seat);
		return ret;
	}
	*out = seat;
	return 0;
}

void
kms_seat_close(struct kms_seat *seat)
{
	if (!seat)
		return;
	libseat_close_seat(seat->seat);
	free(seat);
}

int
kms_seat_fd(const struct kms_seat *seat)
{
	return seat ? libseat_get_fd(seat->seat) : -1;
}

/* libseat 0.7 doesn't tell of a server that has died: its socket does. */
int
kms_seat_dispatch(struct kms_seat *seat)
{
	struct pollfd socket = {kms_seat_fd(seat), 0, 0};
	int ret = seat && libseat_dispatch(seat->seat, 0) < 0 ? -errno : 0;

	if (seat && !ret && kr_fd_poll(&socket, 1, 0) > 0)
		ret = -EPIPE;
	if (ret)
		seat->active = false;
	return ret;
}

bool
kms_seat_is_active(const struct kms_seat *seat)
{
	return !seat || seat->active;
}

int
kms_seat_open_device(struct kms_seat *seat, const char *path, int *fd, int *id)
{
	if (seat) {
		int got = -1, device = libseat_open_device(seat->seat, path, &got);

		if (device < 0)
			return -errno;
		*id = device;
		*fd = got;
		return 0;
	}
	*fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	*id = -1;
	return *fd < 0 ? -errno : 0;
}

void
kms_seat_close_device(struct kms_seat *seat, int fd, int id)
{
	if (seat && id >= 0)
		libseat_close_device(seat->seat, id);
	kr_fd_close(&fd);
}
