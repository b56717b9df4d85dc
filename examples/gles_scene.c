/* SPDX-License-Identifier: Apache-2.0 */
#include "gles_scene.h"

#include <math.h>
#include <stdio.h>

#define POINTS 5
#define PI     3.14159265f

static const char vertex_source[] =
	"attribute vec2 position;\n"
	"uniform vec2 turn;\n" /* cosine and sine */
	"uniform float aspect;\n"
	"varying vec2 place;\n"
	"void main()\n"
	"{\n"
	"	vec2 p = vec2(position.x * turn.x - position.y * turn.y,\n"
	"		position.x * turn.y + position.y * turn.x);\n"
	"	place = position;\n"
	"	gl_Position = vec4(p.x / aspect, p.y, 0.0, 1.0);\n"
	"}\n";

static const char fragment_source[] =
	"precision mediump float;\n"
	"uniform vec3 colour;\n"
	"varying vec2 place;\n"
	"void main()\n"
	"{\n"
	"	gl_FragColor = vec4(colour * (1.0 - 0.6 * length(place)), 1.0);\n"
	"}\n";

static GLuint
compile(GLenum type, const char *source)
{
	GLuint shader = glCreateShader(type);
	char log[512] = "";
	GLint worked = 0;

	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &worked);
	if (worked)
		return shader;
	glGetShaderInfoLog(shader, sizeof(log), NULL, log);
	fprintf(stderr, "krafla-gles: a shader isn't compiled: %s\n", log);
	glDeleteShader(shader);
	return 0;
}

int
gles_scene_init(struct gles_scene *scene)
{
	GLuint vertex = compile(GL_VERTEX_SHADER, vertex_source);
	GLuint fragment = compile(GL_FRAGMENT_SHADER, fragment_source);
	GLint worked = 0;

	scene->program = glCreateProgram();
	if (vertex && fragment) {
		glAttachShader(scene->program, vertex);
		glAttachShader(scene->program, fragment);
		glBindAttribLocation(scene->program, 0, "position");
		glLinkProgram(scene->program);
		glGetProgramiv(scene->program, GL_LINK_STATUS, &worked);
	}
	/* They live as long as the program. */
	glDeleteShader(vertex);
	glDeleteShader(fragment);
	if (!worked) {
		fprintf(stderr, "krafla-gles: the program isn't linked\n");
		return -1;
	}
	scene->turn = glGetUniformLocation(scene->program, "turn");
	scene->aspect = glGetUniformLocation(scene->program, "aspect");
	scene->colour = glGetUniformLocation(scene->program, "colour");
	return 0;
}

void
gles_scene_finish(struct gles_scene *scene)
{
	glDeleteProgram(scene->program);
}

/* A fan around the middle, whose corners lie far out and near in turn; it closes. */
static void
draw_star(float size)
{
	GLfloat fan[2 * POINTS + 2][2] = {{0, 0}};

	for (int i = 1; i < 2 * POINTS + 2; i++) {
		float angle = PI * (float)(i - 1) / POINTS;
		float radius = i % 2 ? size : size * 0.4f;

		fan[i][0] = radius * sinf(angle);
		fan[i][1] = radius * cosf(angle);
	}
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, fan);
	glDrawArrays(GL_TRIANGLE_FAN, 0, 2 * POINTS + 2);
}

void
gles_scene_draw(const struct gles_scene *scene, int width, int height, unsigned frame)
{
	static const GLfloat ground[4][2] = {{-2, -2}, {2, -2}, {-2, 2}, {2, 2}};
	float angle = (float)frame * PI / 60;

	glViewport(0, 0, width, height);
	glClearColor(0.1f, 0.1f, 0.15f, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glUseProgram(scene->program);
	glEnableVertexAttribArray(0);
	glUniform1f(scene->aspect, (float)width / (float)height);
	/* A band of light below, so that up and down can be told apart. */
	glEnable(GL_SCISSOR_TEST);
	glScissor((int)(frame * 3) % width, 0, width / 4, height / 8);
	glUniform2f(scene->turn, 1, 0);
	glUniform3f(scene->colour, 0.9f, 0.7f, 0.2f);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, ground);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glDisable(GL_SCISSOR_TEST);
	glUniform2f(scene->turn, cosf(angle), sinf(angle));
	glUniform3f(scene->colour, 0.2f, 0.8f, 1);
	draw_star(0.8f);
}
