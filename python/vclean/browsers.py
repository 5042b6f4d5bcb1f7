from ._vclean import Capture
def from_playwright(*a, **k): raise NotImplementedError
from_playwright_async = from_selenium = from_playwright
