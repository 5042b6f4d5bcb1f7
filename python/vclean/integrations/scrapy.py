"""An item pipeline for Scrapy.

    ITEM_PIPELINES = {"vclean.integrations.scrapy.VcleanPipeline": 300}

Settings:

- ``VCLEAN_HTML_FIELD``: field of the item with the page as text, bytes or response (default
  ``"html"``)
- ``VCLEAN_URL_FIELD``: field with its address (default ``"url"``); a response has its own
- ``VCLEAN_FIELDS``: fields to fill: any format of ``vclean.FORMATS``, and ``title``, ``author``,
  ``date``, ``date_source``, ``language``, ``site``, ``description``, ``license``, ``tags``, ``url``,
  ``kind``, ``state``, ``expected_f``, ``error`` (default ``["text", "title", "author", "date", "language", "expected_f", "error"]``)
- ``VCLEAN_KEEP_HTML``: keep the field with the page in the item (default ``True``)
- ``VCLEAN_OPTIONS``: a dictionary of options of ``vclean.Cleaner``

If the item class declares its fields, only the declared ones are filled. An item without a page is
passed on unchanged.
"""

from collections.abc import Sequence
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.threads import deferToThread

from .. import Cleaner, Page
from ._fields import checked, fields_of

DEFAULT_FIELDS = ("text", "title", "author", "date", "language", "expected_f", "error")


class VcleanPipeline:
    """Cleans the page in each item, in a thread, so that the crawl is not blocked."""

    def __init__(
        self,
        *,
        html_field: str = "html",
        url_field: str = "url",
        fields: Sequence[str] = DEFAULT_FIELDS,
        keep_html: bool = True,
        options: dict[str, Any] | None = None,
        stats: StatsCollector | None = None,
    ):
        self.html_field, self.url_field = html_field, url_field
        self.fields = checked(fields)
        self.keep_html = keep_html
        self.stats = stats
        self.cleaner = Cleaner(**options or {})

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Creates the pipeline from the settings of the crawler."""
        settings = crawler.settings
        return cls(
            html_field=settings.get("VCLEAN_HTML_FIELD", "html"),
            url_field=settings.get("VCLEAN_URL_FIELD", "url"),
            fields=settings.getlist("VCLEAN_FIELDS", list(DEFAULT_FIELDS)),
            keep_html=settings.getbool("VCLEAN_KEEP_HTML", True),
            options=settings.getdict("VCLEAN_OPTIONS"),
            stats=crawler.stats,
        )

    async def process_item(self, item: Any, spider: Any = None) -> Any:
        """Fills the fields of the item from its cleaned page."""
        adapter = ItemAdapter(item)
        html = adapter.get(self.html_field)
        if html is None:
            return item
        url = adapter.get(self.url_field)
        filled = await maybe_deferred_to_future(deferToThread(self._clean, html, url))
        self._count("failed" if filled["error"] else "cleaned")
        declared = ItemAdapter.get_field_names_from_class(type(item))
        for field in self.fields:
            if declared is None or field in declared:
                adapter[field] = filled[field]
        if not self.keep_html and self.html_field not in self.fields:
            del adapter[self.html_field]
        return item

    def _clean(self, html: Any, url: Any) -> dict[str, Any]:
        if isinstance(html, Response):
            html, url = html.body, html.url
        fields = {*self.fields, "error"}
        try:
            return fields_of(self.cleaner.clean_html(Page(html, url)), fields)
        except Exception as error:
            return fields_of(error, fields)

    def _count(self, outcome: str) -> None:
        if self.stats:
            self.stats.inc_value(f"vclean/{outcome}")
