import type { HubContext } from '../context.ts'

/** Whether a caller prefers a page: browsers name HTML, and before what programs name; those take anything, or name that. */
export function wantsPage({ req }: HubContext, otherType = 'application/json'): boolean {
  const types = (req.header('accept') ?? '').split(',').map((part) => part.split(';')[0]?.trim())
  const html = types.indexOf('text/html')
  const other = types.indexOf(otherType)
  return html !== -1 && (other === -1 || html < other)
}
