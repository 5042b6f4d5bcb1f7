"""Cleans the pages of a Spark DataFrame in Spark's Python workers.

For web archives, and for pages that may crash a process, see ``examples/spark``, which starts a
process for each task.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any

import pandas
from pyspark.sql import DataFrame
from pyspark.sql.types import FloatType, StringType, StructField, StructType

from .. import Cleaner
from ._fields import FIELDS, checked, fields_of, pages


def clean_pages(
    df: DataFrame,
    *,
    html: str = "html",
    url: str = "url",
    fields: Sequence[str] = FIELDS,
    keep: Sequence[str] | None = None,
    **options: Any,
) -> DataFrame:
    """Adds columns with the fields of the cleaned page to each row, by ``mapInPandas``.

    If a page cannot be cleaned, ``error`` has the cause and the other fields are null. Every worker
    process builds one cleaner. By default Spark sends 10,000 rows to a worker at once; for pages of
    usual size set ``spark.sql.execution.arrow.maxRecordsPerBatch`` to about 100.

    Args:
        html: column with the pages, text or binary
        url: optional column with their addresses, which links are resolved against
        fields: columns to add: any format of ``vclean.FORMATS``, and ``title``, ``author``,
            ``date``, ``date_source``, ``language``, ``site``, ``description``, ``license``,
            ``tags``, ``url``, ``kind``, ``state``, ``expected_f``, ``error``
        keep: columns to keep; by default all except the pages
        options: options of ``vclean.Cleaner`` that can be written as JSON
    """
    fields = checked(fields)
    if html not in df.columns:
        raise ValueError(f"there is no column {html}; name the column with the pages by html, columns are {df.columns}")
    kept = [name for name in df.columns if name != html] if keep is None else list(keep)
    kept = [name for name in kept if name not in fields]
    needed = [html, *([url] if url in df.columns else [])]
    added = [StructField(field, FloatType() if field == "expected_f" else StringType()) for field in fields]
    schema = StructType([df.schema[name] for name in kept] + added)
    clean = partial(_clean_frames, html=html, url=url, fields=fields, kept=kept, options=json.dumps(options, sort_keys=True))
    return df.select(*dict.fromkeys([*kept, *needed])).mapInPandas(clean, schema)


@cache
def _cleaner(options: str) -> Cleaner:
    """Returns the cleaner of this worker process, which Spark uses for many tasks."""
    return Cleaner(**json.loads(options))


def _clean_frames(
    frames: Iterator[pandas.DataFrame], *, html: str, url: str, fields: tuple[str, ...], kept: list[str], options: str
) -> Iterator[pandas.DataFrame]:
    cleaner = _cleaner(options)
    for frame in frames:
        addresses = frame[url] if url in frame else [None] * len(frame)
        results = cleaner.clean_many(pages(frame[html], addresses), threads=1)
        rows = pandas.DataFrame([fields_of(result, fields) for result in results], frame.index, columns=list(fields), dtype=object)
        yield pandas.concat([frame[kept], rows], axis=1)
