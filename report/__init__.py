"""The page to look at: what a report holds, the file that shows it, and the findings for machines (specs/report.md)."""
