"""How games are shown in the terminal and in the browser: move names, boards as text, scenes, colours, sentences."""
