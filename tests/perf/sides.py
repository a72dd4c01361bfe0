# SPDX-License-Identifier: BSD-3-Clause
"""Who is compared with whom: the comparisons of bench_peers.py, each side with its command, the work it does,
and the way to start it. A side sees nothing of the other."""
import dataclasses
import os
import shlex
import typing

from ovs import OpenVSwitch, describe
from programs import Program

CAPTURE = "configs/flows.pcap"
SOURCE = f"net_pcap0,rx_pcap={CAPTURE},infinite_rx=1"
SINKS = [f"net_null{n},no-rx=1" for n in range(1, 5)]
MEMIFS = ["net_memif0", "net_memif1"]
LIMIT_S = 90  # of a whole run, start and stop included, beside its window
TESTPMD_MBUFS = 32768


@dataclasses.dataclass
class Side:
    program: str  # roceway, testpmd or ovs
    name: str
    work: str
    command: typing.Callable  # of conditions: a list, or a text that describes it
    sinks: int
    settle_s: float = 0.5  # from the first packet to the window

    def shown(self, conditions):
        command = self.command(conditions)
        return command if isinstance(command, str) else "$ " + shlex.join(command)


@dataclasses.dataclass
class Comparison:
    name: str
    ours: Side
    peer: Side
    difference: str  # of their work: no two programs do quite the same
    bar: float
    aim: float = 0
    by_lower_bound: bool = False
    latency: bool = False  # of times under way (latency.py), not of rates: the lower, the better


def vdevs(sinks):
    return [f"--vdev={device}" for device in (SOURCE, *SINKS[:sinks])]


def memifs(role):
    """Both programs' ends of the two links. An abstract socket leaves no file, however a program ends."""
    name = f"bench-peers-{os.getpid()}"
    return [f"--vdev={device},role={role},socket={name}-{n}" for n, device in enumerate(MEMIFS)]


def gateway(*options):
    return lambda c: [
        c.program,
        *c.eal("roceway"),
        "--",
        "--config",
        "configs/four_nic.toml",
        f"--burst={c.burst}",
        "--no-ctl",
        *options,
    ]


def roceway_io(c, devices):
    return [
        c.program,
        *c.eal("roceway"),
        *devices,
        "--",
        "--fwd=io",
        "--rxq=1",
        "--txq=1",
        f"--burst={c.burst}",
    ]


def testpmd(c, devices, ports):
    return [
        "dpdk-testpmd",
        *c.eal("testpmd"),
        *devices,
        "--",
        "--forward-mode=io",
        "--nb-cores=1",
        "--rxq=1",
        "--txq=1",
        f"--burst={c.burst}",
        f"--portmask={ports:#x}",
        f"--total-num-mbufs={TESTPMD_MBUFS}",
    ]


def testpmd_bonding(c):
    bond = "net_bonding0,mode=2,xmit_policy=l34" + "".join(f",slave={sink.split(',')[0]}" for sink in SINKS)
    # The ports are the capture's and the bond, not its slaves.
    return testpmd(c, [*vdevs(4), f"--vdev={bond}"], 0b100001)


def roceway_side(queues, options):
    work = (
        f"parse, Jenkins hash of addresses and ports, table, four NICs x {queues} TX queue(s); MAC guard, "
        "order of one flow in 64, all counters"
    )
    return Side("roceway", "roceway gateway", work, gateway(*options), 4)


TESTPMD_IO = Side(
    "testpmd",
    "testpmd io",
    "one sink, one TX queue; looks at nothing, counts packets",
    lambda c: testpmd(c, vdevs(1), 0b11),
    1,
)
BONDING = Side(
    "testpmd",
    "testpmd io + net_bonding",
    "balance_xor with xmit_policy l34: XOR of addresses and ports, modulo, four "
    "slaves x 1 TX queue; counts packets",
    testpmd_bonding,
    4,
)
ROCEWAY_IO = Side(
    "roceway",
    "roceway io",
    "one sink, one TX queue; looks at length and ethertype, counts packets and bytes",
    lambda c: roceway_io(c, vdevs(1)),
    1,
)
# A frame's way out and back: from the source to the first port, from the second one to the source.
ROCEWAY_THROUGH = Side(
    "roceway",
    "roceway io",
    "from one net_memif port to the other; looks at length and ethertype, counts packets and bytes",
    lambda c: roceway_io(c, memifs("server")),
    0,
)
TESTPMD_THROUGH = Side(
    "testpmd",
    "testpmd io",
    "from one net_memif port to the other; looks at nothing, counts packets",
    # Else it would wait nine seconds for links that come with the source.
    lambda c: [*testpmd(c, memifs("server"), 0b11), "--disable-link-check"],
    0,
)
# Until its 2,048 flows are in OVS's tables and caches.
OVS = Side(
    "ovs",
    "OVS-DPDK select group",
    "flow key, exact-match cache and flow table, hash of addresses and ports once a "
    "flow, four ports x 1 TX queue; counts packets and bytes of every flow",
    describe,
    4,
    3.0,
)

COMPARISONS = [
    Comparison(
        "gateway-io",
        roceway_side(2, []),
        TESTPMD_IO,
        "roceway spreads by hash, testpmd sends everything to one sink unseen: what the spreading costs",
        0.82,
        0.92,
    ),
    Comparison(
        "gateway-bonding",
        roceway_side(1, ["--rxq=1", "--txq=1"]),
        BONDING,
        "both spread flows over four; roceway also guards, watches order and counts by reason",
        1.15,
        1.25,
    ),
    Comparison(
        "io-io",
        ROCEWAY_IO,
        TESTPMD_IO,
        "both send every packet to the one sink; roceway looks at its ethertype, too, and counts bytes",
        0.95,
        by_lower_bound=True,
    ),
    Comparison(
        "gateway-ovs",
        roceway_side(1, ["--rxq=1", "--txq=1"]),
        OVS,
        "both spread flows over four; OVS looks flows up in caches and could do far more with them",
        4,
    ),
    Comparison(
        "latency",
        ROCEWAY_THROUGH,
        TESTPMD_THROUGH,
        "the same frames at the same rate, half of the slower one's; times under way, the lower the better",
        1.2,
        latency=True,
    ),
]


class Run:
    """A side that has been started."""

    def __init__(self, side, conditions, folder):
        self.side = side
        self.prefix = conditions.prefix(side.program)
        limit = LIMIT_S + conditions.seconds
        if side.program == "ovs":
            self.program = OpenVSwitch(conditions, SOURCE, SINKS, folder, limit)
        else:
            self.program = Program(side.command(conditions), folder, limit, conditions.cpus)

    def telemetry(self):
        return self.program.telemetry(self.prefix)

    def stop(self):
        if self.side.program == "testpmd":
            self.program.stop(by_enter=True)
        else:
            self.program.stop()
