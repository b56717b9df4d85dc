/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that write pictures: as many as there are processors, if there is work for them.
 *
 *   display's thread   finds a free place, puts the picture there    (waits when no place is free)
 *   writers            take the picture from the display, a band each (picture.h)
 *                      then, for each target: encode; write
 *
 * Bands come before anything else: the display, and the program behind it, wait for its buffers.
 * Then pictures are encoded at once, and a stream's are written in order (target.h). A target's
 * jobs are begun in order, and nobody waits in a band; so whoever waits for its turn waits for
 * writers alone that don't wait. Memory: so many places and so many writers that their pictures and
 * bytes stay below a limit.
 */
#ifndef KR_TOOLS_RUN_CAPTURE_WRITERS_H
#define KR_TOOLS_RUN_CAPTURE_WRITERS_H

#include <stdint.h>
#include "tools/run/capture/target.h"
#include "util/macros.h"

struct kr_composed_frame;
struct kr_writers;

/* How often, and how long, somebody has waited for a place. */
struct kr_writers_waits {
	uint64_t count;
	int64_t sum_ns;
	int64_t max_ns;
};

/*
 * For pictures of that size and, where one stands behind the other in a file, that depth; others
 * have their own. The targets are borrowed. Threads start with their work. -ENOMEM.
 */
int kr_writers_create(struct kr_capture_target *targets, unsigned target_count, uint32_t width,
	uint32_t height, enum kr_capture_depth depth, struct kr_writers **writers) KR_MUST_CHECK;
/*
 * Takes a picture for all targets; one thread calls this, and waits for a place, and, if the
 * display doesn't lend its pixels for longer, until they were taken. 0; -ENOMEM; -EINVAL; -EAGAIN:
 * there is nobody to write it.
 */
int kr_writers_show(struct kr_writers *writers, const struct kr_composed_frame *frame)
	KR_MUST_CHECK;
/* All that were taken are written (or failed), and the threads have ended. */
void kr_writers_end(struct kr_writers *writers);
void kr_writers_get_waits(struct kr_writers *writers, struct kr_writers_waits *waits);
/* Ends them, if they haven't. NULL is fine. */
void kr_writers_destroy(struct kr_writers *writers);

#endif
