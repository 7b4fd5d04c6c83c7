"""What the server answers, one module for each part; `routes(server)` of each returns it."""
