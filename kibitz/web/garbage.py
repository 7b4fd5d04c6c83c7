"""When Python's garbage collector works, which stops the whole server for as long as it does.

Nearly everything that the server drops is freed at once, without the collector; it is needed only for what refers to
itself in a circle, such as some errors. By default it looks at new objects when there are some hundreds more than
before, and at all of them when they have grown by a quarter, which takes half a second with thousands of open tables.
Here it looks at new objects by the clock, which takes a millisecond, and at all of them now and then.
"""

from __future__ import annotations

import asyncio
import gc
from itertools import count

NEW_SECONDS = 0.2  # from one look at new objects to the next
LOOKS = 1500  # of these, until the next one at everything: five minutes


async def collect_regularly() -> None:
    """Free what is dropped and refers to itself, from now on; the collector does nothing else by itself."""
    gc.disable()
    try:
        for look in count(1):
            await asyncio.sleep(NEW_SECONDS)
            gc.collect(2 if look % LOOKS == 0 else 0)
    finally:
        gc.enable()


def leave_out_what_is_loaded() -> None:
    """Have the collector never look at what there is now: code and rules, which stay for good."""
    gc.collect()
    gc.freeze()
