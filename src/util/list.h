/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A doubly linked list whose links live in its elements. A head names its element in a comment:
 *
 *   struct kr_list buffers;  (kr_buffer.link)
 */
#ifndef KR_UTIL_LIST_H
#define KR_UTIL_LIST_H

#include <stdbool.h>
#include "util/macros.h"

struct kr_list {
	struct kr_list *prev;
	struct kr_list *next;
};

/* clang-format off */
#define KR_LIST_INITIALIZER(name) {&(name), &(name)}
/* clang-format on */

static inline void
kr_list_init(struct kr_list *head)
{
	head->prev = head->next = head;
}

static inline bool
kr_list_empty(const struct kr_list *head)
{
	return head->next == head;
}

/* Inserts behind `at`: behind a head that is the front, behind head->prev the back. */
static inline void
kr_list_insert(struct kr_list *at, struct kr_list *link)
{
	link->prev = at;
	link->next = at->next;
	at->next->prev = link;
	at->next = link;
}

static inline void
kr_list_append(struct kr_list *head, struct kr_list *link)
{
	kr_list_insert(head->prev, link);
}

/* The link may be removed again without harm. */
static inline void
kr_list_remove(struct kr_list *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	kr_list_init(link);
}

#define kr_list_for_each(pos, head, member)                                                        \
	for (pos = kr_container_of((head)->next, __typeof__(*pos), member);                        \
		&pos->member != (head);                                                            \
		pos = kr_container_of(pos->member.next, __typeof__(*pos), member))

/* From the back to the front. */
#define kr_list_for_each_back(pos, head, member)                                                   \
	for (pos = kr_container_of((head)->prev, __typeof__(*pos), member);                        \
		&pos->member != (head);                                                            \
		pos = kr_container_of(pos->member.prev, __typeof__(*pos), member))

/*
 * As kr_list_for_each, and `pos` may be removed (and freed) in the body; `tmp` is of the same type.
 */
#define kr_list_for_each_safe(pos, tmp, head, member)                                              \
	for (pos = kr_container_of((head)->next, __typeof__(*pos), member),                        \
	    tmp = kr_container_of(pos->member.next, __typeof__(*pos), member);                     \
		&pos->member != (head);                                                            \
		pos = tmp, tmp = kr_container_of(tmp->member.next, __typeof__(*pos), member))

#endif
