// SPDX-License-Identifier: Apache-2.0
// One directional light over an even glow, on the texture.
#version 450

layout(binding = 0) uniform sampler2D picture;

layout(location = 0) in vec3 world_normal;
layout(location = 1) in vec3 face_colour;
layout(location = 2) in vec2 place;

layout(location = 0) out vec4 colour;

const vec3 to_light = normalize(vec3(0.4, 0.7, 0.6));

void main()
{
	float light = 0.35 + 0.65 * max(dot(normalize(world_normal), to_light), 0.0);

	colour = vec4(texture(picture, place).rgb * face_colour * light, 1.0);
}
