/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of docs/buffer-queue.md share: a reader and its window, in this process or over
 * a socket as KRAFLA_TEST_READER says. Comments name the rows that a case holds.
 */
#ifndef KR_TESTS_WINDOW_CONTRACT_H
#define KR_TESTS_WINDOW_CONTRACT_H

#include "../reader/rig.h"

struct contract {
	struct rig rig;
	ANativeWindow *window;
};

bool contract_is_remote(void);
/* A reader, and a window of it that is connected as NATIVE_WINDOW_API_CPU, whose dequeues wait. */
void contract_open(struct contract *c, void (*change)(struct krafla_reader_config *config));
void contract_close(struct contract *c);
/* For contract_open. */
void contract_two_images(struct krafla_reader_config *config);
void contract_shared(struct krafla_reader_config *config);
void contract_turned(struct krafla_reader_config *config); /* by a quarter */
/* Both ends take in what the other one has said. */
void contract_settle(struct contract *c);

int contract_query(const struct contract *c, int what);
/* Buffers beside those that the reader holds. */
void contract_ahead(struct contract *c, uint32_t count);
void contract_timeout(struct contract *c, int64_t timeout_ns);
/* Without waiting; the error. Fences are closed. */
int contract_try(struct contract *c, ANativeWindowBuffer **buffer);
/* One that there has to be. */
ANativeWindowBuffer *contract_dequeue(struct contract *c);
void contract_queue(struct contract *c, ANativeWindowBuffer *buffer);
/* Dequeues and queues; the number of the frame. */
uint64_t contract_frame(struct contract *c);
/* The next image, which has to be there; its fence is closed. */
void contract_acquire(struct contract *c, struct krafla_image *image);
void contract_release(struct contract *c, const struct krafla_image *image);
/* Acquires and releases the next. */
void contract_consume(struct contract *c);

/* A buffer like the reader's. */
AHardwareBuffer *contract_buffer(void);
uint64_t contract_id(const AHardwareBuffer *buffer);
uint64_t contract_window_id(ANativeWindowBuffer *buffer);

/* The next event of an end, which has to be of this kind. */
void contract_hear(struct contract *c, uint32_t kind, struct krafla_event *event);
void contract_read(struct contract *c, uint32_t kind, struct krafla_event *event);
/* And that there are no more. */
void contract_heard_all(struct contract *c);
void contract_read_all(struct contract *c);

#endif
