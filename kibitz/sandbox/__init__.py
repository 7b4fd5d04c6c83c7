"""Sandboxes: processes for bots that are not trusted, which see and use no more than they need.

A Policy says what a bot's processes may read and use. A Warden, in the tournament's or server's own process, starts one
sandbox per bot and seat; inside it, a `zygote`, which is kibitz's own code, forks a fresh process for every game, which
confines itself (`confinement`) before any code of the bot runs. So no bot remembers anything from one game to the next.

`levels` knows which kind of sandbox this machine can give: `bubblewrap` (namespaces), `landlock` with filters of system
calls (`seccomp`), or none. `control_groups` bound what all processes of a bot use together, where that is possible.
"""
