"""Run directories in, one self-contained HTML file (and a JUnit file for CI) out."""

from highwater.reports.junit import write_junit
from highwater.reports.page import write_report

__all__ = ["write_junit", "write_report"]
