/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames in flight: the loop of a program that lets the GPU draw a frame while it records the next
 * one. A frame is presented, only drawn, or drawn and read back.
 */
#ifndef KR_BENCH_RUN_FLIGHT_H
#define KR_BENCH_RUN_FLIGHT_H

#include <stdbool.h>
#include "bench/triangle.h"

#define FLIGHTS_MAX 2

struct flight {
	VkCommandBuffer commands;
	VkSemaphore acquired;
	VkFence done;
	bool pending;
	/* Reading back: where the GPU copies the frame to. */
	VkBuffer buffer;
	VkDeviceMemory memory;
	void *pixels;
	bool coherent;
};

struct flights {
	struct triangle *t;
	struct flight all[FLIGHTS_MAX];
	unsigned count;
	int read_to; /* each frame that was read back is written there; -1: none is read back */
	size_t size;
};

/* `count` at a time. 0, or 1 with a message; either way it is to be destroyed. */
int flights_create(struct flights *flights, struct triangle *t, unsigned count, int read_to);
/* Waits for the frame that used the same flight before; then makes the next one. 0 or 1. */
int flights_frame(struct flights *flights, unsigned number);
/* Waits for all that was begun. */
int flights_drain(struct flights *flights);
void flights_destroy(struct flights *flights);

#endif
