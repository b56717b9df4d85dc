/* SPDX-License-Identifier: Apache-2.0 */
/* What unknown_slots.S and the C around it agree on. Read by the assembler too: numbers only. */
#ifndef KR_LOADER_HANDLES_UNKNOWN_LAYOUT_H
#define KR_LOADER_HANDLES_UNKNOWN_LAYOUT_H

/* So many functions of each kind may be unknown to us in one instance. */
#define KR_UNKNOWN_SLOTS 256

/*
 * The functions behind the slots stand before the dispatch table of their owner: an instance, a
 * device or an instance of a driver.
 */
#define KR_UNKNOWN_BYTES (KR_UNKNOWN_SLOTS * 8)

/* Of struct kr_physical_device. */
#define KR_PHYSICAL_DEVICE_HANDLE 8
#define KR_PHYSICAL_DEVICE_DRIVER 16

/* Bytes from one slot to the next; 0: there are none on this machine. */
#if defined(__x86_64__) || defined(__aarch64__)
#define KR_UNKNOWN_SLOT_SIZE       32
#define KR_UNKNOWN_TERMINATOR_SIZE 64
#else
#define KR_UNKNOWN_SLOT_SIZE       0
#define KR_UNKNOWN_TERMINATOR_SIZE 0
#endif

#endif
