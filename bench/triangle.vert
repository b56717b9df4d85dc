#version 450
// SPDX-License-Identifier: Apache-2.0
layout(location = 0) out vec3 color;
layout(push_constant) uniform Push { float angle; } push;
const vec2 corners[3] = vec2[](vec2(0.0, -0.7), vec2(0.6, 0.5), vec2(-0.6, 0.5));
const vec3 colors[3] = vec3[](vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1));
void main()
{
	float c = cos(push.angle), s = sin(push.angle);
	gl_Position = vec4(mat2(c, s, -s, c) * corners[gl_VertexIndex], 0.0, 1.0);
	color = colors[gl_VertexIndex];
}
