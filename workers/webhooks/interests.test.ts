import { expect, test } from 'vitest'
import { accountTypes, type EventType, networkTypes } from '../../durable-objects/events/types.ts'
import { Interests, wants } from './interests.ts'

const projects = ['0x1', '0x2', '0x3']
const types: EventType[] = [networkTypes[0], networkTypes[1], accountTypes[0], accountTypes[1]]
const owners = ['ada', 'bob']

/** Every choice of types and projects, by two wallets. */
const interests = owners.flatMap((owner) =>
  [1, 2, 3, 4, 8, 9, 15].flatMap((some) =>
    [null, projects.slice(0, 1), projects.slice(1)].map((projectIds, index) => ({
      ...{ webhookId: `${owner} ${some} ${index}`, owner, projectIds, fromRow: 1 },
      types: types.filter((_, bit) => some & (1 << bit)),
    })),
  ),
)

test('finds for each event the webhooks that select it, each once', () => {
  const found = new Interests(interests)
  for (const type of types)
    for (const address of [undefined, ...owners, 'eve'])
      for (const project_id of [undefined, ...projects, '0x4']) {
        const event = {
          ...{ type, created_at: 1 },
          ...(address && { address }),
          ...(project_id && { project_id }),
        }
        const ids = found.of(event, 1).map(({ webhookId }) => webhookId)
        const expected = interests.filter((one) => wants(one, event)).map(({ webhookId }) => webhookId)
        expect([event, ids.sort()]).toEqual([event, expected.sort()])
      }
})
