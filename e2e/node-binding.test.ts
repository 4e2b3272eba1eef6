import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type Answerer,
  type LyingHub,
  sendJson,
  startLyingHub,
} from '../node-cli/src/serve/hub/testing/lying-hub.ts'
import { formatBindingMessage, parseBindingCode, resolveProfile } from '../protocol/identity/index.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { descriptorOf } from '../testing/node/hub-answers.ts'
import { nodectl } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { at, createNode, createWallet, expectRefused, honestBeside, useHub } from './command-node.ts'

const profile = resolveProfile()
const hub = useHub()
const wallet = createWallet()

describe('bind', () => {
  test('prints the text for the wallet, and finishes with its signature', async () => {
    const node = await createNode()
    const { code, stdout, stderr } = await hub.run('bind', node, '--owner', wallet.account.address)
    expect(code).toBe(0)
    const message = stdout.replace(/\n$/, '')
    expect(message.split('\n')).toEqual([
      'Hub: bind mining device',
      'Network: hub-testnet',
      'Chain ID: 31337',
      `Owner: ${wallet.owner}`,
      `Node ID: ${node.nodeId}`,
      `Node key: ${node.publicKey}`,
      expect.stringMatching(/^Issued at: \d+$/),
      expect.stringMatching(/^Nonce: [0-9a-f]{32}$/),
    ])
    expect(stderr).toContain('within 10 minutes')
    expect(stderr).toContain(
      `nodectl bind --data-dir ${node.dataDir} --hub-url ${hub.origin()} --signature 0x…`,
    )

    const signature = await wallet.account.signMessage({ message })
    const bound = await hub.run('bind', node, '--signature', signature)
    expect([bound.code, bound.stderr]).toEqual([0, ''])
    expect(JSON.parse(bound.stdout)).toEqual({
      node_id: node.nodeId,
      owner: wallet.owner,
      status: 'offline',
      created_at: expect.any(Number),
      binding_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    // The hub knows what the device is, and the text is used up.
    expect(await hub.read(`/v1/devices/${node.nodeId}`)).toMatchObject({
      owner: wallet.owner,
      arch: process.arch,
      platform: process.platform,
      nodectl_version: '1.0.0',
    })
    expect(readdirSync(node.dataDir)).toEqual(['node.key', 'nodectl.lock'])
    const again = await hub.run('bind', node, '--signature', signature)
    expectRefused(again, 1, `no text in ${node.dataDir} waits for a signature`)
  })

  test('signs for device and owner with the key of the wallet and settings from the environment', async () => {
    const node = await createNode()
    const env = { NODE_DATA_DIR: node.dataDir, NODE_HUB_URL: hub.origin() }
    const args = ['bind', '--owner-key-file', wallet.keyFile, '--json']
    const { code, stdout, stderr } = await nodectl(args, { env })
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ owner: wallet.owner })
  })

  test('--json prints the text and the members that a website needs', async () => {
    const node = await createNode()
    const { stdout } = await hub.run('bind', node, '--owner', wallet.owner, '--json')
    expect(JSON.parse(stdout)).toEqual({
      message: expect.stringMatching(/^Hub: bind mining device\n/),
      binding_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      owner: wallet.owner,
      node_id: node.nodeId,
      public_key: node.publicKey,
      sign_until: expect.any(Number),
      code: expect.stringMatching(/^bind\./),
    })
  })

  test('a code binds the device with the signature of its owner alone, without a second command', async () => {
    const node = await createNode()
    const { stderr } = await hub.run('bind', node, '--owner', wallet.owner)
    const link = stderr.split(' ').find((word) => word.startsWith(`${hub.origin()}/me#bind.`))
    const offer = parseBindingCode(profile, String(link))!
    const owner_signature = await wallet.account.signMessage({ message: offer.message })
    const bound = await fetch(`${hub.origin()}/v1/devices/bind`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...offer, owner_signature }),
    })
    expect([bound.status, await bound.json()]).toMatchObject([200, { node_id: node.nodeId }])
  })

  test('refuses a signature of another wallet, and keeps the text', async () => {
    const node = await createNode()
    const message = (await hub.run('bind', node, '--owner', wallet.owner)).stdout.trimEnd()
    const other = await createWallet().account.signMessage({ message })
    const refused = await hub.run('bind', node, '--signature', other)
    expectRefused(
      refused,
      1,
      `this is not a signature of ${wallet.owner} over the text\nSign the eight lines`,
    )
    expect(await hub.run('bind', node, '--signature', '0x12')).toMatchObject({ code: 1 })
    const signature = await wallet.account.signMessage({ message })
    expect(await hub.run('bind', node, '--signature', signature)).toMatchObject({ code: 0 })
  })

  test('says what to do about a device of another wallet, and about an expired text', async () => {
    const node = await createNode()
    await hub.run('bind', node, '--owner-key-file', wallet.keyFile)
    const taken = await hub.run('bind', node, '--owner-key-file', createWallet().keyFile, '--json')
    expect(taken.code).toBe(1)
    expect(taken.stderr).toContain('The present owner ends the binding with: nodectl unbind')
    expect(JSON.parse(taken.stdout)).toEqual({
      error: {
        code: 'conflict',
        message: expect.stringContaining('bound to another wallet'),
        hint: expect.stringContaining('nodectl unbind'),
      },
    })

    const old = formatBindingMessage(profile, {
      action: 'bind',
      owner: wallet.owner,
      public_key: node.publicKey,
      issued_at: Math.floor(Date.now() / 1000) - 700,
      nonce: '0'.repeat(32),
    })
    const pending = JSON.stringify({ hub: hub.origin(), message: old })
    writeFileSync(path.join(node.dataDir, 'binding-text.json'), pending, { mode: 0o600 })
    const stale = await hub.run(
      'bind',
      node,
      '--signature',
      await wallet.account.signMessage({ message: old }),
    )
    expectRefused(stale, 1, 'The text is older than 10 minutes.')
  })

  test.each<[string[], number, string]>([
    [[], 2, 'the wallet is missing: give its address with --owner, or its key with --owner-key-file'],
    [['--owner', '0x12'], 2, '--owner must be an address of 0x and 40 hex digits, not 0x12'],
    [['--owner', `0x${'aB'.repeat(20)}`], 2, 'must be an address with a correct checksum'],
    [['--owner', `0x${'11'.repeat(20)}`, '--owner-key-file', wallet.keyFile], 2, 'is that of'],
    [['--signature', '0x12', '--owner-key-file', wallet.keyFile], 2, 'cannot be used together'],
    [['--owner-key-file', '/nowhere'], 1, '/nowhere cannot be read: there is no such file'],
    [['--signature', '0x12'], 1, 'waits for a signature\nGet one first'],
    [['--owner', wallet.owner, '--network', 'other'], 1, 'is the hub of hub-testnet, not of other'],
    [['--owner', wallet.owner, '--chain-id', '1'], 1, 'is on the chain 31337, not on 1'],
  ])('%j is refused', async (args, code, message) => {
    expectRefused(await hub.run('bind', await createNode(), ...args), code, message)
  })

  test.each([
    ['not-a-key', 0o600, 'is not the key of a wallet: it must be 64 hex digits'],
    [`0x${'00'.repeat(32)}`, 0o600, 'is not the key of a wallet'],
    [`0x${'12'.repeat(32)}`, 0o644, 'others can read the key'],
  ])(
    'an owner key file with %s and mode %o is refused, and its content is not shown',
    async (text, mode, message) => {
      const file = path.join(temporaryFolder(), 'key')
      writeFileSync(file, text, { mode })
      const { code, stderr } = await hub.run('bind', await createNode(), '--owner-key-file', file)
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
      expect(stderr).not.toContain(text)
    },
  )

  test('without a node key, it names the command that creates one', async () => {
    const dataDir = temporaryFolder()
    const args = ['bind', '--data-dir', dataDir, '--hub-url', hub.origin(), '--owner', wallet.owner]
    const stderr = `Error: no node key in ${dataDir}; create one with: nodectl keygen --data-dir ${dataDir}\n`
    expect(await nodectlHere(args)).toEqual({ code: 1, stdout: '', stderr })
  })
})

