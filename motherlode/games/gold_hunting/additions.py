"""What Gold Hunting adds to any bot: `search:1000+building` builds by a table of good ways."""

from .building import bot as building

BASE_ONLY = True  # the table was found for the game's own pieces

ADDITIONS = {"building": building}
