import type { HubContext } from '../context.ts'

/** Whether a caller prefers a page: browsers name HTML, and above or before what programs name; those take anything, or name that. */
export function wantsPage({ req }: HubContext, otherType = 'application/json'): boolean {
  const accepted = (req.header('accept') ?? '').toLowerCase().split(',')
  const named = accepted.flatMap((part, index) => {
    const [type, ...params] = part.split(';').map((one) => one.trim())
    const weight = params.find((param) => param.startsWith('q='))?.slice(2)
    const q = weight === undefined ? 1 : Number(weight)
    return q > 0 ? [{ type, q, index }] : []
  })
  const best = named
    .filter(({ type }) => type === 'text/html' || type === otherType)
    .toSorted((a, b) => b.q - a.q || a.index - b.index)[0]
  return best?.type === 'text/html'
}
