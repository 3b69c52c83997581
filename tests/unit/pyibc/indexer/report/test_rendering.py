from pyibc.indexer.report.words import clipped


def test_names_never_become_markup():
    assert clipped("<b>") == "&lt;b&gt;"
    assert clipped('"' * 40, 9) == f'<span title="{"&#34;" * 40}">{"&#34;" * 4}…{"&#34;" * 4}</span>'
    assert len(clipped("a" * 10**6)) < 600
