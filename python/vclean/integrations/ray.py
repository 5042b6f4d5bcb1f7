"""A callable class for ``map_batches`` of Ray Data."""

from collections.abc import Sequence
from typing import Any

from .. import Cleaner
from ._fields import FIELDS, checked, fields_of, pages


class CleanBatch:
    """Adds the columns of cleaned pages to batches that have a column of HTML, as text or bytes.

        ds.map_batches(
            CleanBatch, fn_constructor_kwargs={"html": "content"}, batch_size=64, concurrency=8
        )

    A batch is a dictionary of NumPy arrays, a ``pandas.DataFrame`` or a ``pyarrow.Table``; the
    result has the same type. If a page cannot be cleaned, ``error`` has the cause and the other
    columns are null. Columns of the same name are replaced.

    Args:
        html: column with the pages
        url: optional column with their addresses, which links are resolved against
        fields: columns to add: any format of ``vclean.FORMATS``, and ``title``, ``author``,
            ``date``, ``date_source``, ``language``, ``site``, ``description``, ``license``,
            ``tags``, ``url``, ``kind``, ``state``, ``expected_f``, ``error``
        keep_html: keep the column with the pages
        threads: threads for the pages of a batch; an actor has one core unless ``num_cpus`` is set
        options: options of ``vclean.Cleaner``
    """

    def __init__(
        self,
        *,
        html: str = "html",
        url: str = "url",
        fields: Sequence[str] = FIELDS,
        keep_html: bool = False,
        threads: int = 1,
        **options: Any,
    ):
        self.html, self.url = html, url
        self.fields = checked(fields)
        self.keep_html = keep_html
        self.threads = threads
        self.cleaner = Cleaner(**options)

    def __call__(self, batch: Any) -> Any:
        """Cleans the pages of a batch and returns it with the new columns."""
        names = list(batch) if isinstance(batch, dict) else list(getattr(batch, "column_names", batch))
        if self.html not in names:
            raise ValueError(f"there is no column {self.html}; name the column with the pages by html, columns are {names}")
        contents = _values(batch[self.html])
        addresses = _values(batch[self.url]) if self.url in names else [None] * len(contents)
        columns: dict[str, list[Any]] = {field: [] for field in self.fields}
        for result in self.cleaner.clean_many(pages(contents, addresses), threads=self.threads):
            for field, value in fields_of(result, self.fields).items():
                columns[field].append(value)
        kept = [name for name in names if name not in columns and (self.keep_html or name != self.html)]
        if isinstance(batch, dict):
            return {**{name: batch[name] for name in kept}, **_arrays(columns)}
        if hasattr(batch, "column_names"):
            return _table(batch.select(kept), columns)
        return batch[kept].assign(**_arrays(columns))


def _values(column: Any) -> list[Any]:
    """Converts a column of pyarrow, pandas or NumPy to a list of Python objects."""
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def _arrays(columns: dict[str, list[Any]]) -> dict[str, Any]:
    import numpy

    kinds = {field: "float32" if field == "expected_f" else "object" for field in columns}
    return {field: numpy.array(values, dtype=kinds[field]) for field, values in columns.items()}


def _table(table: Any, columns: dict[str, list[Any]]) -> Any:
    import pyarrow

    for field, values in columns.items():
        kind = pyarrow.float32() if field == "expected_f" else pyarrow.string()
        table = table.append_column(field, pyarrow.array(values, kind))
    return table
