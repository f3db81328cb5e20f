"""``python -m muffakir_eval`` is the command ``muffakir-eval``."""

from muffakir_eval.cli import main

if __name__ == "__main__":
    main()
