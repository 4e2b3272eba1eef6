"""Prints the newest rounds of the network, read in pages of a size: python3 list_rounds.py COUNT SIZE"""

import itertools
import sys

from hub import items

count, size = (int(text) for text in sys.argv[1:])
for one in itertools.islice(items("/v1/explorer/rounds", {"limit": size}), count):
    print(one["round_id"], one["state"])
