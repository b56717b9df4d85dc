# SPDX-License-Identifier: Apache-2.0
"""The lab's kernel: Debian's image and headers, unpacked below the cache, and the modules it loads.

Krafla's own modules are built from kernel/. vkms and sw_sync, which Debian's configuration leaves
out, are built from Debian's source package as they are there but for what building outside of the
kernel needs, and a fault of each: they are peers to test with and never part of the repository.
"""
import lzma
import os
import pathlib
import re
import shutil

from common import LabError, digest, pipeline, run, say, used, whole

# What is loaded, in this order, each behind what it depends on. (name, parameters)
DEBIAN_MODULES = (("virtio_gpu", ""), ("vgem", ""), ("unix_diag", ""), ("virtio_blk", ""),
                  ("crc32c_generic", ""), ("ext4", ""),
                  ("vivid", "n_devs=1 node_types=1"))  # a camera
PEER_MODULES = (("vkms", "enable_writeback=1 enable_overlay=1"), ("sw_sync", ""))
SOURCE_FOLDERS = ("drivers/gpu/drm/vkms", "drivers/dma-buf")
SW_SYNC_FILES = ("sw_sync.c", "sync_debug.c", "sync_debug.h", "sync_trace.h")
# Module type information would need pahole and helps nobody here.
MAKE_VARIABLES = ("CONFIG_DEBUG_INFO_BTF_MODULES=",)


class Kernel:
    def __init__(self, cache, release, debs):
        self.cache = cache
        self.release = release  # as uname -r says it
        self.debs = debs
        self.version = re.sub(r"[^\w.+~-]", "_", str(debs["image"].stem.split("_")[1]))
        self.root = cache / f"kernel-{self.release}-{self.version}"

    @property
    def image(self):
        return self.root / f"boot/vmlinuz-{self.release}"

    @property
    def headers(self):
        return self.root / f"usr/src/linux-headers-{self.release}"

    def unpack(self):
        if not self.root.is_dir():
            say(f"unpacking Linux {self.release}")
            with whole(self.root) as folder:
                for deb in (self.debs[name] for name in ("image", "headers", "common", "kbuild")):
                    run(["dpkg", "-x", str(deb), str(folder)], f"unpacking {deb.name}")
                relocate(folder / f"usr/src/linux-headers-{self.release}/Makefile")
        used(self.root)

    # Krafla's modules

    def own_modules(self, source):
        """Builds kernel/ in a copy; the modules it makes."""
        if not (source / "Makefile").exists():
            return []
        place = self.cache / f"modules-{digest(source, self.version)}"
        if not place.is_dir():
            say("building Krafla's kernel modules")
            with whole(place) as folder:
                shutil.copytree(source, folder / "kernel")
                run(["make", "-C", str(folder / "kernel"), f"KDIR={self.headers}", "W=1", "KCFLAGS=-Werror",
                     *MAKE_VARIABLES],
                    f"make -C kernel KDIR={self.headers}")
                keep_modules(folder)
        return sorted(used(place).glob("*.ko"))

    # Peers

    def peers(self):
        place = self.cache / f"peers-{self.release}-{self.version}-{digest(pathlib.Path(__file__))}"
        if not place.is_dir():
            say("building vkms and sw_sync from Debian's kernel source")
            with whole(place) as folder:
                self._extract_source(folder / "source")
                vkms = folder / "source" / SOURCE_FOLDERS[0]
                mend_vkms(vkms)
                self._make(vkms, "CONFIG_DRM_VKMS=m")
                self._make(prepare_sw_sync(folder / "source" / SOURCE_FOLDERS[1], folder / "sw_sync"))
                keep_modules(folder)
        return sorted(used(place).glob("*.ko"))

    def _make(self, folder, *variables):
        run(["make", "-C", str(self.headers), f"M={folder}", *MAKE_VARIABLES, *variables, "modules"],
            f"building {folder.name}")

    def _extract_source(self, folder):
        folder.mkdir()
        deb = self.debs["source"]
        series = deb.name.split("_")[0]
        pipeline(["dpkg-deb", "--fsys-tarfile", str(deb)], ["tar", "-xO", f"./usr/src/{series}.tar.xz"],
                 ["xz", "-dcT0"], ["tar", "-x", "-C", str(folder), "--strip-components=1", "--wildcards",
                                   *(f"*/{name}" for name in SOURCE_FOLDERS)],
                 what=f"extracting the sources of {deb.name}")

    # Loading

    def load_order(self, own):
        """[(path, parameters)] of all modules that the lab loads, what each depends on first."""
        folder = self.root / f"lib/modules/{self.release}"
        known = {module_name(path): path for path in folder.rglob("*.ko*")}
        built_in = {module_name(pathlib.Path(line)) for line in (folder / "modules.builtin").read_text().split()}
        peers = {module_name(path): path for path in self.peers()}
        mine = {module_name(path): path for path in own}
        known.update(peers, **mine)
        wanted = [*DEBIAN_MODULES, *PEER_MODULES, *((name, "") for name in sorted(mine))]
        order = {}
        for name, parameters in wanted:
            if name in built_in:
                continue
            if name not in known:
                raise LabError(f"module {name} is neither in Linux {self.release} nor built here")
            add_with_dependencies(order, known, built_in, name)
            order[name] = parameters
        return [(known[name], parameters) for name, parameters in order.items()]


