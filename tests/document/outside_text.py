"""Names that a table may have, and what a report must not make of them."""

from tlpo.analysis.load import load_analysis
from tlpo.analysis.options import OutputFiles
from tlpo.document.write import write

EVIL = "<img src=x onerror=alert(1)>"


def assert_stays_text(analysis, folder):
    """Write a page with its pictures, and look for tags that came from names."""
    outputs = OutputFiles(html=folder / "r.html", json=folder / "r.json", md=folder / "r.md")
    write(analysis, outputs)
    assert load_analysis(str(outputs.json)) == analysis
    page = outputs.html.read_text()
    assert "<img src=x" not in page
    assert "<b>" not in page
    assert page.count('src="data:image/svg') >= 2
    assert "<img" not in outputs.md.read_text()
