"""Compares texts with gold texts, by the measures of ``vclean lab evaluate``."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._vclean import _evaluate
from .errors import InputError


@dataclass(frozen=True)
class Evaluation:
    """The scores of texts against their gold texts.

    ``scores`` has the scores over all pages by name: each has its ``value``, the ``interval`` that
    holds 95 % of resamples, and ``precision`` and ``recall`` if they exist for it. ``pages`` has
    the scores of each page, in the order of the gold texts. ``failed`` counts the pages without a
    text.
    """

    count: int
    failed: int
    scores: dict[str, dict[str, Any]]
    pages: list[dict[str, Any]] = field(repr=False)

    @property
    def f1(self) -> float:
        """F of words by alignment, mean over pages."""
        return float(self.scores["words"]["value"])

    @property
    def precision(self) -> float:
        """Precision of words, mean over pages."""
        return float(self.scores["words"]["precision"])

    @property
    def recall(self) -> float:
        """Recall of words, mean over pages."""
        return float(self.scores["words"]["recall"])


def _score(summary: dict[str, Any]) -> dict[str, Any]:
    return {**summary["figure"], "median": summary["median"], "interval": summary["interval"], "pages": summary["pages"]}


def evaluate(
    gold: Mapping[str, str] | Sequence[str],
    texts: Mapping[str, str | None] | Sequence[str | None],
    *,
    languages: Mapping[str, str] | Sequence[str] | str = "",
    seed: int = 1,
) -> Evaluation:
    """Compares each text with its gold text.

    ``gold`` and ``texts`` are sequences of equal length, or mappings from the names of pages. A
    text that is ``None`` or missing in the mapping counts as empty and as failed. ``languages`` are
    BCP 47 tags, for each page or for all: Chinese and Japanese are compared by characters.
    Intervals are computed by resampling pages; the same ``seed`` gives the same intervals.

    :raises VcleanError: if ``gold`` and ``texts`` do not match
    """
    if isinstance(gold, str) or isinstance(texts, str):
        raise InputError("gold and texts are sequences or mappings of texts; for one page pass [gold], [text]")
    if isinstance(gold, Mapping) != isinstance(texts, Mapping):
        raise InputError("gold and texts are both mappings or both sequences")
    if isinstance(gold, Mapping) and isinstance(texts, Mapping):
        unknown = texts.keys() - gold.keys()
        if unknown:
            raise InputError(f"there is no gold for {min(unknown)}")
        names = list(gold)
        gold_texts = [gold[name] for name in names]
        found = [texts.get(name) for name in names]
        tags = [languages.get(name, "") for name in names] if isinstance(languages, Mapping) else languages
    else:
        gold_texts, found = list(gold), list(texts)
        names = [str(number) for number in range(len(gold_texts))]
        tags = languages  # type: ignore[assignment]
    if isinstance(tags, str):
        tags = [tags] * len(names)
    if len(found) != len(names):
        raise InputError(f"there are {len(names)} gold texts and {len(found)} texts; each text is compared with the gold text at its place")
    result = json.loads(_evaluate(names, gold_texts, found, list(tags), seed))
    summary = result["summary"]
    return Evaluation(
        count=summary["count"],
        failed=summary["failed"],
        scores={score["score"]: _score(score) for score in summary["scores"]},
        pages=result["pages"],
    )
