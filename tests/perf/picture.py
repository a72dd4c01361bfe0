# SPDX-License-Identifier: BSD-3-Clause
"""The pairs as a picture: one panel for each comparison, a dot for each pair from the first (top) to the
last, the median as a line, its interval as a band, the bar as a dashed line, and in words what each of them
is and whether the bar is met. One SVG without anything from outside, for a light and a dark background."""
import dataclasses
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT = 720, 24, 24
HEAD, PLOT, FOOT = 62, 120, 36  # of a panel
LEGEND = [
    "A dot: one pair of runs, the first at the top. Line: the median of all pairs. Band: its 90 % interval.",
    "Dashed line: the bar.",
]
STYLE = """
  svg { --paper: #ffffff; --ink: #1c2024; --faint: #c9ced6; --dot: #1f6feb; --bar: #b4450b; }
  svg { background: var(--paper); }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14171a; --ink: #e8eaed; --faint: #454b54; --dot: #6cb0ff; --bar: #ff9d5c; }
  }
  text { font: 13px system-ui, sans-serif; fill: var(--ink); }
  .title { font-weight: 600; }
  .axis { stroke: var(--faint); }
  .pair { fill: var(--dot); fill-opacity: 0.75; }
  .median { stroke: var(--dot); stroke-width: 2; }
  .interval { fill: var(--dot); fill-opacity: 0.15; }
  .bar { stroke: var(--bar); stroke-width: 2; stroke-dasharray: 5 4; }
  .bar-name { fill: var(--bar); stroke: var(--paper); stroke-width: 4px; paint-order: stroke; }
"""


@dataclasses.dataclass
class Panel:
    comparison: object  # of sides.py
    result: object  # of ratios.py
    verdict: str  # about the bar; its outcome stands behind a colon


def step(width):
    """The distance of marks on the axis: 1, 2 or 5 of a power of ten, five to ten marks."""
    power = 10.0
    while True:
        for factor in (5, 2, 1):
            if width / (factor * power) >= 5:
                return factor * power
        power /= 10


def panel_parts(panel, top):
    """The elements of one panel whose upper edge is at `top`."""
    comparison, result = panel.comparison, panel.result
    bar, bound = comparison.bar, "at most" if comparison.latency else "at least"
    quantity, better, unit = "rates", "higher", "Mpps"
    if comparison.latency:
        quantity, better, unit = "times under way", "lower", "us"
    title = f"{comparison.name}: {comparison.ours.name} to {comparison.peer.name}, ratio of {quantity}"
    shown = result.ratios + [bar]
    margin = 0.06 * (max(shown) - min(shown)) or 0.01 * max(shown)
    low, high = min(shown) - margin, max(shown) + margin
    upper, lower = top + HEAD, top + HEAD + PLOT

    def x(value):
        return round(LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT), 1)

    def upright(value, kind):
        return f'<line class="{kind}" x1="{x(value)}" x2="{x(value)}" y1="{upper}" y2="{lower}"/>'

    begin, end = result.interval
    summary = (
        f"median {result.ratio:.3f}, 90 % interval {begin:.3f} to {end:.3f}, {len(result.ratios)} pairs; "
        f"the {better} the better for roceway"
    )
    parts = [
        f'<text class="title" x="{LEFT}" y="{top + 18}">{escape(title)}</text>',
        f'<text x="{LEFT}" y="{top + 36}">{escape(summary)}</text>',
        f'<text class="verdict" x="{LEFT}" y="{top + 54}">bar: {escape(panel.verdict)}</text>',
        f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{lower}" y2="{lower}"/>',
    ]
    distance = step(high - low)
    for mark in range(int(low / distance) + 1, int(high / distance) + 1):
        at, digits = x(mark * distance), 0 if distance >= 1 else len(f"{distance:.6f}".rstrip("0")) - 2
        parts += [
            f'<line class="axis" x1="{at}" x2="{at}" y1="{lower}" y2="{lower + 5}"/>',
            f'<text x="{at}" y="{lower + 20}" text-anchor="middle">{mark * distance:.{digits}f}</text>',
        ]
    parts.append(
        f'<rect class="interval" x="{x(begin)}" y="{upper}" width="{x(end) - x(begin):.1f}" height="{PLOT}"/>'
    )
    parts.append(upright(result.ratio, "median"))
    parts.append(upright(bar, "bar"))
    for pair, ratio in enumerate(result.ratios):
        y = round(upper + (pair + 0.5) * PLOT / len(result.ratios), 1)
        values = f"{result.ours[pair]:.2f} and {result.theirs[pair]:.2f} {unit}, ratio {ratio:.3f}"
        parts.append(
            f'<circle class="pair" cx="{x(ratio)}" cy="{y}" r="4">'
            f"<title>pair {pair + 1}: {values}</title></circle>"
        )
    side, outcome = "end" if x(bar) > WIDTH / 2 else "start", panel.verdict.rsplit(": ", 1)[1]
    parts.append(
        f'<text class="bar-name" x="{x(bar) + (-5 if side == "end" else 5)}" y="{lower - 5}" '
        f'text-anchor="{side}">{bound} {bar}: {outcome}</text>'
    )
    return parts


def svg(panels, conditions):
    """The whole picture, and how it was measured as one line at the foot."""
    height = len(panels) * (HEAD + PLOT + FOOT) + 28 + 18 * len(LEGEND)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" '
        'role="img" aria-label="roceway beside its peers: ratio of each pair of runs">',
        f"<style>{STYLE}</style>",
    ]
    for index, panel in enumerate(panels):
        parts += panel_parts(panel, index * (HEAD + PLOT + FOOT))
    for line, text in enumerate(reversed([*LEGEND, f"Conditions: {conditions}."])):
        parts.append(f'<text x="{LEFT}" y="{height - 10 - 18 * line}">{escape(text)}</text>')
    return "\n".join(parts + ["</svg>", ""])
