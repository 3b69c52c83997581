"""HTML report of an index: one self-contained page, as a file or served by the live index.

page       the page from the answers of a run; its templates are in the folder `templates`
rendering  environment and filters of the templates, states in words, queries for left-out rows
options    time window and assets that the user chose
view       selection by chain and channel
plots      SVG pictures
words      numbers, times and names for display
"""
