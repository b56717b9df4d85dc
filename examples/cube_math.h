/* SPDX-License-Identifier: Apache-2.0 */
/* Column-major 4x4 matrices, as GLSL stores them. */
#ifndef CUBE_MATH_H
#define CUBE_MATH_H

#include <math.h>

struct matrix {
	float m[16]; /* m[4 * column + row] */
};

static inline struct matrix
matrix_multiply(struct matrix a, struct matrix b)
{
	struct matrix out;

	for (int column = 0; column < 4; column++) {
		for (int row = 0; row < 4; row++) {
			float sum = 0;

			for (int k = 0; k < 4; k++)
				sum += a.m[4 * k + row] * b.m[4 * column + k];
			out.m[4 * column + row] = sum;
		}
	}
	return out;
}

static inline struct matrix
matrix_turn_y(float angle)
{
	float c = cosf(angle), s = sinf(angle);

	return (struct matrix){{c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, 0, 0, 0, 1}};
}

static inline struct matrix
matrix_turn_x(float angle)
{
	float c = cosf(angle), s = sinf(angle);

	return (struct matrix){{1, 0, 0, 0, 0, c, s, 0, 0, -s, c, 0, 0, 0, 0, 1}};
}

static inline struct matrix
matrix_move_z(float distance)
{
	return (struct matrix){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, distance, 1}};
}

/* Vulkan's clip space: y points down, depth runs from 0 (near) to 1 (far). */
static inline struct matrix
matrix_perspective(float half_angle, float aspect, float near, float far)
{
	float f = 1 / tanf(half_angle);

	return (struct matrix){{f / aspect, 0, 0, 0, 0, -f, 0, 0, 0, 0, far / (near - far), -1, 0,
		0, near * far / (near - far), 0}};
}

#endif
