"""The synthetic language pairs as a collection, beside those that must be fetched."""

from __future__ import annotations

from pathlib import Path

from dragoman.errors import SettingError
from dragoman.progress import tracked
from dragoman.settings import check_argument
from dragoman.text.catalog import Card, Collection, Order
from dragoman.text.heldout import usual_size
from dragoman.text.synthetic import PAIRS, pair
from dragoman.text.synthetic.export import write

__all__ = ["SyntheticPairs"]


class SyntheticPairs(Collection):
    """Sentences made by a grammar in two languages, with gold word alignments; no network, any size."""

    languages = "en-de (English and German), en-qsv (English and a constructed language)"
    license = "Written for dragoman; the same terms as the program (MIT)."
    example = "synthetic en-de --size 10000 -o synthetic-en-de"
    to_size = True

    def build(self, order: Order, folder: Path) -> Card:
        if len(order.languages) != 1:
            raise SettingError("one pair is wanted", remedy=f"choose from {', '.join(PAIRS)}")
        if order.origin is not None:
            raise SettingError("synthetic text is made, not read", remedy="leave out --from")
        chosen = pair(order.languages[0])
        size = 10_000 if order.size is None else order.size
        check_argument("size", size, int, least=1)
        held = usual_size(size)
        made = chosen.splits(train=size, dev=held, test=held, seed=order.seed)
        parts = {"train": made.train, "dev": made.dev, "test": made.test}
        write(
            chosen,
            {name: tracked(items, name, order.progress, total=len(items)) for name, items in parts.items()},
            folder,
        )
        return Card(
            collection="synthetic",
            title=f"Synthetic bitext, {chosen.source} and {chosen.target}",
            languages=[chosen.source, chosen.target],
            license=self.license,
            seed=order.seed,
            notes=["`align` has the gold word alignment of each line; `dragoman synth` also gives trees and frames"],
        )
