# SPDX-License-Identifier: Apache-2.0
"""
By which ways a handle of the window system can come to a driver.

A structure holds a handle itself or in a structure inside it; with chains followed, also when such
a structure may be in its pNext chain. A command reaches a driver with a handle when one of its
parameters is or holds one. Untyped handles (an object type and 64 bits) may be any handle.
"""

import policy


def is_untyped(param, siblings):
    """Whether a parameter or member is the 64 bits of a handle whose type a sibling tells."""
    if param.type != "uint64_t" or param.pointer:
        return False
    return param.untyped_handle or (
        "andle" in param.name and any(other.type in policy.OBJECT_TYPE_ENUMS for other in siblings)
    )


def has(params, handles, untyped=False):
    return any(
        param.type in handles or (untyped and is_untyped(param, params)) for param in params
    )


def direct(registry, handles, untyped=False):
    """Names of the structures, aliases included, that have such a handle as a member."""
    return {
        name
        for name in registry.structs
        if has(registry.struct(name).members, handles, untyped)
    }


def closure(registry, found, chains=False):
    """The structures that hold one of `found` (`chains`: or may have one in their pNext chain)."""
    found = set(found)
    size = -1
    while size < len(found):
        size = len(found)
        for name in registry.structs:
            if any(member.type in found for member in registry.struct(name).members):
                found.add(name)
        if chains:
            found.update(*(registry.struct(name).extends for name in found))
            found &= set(registry.structs)
            # By their older names, too.
            found.update(registry.struct(name).name for name in set(found))
    return found
