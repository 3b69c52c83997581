"""Rule about guard marks: they must fit the code below them."""

from collections.abc import Iterator

from tools.lint_tree.tree import Complaint, Tree


def guards(tree: Tree) -> Iterator[Complaint]:
    """A mark `# guard: ...` fits the statement below it and names tests that exist."""
    from tools.mutants import marks

    for said in marks.complaints(tree.root):
        path, line, message = said.split(":", 2)
        yield Complaint(path, int(line), message.strip())
