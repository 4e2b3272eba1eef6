import type { HubContext } from '../context.ts'

/** Whether a caller prefers a page: browsers name HTML, and before JSON; programs take anything, or JSON. */
export function wantsPage({ req }: HubContext): boolean {
  const types = (req.header('accept') ?? '').split(',').map((part) => part.split(';')[0]?.trim())
  const html = types.indexOf('text/html')
  const json = types.indexOf('application/json')
  return html !== -1 && (json === -1 || html < json)
}
