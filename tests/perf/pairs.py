# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of runs, taken one after the other: who goes first alternates, and a pair whose figures are those of
something else that ran is taken again. What is measured, and how, is the caller's."""

LEAST_SHARE = 0.9  # of its CPU that a worker must have had; real time alone leaves 0.95


def take(comparison, pairs, measure, said):
    """`pairs` pairs (ours, theirs) of what measure(side) gives beside the part of its CPU that a worker had,
    each printed as said(ours, theirs); and how many are spoilt: something else had a worker's CPU. Such a
    pair is measured again, as long as that is not the rule."""
    taken, again, spoilt = [], 0, 0
    while len(taken) < pairs:
        pair = len(taken) + 1
        order = [comparison.ours, comparison.peer]
        value, share = {}, {}
        for side in order if pair % 2 else reversed(order):
            value[side.name], share[side.name] = measure(side)
        both = tuple(value[side.name] for side in order)
        line = said(*both)
        least = min(share.values())
        bad = 0 < least < LEAST_SHARE  # 0: this kernel does not tell
        if bad:
            line += f"; spoilt: a worker had only {least:.0%} of its CPU"
        if bad and again < pairs:
            again += 1
            print(f"  again    {line}", flush=True)
            continue
        spoilt += bad
        print(f"  pair {pair:3} {line}", flush=True)
        taken.append(both)
    return taken, spoilt
