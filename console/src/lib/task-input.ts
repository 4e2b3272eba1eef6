/** The input of a task as a visitor types it, and the bytes that the function gets. */

/** `json`: a value. `text`: the same of a text, as a JSON string. `plain`: byte for byte. */
export const inputForms = ['json', 'text', 'plain'] as const
export type InputForm = (typeof inputForms)[number]

/** Why it cannot be sent; null if it can. */
export function problemOf(form: InputForm, input: string): 'notJson' | 'fraction' | null {
  if (form !== 'json') return null
  try {
    let isWhole = true
    JSON.parse(input, (_, value: unknown) => {
      if (typeof value === 'number' && !Number.isSafeInteger(value)) isWhole = false
      return value
    })
    return isWhole ? null : 'fraction'
  } catch {
    return 'notJson'
  }
}

/** The bytes that the function gets, as text: JSON in its canonical form. The API takes a string byte for byte, so this is what is sent. */
export async function sentText(form: InputForm, input: string): Promise<string> {
  if (form === 'plain') return input
  const { encodeCanonicalJson } = await loadEncoding()
  return encodeCanonicalJson(form === 'json' ? JSON.parse(input) : input)
}

/** Loaded before it is needed, so that it is there when the network is not. */
export const loadEncoding = () => import('../../../protocol/encoding/index.ts')

/** The same for programs to copy: as a member of a request, and as the bytes themselves. */
export function copiedInput(form: InputForm, input: string): { member: string; bytes: string } {
  const isValue = form === 'json' && problemOf(form, input) === null
  const bytes = form === 'text' ? JSON.stringify(input) : isValue ? input.trim() : input
  // A string in a request is used byte for byte, without its quotes.
  return { member: isValue && !bytes.startsWith('"') ? bytes : JSON.stringify(bytes), bytes }
}
