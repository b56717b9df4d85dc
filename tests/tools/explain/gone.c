/* SPDX-License-Identifier: Apache-2.0 */
/* The library that explain_needy.so needs and won't find. */
int explain_fault_gone(void);

__attribute__((visibility("default"))) int
explain_fault_gone(void)
{
	return 1;
}
