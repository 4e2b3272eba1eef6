/** A draft holds a JSON object. Any other text is kept in one, as it was typed. */
const member = 'unfinished_text'

export const unfinished = (text: string): Record<string, unknown> => ({ [member]: text })

/** The text that a draft was stored with; null if it is a manifest. */
export function unfinishedText(data: object): string | null {
  const [[name, text] = [], more] = Object.entries(data) as [string, unknown][]
  return name === member && typeof text === 'string' && more === undefined ? text : null
}
