/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table by fd number, in pages that are mapped when a number first falls into them and then stay.
 */
#include "sync/fence/producers.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sync/fence/fork.h"

#define PAGE_ENTRIES 512
#define PAGES        2048

struct page {
	_Atomic uint64_t cookies[PAGE_ENTRIES]; /* 0: no producer end */
};

struct kr_mutex kr_sync_producers_lock = KR_MUTEX_INITIALIZER;
/* Pages are added under the lock and never go, so that who forgets an end needs none. */
static _Atomic(struct page *) pages[PAGES];

static uint64_t
cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) ? 0 : cookie;
}

/* Where the entry of a number is; NULL: none was ever made near it. */
static _Atomic uint64_t *
entry_of(int fd)
{
	unsigned number = (unsigned)fd / PAGE_ENTRIES;
	struct page *page = number < PAGES ? atomic_load(&pages[number]) : NULL;

	return page ? &page->cookies[(unsigned)fd % PAGE_ENTRIES] : NULL;
}

int
kr_sync_producers_add_locked(int fd)
{
	unsigned number = (unsigned)fd / PAGE_ENTRIES;

	if (number >= PAGES)
		return -EMFILE;
	if (!atomic_load(&pages[number])) {
		void *page = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			return -ENOMEM;
		atomic_store(&pages[number], page);
	}
	atomic_store(entry_of(fd), cookie_of(fd));
	return 0;
}

static uint64_t
registered_cookie(int fd)
{
	_Atomic uint64_t *entry = entry_of(fd);

	return entry ? atomic_load(entry) : 0;
}

/* Forgotten when it is closed: whoever has got the number by then has another cookie. */
KR_PRIVATE void
kr_sync_producers_close(int take_fd)
{
	uint64_t cookie = registered_cookie(take_fd);
	_Atomic uint64_t *entry = entry_of(take_fd);

	close(take_fd);
	if (entry)
		atomic_compare_exchange_strong(entry, &cookie, 0);
}

bool
kr_sync_producers_has(int fd)
{
	uint64_t cookie = registered_cookie(fd);

	return cookie && cookie == cookie_of(fd);
}

static void
drop_page(struct page *page, unsigned first)
{
	for (unsigned i = 0; i < PAGE_ENTRIES; i++) {
		uint64_t cookie = atomic_exchange(&page->cookies[i], 0);

		if (cookie && cookie == cookie_of((int)(first + i)))
			close((int)(first + i));
	}
}

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&kr_sync_producers_lock);
}

/* A child closes them all. */
static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	for (unsigned i = 0; child && i < PAGES; i++) {
		struct page *page = atomic_load(&pages[i]);

		if (page)
			drop_page(page, i * PAGE_ENTRIES);
	}
	kr_mutex_unlock(&kr_sync_producers_lock);
}

__attribute__((constructor)) static void
register_hook(void)
{
	static const struct kr_sync_fork_hook hook = {before_fork, after_fork};

	kr_sync_fork_register(KR_SYNC_FORK_PRODUCERS, &hook);
}
