"""Components V2, messages laid out from components: what is whole, what it looks like, how it is put together.

Pure: nothing here asks Discord. The kinds and their limits are the types of `accord.discord.models.components`.
"""
