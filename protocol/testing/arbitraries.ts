import fc from 'fast-check'

/** Lists with a value for each item. */
export const eachOf = <Item, Value>(
  items: fc.Arbitrary<Item[]>,
  ofItem: (item: Item) => fc.Arbitrary<Value>,
): fc.Arbitrary<Value[]> => items.chain((list) => fc.tuple(...list.map(ofItem)))

/** Lists, each beside the same items in any order. */
export const withShuffled = <Item>(lists: fc.Arbitrary<Item[]>): fc.Arbitrary<[Item[], Item[]]> =>
  lists.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })))
