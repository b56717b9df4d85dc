/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the reference have of each other. What differs from Android on purpose is
 * marked "Krafla:" there. */
#ifndef KR_TESTS_WINDOW_MODEL_PARTS_H
#define KR_TESTS_WINDOW_MODEL_PARTS_H

#include "model.h"

#define SECOND    INT64_C(1000000000)
#define BROUGHT   UINT64_MAX /* the number of what the consumer attached */
#define EVERY_API 1          /* whoever connects does so for EGL */

#define TO_PRODUCER 0
#define TO_CONSUMER 1

/* model_slots.c */
uint32_t model_min_undequeued(const struct model *m);
uint32_t model_total(const struct model *m);
bool model_in_use(const struct model_slot *s);
uint32_t model_count(const struct model *m, bool (*what)(const struct model_slot *s));
bool model_is_dequeued(const struct model_slot *s);
bool model_is_far(const struct model_slot *s);
bool model_is_taken_now(const struct model_slot *s);
uint32_t model_pending(const struct model *m);
void model_tell(struct model *m, int whom, enum model_notice_kind kind, uint32_t slot,
	uint64_t number, uint64_t other);
void model_leave_free(struct model *m, uint32_t slot);
void model_clear(struct model *m, uint32_t slot);
void model_trim(struct model *m);
void model_make_free(struct model *m, uint32_t slot, uint32_t fence);
bool model_is_active_fence(const struct model *m, uint32_t fence);
bool model_first_free(const struct model *m, uint32_t *slot);
bool model_first_empty(const struct model *m, uint32_t *slot);
uint32_t model_new_buffer(struct model *m, uint32_t width, uint32_t height, uint32_t format,
	uint64_t usage, uint32_t generation);
bool model_fits(const struct model *m, uint32_t buffer, const struct model_buffer *wanted);
bool model_has(const struct model *m, uint32_t slot);
void model_give_up(struct model *m, const struct model_item *item);
uint32_t model_choose(struct model *m, int end, const struct op *op);
void model_keep(struct model *m, int end, uint32_t buffer);
void model_forget_kept(struct model *m, int end, uint32_t buffer);
int model_check_buffer(const struct model *m, uint32_t buffer);

/* model_producer.c */
void model_dequeue(struct model *m, const struct op *op, struct outcome *o);
void model_queue(struct model *m, const struct op *op, struct outcome *o);
void model_cancel(struct model *m, const struct op *op, struct outcome *o);
void model_attach(struct model *m, const struct op *op, struct outcome *o);
void model_detach(struct model *m, const struct op *op, struct outcome *o);
void model_detach_next(struct model *m, struct outcome *o);
void model_allocate(struct model *m, struct outcome *o);

/* model_settings.c */
void model_connect(struct model *m, const struct op *op, struct outcome *o);
void model_disconnect(struct model *m, const struct op *op, struct outcome *o);
int model_set_dequeued(struct model *m, uint32_t n);
int model_set_count(struct model *m, uint32_t n);
int model_set_async(struct model *m, bool async);
int model_set_timeout(struct model *m, uint32_t which);
int model_set_shared(struct model *m, bool on);
void model_say_last(const struct model *m, struct outcome *o);
void model_say_info(const struct model *m, struct outcome *o);

/* model_consumer.c */
void model_acquire(struct model *m, const struct op *op, struct outcome *o);
void model_release(struct model *m, const struct op *op, struct outcome *o);
void model_detach_held(struct model *m, const struct op *op, struct outcome *o);
void model_attach_far(struct model *m, const struct op *op, struct outcome *o);
int model_set_max_acquired(struct model *m, uint32_t n);
int model_set_max_buffers(struct model *m, uint32_t n);
void model_discard(struct model *m);

#endif