describe('unbind', () => {
  test('removes the device from its wallet with the key of the node alone', async () => {
    const node = await createNode()
    await hub.run('bind', node, '--owner-key-file', wallet.keyFile)
    const { code, stdout } = await hub.run('unbind', node)
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { node_id: node.nodeId, owner: wallet.owner, unbound_at: expect.any(Number), bonded: [] },
    ])
    expect(await hub.read(`/v1/devices/${node.nodeId}`)).toMatchObject({ error: 'not_found' })
    const stderr = `Error: ${node.nodeId} is bound to no wallet\n`
    expect(await hub.run('unbind', node)).toEqual({ code: 1, stdout: '', stderr })
  })
})

/** A hub that says of every device that it works for one project. */
const startWorkingHub = (publicKey: string) =>
  startLyingHub(
    honestBeside((url, response, origin) => {
      const now = Math.floor(Date.now() / 1000)
      const id = `0x${'cd'.repeat(32)}`
      if (url.endsWith('/work'))
        return sendJson(response, {
          subscriptions: [
            {
              subscription_id: id,
              project_id: id,
              slug: 'hello',
              token: { address: wallet.owner, symbol: 'TOK', decimals: 18 },
              owner: wallet.owner,
              status: 'active',
              collateral: '7000000000000000000',
              pending_slashes: 1,
              slashed_total: '0',
              release_at: null,
              earned: '5000000000000000000',
              works_from: now + 43 * 60 + 30,
            },
          ],
        })
      // The node itself, as it answers its operator.
      if (url === '/status')
        return sendJson(response, {
          node_id: 'node-0f3a5c7e9b1d2f40',
          version: '1.0.0',
          role: 'miner',
          network: 'hub-testnet',
          engine: 'native',
          counts: {},
          hub: { url: origin, state: 'registered', problem: null, device_bound: true },
        })
      if (url === '/v1/devices/binding-message') {
        const fields = { action: 'unbind', owner: wallet.owner, public_key: publicKey } as const
        const message = formatBindingMessage(profile, { issued_at: now, nonce: '1'.repeat(32), ...fields })
        return sendJson(response, { message, binding_hash: '' })
      }
      return sendJson(response, { node_id: 'node-0', owner: wallet.owner, unbound_at: now })
    }),
  )

