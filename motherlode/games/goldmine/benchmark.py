"""What `motherlode bench` also measures: a single deal, beside the trick-taking games of OpenSpiel."""

OPTIONS = {"target": 0}
OPENSPIEL = ("oh_hell", "euchre", "hearts")
