"""A server with tables in a folder, which can be started again on the same port; it compiles only what is played."""

import sys
from pathlib import Path

import uvicorn

from kibitz.web.app import make_app
from kibitz.web.catalogue import Catalogue
from kibitz.web.database import open_folder
from kibitz.web.server import Server

if __name__ == "__main__":
    server = Server(Catalogue(), open_folder(Path(sys.argv[1])), pace=0, warm=False)
    uvicorn.run(make_app(server), port=int(sys.argv[2]), log_level="warning")
