import { expect, test } from 'vitest'
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
