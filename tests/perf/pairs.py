# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of runs, taken one after the other: who goes first alternates, and a pair whose figures are those of
something else that ran is taken again. What is measured, and how, is the caller's."""
import math

LEAST_SHARE = 0.9  # of its CPU that a worker must have had; real time alone leaves 0.95


def short_of_cpu(share):
    """Why a worker that had this part of its CPU spoils its pair, or nothing. 0: the kernel does not tell."""
    if share == 0 or share >= LEAST_SHARE:
        return ""
    return f"a worker had only {math.floor(share * 1000) / 10:.1f} % of its CPU"


def take(comparison, pairs, measure, said, unlike=lambda ours, theirs: ""):
    """`pairs` pairs (ours, theirs) of what measure(side) gives beside the part of its CPU that a worker had,
    each printed as said(ours, theirs); and how many are spoilt: something else had a worker's CPU, or
    unlike(ours, theirs) says why they are no pair. Such a pair is measured again, as long as that is not the
    rule."""
    taken, again, spoilt = [], 0, 0
    while len(taken) < pairs:
        pair = len(taken) + 1
        order = [comparison.ours, comparison.peer]
        value, share = {}, {}
        for side in order if pair % 2 else reversed(order):
            value[side.name], share[side.name] = measure(side)
        both = tuple(value[side.name] for side in order)
        line = said(*both)
        bad = short_of_cpu(min(share.values())) or unlike(*both)
        if bad:
            line += f"; spoilt: {bad}"
        if bad and again < pairs:
            again += 1
            print(f"  again    {line}", flush=True)
            continue
        spoilt += bool(bad)
        print(f"  pair {pair:3} {line}", flush=True)
        taken.append(both)
    return taken, spoilt
