"""One game being played: the Table, the View a player is handed, and the Record that is left when it is over.

`replay` plays recorded games again; `compiled_games` plays whole games in machine code, the same as at a Table.
"""

from kibitz.table.record import Record
from kibitz.table.table import Table
from kibitz.table.view import Ply, View

__all__ = ["Ply", "Record", "Table", "View"]
