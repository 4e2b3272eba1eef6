import fc from 'fast-check'
import type { Json } from '../plain/notation.ts'

const oddValues: readonly Json[] = [
  null,
  true,
  0,
  1,
  -1,
  1.5,
  2 ** 53,
  '',
  '0',
  '00',
  '-1',
  '0x',
  `0x${'00'.repeat(20)}`,
  `0x${'00'.repeat(32)}`,
  `0x${'FF'.repeat(32)}`,
  [],
  [null],
  {},
]

type Change = (holder: Json, key: string | number) => void

const changes: readonly Change[] = [
  (holder, key) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1)
    else delete holder[key]
  },
  (holder, key) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(holder[Number(key)]))
    else holder.further = structuredClone(holder[key])
  },
  (holder, key) => {
    if (Array.isArray(holder)) holder.push(...holder.splice(Number(key), 1))
    else holder[`${key} `] = holder[key]
  },
  (holder, key) => {
    const value = holder[key]
    if (typeof value === 'number') holder[key] = value + 1
    else if (typeof value === 'boolean') holder[key] = !value
    else if (typeof value === 'string') holder[key] = anotherText(value)
    else holder[key] = null
  },
]

/** Differs in its last digit, so that it mostly keeps its format. */
const anotherText = (value: string): string => value.slice(0, -1) + (value.endsWith('1') ? '2' : '1')

/** A JSON document as it is, or with a change or two anywhere in it. */
export const maybeBroken = (document: Json): fc.Arbitrary<Json> =>
  fc
    .array(
      fc.record({
        place: fc.nat(),
        change: fc.oneof(
          fc.constantFrom(...changes),
          fc.constantFrom(...oddValues).map(
            (value): Change =>
              (holder, key) => {
                holder[key] = structuredClone(value)
              },
          ),
        ),
      }),
      { maxLength: 2 },
    )
    .map((steps) => {
      const root = { document: structuredClone(document) }
      for (const { place, change } of steps) {
        const places = placesIn(root)
        change(...places[place % places.length]!)
        // The change may have removed `document`.
        if (!Object.hasOwn(root, 'document')) root.document = null
      }
      return root.document
    })

function placesIn(value: Json): [holder: Json, key: string | number][] {
  if (typeof value !== 'object' || value === null) return []
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return keys.flatMap((key) => [[value, key] as [Json, string | number], ...placesIn(value[key])])
}
