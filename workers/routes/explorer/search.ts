import * as z from 'zod'
import { patterns } from '../../../protocol/encoding/index.ts'
import { findWithReceipt } from '../../archive/find-archived.ts'
import type { HubContext } from '../../context.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { textOf } from '../../http/formats.ts'
import { findTask, latest } from '../../rounds/find-round.ts'
import { defineRoute, ok } from '../../route.ts'
import { ProjectLists, searchWords } from '../../stores/project-lists.ts'
import type { RoundRow } from '../../stores/schema/index.ts'
import { type Hit, hitTypes, SearchStore } from '../../stores/search.ts'

const hitsMax = 20

const SearchResult = z
  .strictObject({
    items: z.array(
      z
        .strictObject({
          type: z.enum(hitTypes),
          id: z.string().describe('Of an epoch, the id of its project, a colon and its number.'),
          label: z.string(),
        })
        .meta({ id: 'SearchHit' }),
    ),
  })
  .meta({ id: 'SearchResult' })

export const search = defineRoute(
  {
    method: 'get',
    path: '/v1/explorer/search',
    operationId: 'search',
    tag: 'Explorer',
    summary: 'Find what a hash, an address, an id or words name',
    description: `Takes a hash, an address, the id of a node, of a task or of a round, or words, which are looked for in listed projects. Shows ${hitsMax} at most. Every address is an account. Rounds that are open or in archives are found, too.`,
    query: z.strictObject({ q: textOf({ min: 2, max: 200 }) }),
    cache: { maxAgeSeconds: 10 },
    responses: ok('The records that match.', SearchResult, {
      items: [{ type: 'account', id: example.wallet, label: 'Ada Computing' }],
    }),
  },
  async (c, { query: { q } }) => json({ items: (await hitsOf(c, q.trim())).slice(0, hitsMax) }),
)

async function hitsOf(c: HubContext, text: string): Promise<Hit[]> {
  const { developers, store } = c.var.services
  const projectLists = store(ProjectLists)
  const search = c.var.services.store(SearchStore)
  const folded = /^0x/i.test(text) ? text.toLowerCase() : text
  if (patterns.address.test(folded)) {
    const developer = await developers.find(folded)
    const name = developer?.enrollment === 'active' ? developer.displayName : folded
    return [{ type: 'account', id: folded, label: name }]
  }
  if (patterns.bytes32.test(folded)) return orElse(await search.byHash(folded), () => outside(c, folded))
  if (patterns.roundId.test(text))
    return orElse(await search.byRoundId(text), async () =>
      roundHits(await latest(c.var.services, text, null)),
    )
  if (/^[a-z0-9-]{1,112}[0-9a-f]{16}$/.test(text)) {
    const found = await search.byNodeId(text)
    if (found.length > 0) return found
  }
  if (/^[A-Za-z0-9]{24}$/.test(text)) {
    const found = roundHits((await findTask(c.var.services, text))?.round ?? null)
    if (found.length > 0) return found
  }
  const words = searchWords(text)
  if (words.length === 0) return []
  const projects = await projectLists.list({ status: 'listed', words }, 'newest', undefined, hitsMax)
  return projects.map(({ projectId, name }) => ({ type: 'project', id: projectId, label: name }))
}

const orElse = async (found: Hit[], look: () => Promise<Hit[]>): Promise<Hit[]> =>
  found.length > 0 ? found : look()

const roundHits = (round: RoundRow | null): Hit[] =>
  round === null ? [] : [{ type: 'round', id: round.roundId, label: `${round.function} (${round.state})` }]

/** Hits for a hash that the database does not have: a round that is open or in an archive, or the receipt of an archived one. */
async function outside(c: HubContext, hash: string): Promise<Hit[]> {
  const [round, archived] = await Promise.all([
    latest(c.var.services, `task:${hash}`, null),
    findWithReceipt(c.var.services, hash),
  ])
  const receipt: Hit[] = archived === null ? [] : [{ type: 'receipt', id: hash, label: archived.function }]
  return [...roundHits(round), ...receipt]
}
