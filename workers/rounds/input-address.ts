import { CursorCodec } from '../http/cursor.ts'

const purpose = 'task input'

/** The path of inputs that offers do not carry themselves. */
const inputPath = '/v1/task-inputs/{ticket}'

/** The URL of an input, valid until a time; anybody who has the URL may fetch the input. */
export function inputAddress(
  { HUB_SECRET, BASE_URL }: { readonly HUB_SECRET: string; readonly BASE_URL: URL },
  inputHash: string,
  until: number,
): string {
  const ticket = new CursorCodec(HUB_SECRET).encode(purpose, [inputHash, until])
  return new URL(inputPath.replace('{ticket}', ticket), BASE_URL).href
}

/** The input that a ticket is for, and until when; null for one that this hub did not issue. */
export function readTicket(
  cursors: CursorCodec,
  ticket: string,
): { inputHash: string; until: number } | null {
  try {
    const [inputHash, until] = cursors.decode(purpose, ticket)
    return { inputHash: String(inputHash), until: Number(until) }
  } catch {
    return null
  }
}
