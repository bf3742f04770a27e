"""Layered layout: places for the boxes of an acyclic graph, so that lines run one way and seldom cross.

The method of Sugiyama, Tagawa and Toda (1981) in its plainest form: boxes are put into layers, lines that pass a layer
get a place in it, each layer is sorted by the average place of its neighbours, and places are then pulled towards
those averages as far as boxes do not overlap (the least-squares places, found by pooling neighbours).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

__all__ = ["GraphBox", "GraphLayout", "GraphLine", "layered"]

_SWEEPS = 12


@dataclass(slots=True)
class GraphBox:
    """A thing to be placed: its layer and its size along the layer and across it; the centre is found."""

    layer: int
    along: float
    across: float
    position: float = 0.0
    depth: float = 0.0


@dataclass(slots=True)
class GraphLine:
    """From a box to one in a later layer, through the points where it passes the layers between."""

    start: int
    end: int
    bends: list[tuple[float, float]]


@dataclass(slots=True)
class GraphLayout:
    """Boxes with their places, lines with their bends, and the room that all take."""

    boxes: list[GraphBox]
    lines: list[GraphLine]
    along: float
    across: float


def layered(
    boxes: Sequence[GraphBox], lines: Sequence[tuple[int, int]], *, gap: float = 14.0, layer_gap: float = 34.0
) -> GraphLayout:
    """Find places for boxes whose layers are given; every line must lead to a later layer."""
    all_boxes = [GraphBox(box.layer, box.along, box.across) for box in boxes]
    chains: list[list[int]] = []
    for start, end in lines:
        chain = [start]
        for layer in range(boxes[start].layer + 1, boxes[end].layer):
            chain.append(len(all_boxes))
            all_boxes.append(GraphBox(layer, 4.0, 0.0))
        chains.append([*chain, end])
    before: list[list[int]] = [[] for _ in all_boxes]
    after: list[list[int]] = [[] for _ in all_boxes]
    for chain in chains:
        for a, b in pairwise(chain):
            after[a].append(b)
            before[b].append(a)
    layers: list[list[int]] = [[] for _ in range(max((box.layer for box in all_boxes), default=-1) + 1)]
    for number, box in enumerate(all_boxes):
        layers[box.layer].append(number)
    for members in layers:
        _spread(all_boxes, members, {}, gap)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        neighbours = before if forward else after
        for members in layers if forward else reversed(layers):
            wish = {n: fmean(all_boxes[m].position for m in neighbours[n]) for n in members if neighbours[n]}
            places = {n: wish.get(n, all_boxes[n].position) for n in members}
            members.sort(key=places.__getitem__)
            _spread(all_boxes, members, wish, gap)
    for members in reversed(layers):  # at last everything between its neighbours on both sides
        around = {n: [*before[n], *after[n]] for n in members}
        wish = {n: fmean(all_boxes[m].position for m in near) for n, near in around.items() if near}
        _spread(all_boxes, members, wish, gap)
    left = min((box.position - box.along / 2 for box in all_boxes), default=0.0)
    depth = 0.0
    for members in layers:
        size = max((all_boxes[n].across for n in members), default=0.0)
        for n in members:
            all_boxes[n].position -= left
            all_boxes[n].depth = depth + size / 2
        depth += size + layer_gap
    right = max((box.position + box.along / 2 for box in all_boxes), default=0.0)
    bent = [
        GraphLine(chain[0], chain[-1], [(all_boxes[n].position, all_boxes[n].depth) for n in chain[1:-1]])
        for chain in chains
    ]
    return GraphLayout(all_boxes[: len(boxes)], bent, right, max(depth - layer_gap, 0.0))


def _spread(boxes: list[GraphBox], layer: list[int], wish: dict[int, float], gap: float) -> None:
    """Place the boxes of a layer, in order and without overlap, as near to their wishes as least squares allow."""
    offsets: list[float] = []
    edge = 0.0
    for number in layer:
        offsets.append(edge + boxes[number].along / 2)
        edge += boxes[number].along + gap
    # With the offsets subtracted the places must only not decrease: pool whatever does.
    blocks: list[list[float]] = []  # sum, size
    for number, offset in zip(layer, offsets, strict=True):
        blocks.append([wish.get(number, boxes[number].position) - offset, 1.0])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, size = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += size
    places = [total / size for total, size in blocks for _ in range(int(size))]
    for number, offset, place in zip(layer, offsets, places, strict=True):
        boxes[number].position = place + offset
