import { expect, test } from 'vitest'
import { failedWith } from '../../testing/node/nodectl.ts'
import { nodectlHere } from '../../testing/node/nodectl-here.ts'
import { readStatus } from './running-node.ts'
import { sendJson, startLyingHub } from './serve/hub/testing/lying-hub.ts'

test.each(['', '/', '/nodes/one', '/nodes/one/'])(
  'a node whose address ends with %j is asked there',
  async (path) => {
    const { origin, requests } = await startLyingHub((_, response) => sendJson(response, { counts: {} }))
    expect(await readStatus(origin + path, {})).toEqual({ counts: {} })
    expect(requests).toEqual([`GET ${path.replace(/\/$/, '')}/status`])
  },
)

test('a server whose answer does not end is no node', async () => {
  const { origin } = await startLyingHub((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const more = () => {
      while (response.write(' '.repeat(2 ** 20)));
    }
    response.on('drain', more)
    more()
  })
  expect(await nodectlHere(['status', '--url', origin])).toEqual(
    failedWith(
      `Error: the server at ${origin} is not a nodectl node\nName the address of the node with --url.\n`,
    ),
  )
})

test.each([
  [{ active_leases: [null, { state: 'leased' }], slots: 2 }, 'tasks', '1 of 2 slots taken'],
  [{ last_errors: [null, 'x', { time: 'now', message: 'oh' }] }, 'error', 'now oh'],
  [{ hub: { url: 'hub.example', state: 'away', problem: null } }, 'hub', 'away at hub.example'],
])(
  'a status with members that no node of this version has is shown all the same: %j',
  async (more, name, text) => {
    const status = { node_id: 'node-1', counts: {}, ...more }
    const { origin } = await startLyingHub((_, response) => sendJson(response, status))
    const { code, stdout } = await nodectlHere(['status', '--url', origin])
    expect(stdout).toMatch(new RegExp(`^${name} +${text}$`, 'm'))
    expect(code).toBe(0)
  },
)
