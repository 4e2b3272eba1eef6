import fc from 'fast-check'

const codePoints = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))

/**
 * Texts of any code points, none of them a half of a pair. With the unit `binary`, fast-check would first make a list of
 * all code points, which takes most of a second in each process.
 */
export const anyText = fc.string({ unit: codePoints.map((codePoint) => String.fromCodePoint(codePoint)) })

/** Lists with a value for each item. */
export const eachOf = <Item, Value>(
  items: fc.Arbitrary<Item[]>,
  ofItem: (item: Item) => fc.Arbitrary<Value>,
): fc.Arbitrary<Value[]> => items.chain((list) => fc.tuple(...list.map(ofItem)))

/** Lists, each beside the same items in any order. */
export const withShuffled = <Item>(lists: fc.Arbitrary<Item[]>): fc.Arbitrary<[Item[], Item[]]> =>
  lists.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })))
