import { escapeHidden } from './plain-text.ts'

/** How problems are told of the members of a document. */
export interface ProblemWords {
  readonly missing: string
  /** @param known the members that there may be. */
  readonly unknown: (known: readonly string[]) => string
  /** @param rule what the member must be, as a sentence without a verb. */
  readonly wrong: (value: unknown, rule: string) => string
}

/** For what a program sends: what was sent, it has itself. */
export const briefWords: ProblemWords = {
  missing: 'This member is required.',
  unknown: () => 'Unknown field; remove it.',
  wrong: (_, rule) => rule,
}

/** For a document that a person writes: what was found, what is allowed, and what to do. */
export const fullWords: ProblemWords = {
  missing: 'Found nothing. Add this member: it is required.',
  unknown: (known) =>
    `Found an unknown member. Remove it, or correct its name to one of ${known.join(', ')}.`,
  wrong: (value, rule) => `Found ${foundValue(value)}. Write ${rule.charAt(0).toLowerCase()}${rule.slice(1)}`,
}

const shownTextMax = 60
const shownItemsMax = 8

/** A value in words: a short one as JSON, a longer one as its kind and size. Invisible characters are escaped. */
export function foundValue(value: unknown): string {
  if (typeof value === 'string') return foundText(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean' || value === null) return String(value)
  if (Array.isArray(value)) return foundList(value)
  return typeof value === 'object' ? 'an object' : 'a value that JSON cannot express'
}

function foundText(text: string): string {
  if (text.length <= shownTextMax) return quoted(text)
  return `a text of ${text.length} characters that begins with ${quoted(text.slice(0, shownTextMax / 2))}`
}

function foundList(list: readonly unknown[]): string {
  const isShort = (item: unknown) =>
    typeof item === 'string' ? item.length <= shownTextMax / 2 : typeof item !== 'object'
  if (list.length <= shownItemsMax && list.every(isShort)) return `[${list.map(foundValue).join(', ')}]`
  return list.length === 1 ? 'a list of 1 item' : `a list of ${list.length} items`
}

const quoted = (text: string): string => escapeHidden(JSON.stringify(text))
