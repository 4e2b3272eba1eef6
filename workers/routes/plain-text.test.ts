import { beforeAll, describe, expect, test } from 'vitest'
import { createMiner, createOperator } from '../test/callers.ts'
import { baseUrl, client, errorOf } from '../test/client.ts'

const project = `0x${'12'.repeat(32)}`
const profile = {
  class: 'desktop',
  platform: 'linux',
  arch: 'x64',
  engine: 'native',
  miner_version: '1.0.0',
}
const application = { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true }
const registration = {
  hub: baseUrl,
  network: 'hub-testnet',
  url: 'https://node.example',
  role: 'miner',
  engine: 'native',
  nodectl_version: '1.0.0',
}
const preferences = {
  watchlist: [],
  recent_searches: [],
  saved_addresses: [],
  earnings_goal: null,
  notifications: {},
}

type Field = [path: string, method: string, target: string, body: (text: string) => object]

/** Fields of one line that one user writes and others read. */
const lines: Field[] = [
  ['display_name', 'PUT', '/v1/developers/me', (text) => ({ display_name: text })],
  ['location', 'PUT', '/v1/developers/me', (text) => ({ display_name: 'Ada', location: text })],
  [
    'social.github',
    'PUT',
    '/v1/developers/me',
    (text) => ({ display_name: 'Ada', social: { github: text } }),
  ],
  [
    'display_name',
    'POST',
    '/v1/developers/me/enrollment',
    (text) => ({ ...application, display_name: text }),
  ],
  ['name', 'POST', '/v1/developers/api-keys', (text) => ({ name: text, scopes: ['modules:write'] })],
  ['display_name', 'PUT', '/v1/me/preferences', (text) => ({ ...preferences, display_name: text })],
  ['label', 'PATCH', '/v1/devices/{node_id}', (text) => ({ label: text })],
  ['platform', 'PUT', '/v1/devices/{node_id}/profile', (text) => ({ ...profile, platform: text })],
  [
    'hardware.cpu_model',
    'PUT',
    '/v1/devices/{node_id}/profile',
    (text) => ({ ...profile, hardware: { cpu_model: text } }),
  ],
  ['region', 'POST', '/v1/nodes/register', (text) => ({ ...registration, region: text })],
]

/** Fields of several lines that one user writes and others read. */
const texts: Field[] = [
  ['bio', 'PUT', '/v1/developers/me', (text) => ({ display_name: 'Ada', bio: text })],
  ['reason', 'POST', '/v1/developers/me/enrollment', (text) => ({ ...application, reason: text })],
  ['comment', 'PUT', `/v1/projects/${project}/reviews`, (text) => ({ rating: 4, comment: text })],
  ['reason', 'POST', '/admin/v1/nodes/{node_id}/revoke', (text) => ({ reason: text })],
  [
    'conditions[0]',
    'POST',
    `/admin/v1/projects/${project}/review`,
    (text) => ({ action: 'approve', conditions: [text] }),
  ],
]

const hidden = ['\u0000', '\u0007', '\u001b[31m', '\u007f', '\u0085', '\u200f', '\u202e', '\u2066', '\u2028']
/** A family, which is one sign of several, and a word that is written from the right. */
const harmless = 'Ada 👩‍👩‍👦 שלום'

describe('text that others read', () => {
  let miner: Awaited<ReturnType<typeof createMiner>>
  let operator: Awaited<ReturnType<typeof createOperator>>
  beforeAll(async () => {
    miner = await createMiner()
    operator = await createOperator()
  })

  const send = (method: string, target: string, json: object) => {
    const path = target.replace('{node_id}', miner.device.nodeId)
    if (/profile|register/.test(path)) return miner.device.call(method, path, json)
    return (path.startsWith('/admin') ? operator : miner.owner).client.fetch(path, { method, json })
  }
  const problemsOf = async (response: Response) => {
    if (response.status !== 400) return []
    const { error, details } = await errorOf(response)
    expect(error).toBe('invalid_field')
    return (details?.problems ?? []).map(({ path }) => path)
  }

  test.each(lines)('%s of %s %s: one line without hidden characters', async (path, method, target, body) => {
    for (const character of [...hidden, '\n', '\t'])
      expect(await problemsOf(await send(method, target, body(`a${character}b`)))).toEqual([path])
    expect(await problemsOf(await send(method, target, body(harmless)))).toEqual([])
  })

  test.each(texts)('%s of %s %s: text without hidden characters', async (path, method, target, body) => {
    for (const character of hidden)
      expect(await problemsOf(await send(method, target, body(`a${character}b`)))).toEqual([path])
    expect(await problemsOf(await send(method, target, body(`${harmless}\r\n\tand more`)))).toEqual([])
  })

  test.each(
    lines.filter(([path, , target]) => /^(display_name|name)$/.test(path) && target !== '/v1/me/preferences'),
  )('400 invalid_field: %s of %s %s contains only white space', async (path, method, target, body) => {
    for (const blank of [' ', '\u00a0\u3000', '\u200b'])
      expect(await problemsOf(await send(method, target, body(blank)))).toEqual([path])
  })

  test('400 invalid_field: a URL with a misleading host', async () => {
    for (const url of ['https://hub.example@node.example', 'https://node.example\\@hub.example']) {
      const profile = { display_name: 'Ada', website: url }
      expect(await problemsOf(await send('PUT', '/v1/developers/me', profile))).toEqual(['website'])
      const node = await send('POST', '/v1/nodes/register', { ...registration, url })
      expect(await problemsOf(node)).toEqual(['url'])
    }
  })

  test('400 invalid_field: the website of a developer is on a private network', async () => {
    for (const website of ['https://nas.local', 'https://api.localhost', 'https://router.home.arpa'])
      expect(
        await problemsOf(await send('PUT', '/v1/developers/me', { display_name: 'Ada', website })),
      ).toEqual(['website'])
    expect(
      await problemsOf(
        await send('PUT', '/v1/developers/me', { display_name: 'Ada', website: 'https://ada.example' }),
      ),
    ).toEqual([])
  })

  test('400 invalid_field: a URL with hidden characters, even if URL parsers escape or remove them', async () => {
    for (const character of hidden) {
      const url = `https://node.example/a${character}b`
      const profile = { display_name: 'Ada', website: url }
      expect(await problemsOf(await send('PUT', '/v1/developers/me', profile))).toEqual(['website'])
      const node = await send('POST', '/v1/nodes/register', { ...registration, url })
      expect(await problemsOf(node)).toEqual(['url'])
    }
  })

  test('a search may contain any characters, because nobody else reads it', async () => {
    expect((await client().get(`/v1/projects?q=${encodeURIComponent('a\tb')}`)).status).toBe(200)
  })
})
