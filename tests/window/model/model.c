/* SPDX-License-Identifier: Apache-2.0 */
/* See model.h. */
#include "parts.h"

#include <errno.h>
#include <string.h>

void
model_init(struct model *m, bool exact, bool by_app)
{
	memset(m, 0, sizeof(*m));
	m->exact = exact;
	m->by_app = by_app;
	m->width = 64;
	m->height = 32;
	m->format = 1;
	m->usage = 3;
	m->max_acquired = m->max_dequeued = 1;
	m->max_buffers = MODEL_SLOTS;
	m->timeout = -1;
	m->legacy = m->allow = true;
	m->shared_slot = m->last.slot = m->again.slot = MODEL_SLOTS;
}

static void
do_producers(struct model *m, const struct op *op, struct outcome *o)
{
	switch (op->kind) {
	case P_CONNECT:
		model_connect(m, op, o);
		break;
	case P_DISCONNECT:
		model_disconnect(m, op, o);
		break;
	case P_DEQUEUE:
		model_dequeue(m, op, o);
		break;
	case P_REQUEST:
		o->err = m->abandoned || !m->api ? -ENODEV : model_has(m, op->slot) ? 0 : -EINVAL;
		if (!o->err) {
			m->slots[op->slot].requested = true;
			o->buffer = m->slots[op->slot].buffer;
		}
		break;
	case P_QUEUE:
		model_queue(m, op, o);
		break;
	case P_CANCEL:
		model_cancel(m, op, o);
		break;
	case P_ATTACH:
		model_attach(m, op, o);
		break;
	case P_DETACH:
		model_detach(m, op, o);
		break;
	case P_DETACH_NEXT:
		model_detach_next(m, o);
		break;
	case P_ALLOCATE:
		model_allocate(m, o);
		break;
	case P_SET_ASYNC:
		o->err = model_set_async(m, op->a);
		break;
	case P_SET_MAX_DEQUEUED:
		o->err = model_set_dequeued(m, op->a);
		break;
	case P_SET_COUNT:
		o->err = model_set_count(m, op->a);
		break;
	case P_SET_TIMEOUT:
		o->err = model_set_timeout(m, op->a);
		break;
	case P_SET_SHARED:
		o->err = model_set_shared(m, op->a);
		break;
	case P_SET_REFRESH:
		o->err = m->abandoned ? -ENODEV : 0;
		m->refresh = o->err ? m->refresh : op->a != 0;
		break;
	case P_SET_GENERATION:
		m->generation = op->a;
		break;
	case P_ALLOW:
		m->allow = op->a;
		break;
	case P_LEGACY:
		o->err = m->abandoned ? -ENODEV : 0;
		m->legacy = o->err ? m->legacy : op->a != 0;
		break;
	case P_PREROTATE:
		m->prerotate = op->a;
		break;
	case P_LAST:
		model_say_last(m, o);
		break;
	case P_RATE:
		o->err = m->abandoned ? -ENODEV : 0;
		if (!o->err)
			model_tell(m, TO_CONSUMER, N_RATE, 0, 0, 0);
		break;
	default:
		model_say_info(m, o);
	}
}

void
model_do(struct model *m, const struct op *op, struct outcome *o)
{
	memset(o, 0, sizeof(*o));
	switch (op->kind) {
	case C_ACQUIRE:
		model_acquire(m, op, o);
		break;
	case C_RELEASE:
		model_release(m, op, o);
		break;
	case C_DETACH:
		model_detach_held(m, op, o);
		break;
	case C_ATTACH:
		model_attach_far(m, op, o);
		break;
	case C_SET_MAX_ACQUIRED:
		o->err = model_set_max_acquired(m, op->a);
		break;
	case C_SET_MAX_BUFFERS:
		o->err = model_set_max_buffers(m, op->a);
		break;
	case C_SETTINGS:
		if (op->a) {
			m->width = op->a;
			m->height = op->a / 2;
		}
		m->format = op->b ? op->b : m->format;
		m->hint = op->c;
		break;
	case C_DISCARD:
		model_discard(m);
		break;
	default:
		do_producers(m, op, o);
	}
}
