# SPDX-License-Identifier: BSD-3-Clause
"""What a machine allows, found out once and then given to both sides of every pair alike: CPUs, SIMD width,
memory, priority. Called before anything is measured."""
import dataclasses
import mmap
import os
import shutil
import subprocess

from programs import Failure, threads

HUGE_MB = 256  # roceway computes its pool and asks for less; testpmd's 32,768 mbufs take 80 MB
OVS_HUGE_MB = 1280  # OVS takes 262,144 mbufs for its ports, and fewer only when there is no memory
SIMD_FLAGS = [(512, "avx512f"), (256, "avx2"), (128, "sse4_2")]
MAP_HUGETLB = 0x40000
PRIORITY = 50


@dataclasses.dataclass
class Conditions:
    main_cpu: int  # control threads, and this benchmark
    worker_cpu: int  # the one worker, alone
    simd: int  # bits, for --force-max-simd-bitwidth
    hugepages: bool
    real_time: bool
    seconds: float  # of a window
    program: str
    burst: int = 32
    latency_source: str = ""  # the generator of the latency comparison

    def eal(self, program):
        """EAL's options, the same for all."""
        return [f"--lcores=0@{self.main_cpu},1@{self.worker_cpu}", *self.instance(program)]

    @staticmethod
    def prefix(program):
        """Of the files of one program of this benchmark: its own, whatever else of DPDK runs here."""
        return f"bench-peers-{program}-{os.getpid()}"

    def instance(self, program):
        # --no-huge implies --legacy-mem; without the word OVS would add --in-memory, which contradicts it.
        memory = (
            ["--in-memory"] if self.hugepages else ["--no-huge", "--legacy-mem", "--no-shconf", "-m", "1024"]
        )
        simd = f"--force-max-simd-bitwidth={self.simd}"
        return ["--no-pci", *memory, f"--file-prefix={self.prefix(program)}", simd]

    @property
    def cpus(self):
        return {self.main_cpu, self.worker_cpu}

    @property
    def priority(self):
        """Of SCHED_FIFO; 0: ordinary."""
        return PRIORITY if self.real_time else 0

    def raise_worker(self, pid):
        """The worker's thread. Real time for the thread that is pinned to the worker's CPU, once the program runs: where all of
        its threads have it from the start, EAL's may wait for each other for ever."""
        only_here = f"Cpus_allowed_list:\t{self.worker_cpu}\n"
        workers = [int(task) for task, status in threads(pid, "status") if only_here in status]
        if len(workers) != 1:
            raise Failure(f"{len(workers)} threads are pinned to CPU {self.worker_cpu}, not one worker")
        if self.real_time:
            os.sched_setscheduler(workers[0], os.SCHED_FIFO, os.sched_param(PRIORITY))
        return str(workers[0])

    def short(self):
        """For a row and a picture."""
        return (
            f"SIMD {self.simd}, {'hugepages' if self.hugepages else 'no hugepages'}, "
            f"{'real-time' if self.real_time else 'ordinary'} priority"
        )

    def lines(self):
        yield (
            f"machine: {cpu_model()}, {os.cpu_count()} CPUs; one worker on CPU {self.worker_cpu}, everything "
            f"else on CPU {self.main_cpu}"
        )
        yield f"both sides: burst {self.burst}, SIMD up to {self.simd} bits, one capture, sinks without RX"
        yield "both sides: " + (
            "hugepages, no files (--in-memory)"
            if self.hugepages
            else "no hugepages (--no-huge): slower than with them, and not to be compared with such figures"
        )
        yield "both sides: " + (
            f"the worker has real-time priority (chrt -f -p {PRIORITY})"
            if self.real_time
            else "ordinary priority (real time is not allowed here): expect more noise"
        )


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else os.uname().machine


def widest_simd():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = next((line.split() for line in file if line.startswith("flags")), [])
    return next((bits for bits, flag in SIMD_FLAGS if flag in flags), 64)


def hugepages_free(megabytes):
    """Whether so much is free, and a page may be had without a file, as --in-memory does it."""
    with open("/proc/meminfo", encoding="utf-8") as file:
        rows = dict(line.split(":", 1) for line in file)
    size_kb = int(rows.get("Hugepagesize", "0 kB").split()[0])
    if not size_kb or int(rows["HugePages_Free"]) * size_kb < megabytes * 1024:
        return False
    try:
        with mmap.mmap(-1, size_kb * 1024, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_HUGETLB):
            return True
    except OSError:
        return False


def works(*command):
    return (
        shutil.which(command[0]) is not None
        and subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        ).returncode
        == 0
    )


def two_cpus():
    """The CPU for everything else, and the worker's."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise Failure(
            "two CPUs are needed: one for the worker, one for everything else; this process may use "
            f"CPU {cpus[0]} only"
        )
    return cpus[0], cpus[-1]


def found(options):
    """The conditions for these options (of peer_options.py) on this machine."""
    main_cpu, worker_cpu = two_cpus()
    return Conditions(
        main_cpu=main_cpu,
        worker_cpu=worker_cpu,
        simd=options.simd or widest_simd(),
        hugepages=hugepages_free(OVS_HUGE_MB if options.ovs else HUGE_MB),
        real_time=works("chrt", "-f", str(PRIORITY), "true"),
        seconds=options.seconds,
        program=options.program,
        latency_source=options.latency_source,
    )
