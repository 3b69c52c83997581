"""Result tables, defined in the SQL that both engines share, and the queries of the report over them."""
