/* SPDX-License-Identifier: Apache-2.0 */
/* What was prepared, and forgetting what is being: see prepare.h. */
#include "composer/prepare.h"

#include "composer/display.h"
#include "gralloc/buffer.h"
#include "util/fd.h"

void
kr_prepared_finish(struct kr_prepared *prepared)
{
	kr_buffer_unref(prepared->buffer);
	kr_fd_close(&prepared->fence);
	*prepared = (struct kr_prepared){.fence = -1};
}

void
kr_preparation_forget(struct kr_producer *producer, bool current)
{
	struct kr_preparation *preparation = &producer->display->preparation;

	if (preparation->producer != producer || preparation->of_current != current)
		return;
	preparation->producer = NULL;
	kr_prepared_finish(&preparation->into);
}
