"""An extractor for datatrove pipelines."""

import contextlib
from typing import Any

from datatrove.data import Document, DocumentsPipeline
from datatrove.pipeline.extractors.base import BaseExtractor, ExtractorSandbox
from datatrove.pipeline.writers.disk_base import DiskWriter
from datatrove.utils.logging import logger
from datatrove.utils.typeshelper import StatHints

from .. import Cleaner
from ._fields import METADATA, checked, fields_of, pages


class VcleanExtractor(BaseExtractor):
    """Replaces the HTML in ``text`` with the text of the page, in a separate process.

    ``metadata["url"]``, if present, is the address of the page. ``metadata["page"]`` receives
    title, author and more. Like other extractors, it drops a page that fails, takes too long or has
    no text; such pages go to ``exclusion_writer``, with the cause in ``metadata["error"]``.

    Args:
        timeout: time limit for a page, in seconds
        output_format: a format of ``vclean.FORMATS``
        exclusion_writer: receives the dropped documents
        options: options of ``vclean.Cleaner``
    """

    name = "🧹 vclean"

    def __init__(
        self,
        timeout: float = 10,
        output_format: str = "text",
        exclusion_writer: DiskWriter | None = None,
        **options: Any,
    ):
        super().__init__(timeout)
        self.output_format = output_format
        self.exclusion_writer = exclusion_writer
        self.fields = checked([output_format, *METADATA, "kind", "state", "expected_f", "error"])
        self.cleaner = Cleaner(**options)

    def extract(self, text: str) -> str:
        """Returns the text of a page given as HTML; raises the errors of vclean."""
        return self.cleaner.clean_html(text).write(self.output_format)

    def _fields_of_page(self, page: list[str | None]) -> dict[str, Any]:
        """Returns the fields of a page; runs in the sandbox, which an exception would end."""
        (result,) = self.cleaner.clean_many(pages(page[:1], page[1:]), threads=1)
        return fields_of(result, self.fields)

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Cleans each document and yields those that have text."""
        writing = self.exclusion_writer or contextlib.nullcontext()
        # The sandbox takes a list as one argument; the first list only starts its process.
        with writing as writer, ExtractorSandbox(self.timeout, ["", None]) as sandbox:
            for doc in data or ():
                self.stat_update(StatHints.total)
                with self.track_time():
                    stat, error = self._clean(doc, sandbox)
                self.stat_update(stat)
                if error is None and doc.text:
                    self.stat_update(StatHints.forwarded)
                    self.update_doc_stats(doc)
                    yield doc
                    continue
                self.stat_update(StatHints.dropped)
                if writer:
                    doc.metadata["error"] = error or "the page has no text"
                    # Writers fail on text that is not valid Unicode.
                    doc.text = (doc.text or "").encode("utf-8", "replace").decode()
                    writer.write(doc, rank)

    def _clean(self, doc: Document, sandbox: ExtractorSandbox) -> tuple[str, str | None]:
        """Cleans a document in place; returns the name of the statistic, and the cause of a failure."""
        try:
            fields = sandbox.process_document([doc.text, doc.metadata.get("url")], self._fields_of_page)
        except TimeoutError:
            stat, error = "timeout", f"the page takes longer than {self.timeout} seconds; raise timeout"
        except EOFError:
            stat, error = "broken_process", "the process of the extractor ended; clean the page by itself to see why"
        else:
            stat, error = "clean_error", fields.pop("error")
            if error is None:
                doc.text = fields.pop(self.output_format)
                doc.metadata["page"] = fields
                return "extracted", None
        logger.warning(f"{doc.id}: {error}")
        return stat, error
