"""Fits the constants of devices and links and writes cluster/machines.

    fit.py [--check]     --check: complain of files that differ, write nothing

Efficiencies are medians of what was measured, relative to the vendor's peak. A
device without measurements of its own takes those of another, and its file says so.
"""

import collections
import csv
import math
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
MACHINES = HERE.parent / "machines"
GIB = 1 << 30
MIB = 1 << 20
# The bytes at which curves of links have points.
SIZES = [MIB << i for i in range(0, 11)]


def rows(name):
    with open(HERE / name, newline="") as file:
        return list(csv.DictReader(file))


# ------------------------------------------------------------------ collectives
def ring_traffic(n, size):
    """Bytes that a member of an all_reduce passes on."""
    return 2 * (n - 1) / n * size


def hops(n):
    """As in cluster/transfer_pricing.cc."""
    return 2 * min(n - 1, (n - 1).bit_length())


def link_of(gpu, bandwidth, hop, start):
    """Efficiencies of all_reduce by bytes (8 members) and by members."""
    times = {(int(r["n_gpus"]), int(r["bytes"])): float(r["time_us_in_place"]) * 1e-6
             for r in rows("allreduce_a100_v100.csv") if r["gpu"] == gpu}

    def efficiency(n, size):
        seconds = times[n, size] - start - hops(n) * hop
        return ring_traffic(n, size) / seconds / bandwidth

    # Not falling with size: what NCCL gains by changing its algorithm is not a
    # property of the link.
    by_bytes = [(size, min(1.0, *(efficiency(8, larger)
                                  for larger in SIZES[i:] + SIZES[-1:])))
                for i, size in enumerate(SIZES)]
    # Large ones, where latency does not matter.
    by_members = [(n, min(1.0, statistics.median(
        efficiency(n, size) / efficiency(8, size) for size in SIZES[6:])))
        for n in (2, 4, 8)]
    return by_bytes, by_members


def latency_of(gpu):
    """(hop, start) seconds of the smallest all_reduce: a line through 2 and 4
    members (of 8 A100s, NCCL takes as long for 4 MiB as for 1), without its bytes
    at the rate of large ones."""
    small, rate = {}, {}
    for r in rows("allreduce_a100_v100.csv"):
        if r["gpu"] != gpu:
            continue
        n, size = int(r["n_gpus"]), int(r["bytes"])
        seconds = float(r["time_us_in_place"]) * 1e-6
        if size == MIB:
            small[n] = seconds
        if size == 64 * MIB:
            rate[n] = seconds / size
    fixed = {n: small[n] - rate[n] * MIB for n in small}
    hop = max(1e-6, (fixed[4] - fixed[2]) / (hops(4) - hops(2)))
    return hop, max(0.0, fixed[2] - hops(2) * hop)


def v100_message_curve(op):
    found = {}
    for r in rows("v100_collective_times.csv"):
        if r["op"] == op:
            size = int(r["data_MB"]) * MIB
            found[size] = size / float(r["time_ms"]) * 1e3
    return sorted(found.items())


# ------------------------------------------------------------------ V100 operators
V100_PEAK = 125e12
V100_MEMORY = 0.9e12


