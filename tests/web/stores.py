"""What tests of all stores share."""

import asyncio


def using(store, work):
    """What some work with a store gives; the store is closed afterwards."""

    async def main():
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(main())
