/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a delivered package: see index.h. */
#include "delivery/index.h"

#include <stdlib.h>

static void
finish_need(struct kr_index_need *need)
{
	for (size_t i = 0; i < need->version_count; i++)
		free(need->versions[i]);
	free(need->versions);
	free(need->library);
}

static void
free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void
kr_index_finish(struct kr_index *index)
{
	for (size_t i = 0; i < index->file_count; i++) {
		free(index->files[i].path);
		free(index->files[i].soname);
	}
	for (size_t i = 0; i < index->need_count; i++)
		finish_need(&index->needs[i]);
	for (size_t i = 0; i < index->variable_count; i++)
		free(index->variables[i].name);
	free_list(index->nodes);
	free_list(index->system_paths);
	free(index->variables);
	free(index->files);
	free(index->needs);
	free(index->name);
	free(index->driver);
	*index = (struct kr_index){0};
}
