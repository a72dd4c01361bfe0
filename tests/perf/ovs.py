# SPDX-License-Identifier: BSD-3-Clause
"""Open vSwitch with DPDK as one side of a comparison: its own database, sockets and log in a folder of its
own and its devices in a network namespace of its own, so that a switch that this machine runs is not touched.
Started and stopped for every run."""
import os
import subprocess

from conditions import works
from programs import Failure, Program

SWITCH = "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
BRIDGE = "peers0"
# Hash of the same fields as roceway's. Without selection_method OVS hashes by dp_hash, and passes each packet
# twice through its tables: slower.
GROUP = (
    "group_id=1,type=select,selection_method=hash,fields(ip_src,ip_dst,udp_src,udp_dst,tcp_src,tcp_dst),"
    + ",".join(f"bucket=bucket_id:{n},output:{10 + n}" for n in range(1, 5))
)


def other_config(conditions):
    return [
        "other_config:dpdk-init=true",
        f"other_config:pmd-cpu-mask={1 << conditions.worker_cpu:#x}",
        f"other_config:dpdk-lcore-mask={1 << conditions.main_cpu:#x}",
        f'other_config:dpdk-extra="{" ".join(conditions.instance("ovs"))}"',
    ]


def describe(conditions):
    """What a reader needs to do the same by hand."""
    return (
        f"{SWITCH}; {', '.join(other_config(conditions))}; ports of type dpdk: the "
        f"same devices; group of OpenFlow 1.5: {GROUP}; flow: in_port=1,actions=group:1"
    )


def namespace():
    """A prefix for a network namespace of one's own: OVS makes kernel interfaces (`ovs-netdev`, the
    bridge)."""
    for prefix in (["unshare", "--net"], ["unshare", "--user", "--map-root-user", "--net"]):
        if works(*prefix, "true"):
            return prefix
    if os.path.exists("/sys/class/net/ovs-netdev"):
        raise Failure(
            "an Open vSwitch with a userspace datapath runs here, and no network namespace may be made for "
            "another one: stop it, or start this as root"
        )
    return []


class OpenVSwitch:
    def __init__(self, conditions, source, sinks, folder, limit):
        self.folder, self.database, self.switch = folder, None, None
        self.environment = {f"OVS_{name}DIR": folder for name in ("RUN", "DB", "LOG", "SYSCONF")}
        os.environ.update(self.environment)
        try:
            self.start(conditions, source, sinks, limit)
        except BaseException:
            self.stop()
            raise

    def start(self, conditions, source, sinks, limit):
        socket = f"unix:{self.folder}/db.sock"
        # The switch pins its worker by pmd-cpu-mask. EAL's own threads would take the worker's CPU, since no
        # lcore of EAL is on it, if they were allowed to.
        others = {conditions.main_cpu}
        self.run("ovsdb-tool", "create", f"{self.folder}/conf.db", SCHEMA)
        self.database = Program(
            [
                "ovsdb-server",
                f"{self.folder}/conf.db",
                f"--remote=p{socket}",
                f"--unixctl={self.folder}/db.ctl",
            ],
            self.folder,
            limit,
            others,
            f"{self.folder}/db.out",
        )
        self.database.wait_for("database", lambda: os.path.exists(f"{self.folder}/db.sock"))
        control = ["ovs-vsctl", f"--db={socket}", "--timeout=20"]
        self.run(*control, "--no-wait", "init", "--", "set", "Open_vSwitch", ".", *other_config(conditions))
        self.switch = Program(
            [*namespace(), SWITCH, socket, f"--unixctl={self.folder}/switch.ctl", "--disable-system"],
            self.folder,
            limit,
            others,
            f"{self.folder}/switch.out",
            os.path.basename(SWITCH),
        )
        ports = []
        for number, device in [(1, source), *((11 + n, sink) for n, sink in enumerate(sinks))]:
            name = device.split(",")[0]
            ports += [
                "--",
                "add-port",
                BRIDGE,
                name,
                "--",
                "set",
                "Interface",
                name,
                "type=dpdk",
                f'options:dpdk-devargs="{device}"',
                f"ofport_request={number}",
            ]
        # Returns when the switch has done it.
        self.run(*control, "add-br", BRIDGE, "--", "set", "bridge", BRIDGE, "datapath_type=netdev", *ports)
        bridge = f"unix:{self.folder}/{BRIDGE}.mgmt"
        self.run("ovs-ofctl", "-O", "OpenFlow15", "add-group", bridge, GROUP)
        self.run("ovs-ofctl", "-O", "OpenFlow15", "del-flows", bridge)
        self.run("ovs-ofctl", "-O", "OpenFlow15", "add-flow", bridge, "in_port=1,actions=group:1")

    def run(self, *command):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        except subprocess.TimeoutExpired as late:
            raise Failure(f"{' '.join(command)}: no end within 30 s") from late
        if done.returncode != 0:
            log = f"{self.folder}/switch.out"
            said = done.stderr.strip()
            if os.path.exists(log):
                with open(log, encoding="utf-8", errors="replace") as file:
                    said += "\n  the switch said:\n" + "".join(
                        "    " + line for line in file.readlines()[-12:]
                    )
            raise Failure(f"{' '.join(command)}\n  failed: {said}")

    def telemetry(self, prefix):
        return self.switch.telemetry(prefix)

    def check(self):
        self.switch.check()

    def alive(self):
        return self.switch.alive()

    def wait_for(self, what, attempt):
        return self.switch.wait_for(what, attempt)

    def stop(self):
        for program in (self.switch, self.database):
            if program:
                program.stop()
        for name in self.environment:
            os.environ.pop(name, None)
