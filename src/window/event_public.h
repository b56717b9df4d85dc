/* SPDX-License-Identifier: Apache-2.0 */
/* What is noticed at an end of a queue, as programs see it. */
#ifndef KR_WINDOW_EVENT_PUBLIC_H
#define KR_WINDOW_EVENT_PUBLIC_H

#include <krafla/window.h>

#include "window/queue/notice.h"

_Static_assert(KRAFLA_EVENT_AVAILABLE == (int)KR_NOTICE_AVAILABLE, "AVAILABLE");
_Static_assert(KRAFLA_EVENT_REPLACED == (int)KR_NOTICE_REPLACED, "REPLACED");
_Static_assert(KRAFLA_EVENT_GONE == (int)KR_NOTICE_GONE, "GONE");
_Static_assert(KRAFLA_EVENT_DEQUEUED == (int)KR_NOTICE_DEQUEUED, "DEQUEUED");
_Static_assert(KRAFLA_EVENT_CANCELLED == (int)KR_NOTICE_CANCELLED, "CANCELLED");
_Static_assert(KRAFLA_EVENT_FRAME_RATE == (int)KR_NOTICE_RATE, "FRAME_RATE");
_Static_assert(KRAFLA_EVENT_DETACHED == (int)KR_NOTICE_DETACHED, "DETACHED");
_Static_assert(KRAFLA_EVENT_DISCONNECTED == (int)KR_NOTICE_DISCONNECTED, "DISCONNECTED");
_Static_assert(KRAFLA_EVENT_RELEASED == (int)KR_NOTICE_RELEASED, "RELEASED");
_Static_assert(KRAFLA_EVENT_DISCARDED == (int)KR_NOTICE_DISCARDED, "DISCARDED");
_Static_assert(KRAFLA_EVENT_ATTACHED == (int)KR_NOTICE_BROUGHT, "ATTACHED");
_Static_assert(KRAFLA_EVENT_LOST == (int)KR_NOTICE_LOST, "LOST");
_Static_assert(KRAFLA_EVENT_REFUSED == (int)KR_NOTICE_REFUSED, "REFUSED");

static inline void
kr_event_fill(struct krafla_event *event, const struct kr_notice *notice)
{
	*event = (struct krafla_event){
		.kind = notice->kind,
		.slot = notice->slot,
		.ticket = notice->ticket,
		.producer = notice->producer,
		.number = notice->number,
		.other = notice->other,
		.buffer_id = notice->buffer_id,
		.frame_rate = notice->rate.rate,
		.compatibility = notice->rate.compatibility,
		.strategy = notice->rate.strategy,
	};
}

#endif
