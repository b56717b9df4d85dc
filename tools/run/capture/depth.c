/* SPDX-License-Identifier: Apache-2.0 */
/* What pixels of captures are: see picture.h and format.h. */
#include <krafla/hardware_buffer.h>

#include "colour/space.h"
#include "tools/run/capture/format.h"
#include "tools/run/capture/picture.h"

enum kr_capture_depth
kr_capture_depth_of(int32_t dataspace)
{
	struct kr_colour_space space;

	if (!kr_colour_space_of(dataspace, &space))
		return KR_CAPTURE_8;
	return space.extended                  ? KR_CAPTURE_FLOAT
		: kr_colour_has_hdr(dataspace) ? KR_CAPTURE_10
					       : KR_CAPTURE_8;
}

uint32_t
kr_capture_pixel_format(enum kr_capture_depth depth)
{
	static const uint32_t formats[] = {
		[KR_CAPTURE_8] = AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM,
		[KR_CAPTURE_10] = AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
		[KR_CAPTURE_FLOAT] = AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT,
	};

	return formats[depth];
}

const char *
kr_capture_refuses_floats(int32_t dataspace)
{
	return kr_capture_depth_of(dataspace) == KR_CAPTURE_FLOAT
		? "can't hold light beyond white: .exr and .pfm can, and .raw"
		: NULL;
}
