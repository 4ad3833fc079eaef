"""What Gold Hunting adds to any bot: `search:1000+building` builds by a table of good ways."""

from .building import bot as building

ADDITIONS = {"building": building}
