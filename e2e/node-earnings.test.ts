import { json as jsonOf } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { sendJson, startLyingHub } from '../node-cli/src/serve/hub/testing/lying-hub.ts'
import { formatTimestamp, issueSiweMessage, resolveProfile } from '../protocol/identity/index.ts'
import { checkPersonalSignature } from '../protocol/signatures/index.ts'
import { nodectl } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { at, createNode, createWallet, expectRefused, honestBeside } from './command-node.ts'

const profile = resolveProfile()
const wallet = createWallet()
const project = `0x${'ab'.repeat(32)}`
const transaction = `0x${'0e'.repeat(32)}`
const token = { address: `0x${'c0'.repeat(20)}`, symbol: 'HUB', name: 'Hub', decimals: 18 }
const whole = (amount: number) => `${amount}000000000000000000`

const subscription = {
  ...{
    subscription_id: `0x${'cd'.repeat(32)}`,
    project_id: project,
    slug: 'hello',
    owner: wallet.owner,
    token,
  },
  ...{
    payout_address: wallet.owner,
    status: 'active',
    collateral: '7',
    pending_slashes: 0,
    slashed_total: '0',
  },
  ...{ release_at: null, earned: '0', works_from: 1 },
}
const payout = (epoch: number, status: string, amount: string) => ({
  ...{ project_id: project, epoch, miner: wallet.owner, units: 2, amount, token, status },
  ...{ claim_tx: status === 'claimed' ? transaction : null, claimable_at: null as number | null },
})
const payouts = [
  payout(9, 'accruing', whole(1)),
  payout(8, 'settled', whole(2)),
  payout(7, 'claimable', whole(3)),
  payout(6, 'claimed', whole(4)),
  payout(5, 'vetoed', whole(5)),
]
const claims = [
  {
    ...{
      project_id: project,
      vault: `0x${'0a'.repeat(20)}`,
      epoch: 7,
      account: wallet.owner,
      amount: whole(3),
    },
    ...{ proof: [], token, claimable_at: 1 },
  },
]
const withdrawal = {
  ...{ withdrawal_id: 'q7Rk2mX9pLw4sTzB00', status: 'processing', amount: whole(3), tx_hash: transaction },
  epochs: [{ project_id: project, epoch: 7, fee: '0' }],
}

/** A hub with payouts of the wallet. @param change What else it asks the wallet to sign. */
async function startPayingHub(
  change: (text: string) => string = (text) => text,
  { claimed = claims, earned = payouts } = {},
) {
  const bodies = new Map<string, Record<string, string>>()
  const hub = await startLyingHub(async (request, response) => {
    const { url = '', method } = request
    if (method === 'POST')
      bodies.set(url, (await jsonOf(request).catch(() => ({}))) as Record<string, string>)
    const answer = honestBeside((_, response, origin) => {
      const [path] = url.split('?')
      if (path?.endsWith('/work')) return sendJson(response, { subscriptions: [subscription] })
      if (path === '/v1/me/earnings/epochs') return sendJson(response, { items: earned, next_cursor: 'next' })
      if (path === '/v1/me/claims') return sendJson(response, { items: claimed })
      if (path === '/v1/auth/nonce') {
        const nonce = 'k3Jd9sQx7LmPz2VtY'
        const issuedAt = Math.floor(Date.now() / 1000)
        const issued = { domain: new URL(origin).host, address: wallet.owner, nonce, issuedAt }
        return sendJson(response, { nonce, message: change(issueSiweMessage(profile, issued)) })
      }
      if (path === '/v1/auth/siwe') return sendJson(response, { token: 'session' })
      if (path === '/v1/me/withdrawals/claims')
        return sendJson(response, { items: [withdrawal], more: true }, 202)
      return sendJson(response, {}, path === '/v1/auth/logout' ? 200 : 404)
    })
    return answer(request, response)
  })
  return { ...hub, bodies }
}

test('earnings lists each epoch, and sums what is pending, claimable and claimed', async () => {
  const { origin, requests } = await startPayingHub()
  const node = await createNode()
  const shown = await nodectl(['earnings', ...at(node, origin)])
  expect([shown.code, shown.stderr, shown.stdout.trimEnd().split('\n')]).toEqual([
    0,
    '',
    [
      `paid to  ${wallet.owner}`,
      'hello 9  1 HUB for 2 units, accruing',
      'hello 8  2 HUB for 2 units, settled',
      'hello 7  3 HUB for 2 units, claimable',
      'hello 6  4 HUB for 2 units, claimed',
      'hello 5  5 HUB for 2 units, vetoed',
      'listed   pending 3 HUB, claimable 3 HUB, claimed 4 HUB',
    ],
  ])
  expect(requests).toContain(`GET /v1/me/earnings/epochs?address=${wallet.owner}&limit=20`)
  const one = await nodectlHere([
    'earnings',
    ...at(node, origin),
    '--project',
    project,
    '--limit',
    '5',
    '--json',
  ])
  expect(JSON.parse(one.stdout)).toMatchObject({
    addresses: [wallet.owner],
    items: [{ slug: 'hello', epoch: 9, status: 'accruing' }, {}, {}, { claim_tx: transaction }, {}],
    totals: [{ symbol: 'HUB', pending: whole(3), claimable: whole(3), claimed: whole(4) }],
    is_all: false,
  })
  expect(requests).toContain(
    `GET /v1/me/earnings/epochs?address=${wallet.owner}&limit=5&project_id=${project}`,
  )
  expectRefused(
    await nodectlHere(['earnings', ...at(node, origin), '--limit', '201']),
    2,
    '--limit must be from 1',
  )
})

