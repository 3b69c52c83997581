"""HTML report of an index: one self-contained page, as a file or served by the live index.

page       the page from the answers of a run; its templates are in the folder `templates`
rendering  environment and filters of the templates
options    time window and assets that the user chose
assets     asset lists of the chain registry, for amounts in display units
groups     stuck packets and overdue acknowledgements by channel
queries    queries for the rows that a table leaves out
states     the states of a packet in words
view       selection by chain and channel
plots      SVG pictures
"""
