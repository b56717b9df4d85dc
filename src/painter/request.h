/* SPDX-License-Identifier: Apache-2.0 */
/* A request for a picture as the message that says it. No state. */
#ifndef KR_PAINTER_REQUEST_H
#define KR_PAINTER_REQUEST_H

#include "painter/message.h"
#include "painter/painter.h"

/* `everything`: all is stale. -EINVAL: sizes, numbers that a layer may not have. */
int kr_painter_request_encode(const struct kr_painter_request *request, bool everything,
	struct kr_pp_draw *draw) KR_MUST_CHECK;

#endif
