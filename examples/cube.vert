// SPDX-License-Identifier: Apache-2.0
// The corners of the cube: turned for the light, projected for the screen.
#version 450

layout(push_constant) uniform Turn {
	mat4 project; // cube to clip space
	mat4 turn;    // cube to world, without translation
};

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 texture_place;

layout(location = 0) out vec3 world_normal;
layout(location = 1) out vec3 face_colour;
layout(location = 2) out vec2 place;

void main()
{
	gl_Position = project * vec4(position, 1.0);
	world_normal = mat3(turn) * normal;
	// Opposite faces get opposite colours, so that no two faces look alike.
	face_colour = 0.75 + 0.25 * (normal + 0.6 * normal.zxy);
	place = texture_place;
}
