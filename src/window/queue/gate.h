/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that wait before they go to the sink: for their fences, in front of a sink that can't, one
 * that shows a buffer as it is, as X servers do; and for their time, in front of one whose far end
 * doesn't honour it (due.h). Nobody waits in queueBuffer: a thread of the queue waits for the
 * frame that came first, then enters the sink and hands it over. So the order of the frames stays,
 * and the sink is called by one thread at a time, as ever.
 *
 * A frame that may go when nothing stands before the gate goes straight through. The thread, and
 * all memory, comes with the first frame that may not, and ends with the queue: what waits for its
 * fence then is shown yet, in LIMIT_NS (gate.c) at most; what waits for its time isn't.
 *
 * A frame whose fence fails isn't shown, its buffer is free again; one whose fence is late comes
 * back with it. Both are logged. One that is left out for the next (due.h) comes back with its
 * fence, too.
 */
#ifndef KR_WINDOW_QUEUE_GATE_H
#define KR_WINDOW_QUEUE_GATE_H

#include <stdbool.h>
#include "util/macros.h"
#include "window/queue/frame.h"

struct kr_queue;

/*
 * Hands a frame to the sink of a queue, now or once it is ready: what submit of struct kr_sink_impl
 * answers, or 0. The fence is owned. The caller is inside the sink, where it has asked whether
 * the frame stops, and holds no lock.
 */
int kr_gate_submit(struct kr_queue *queue, struct kr_frame *frame, bool stops) KR_MUST_CHECK;
/*
 * With the queue, that nobody else knows any more. False: it is a parent's, whose thread may have
 * been anywhere in the queue when this process was forked.
 */
bool kr_gate_finish(struct kr_queue *queue);

#endif