def v100_products():
    """(flops, narrowest dimension, efficiency) of the products of a layer. Those
    that end in an all_reduce (tp > 1) are left out; of one rank forward and
    backward count together, as three products."""
    for r in rows("v100_op_times.csv"):
        if r["algo"] != "0":
            continue
        h, s, ffn, a = (int(r[k]) for k in ("hidden", "seq", "ffn", "heads"))
        b, t = int(r["mbs"]), int(r["tp"])
        d = h // a
        forward = float(r["fwd_us"]) * 1e-6
        both = forward + float(r["bwd_us"]) * 1e-6
        tokens = b * s
        shape = {
            "enc-attention-qkv": (tokens, h, 3 * h // t),
            "enc-attention-dense": (tokens, h // t, h),
            "enc-MLP-GEMM-1": (tokens, h, ffn // t),
            "enc-MLP-GEMM-2": (tokens, ffn // t, h),
        }.get(r["op"])
        if shape:
            flops = 2.0 * shape[0] * shape[1] * shape[2]
            if t == 1:
                yield flops, min(shape), 3 * flops / both / V100_PEAK
            elif r["op"] in ("enc-attention-qkv", "enc-MLP-GEMM-1"):
                yield flops, min(shape), flops / forward / V100_PEAK
        if r["op"] in ("enc-attention-score", "enc-attention-context"):
            flops = 2.0 * b * (a // t) * s * s * d
            yield flops, d, 3 * flops / both / V100_PEAK


def binned(points, edges):
    """Medians between edges, at the median place; not falling."""
    curve = []
    for low, high in zip(edges, edges[1:]):
        inside = [(x, y) for x, y in points if low <= x < high]
        if len(inside) < 3:
            continue
        x = statistics.median(x for x, _ in inside)
        y = statistics.median(y for _, y in inside)
        curve.append((x, max(y, curve[-1][1]) if curve else y))
    return curve


def v100_curves():
    products = list(v100_products())
    wide = [(f, e) for f, narrow, e in products if narrow >= 512]
    by_flops = binned(wide, [10 ** (8 + i / 2) for i in range(0, 10)])

    def at(x):
        return interpolate(by_flops, x)

    narrow = collections.defaultdict(list)
    for flops, least, efficiency in products:
        if least < 512:
            narrow[least].append(efficiency / at(flops))
    curve, highest = [], 0.0
    for least in sorted(narrow):
        if len(narrow[least]) >= 8:
            highest = max(highest, min(1.0, statistics.median(narrow[least])))
            curve.append((least, highest))
    return by_flops, curve + [(512, 1.0)]


def interpolate(curve, x):
    if x <= curve[0][0]:
        return curve[0][1]
    for (x0, y0), (x1, y1) in zip(curve, curve[1:]):
        if x < x1:
            return y0 + (y1 - y0) * math.log(x / x0) / math.log(x1 / x0)
    return curve[-1][1]


def v100_memory_curve():
    """Of dropout, gelu and softmax forward, by the bytes read and written: one
    read and one write of 2 bytes an element, and dropout's mask of one byte."""
    points = []
    for r in rows("v100_op_times.csv"):
        if r["algo"] != "0":
            continue
        h, s, ffn, a = (int(r[k]) for k in ("hidden", "seq", "ffn", "heads"))
        b, t = int(r["mbs"]), int(r["tp"])
        moved = {
            "enc-MLP-gelu": 4.0 * b * s * ffn / t,
            "enc-attention-dropout": 5.0 * b * a / t * s * s,
        }.get(r["op"])
        if moved:
            points.append((moved, moved / (float(r["fwd_us"]) * 1e-6) / V100_MEMORY))
    return binned(points, [10 ** (5 + i / 2) for i in range(0, 12)])


# ------------------------------------------------------------------ files
def number(value):
    return f"{value:.6g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def curve_text(name, points, indent):
    pad = " " * indent
    if not points:
        return ""
    body = "".join(f"{pad}  points {{ x: {number(x)} y: {number(round(min(y, 1.0), 4))} }}\n"
                   for x, y in points)
    return f"{pad}{name} {{\n{body}{pad}}}\n"


def link_text(link):
    out = "links {\n" + f'  name: "{link["name"]}"\n'
    if link["devices"]:
        out += f'  devices: {link["devices"]}\n'
    out += f'  bytes_per_second: {number(link["bandwidth"])}\n'
    out += f'  latency_seconds: {number(link["latency"])}\n'
    out += curve_text("efficiency", link.get("efficiency"), 2)
    if link.get("sharing"):
        out += f'  sharing: {link["sharing"]}\n'
    out += f'  start_seconds: {number(link["start"])}\n'
    out += curve_text("message_efficiency", link.get("message"), 2)
    out += curve_text("group_efficiency", link.get("members"), 2)
    return out + "}\n"


def machine_text(name, devices, device, links, source):
    out = "# Written by cluster/calibration/fit.py.\n"
    out += f'name: "{name}"\ndevices: {devices}\ndevice {{\n'
    out += f'  name: "{device["name"]}"\n'
    out += f'  memory_bytes: {device["memory"]}\n'
    out += f'  reserved_bytes: {device["reserved"]}\n'
    for kind, flops in device["peaks"].items():
        out += f'  peaks {{ type: "{kind}" flops_per_second: {number(flops)} }}\n'
    out += f'  memory_bytes_per_second: {number(device["bandwidth"])}\n'
    for key in ("product_efficiency", "narrow_efficiency", "attention_efficiency",
                "memory_efficiency"):
        out += curve_text(key, device.get(key), 2)
    out += f'  operations_per_second: {number(device["operations"])}\n'
    out += f'  launch_seconds: {number(device["launch"])}\n'
    if device["overlaps"]:
        out += "  overlaps_transfers: true\n"
    out += "}\n" + "".join(map(link_text, links))
    for line in source:
        out += "source:" if line == source[0] else "       "
        out += f' "{line}"\n'
    return out


V100_PRODUCTS, NARROW = v100_curves()
# What the A100's curves are scaled by so that one layer takes what was measured of it:
# found by fit_layer.py. A step reaches less than an operator by itself, and the kernels
# of the systems that were measured read and write more than fused ones.
LAYER_PRODUCTS = 0.87
LAYER_MEMORY = 0.7
# Published: matrix efficiency by operations and bandwidth by bytes, of isolated
# operators.
A100_PRODUCTS = [(x, LAYER_PRODUCTS * y) for x, y in
                 ((1e9, 0.6), (16e9, 0.9), (128e9, 0.95))]
A100_MEMORY = [(x, LAYER_MEMORY * y) for x, y in
               ((1e6, 0.6), (10e6, 0.75), (100e6, 0.9))]
# FlashAttention-2 (arXiv 2307.08691) reports 50 to 73 % of the peak on A100.
FUSED_ATTENTION = [(1e9, 0.5), (64e9, 0.62)]


# Rates of large products that are reached in practice, of the peak in TFLOP/s.
REACHED = {"A100": 271 / 312, "H100": 795 / 989, "B200": 1745 / 2250}


def like_a100(curve, speed, factor=1.0):
    """The A100's curve for a device that is `speed` times as fast: the same efficiency
    where the work takes the same time."""
    return [(x * speed, factor * y) for x, y in curve]


def gpu(name, memory_gib, bandwidth, f16, f32, bf16=True, products=None,
        memory_curve=None, like="A100", launch=3e-6):
    peaks = {"f32": f32, "f16": f16}
    factor = REACHED[like] / REACHED["A100"]
    if bf16:
        peaks["bf16"] = f16
    return {"name": name, "memory": memory_gib * GIB, "reserved": 3 * GIB // 2,
            "peaks": peaks, "bandwidth": bandwidth,
            "product_efficiency":
                products or like_a100(A100_PRODUCTS, f16 / 312e12, factor),
            "narrow_efficiency": NARROW,
            "attention_efficiency":
                like_a100(FUSED_ATTENTION, f16 / 312e12, factor),
            "memory_efficiency":
                memory_curve or like_a100(A100_MEMORY, bandwidth / 2.039e12),
            # A fused multiply-add counts as two in f32's peak.
            "operations": f32 / 2, "launch": launch, "overlaps": True}


def nvlink(name, devices, bandwidth, like="a100"):
    base = 300e9 if like == "a100" else 150e9
    hop, start = latency_of(like)
    by_bytes, by_members = link_of(like, base, hop, start)
    return {"name": name, "devices": devices, "bandwidth": bandwidth,
            "latency": hop, "start": start, "efficiency": by_bytes,
            "members": by_members,
            "message": message_curve(like)}


def message_curve(like):
    """Of one message: V100's, relative to two NVLinks of 25 GB/s each way; the same
    fraction for others."""
    return [(size, rate / 50e9) for size, rate in
            v100_message_curve("p2p_intra_node_GBps")]


def scale_out(name, bandwidth, sharing=0):
    """Between nodes: the shape of V100's messages between nodes, relative to the
    largest of them, times 0.85 for the protocol (nominal)."""
    found = v100_message_curve("p2p_inter_node_GBps")
    top = found[-1][1]
    return {"name": name, "devices": 0, "bandwidth": bandwidth, "latency": 5e-6,
            "start": 20e-6, "sharing": sharing,
            "efficiency": [(size, 0.85 * rate / top) for size, rate in found]}


def machines():
    v100 = gpu("V100-SXM3-32GB", 32, 0.9e12, 125e12, 15.7e12, bf16=False,
               products=V100_PRODUCTS, memory_curve=v100_memory_curve())
    a100_80 = gpu("A100-SXM4-80GB", 80, 2.039e12, 312e12, 19.5e12)
    a100_40 = gpu("A100-SXM4-40GB", 40, 1.555e12, 312e12, 19.5e12)
    h100 = gpu("H100-SXM5-80GB", 80, 3.35e12, 989e12, 67e12, like="H100")
    h200 = gpu("H200-SXM5-141GB", 141, 4.8e12, 989e12, 67e12, like="H100")
    h800 = gpu("H800-SXM5-80GB", 80, 3.35e12, 989e12, 67e12, like="H100")
    b200 = gpu("B200-SXM6-180GB", 180, 8.0e12, 2250e12, 75e12, like="B200")
    gb200 = gpu("GB200-186GB", 186, 8.0e12, 2450e12, 80e12, like="B200")
    vendor = "Vendor's peaks and bandwidths. "
    own = ("Products and memory by operator times on V100, all_reduce by NCCL's on "
           "V100 (cluster/calibration).")
    a100 = ("Products, memory and NVLink by what was published of the A100 "
            "(cluster/calibration); narrow products as on V100.")
    borrowed = ("No operator times of this device: the A100's efficiencies at its own "
                "peak, bandwidth and links, times the rate of large products that is "
                "reached in practice.")
    net = "Between nodes nominal."
    yield "v100_dgx2h", machine_text(
        "DGX-2H", 16, v100,
        # A switch joins any two alike: what 8 reach, whose links are all in use.
        [dict(nvlink("NVSwitch", 16, 150e9, "v100"), members=[]),
         scale_out("InfiniBand EDR, 8 a node", 6.25e9, 2)],
        [vendor, own, " ", net])
    sxm2 = dict(v100, name="V100-SXM2-16GB", memory=16 * GIB)
    yield "aws_p3_16xlarge", machine_text(
        "p3.16xlarge", 8, sxm2,
        [nvlink("NVLink, hybrid cube mesh", 8, 150e9, "v100"),
         scale_out("Ethernet 25 Gbit/s a node", 25e9 / 8 / 8, 8)],
        [vendor, own, " ", net])
    nv3 = nvlink("NVSwitch", 8, 300e9)
    for name, title, device, network in (
            ("a100_dgx_80gb", "DGX A100 80GB", a100_80,
             scale_out("InfiniBand HDR, 8 a node", 25e9)),
            ("a100_dgx_40gb", "DGX A100 40GB", a100_40,
             scale_out("InfiniBand HDR, 8 a node", 25e9)),
            ("aws_p4d_24xlarge", "p4d.24xlarge", a100_40,
             scale_out("EFA 400 Gbit/s a node", 6.25e9, 2))):
        yield name, machine_text(title, 8, device, [nv3, network],
                                 [vendor, a100, " ", net])
    for name, title, device, bandwidth, network in (
            ("h100_dgx", "DGX H100", h100, 450e9, "InfiniBand NDR, 8 a node"),
            ("h200_dgx", "DGX H200", h200, 450e9, "InfiniBand NDR, 8 a node"),
            ("h800_dgx", "H800, 8 a node", h800, 200e9, "InfiniBand NDR, 8 a node"),
            ("b200_dgx", "DGX B200", b200, 900e9, "InfiniBand NDR, 8 a node"),
            ("aws_p5_48xlarge", "p5.48xlarge", h100, 450e9, "EFA 3200 Gbit/s a node")):
        yield name, machine_text(title, 8, device,
                                 [nvlink("NVSwitch", 8, bandwidth),
                                  scale_out(network, 50e9)],
                                 [vendor, borrowed, " ", net])
    yield "gb200_nvl72", machine_text(
        "GB200 NVL72", 72, gb200,
        [nvlink("NVSwitch", 72, 900e9), scale_out("InfiniBand NDR", 50e9)],
        [vendor, borrowed, " ", net])
    core = {"name": "x86-64 core with AVX-512", "memory": 16 * GIB,
            "reserved": GIB // 2, "peaks": {"f32": 100e9}, "bandwidth": 10e9,
            "product_efficiency": [(1e6, 0.5), (1e8, 0.85)],
            "memory_efficiency": [], "operations": 5e9, "launch": 0.3e-6,
            "overlaps": False}
    yield "cpu_2_cores", machine_text(
        "CPU, 2 cores", 2, core,
        [{"name": "memory", "devices": 0, "bandwidth": 5e9, "latency": 2e-6,
          "start": 2e-6}],
        ["Nominal: a rank is a thread on a core of 3 GHz with one AVX-512 unit."])


def main(check):
    MACHINES.mkdir(exist_ok=True)
    different = []
    for name, text in machines():
        path = MACHINES / f"{name}.textproto"
        if check and (not path.exists() or path.read_text() != text):
            different.append(path.name)
        if not check:
            path.write_text(text)
    print(*(f"{name} is not what fit.py writes" for name in different), sep="\n", end="")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
