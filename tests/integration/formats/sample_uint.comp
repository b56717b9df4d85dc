// SPDX-License-Identifier: Apache-2.0
#version 450
// What a sampler gives at the middle of each pixel of a picture of `size`, for whole numbers.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform usampler2D image;
layout(binding = 1) buffer Output { uvec4 pixels[]; };
layout(push_constant) uniform Size { uvec2 size; };

void main()
{
	uvec2 at = gl_GlobalInvocationID.xy;

	if (all(lessThan(at, size)))
		pixels[at.y * size.x + at.x] =
			textureLod(image, (vec2(at) + 0.5) / vec2(size), 0.0);
}
