"""Tests the function evaluate and the command line."""

import subprocess
import sys

import pytest

import vclean


def test_texts_are_compared_with_gold_texts() -> None:
    result = vclean.evaluate(["one two three four", "gulls"], ["one two", "gulls"])
    assert result.count == 2 and result.failed == 0
    assert result.recall == 0.75 and result.precision == 1.0 and result.f1 == pytest.approx((2 / 3 + 1) / 2)
    assert result.pages[0]["scores"]["words"]["recall"] == 0.5
    chinese = vclean.evaluate({"a": "海鸥贻贝"}, {"a": "海鸥"}, languages={"a": "zh"})
    assert chinese.recall == 0.5 and chinese.pages[0]["name"] == "a"
    failed = vclean.evaluate({"a": "x", "b": "y"}, {"a": "x"})
    assert failed.failed == 1 and failed.f1 == 0.5


def test_what_cannot_be_compared_is_an_exception() -> None:
    with pytest.raises(vclean.InputError, match="no gold for b"):
        vclean.evaluate({"a": "x"}, {"b": "x"})
    with pytest.raises(vclean.InputError, match="1 gold texts and 2 texts"):
        vclean.evaluate(["x"], ["x", "y"])
    with pytest.raises(vclean.InputError, match="for one page"):
        vclean.evaluate("x", "x")


def test_the_command_line_is_there(page: str) -> None:
    command = [sys.executable, "-m", "vclean", "clean", "-"]
    run = subprocess.run(command, input=page.encode(), capture_output=True, check=True)
    assert run.stdout.decode() == vclean.extract(page)
    wrong = subprocess.run([sys.executable, "-m", "vclean", "clean", "/nowhere"], capture_output=True)
    assert wrong.returncode == 2 and b"/nowhere" in wrong.stderr
