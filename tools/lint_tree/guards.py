"""Guards are marks beside the code that they guard: they must fit it."""

from collections.abc import Iterator

from tools.lint_tree.tree import Complaint, Tree


def guards(tree: Tree) -> Iterator[Complaint]:
    """A mark `# guard: ...` fits the statement below it and names tests that exist."""
    from tools.mutants import marks

    for said in marks.complaints(tree.root):
        path, line, message = said.split(":", 2)
        yield Complaint(path, int(line), message.strip())