test('unbind says which collateral stays bonded, and which wallet can withdraw it', async () => {
  const node = await createNode()
  const { origin } = await startWorkingHub(node.publicKey)
  const { code, stdout, stderr } = await nodectl(['unbind', ...at(node, origin)])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ bonded: [{ slug: 'hello', collateral: '7000000000000000000' }] })
  expect(stderr).toContain(`7 TOK stay bonded in hello (active) until ${wallet.owner} unbonds and withdraws`)
})

test('status shows the projects that the device works for, and when work can come', async () => {
  const { origin } = await startWorkingHub('')
  const shown = await nodectl(['status', '--url', origin])
  expect(shown.stdout).toMatch(
    /^work +hello: active, 7 TOK bonded, 5 TOK earned by its payout address, 1 open slash, work can come from \d\d:\d\d, in 43 min$/m,
  )
  const { work } = JSON.parse((await nodectlHere(['status', '--url', origin, '--json'])).stdout)
  expect(work).toMatchObject([{ slug: 'hello', earned: '5000000000000000000', pending_slashes: 1 }])
})

describe('a hub that lies gets no signature', () => {
  const isSigned = ({ headers }: LyingHub) =>
    [...headers.values()].some((sent) => Object.keys(sent).some((name) => name.startsWith('x-hub-')))

  test.each<[string, Answerer, string]>([
    [
      'another network',
      (_, response) => sendJson(response, descriptorOf(hub.origin(), { network: 'other' })),
      'is the hub of other',
    ],
    [
      'another address',
      (_, response) => sendJson(response, descriptorOf('https://hub.example')),
      'its address is https://hub.example',
    ],
    [
      'another content type',
      (_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>'),
      'text/html',
    ],
    [
      'a redirect',
      (_, response) => void response.writeHead(307, { Location: hub.origin() }).end(),
      'redirects to',
    ],
  ])('%s', async (_, answer, message) => {
    const lying = await startLyingHub(answer)
    const node = await createNode()
    for (const [command, ...more] of [
      ['register'],
      ['bind', '--owner-key-file', wallet.keyFile],
      ['unbind'],
    ] as const) {
      expectRefused(await nodectlHere([command, ...at(node, lying.origin), ...more]), 1, message)
    }
    expect(new Set(lying.requests)).toEqual(new Set(['GET /']))
    expect(isSigned(lying)).toBe(false)
  })

  test.each(['unbind', 'bind'] as const)(
    'a text that does not %s this device for its owner',
    async (said) => {
      const node = await createNode()
      const thief = `0x${'22'.repeat(20)}`
      const texts = [
        { action: said, owner: said === 'bind' ? thief : wallet.owner, public_key: node.publicKey },
        { action: 'bind', owner: wallet.owner, public_key: node.publicKey, issued_at: 4_000_000_000 },
      ] as const
      for (const fields of texts) {
        const issued_at = Math.floor(Date.now() / 1000)
        const message = formatBindingMessage(profile, { issued_at, nonce: '1'.repeat(32), ...fields })
        const lying = await startLyingHub(
          honestBeside((_, response) => sendJson(response, { message, binding_hash: '' })),
        )
        for (const signer of [
          ['--owner', wallet.owner],
          ['--owner-key-file', wallet.keyFile],
        ]) {
          const ran = await nodectlHere(['bind', ...at(node, lying.origin), ...signer])
          expectRefused(ran, 1, 'nothing is signed')
        }
        expect(lying.requests).not.toContain('POST /v1/devices/bind')
      }
      expect(readdirSync(node.dataDir)).toEqual(['node.key', 'nodectl.lock'])
    },
  )
})
