/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla_display.ko under load: two clients that take turns at the screen and are killed at random
 * points, one that looks on, and the module taken out and loaded again.
 */
#include "screen.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLIENTS 2
#define ROUNDS  15
#define FENCES  12
#define HELD_MS 300 /* longer than a last fence holds the module on */
#define RELOADS 5

static void
take_the_screen(int screen)
{
	while (screen_mode(screen, SCREEN_WIDTH, SCREEN_HEIGHT, 120) == -EBUSY)
		usleep(1000);
}

/* Queues frames behind fences of its own that signal, fail, or are left to their time limit. */
static void
client(int socket)
{
	struct picture pictures[2] = {picture_of(1), picture_of(2)};
	int screen = rig_open("/dev/krafla_display"), timeline = rig_timeline();

	srandom((unsigned)getpid());
	for (uint64_t i = 1;; i++) {
		int ready = rig_try_fence(timeline, i, 1 + (uint32_t)random() % 40), left;

		if (i % 64 == 1) {
			screen_mode(screen, 0, 0, 0);
			take_the_screen(screen);
		}
		left = screen_try(screen, &pictures[i % 2], random() % 4 ? ready : -1, NULL);
		if (left >= 0 && i <= FENCES)
			rig_send(socket, left);
		if (random() % 8)
			rig_move(timeline, i, random() % 8 ? 0 : -EIO);
		if (left == -EAGAIN)
			usleep(1000);
		close(ready);
		close(left);
	}
}

static void
look_on(int screen)
{
	uint8_t pixels[SCREEN_SIZE];
	struct krafla_display_record record = {.number = 1};
	uint64_t shown = 0;

	pread(screen, pixels, sizeof(pixels), 0);
	while (!rig_ioctl(screen, KRAFLA_DISPLAY_IOC_RECORD, &record)) {
		/* In order: never an older one after a newer. */
		if (record.event == KRAFLA_DISPLAY_SHOWN) {
			assert_true(record.frame > shown);
			shown = record.frame;
		}
		record.number++;
	}
}

static void
check_fences(const int *fences, int count)
{
	for (int i = 0; i < count; i++) {
		int status = rig_ended(fences[i]);

		assert_true(status == 1 || status == -EIO || status == -ETIMEDOUT ||
			status == -EOWNERDEAD || status == -ECANCELED);
		/* In order, too. */
		for (int j = 0; j < i; j++)
			assert_int_not_equal(rig_status(fences[j]), 0);
	}
	for (int i = 0; i < count; i++)
		close(fences[i]);
}

/* S-09, and never a hang: whoever is killed whenever, each out-fence ends. */
static void
clients_are_killed_under_load(void **state)
{
	int looker = rig_open("/dev/krafla_display");

	(void)state;
	rig_write_file(SCREEN_HOLD_MS, SCREEN_SHORT_MS);
	srandom(11);
	for (int round = 0; round < ROUNDS; round++) {
		int sockets[CLIENTS], fences[FENCES], got = 0;
		pid_t pids[CLIENTS];

		for (int i = 0; i < CLIENTS; i++)
			pids[i] = rig_child(client, &sockets[i]);
		/* Whoever gets the screen first sends; the other waits for its turn. */
		while (got < FENCES / 2) {
			for (int i = 0; i < CLIENTS; i++)
				if (rig_ends(sockets[i], 5) && got < FENCES)
					fences[got++] = rig_receive(sockets[i]);
			look_on(looker);
		}
		usleep((useconds_t)(random() % 50000));
		for (int i = 0; i < CLIENTS; i++) {
			rig_kill(pids[i]);
			look_on(looker);
		}
		check_fences(fences, got);
		for (int i = 0; i < CLIENTS; i++)
			close(sockets[i]);
	}
	assert_int_equal(screen_info(looker).width, 0);
	assert_int_equal(screen_info(looker).queued, 0);
	close(looker);
}

static void
the_module_stays_while_a_fence_lives(void **state)
{
	struct picture a = picture_of(1);
	int screen = screen_open(SCREEN_HZ), left = screen_show(screen, &a, -1, NULL);

	(void)state;
	assert_int_equal(rig_unload("krafla_display", HELD_MS), -EAGAIN);
	close(screen);
	assert_int_equal(rig_unload("krafla_display", HELD_MS), -EAGAIN);
	close(left);
	assert_int_equal(rig_unload("krafla_display", RIG_SOON_MS), 0);
	assert_int_not_equal(access("/dev/krafla_display", F_OK), 0);
	rig_load("krafla_display");
	screen = rig_open("/dev/krafla_display");
	assert_int_equal(screen_info(screen).ready_ms, 5000);
	assert_int_equal(screen_info(screen).hold_ms, 1000);
	assert_int_equal(screen_info(screen).vsyncs, 0);
	close(screen);
	picture_destroy(&a);
}

static void
it_unloads_and_loads_again(void **state)
{
	struct picture a = picture_of(1);

	(void)state;
	for (int round = 0; round < RELOADS; round++) {
		int timeline = rig_timeline(), never = rig_fence(timeline, 1);
		int screen = screen_open(240);

		for (int i = 0; i < 20; i++)
			close(screen_show(screen, &a, i % 3 == 2 ? never : -1, NULL));
		close(screen);
		assert_int_equal(rig_unload("krafla_display", RIG_SOON_MS), 0);
		rig_load("krafla_display");
		close(never);
		close(timeline);
	}
	picture_destroy(&a);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(clients_are_killed_under_load, 0, 120),
	KR_TEST_SLOW(the_module_stays_while_a_fence_lives, 0, 60),
	KR_TEST_SLOW(it_unloads_and_loads_again, 0, 60),
};

KR_TEST_MAIN(tests)
