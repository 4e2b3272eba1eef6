import type { Address } from './asked.ts'

/** The part of a screen that its address names; else the first of them. */
export function partOf<Part extends string>(
  parts: Readonly<Record<Part, unknown>>,
  { searchParams }: Address,
): Part {
  const wanted = searchParams.get('part') ?? ''
  return (Object.hasOwn(parts, wanted) ? wanted : Object.keys(parts)[0]) as Part
}
