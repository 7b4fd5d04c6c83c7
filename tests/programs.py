"""Programs for the tests that speak the protocol of docs/protocol.md: shell scripts, because they start at once."""

SCRIPT = r"""#!/bin/sh
while read -r line; do
    id=${line#*\"id\":}; id=${id%%[!0-9]*}
    case $line in
    *'"type":"hello"'*) HELLO ;;
    *'"type":"new_game"'*) NEW_GAME ;;
    *'"type":"move"'*) moves=${line#*\"moves\":[}; first=${moves%%[!0-9]*}; MOVE ;;
    *'"type":"result"'*) RESULT ;;
    *) OTHER ;;
    esac
done
"""
ANSWERS = {
    "HELLO": """echo "{\\"id\\":$id,\\"name\\":\\"first\\",\\"protocol\\":1}" """,
    "NEW_GAME": """echo "{\\"id\\":$id}" """,
    "MOVE": """echo "{\\"id\\":$id,\\"move\\":$first}" """,
    "RESULT": """echo "{\\"id\\":$id}" """,
    "OTHER": """echo "{\\"id\\":$id}" """,
}


def write_program(folder, **answers):
    """Write a program that plays the first legal move, with other answers where given; return its spec.

    In the answers, which are shell commands, $id, $first (the first legal move) and $line (the question) are known.
    """
    script = SCRIPT
    for key, default in ANSWERS.items():
        script = script.replace(f" {key} ", f" {answers.get(key.lower(), default)} ")
    path = folder / "program.sh"
    path.write_text(script)
    path.chmod(0o755)
    return f"cmd:{path}"
