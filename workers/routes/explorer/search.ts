import * as z from 'zod'
import { patterns } from '../../../protocol/encoding/index.ts'
import type { HubContext } from '../../context.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { textOf } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import { ProjectLists, searchWords } from '../../stores/project-lists.ts'
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
    description: `Takes a hash, an address, the id of a node or of a round, or words, which are looked for in listed projects. Shows ${hitsMax} at most. Every address is an account.`,
    query: z.strictObject({ q: textOf({ min: 2, max: 200 }) }),
    cache: { maxAgeSeconds: 10 },
    responses: ok('What was found.', SearchResult, {
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
  if (patterns.bytes32.test(folded)) return search.byHash(folded)
  if (patterns.roundId.test(text)) return search.byRoundId(text)
  if (/^[a-z0-9-]{1,112}[0-9a-f]{16}$/.test(text)) {
    const found = await search.byNodeId(text)
    if (found.length > 0) return found
  }
  const words = searchWords(text)
  if (words.length === 0) return []
  const projects = await projectLists.list({ status: 'listed', words }, 'newest', undefined, hitsMax)
  return projects.map(({ projectId, name }) => ({ type: 'project', id: projectId, label: name }))
}
