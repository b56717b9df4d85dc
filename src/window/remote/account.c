/* SPDX-License-Identifier: Apache-2.0 */
/* A table that is never empty enough to be worth a list: see account.h. */
#include "window/remote/account.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/macros.h"
#include "util/mutex.h"

/* A socket's file; one that took its place has another time. */
struct name {
	dev_t device;
	ino_t inode;
	struct timespec changed;
};

struct kr_account {
	struct name name;
	pid_t pid; /* 0: not in use */
	unsigned windows;
	_Atomic uint64_t frames; /* added to without the lock */
};

static struct kr_mutex table_lock = KR_MUTEX_INITIALIZER;
static struct kr_account accounts[KR_ACCOUNT_DISPLAYS] KR_GUARDED_BY(table_lock);

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
lock_table(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&table_lock);
}

static void
unlock_table(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_unlock(&table_lock);
}

/* A child may open windows, whatever other threads do as it is forked. */
static void
register_fork(void)
{
	/* Only memory can be missing; then a fork just at the wrong time is a risk. */
	(void)pthread_atfork(lock_table, unlock_table, unlock_table);
}

static bool
same(const struct name *a, const struct name *b)
{
	return a->device == b->device && a->inode == b->inode &&
		a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* The display's, or one that nobody uses any more. */
static struct kr_account *
find_locked(const struct name *name, pid_t pid) KR_REQUIRES(table_lock)
{
	struct kr_account *free = NULL;

	for (size_t i = 0; i < KR_ARRAY_LEN(accounts); i++) {
		struct kr_account *account = &accounts[i];

		if (account->pid == pid && same(&account->name, name))
			return account;
		/* Those of a parent are nobody's here. */
		if (account->pid != pid || (!account->windows && (!free || free->pid == pid)))
			free = account;
	}
	if (!free)
		return NULL;
	free->name = *name;
	free->pid = pid;
	free->windows = 0;
	atomic_store_explicit(&free->frames, 0, memory_order_relaxed);
	return free;
}

struct kr_account *
kr_account_open(const char *socket_path)
{
	struct kr_account *account;
	struct name name;
	struct stat st;

	if (fstatat(AT_FDCWD, socket_path, &st, 0))
		return NULL;
	pthread_once(&once, register_fork);
	name = (struct name){st.st_dev, st.st_ino, st.st_ctim};
	kr_mutex_lock(&table_lock);
	account = find_locked(&name, getpid());
	if (account)
		account->windows++;
	kr_mutex_unlock(&table_lock);
	return account;
}

void
kr_account_close(struct kr_account *account)
{
	if (!account)
		return;
	kr_mutex_lock(&table_lock);
	/* A window that a child has of its parent counts for nobody. */
	if (account->windows)
		account->windows--;
	kr_mutex_unlock(&table_lock);
}

void
kr_account_add(struct kr_account *account)
{
	if (account)
		atomic_fetch_add_explicit(&account->frames, 1, memory_order_relaxed);
}

uint64_t
kr_account_frames(const struct kr_account *account)
{
	return account ? atomic_load_explicit(&account->frames, memory_order_relaxed) : 0;
}