def add_with_dependencies(order, known, built_in, name):
    if name in order:
        return
    depends = run(["modinfo", "-F", "depends", str(known[name])], f"reading module {name}").strip()
    for other in filter(None, depends.split(",")):
        other = other.replace("-", "_")
        if other in known:
            add_with_dependencies(order, known, built_in, other)
        elif other not in built_in:
            raise LabError(f"module {name} depends on {other}, which doesn't exist")
    order.setdefault(name, "")


def relocate(makefile):
    """The headers' Makefile names its other half by the place where the package would be
    installed."""
    beside = "include $(dir $(realpath $(lastword $(MAKEFILE_LIST))))../"
    text, count = re.subn(r"^include /usr/src/", beside, makefile.read_text(), flags=re.M)
    if not count:
        raise LabError(f"{makefile}: no 'include /usr/src/...' to relocate: look at Debian's headers package")
    makefile.write_text(text)


def module_name(path):
    return path.name.split(".ko")[0].replace("-", "_")


def module_data(path):
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def keep_modules(folder):
    """Of a folder in which modules were built, the modules alone, without debugging information."""
    for path in list(folder.rglob("*.ko")):
        run(["strip", "-g", str(path)], f"stripping {path.name}")
        path.rename(folder / path.name)
    for path in list(folder.iterdir()):
        if path.is_dir():
            shutil.rmtree(path)


def edit(path, *edits):
    text = path.read_text()
    for old, new in edits:
        if old not in text:
            raise LabError(f"{path.name} of Debian's kernel source has no '{old}': adapt scripts/lab.d/kernel.py")
        text = text.replace(old, new)
    path.write_text(text)


# sw_sync.c of 6.12 takes up points whose last reference is gone and which wait in their release for
# the timeline's lock: freed twice, when a descriptor is closed while its point ends. Found by
# tests/sync/timeline/test_sw_sync.c, given_up_while_they_end.
TAKES_UP_THE_DEAD = "\t\tdma_fence_get(&pt->base);\n"
LEAVES_THE_DEAD = "\t\tif (!dma_fence_get_rcu(&pt->base))\n\t\t\tcontinue;\n"


# vkms_crtc.c of 6.12 waits for its timer's end under a lock that the timer takes: two processors
# then turn for ever, and the machine with them. Seen when a mode was set while frames were shown.
VKMS_ENDS = (
    ("\thrtimer_cancel(&out->vblank_hrtimer);\n",
     "\tWRITE_ONCE(out->period_ns, 0);\n\thrtimer_try_to_cancel(&out->vblank_hrtimer);\n"),
    ("\tfence_cookie = dma_fence_begin_signalling();\n\n\tret_overrun",
     "\tif (!READ_ONCE(output->period_ns))\n\t\treturn HRTIMER_NORESTART;\n"
     "\tfence_cookie = dma_fence_begin_signalling();\n\n\tret_overrun"),
    ("\thrtimer_init(&out->vblank_hrtimer,",
     "\tif (!out->vblank_hrtimer.function)\n\t\thrtimer_init(&out->vblank_hrtimer,"),
)


def mend_vkms(folder):
    """A kernel that has it right stays as it is."""
    path = folder / "vkms_crtc.c"
    text = path.read_text()
    if all(old in text for old, _ in VKMS_ENDS):
        for old, new in VKMS_ENDS:
            text = text.replace(old, new)
        path.write_text(text)


def prepare_sw_sync(source, folder):
    """sw_sync as a module: what stands in the kernel's way is its trace header's path, an
    initialiser that runs too late for a module, and a function that isn't exported. And a fault
    that would end the machine."""
    folder.mkdir()
    for name in SW_SYNC_FILES:
        shutil.copyfile(source / name, folder / name)
    edit(folder / "sync_trace.h", ("TRACE_INCLUDE_PATH ../../drivers/dma-buf", "TRACE_INCLUDE_PATH ."))
    edit(folder / "sync_debug.c", ("late_initcall(", 'MODULE_LICENSE("GPL");\nmodule_init('),
         ("#include <linux/debugfs.h>", "#include <linux/debugfs.h>\n#include <linux/module.h>"),
         ("sync_file_get_name(sync_file, buf, sizeof(buf))", "strscpy(buf, \"?\", sizeof(buf)) < 0 ? NULL : buf"))
    (folder / "Makefile").write_text("obj-m := sw_sync.o\nsw_sync-y := sw_sync_main.o sync_debug.o\n"
                                     "CFLAGS_sw_sync_main.o := -I$(src)\n")
    text = (folder / "sw_sync.c").read_text()  # a kernel that has it right stays as it is
    (folder / "sw_sync.c").write_text(text.replace(TAKES_UP_THE_DEAD, LEAVES_THE_DEAD))
    (folder / "sw_sync.c").rename(folder / "sw_sync_main.c")
    return folder
