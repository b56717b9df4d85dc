/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device kms with a seat: seatd gives the card, and takes the screen away while another virtual
 * terminal is shown.
 */
#include "card.h"
#include "picture.h"
#include "stage.h"

#include <fcntl.h>
#include <linux/vt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "rig.h"
#include "util/clock.h"

#define SEATD  "/usr/sbin/seatd"
#define SOCKET "/run/seatd.sock"

/* seatd says by a descriptor that it serves. */
static pid_t
start_seatd(void)
{
	int ready[2];
	char number[16], byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	snprintf(number, sizeof(number), "%d", ready[1]);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		execl(SEATD, SEATD, "-g", "root", "-n", number, "-l", "error", (char *)NULL);
		_exit(127);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(access(SOCKET, R_OK | W_OK), 0);
	return pid;
}

static void
end_seatd(pid_t pid)
{
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void
switch_to(int terminal)
{
	int fd = open("/dev/tty0", O_RDWR | O_NOCTTY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, VT_ACTIVATE, terminal), 0);
	close(fd);
}

static int
present(struct stage *stage)
{
	stage_validate(stage);
	return stage_present(stage);
}

/* The screen is another's for a while: nothing fails, nothing is seen, and it comes back whole. */
static void
virtual_terminals_are_switched(void **state)
{
	int card = card_open("vkms"), crc, fence;
	int64_t deadline = kr_deadline_in(STAGE_SOON_MS * KR_NSEC_PER_MSEC);
	pid_t seatd = start_seatd();
	struct stat status;
	struct stage stage;
	uint16_t(*picture)[3];

	assert_int_equal(fstat(card, &status), 0);
	close(card);
	card = (int)minor(status.st_rdev);
	crc = crc_open(card);
	stage_open(&stage, "kms:vkms");
	stage_add(&stage, 10, 10, 256, 256);
	stage_show(&stage);
	switch_to(2);
	while ((fence = present(&stage)) >= 0) {
		assert_true(kr_clock_now() < deadline);
		assert_int_equal(stage_wait(&stage, fence), 1);
		stage_dispatch(&stage, 20, NULL, 0);
	}
	assert_int_equal(stage.refreshed, 0);
	switch_to(1);
	stage_dispatch(&stage, STAGE_SOON_MS, &stage.refreshed, 0);
	assert_int_equal(stage.refreshed, 1);
	stage.layers[0].x = 100;
	stage_set(&stage, &stage.layers[0]);
	stage_show(&stage);
	picture = stage_picture(&stage);
	assert_true(
		crc_becomes(crc, crc_of((const uint16_t(*)[3])picture, stage.width, stage.height)));
	free(picture);
	stage_close(&stage);
	crc_close(card, crc);
	end_seatd(seatd);
}

/* seatd that dies takes the screen along; the program is told and ends well. */
static void
seat_is_lost(void **state)
{
	pid_t seatd = start_seatd();
	struct stage stage;

	stage_open(&stage, "kms:vkms");
	stage_add(&stage, 10, 10, 256, 256);
	stage_show(&stage);
	kill(seatd, SIGKILL);
	assert_int_equal(waitpid(seatd, NULL, 0), seatd);
	stage_dispatch(&stage, 200, NULL, 0);
	assert_int_equal(present(&stage), -1);
	stage_close(&stage);
	unlink(SOCKET);
}

static const struct kr_test tests[] = {
	KR_TEST(virtual_terminals_are_switched),
	KR_TEST(seat_is_lost),
};

KR_TEST_MAIN(tests)