describe('claim', () => {
  test('shows what can be claimed, and signs nothing without a key', async () => {
    const { origin, requests } = await startPayingHub()
    const { code, stdout, stderr } = await nodectl(['claim', ...at(await createNode(), origin)])
    expect([code, stdout]).toEqual([0, `claimable  3 HUB of epoch 7 of ${project} for ${wallet.owner}\n`])
    expect(stderr).toContain('--wallet-key-file')
    expect(requests.filter((one) => one.startsWith('POST'))).toEqual([])
  })

  test('shows what is pending if nothing can be claimed, and when it can be', async () => {
    const dueAt = Math.floor(Date.now() / 1000) + 3_900
    const earned = payouts.map((one) => (one.status === 'settled' ? { ...one, claimable_at: dueAt } : one))
    const { origin, requests } = await startPayingHub(undefined, { claimed: [], earned })
    const line = ['claim', ...at(await createNode(), origin)]
    const { code, stdout, stderr } = await nodectl(line)
    expect([code, stderr, stdout.trimEnd().split('\n')]).toEqual([
      0,
      '',
      [
        `nothing  can be claimed by ${wallet.owner}`,
        'pending  1 HUB of epoch 9 of hello, accruing',
        expect.stringMatching(
          /^pending {2}2 HUB of epoch 8 of hello, settled: claimable from .*\d\d:\d\d, in 1 h [45] min$/,
        ),
      ],
    ])
    const { stdout: json } = await nodectlHere([...line, '--project', project, '--json'])
    expect(JSON.parse(json)).toMatchObject({
      claimable: [],
      pending: [
        { epoch: 9, status: 'accruing', claimable_at: null },
        { epoch: 8, status: 'settled', claimable_at: dueAt },
      ],
      withdrawals: null,
      more: false,
    })
    expect(requests).toContain(
      `GET /v1/me/earnings/epochs?address=${wallet.owner}&limit=20&project_id=${project}`,
    )
  })

  test('claims with the key of the wallet: signs in, has the hub claim, and signs out', async () => {
    const { origin, headers, bodies, requests } = await startPayingHub()
    const key = ['--wallet-key-file', wallet.keyFile]
    const line = ['claim', ...at(await createNode(), origin), ...key, '--project', project, '--json', '--yes']
    const { code, stdout } = await nodectl(line)
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        claimable: [{ epoch: 7 }],
        pending: [{ epoch: 9 }, { epoch: 8 }],
        withdrawals: [{ status: 'processing', tx_hash: transaction }],
        more: true,
      },
    ])
    const { message = '', signature = '' } = bodies.get('/v1/auth/siwe') ?? {}
    expect(checkPersonalSignature(message, signature, wallet.owner).ok).toBe(true)
    expect(bodies.get('/v1/me/withdrawals/claims')).toEqual({ project_ids: [project] })
    for (const call of ['POST /v1/me/withdrawals/claims', 'POST /v1/auth/logout'])
      expect(headers.get(call)?.authorization).toBe('Bearer session')
    expect(requests.at(-1)).toBe('POST /v1/auth/logout')
  })

  test('shows the text, and signs nothing if no user can be asked to confirm', async () => {
    const { origin, requests } = await startPayingHub()
    const line = ['claim', ...at(await createNode(), origin), '--wallet-key-file', wallet.keyFile]
    const { code, stderr } = await nodectl(line)
    expect(code).toBe(1)
    expect(stderr).toContain(' wants you to sign in with your Ethereum account:\n')
    expect(stderr).toContain('Add --yes to sign without asking.')
    expect(requests).not.toContain('POST /v1/auth/siwe')
  })

  test.each([
    ['another domain', (text: string) => text.replace('localhost', 'elsewhere.example')],
    ['another statement', (text: string) => text.replace(/\n\n[^\n]+\n\n/, '\n\nGive me all.\n\n')],
  ])('signs no text of %s', async (_, change) => {
    const { origin, requests } = await startPayingHub(change)
    const line = ['claim', ...at(await createNode(), origin), '--wallet-key-file', wallet.keyFile, '--yes']
    const { code, stderr } = await nodectlHere(line)
    expect([code, stderr]).toEqual([1, expect.stringContaining('nothing is signed')])
    expect(requests).not.toContain('POST /v1/auth/siwe')
  })

  test('signs nothing with a wrong clock, and says how to correct it', async () => {
    const later = (at: string) => formatTimestamp(Date.parse(at) / 1_000 + 1_000)
    const { origin } = await startPayingHub((text) => text.replace(/(?<=(?:At|Time): ).+/g, later))
    const line = ['claim', ...at(await createNode(), origin), '--wallet-key-file', wallet.keyFile, '--yes']
    const { code, stderr } = await nodectlHere(line)
    expect([code, stderr]).toEqual([1, expect.stringContaining('s behind the hub; nothing is signed')])
    expect(stderr).toContain('timedatectl')
  })

  test('refuses an address that does not belong to the key', async () => {
    const other = `0x${'11'.repeat(20)}`
    const line = ['claim', '--wallet-key-file', wallet.keyFile, '--address', other]
    expectRefused(await nodectlHere(line), 2, 'is that of')
  })
})
