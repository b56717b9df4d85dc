/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program where sockets can't be bound to abstract names, as in a sandbox: `unnamed PROGRAM
 * [ARGUMENT]...`. A filter can't look at an address, but at its length: that of a fence's name is
 * neither as short as an address of IP, nor is it all of a struct sockaddr_un, as where a display's
 * socket is bound to a path.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bind, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, sizeof(struct sockaddr_un), 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, sizeof(struct sockaddr_in), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		fprintf(stderr, "unnamed: %s\n", argc < 2 ? "no program" : strerror(errno));
		return 125;
	}
	execvp(argv[1], argv + 1);
	fprintf(stderr, "unnamed: %s: %s\n", argv[1], strerror(errno));
	return 127;
}
