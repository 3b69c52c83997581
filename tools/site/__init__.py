"""The documentation site: links into the repository, pages of public names, the list of decisions."""
