"""``python -m sakur4_tui`` is the console script by another name."""

from sakur4_tui.cli.entry import run

if __name__ == "__main__":
    run()
