"""The idle consolidator: upkeep that runs while nobody waits."""
