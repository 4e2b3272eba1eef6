import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../testing/node/folders.ts'
import { descriptorOf } from '../../testing/node/hub-answers.ts'
import { nodectlHere } from '../../testing/node/nodectl-here.ts'
import { tokensText, type WorkedFor, workText } from './device-work.ts'
import { sendJson, startLyingHub } from './serve/hub/testing/lying-hub.ts'

const id = `0x${'ab'.repeat(32)}`
const subscription: WorkedFor = {
  subscription_id: id,
  project_id: id,
  slug: 'hello',
  symbol: 'TOK',
  decimals: 18,
  payout_address: `0x${'11'.repeat(20)}`,
  owner: `0x${'12'.repeat(20)}`,
  status: 'active',
  collateral: '100000000000000000000',
  pending_slashes: 0,
  slashed_total: '0',
  release_at: null,
  earned: '1500000000000000000',
  works_from: null,
}
/** 01:00 where the test runs. */
const one = new Date(2026, 10, 24, 1).getTime() / 1000

test.each([
  ['0', '0 TOK'],
  ['1', '0.000000000000000001 TOK'],
  ['100000000000000000000', '100 TOK'],
  ['1500000000000000000', '1.5 TOK'],
])('%s base units are %s', (amount, text) => {
  expect(tokensText(amount, subscription)).toBe(text)
})

test('says when work can come, and in how long', () => {
  expect(workText({ ...subscription, works_from: one }, one - 43 * 60)).toBe(
    'hello: active, 100 TOK bonded, 1.5 TOK earned by its payout address, work can come from 01:00, in 43 min',
  )
  expect(workText({ ...subscription, works_from: one }, one)).toMatch(/, work comes$/)
  expect(workText({ ...subscription, works_from: one }, one - 2 * 86_400)).toMatch(
    /, work can come from 2026-11-24 01:00, in 2 d$/,
  )
})

test('shows slashes, and until when the collateral stays locked', () => {
  const held = {
    ...subscription,
    status: 'unbonding',
    release_at: one,
    pending_slashes: 1,
    slashed_total: '5',
  }
  expect(workText(held, one - 60)).toBe(
    'hello: unbonding until 01:00, in 1 min, 100 TOK bonded, 1.5 TOK earned by its payout address, 1 open slash, 0.000000000000000005 TOK slashed, no work comes',
  )
})

/** Commands of a node whose hub answers the question for its subscriptions with this. */
async function commandsAt(status: number, answer: object) {
  const dataDir = path.join(temporaryFolder(), 'node')
  await nodectlHere(['keygen', '--data-dir', dataDir])
  const { origin } = await startLyingHub(({ url = '', headers }, response) => {
    if (url === '/') return sendJson(response, descriptorOf(`http://${headers.host}`))
    if (url.endsWith('/work')) return sendJson(response, answer, status)
    if (url === '/v1/status') return sendJson(response, { time: Math.floor(Date.now() / 1000) })
    return sendJson(response, { owner: `0x${'12'.repeat(20)}`, status: 'online' })
  })
  // Nothing listens there.
  const env = { NODE_BIND: '127.0.0.1:9' }
  return (command: string) => nodectlHere([command, '--data-dir', dataDir, '--hub-url', origin], { env })
}

test.each([
  [503, { error: 'unavailable', message: 'Busy.' }, 'the hub refuses: Busy.'],
  [429, { error: 'rate_limited', message: 'Too many.' }, 'the hub refuses: Too many.'],
  [200, {}, 'the hub answered without subscriptions'],
])('a hub that answers %d does not count as one without subscriptions', async (status, answer, error) => {
  const run = await commandsAt(status, answer)
  for (const command of ['why', 'earnings', 'claim'])
    expect(await run(command), command).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`Error: ${error}`),
    })
})

test('a device that the hub does not know has no subscription', async () => {
  const run = await commandsAt(404, { error: 'not_found', message: 'No.' })
  expect(await run('earnings')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Error: node-\w+ has no subscription, so nobody is paid for it\n/),
  })
  expect(await run('why')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing is in the way of the device itself.'),
  })
})
