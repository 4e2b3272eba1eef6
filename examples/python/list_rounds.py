"""Prints the newest rounds of the network, read in pages of a size: python3 list_rounds.py COUNT SIZE"""

import itertools

from hub import arguments, items

count, size = (int(text) for text in arguments("COUNT", "SIZE"))
for one in itertools.islice(items("/v1/explorer/rounds", {"limit": size}), count):
    print(one["round_id"], one["state"])
