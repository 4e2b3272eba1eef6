import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answerer,
  type LyingHub,
  sendJson,
  startLyingHub,
} from '../node-cli/src/serve/hub/testing/lying-hub.ts'
import { deriveSubscriptionId, formatBindingMessage, resolveProfile } from '../protocol/identity/index.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'
import { descriptorOf } from '../testing/node/hub-answers.ts'
import { buildNodectl, nodectl, temporaryFolder } from '../testing/node/nodectl.ts'

const profile = resolveProfile()
let hub: TestHub
beforeAll(buildNodectl)
beforeAll(async () => {
  hub = await startTestHub()
})
afterAll(() => hub?.stop())

interface Node {
  readonly dataDir: string
  readonly nodeId: string
  readonly publicKey: string
}

async function createNode(): Promise<Node> {
  const dataDir = path.join(temporaryFolder(), 'node')
  const { stdout } = await nodectl(['keygen', '--data-dir', dataDir])
  const { node_id, public_key } = JSON.parse(stdout)
  return { dataDir, nodeId: node_id, publicKey: public_key }
}

/** A wallet with its key in a file for its owner alone. */
function createWallet() {
  const privateKey = generatePrivateKey()
  const keyFile = path.join(temporaryFolder(), 'wallet.key')
  writeFileSync(keyFile, `${privateKey}\n`, { mode: 0o600 })
  const account = privateKeyToAccount(privateKey)
  return { account, owner: account.address.toLowerCase(), keyFile }
}

const at = ({ dataDir }: Node, origin = hub.origin) => ['--data-dir', dataDir, '--hub-url', origin]
const run = (command: string, node: Node, ...more: string[]) => nodectl([command, ...at(node), ...more])
const read = async (target: string) => (await fetch(hub.origin + target)).json()
const wallet = createWallet()

describe('bind', () => {
  test('prints the text for the wallet, and finishes with its signature', async () => {
    const node = await createNode()
    const { code, stdout, stderr } = await run('bind', node, '--owner', wallet.account.address)
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
      `nodectl bind --data-dir ${node.dataDir} --hub-url ${hub.origin} --signature 0x…`,
    )

    const signature = await wallet.account.signMessage({ message })
    const bound = await run('bind', node, '--signature', signature)
    expect([bound.code, bound.stderr]).toEqual([0, ''])
    expect(JSON.parse(bound.stdout)).toEqual({
      node_id: node.nodeId,
      owner: wallet.owner,
      status: 'offline',
      bound_at: expect.any(Number),
      binding_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    // The hub knows what the device is, and the text is used up.
    expect(await read(`/v1/devices/${node.nodeId}`)).toMatchObject({
      owner: wallet.owner,
      arch: process.arch,
      platform: process.platform,
      nodectl_version: '1.0.0',
    })
    expect(readdirSync(node.dataDir)).toEqual(['node.key', 'nodectl.lock'])
    expect(await run('bind', node, '--signature', signature)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no text in ${node.dataDir} waits for a signature`),
    })
  })

  test('signs for both with the key of the wallet, settings from the environment', async () => {
    const node = await createNode()
    const env = { NODE_DATA_DIR: node.dataDir, NODE_HUB_URL: hub.origin }
    const { code, stdout, stderr } = await nodectl(['bind', '--owner-key-file', wallet.keyFile, '--json'], {
      env,
    })
    expect([code, stderr, JSON.parse(stdout)]).toEqual([
      0,
      '',
      expect.objectContaining({ owner: wallet.owner }),
    ])
  })

  test('--json prints the text with what a website needs', async () => {
    const node = await createNode()
    const { stdout } = await run('bind', node, '--owner', wallet.owner, '--json')
    expect(JSON.parse(stdout)).toEqual({
      message: expect.stringMatching(/^Hub: bind mining device\n/),
      binding_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      owner: wallet.owner,
      node_id: node.nodeId,
      public_key: node.publicKey,
      sign_until: expect.any(Number),
    })
  })

  test('refuses a signature of somebody else, and keeps the text', async () => {
    const node = await createNode()
    const message = (await run('bind', node, '--owner', wallet.owner)).stdout.trimEnd()
    const other = await createWallet().account.signMessage({ message })
    expect(await run('bind', node, '--signature', other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `this is not a signature of ${wallet.owner} over the text\nSign the eight lines`,
      ),
    })
    expect(await run('bind', node, '--signature', '0x12')).toMatchObject({ code: 1 })
    const signature = await wallet.account.signMessage({ message })
    expect(await run('bind', node, '--signature', signature)).toMatchObject({ code: 0 })
  })

  test('says what to do about a device of another wallet, and about a text that is too old', async () => {
    const node = await createNode()
    await run('bind', node, '--owner-key-file', wallet.keyFile)
    const taken = await run('bind', node, '--owner-key-file', createWallet().keyFile, '--json')
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
    const pending = JSON.stringify({ hub: hub.origin, message: old })
    writeFileSync(path.join(node.dataDir, 'binding-text.json'), pending, { mode: 0o600 })
    const stale = await run('bind', node, '--signature', await wallet.account.signMessage({ message: old }))
    expect([stale.code, stale.stderr]).toEqual([
      1,
      expect.stringContaining('The text is older than 10 minutes.'),
    ])
  })

  test.each<[string[], number, string]>([
    [[], 2, '--owner is missing: the address of the wallet, or --owner-key-file'],
    [['--owner', '0x12'], 2, '--owner must be an address of 0x and 40 hex digits, not 0x12'],
    [['--owner', `0x${'aB'.repeat(20)}`], 2, 'must be an address whose checksum fits'],
    [['--owner', `0x${'11'.repeat(20)}`, '--owner-key-file', wallet.keyFile], 2, 'is that of'],
    [['--signature', '0x12', '--owner-key-file', wallet.keyFile], 2, 'cannot be used together'],
    [['--owner-key-file', '/nowhere'], 1, '/nowhere cannot be read: there is no such file'],
    [['--signature', '0x12'], 1, 'waits for a signature\nGet one first'],
    [['--owner', wallet.owner, '--network', 'other'], 1, 'is the hub of hub-testnet, not of other'],
    [['--owner', wallet.owner, '--chain-id', '1'], 1, 'is on the chain 31337, not on 1'],
  ])('%j is refused', async (args, code, message) => {
    const refused = await run('bind', await createNode(), ...args)
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      code,
      '',
      expect.stringContaining(message),
    ])
  })

  test.each([
    ['not-a-key', 0o600, 'is not the key of a wallet: it must be 64 hex digits'],
    [`0x${'00'.repeat(32)}`, 0o600, 'is not the key of a wallet'],
    [`0x${'12'.repeat(32)}`, 0o644, 'others can read the key'],
  ])('an owner key file with %s and mode %o is refused, and not shown', async (text, mode, message) => {
    const file = path.join(temporaryFolder(), 'key')
    writeFileSync(file, text, { mode })
    const { code, stderr } = await run('bind', await createNode(), '--owner-key-file', file)
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
    expect(stderr).not.toContain(text)
  })

  test('without a node key there is nothing to bind', async () => {
    const dataDir = temporaryFolder()
    const { code, stderr } = await nodectl([
      'bind',
      '--data-dir',
      dataDir,
      '--hub-url',
      hub.origin,
      '--owner',
      wallet.owner,
    ])
    expect([code, stderr]).toEqual([
      1,
      `Error: no node key in ${dataDir}; create one with: nodectl keygen --data-dir ${dataDir}\n`,
    ])
  })
})

describe('unbind', () => {
  test('takes the device from its wallet, with the key of the node alone', async () => {
    const node = await createNode()
    await run('bind', node, '--owner-key-file', wallet.keyFile)
    const { code, stdout } = await run('unbind', node)
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { node_id: node.nodeId, owner: wallet.owner, unbound_at: expect.any(Number), bonded: [] },
    ])
    expect(await read(`/v1/devices/${node.nodeId}`)).toMatchObject({ error: 'not_found' })
    expect(await run('unbind', node)).toEqual({
      code: 1,
      stdout: '',
      stderr: `Error: ${node.nodeId} is bound to no wallet\n`,
    })
  })
})

/** A hub that says of every device that it works for one project. */
const startWorkingHub = (publicKey: string) =>
  startLyingHub((request, response) => {
    const { url = '' } = request
    const origin = `http://${request.headers.host}`
    const now = Math.floor(Date.now() / 1000)
    const id = `0x${'cd'.repeat(32)}`
    if (url === '/') return sendJson(response, descriptorOf(origin))
    if (url === '/v1/status') return sendJson(response, { time: now })
    if (url.endsWith('/work'))
      return sendJson(response, {
        subscriptions: [
          {
            subscription_id: id,
            project_id: id,
            slug: 'hello',
            token: { symbol: 'TOK', decimals: 18 },
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
  })

test('unbind says what stays bonded, and whose it is', async () => {
  const node = await createNode()
  const { origin } = await startWorkingHub(node.publicKey)
  const { code, stdout, stderr } = await nodectl(['unbind', ...at(node, origin)])
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({
      bonded: [expect.objectContaining({ slug: 'hello', collateral: '7000000000000000000' })],
    }),
  ])
  expect(stderr).toContain(`7 TOK stay bonded in hello (active) until ${wallet.owner} unbonds and withdraws`)
})

test('status shows what the device works for, and when work can come', async () => {
  const { origin } = await startWorkingHub('')
  const shown = await nodectl(['status', '--url', origin])
  expect(shown.stdout).toMatch(
    /^work +hello: active, 7 TOK bonded, 5 TOK earned by its payout address, 1 open slash, work can come from \d\d:\d\d, in 43 min$/m,
  )
  const { work } = JSON.parse((await nodectl(['status', '--url', origin, '--json'])).stdout)
  expect(work).toMatchObject([{ slug: 'hello', earned: '5000000000000000000', pending_slashes: 1 }])
})

describe('register', () => {
  test('a miner needs no address', async () => {
    const node = await createNode()
    const { code, stdout, stderr } = await run('register', node)
    expect([code, stderr, JSON.parse(stdout)]).toEqual([
      0,
      '',
      {
        node_id: node.nodeId,
        role: 'miner',
        status: 'approved',
        url: null,
        hub: hub.origin,
        network: 'hub-testnet',
      },
    ])
  })

  test('a validator waits for an operator', async () => {
    const validator = ['--role', 'validator', '--node-url', 'https://node.example']
    const { code, stdout, stderr } = await run('register', await createNode(), ...validator)
    expect([code, JSON.parse(stdout).status]).toEqual([0, 'pending'])
    expect(stderr).toBe('An operator of the hub has to approve this validator before it counts.\n')
  })

  test.each([
    [['--role', 'validator'], 2, 'a validator needs --node-url'],
    [['--role', 'king'], 2, '--role must be miner or validator, not king'],
    [['--network', 'other'], 1, 'is the hub of hub-testnet, not of other'],
  ])('%j is refused', async (args, code, message) => {
    const refused = await run('register', await createNode(), ...args)
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      code,
      '',
      expect.stringContaining(message),
    ])
  })
})

describe('why', () => {
  test('names what the device lacks, and how to mend it', async () => {
    const node = await createNode()
    const unbound = await run('why', node)
    expect(unbound.code).toBe(1)
    expect(unbound.stdout).toContain(`error: ${node.nodeId} is bound to no wallet, so it gets no work.`)
    expect(unbound.stdout).toContain(`  → nodectl bind --data-dir ${node.dataDir}`)

    await run('bind', node, '--owner-key-file', wallet.keyFile)
    const offline = await run('why', node, '--json')
    expect([offline.code, JSON.parse(offline.stdout)]).toEqual([
      1,
      {
        working: false,
        causes: [expect.objectContaining({ code: 'offline', severity: 'error', since: null })],
      },
    ])

    const unsubscribed = await run('why', node, '--project', `0x${'ab'.repeat(32)}`, '--json')
    const { causes } = JSON.parse(unsubscribed.stdout)
    expect(causes.map(({ code }: { code: string }) => code)).toEqual(['offline', 'no_subscription'])
  })

  const online = { owner: wallet.owner, status: 'online', last_seen_at: 1 }
  const answers =
    (diagnosis: (response: Parameters<Answerer>[1]) => void, device: object = online): Answerer =>
    (request, response) => {
      const { url = '' } = request
      if (url === '/') return sendJson(response, descriptorOf(`http://${request.headers.host}`))
      if (url === '/v1/status') return sendJson(response, { time: Math.floor(Date.now() / 1000) })
      if (url.endsWith('/diagnosis')) return diagnosis(response)
      return sendJson(response, url.startsWith('/v1/devices/') ? device : { status: 'active' })
    }
  const subscription = `0x${'cd'.repeat(32)}`

  test('prints what the hub diagnoses, without what would steer a terminal', async () => {
    const { origin, requests } = await startLyingHub(
      answers((response) =>
        sendJson(response, {
          working: false,
          causes: [
            {
              code: 'jailed',
              severity: 'error',
              message: 'The collateral is too low.\u001b[2J',
              since: 5,
              next_step: 'Top it up.',
              docs: 'https://hub.example/docs/causes/jailed',
            },
          ],
        }),
      ),
    )
    const node = await createNode()
    expect(await nodectl(['why', ...at(node, origin), subscription])).toEqual({
      code: 1,
      stdout: [
        'Something is in the way.',
        'error: The collateral is too low.\\u001b[2J',
        '  → Top it up.',
        '  https://hub.example/docs/causes/jailed',
        '',
      ].join('\n'),
      stderr: '',
    })
    expect(requests).toContain(`GET /v1/subscriptions/${subscription}/diagnosis`)
  })

  test.each([
    ['that finds nothing else', { working: true, causes: [] }, 200, 'The hub has'],
    ['that it gives not', { error: 'not_found', message: 'No such path.' }, 404, 'The hub has'],
    [
      'that says so itself',
      { working: false, causes: [{ code: 'offline', severity: 'error', message: 'It sleeps.' }] },
      200,
      'It sleeps.',
    ],
  ])('a node that is offline is told of beside a diagnosis %s', async (_, diagnosis, status, message) => {
    const { origin } = await startLyingHub(
      answers((response) => sendJson(response, diagnosis, status), { ...online, status: 'offline' }),
    )
    const project = ['--project', `0x${'ab'.repeat(32)}`, '--json']
    const { code, stdout } = await nodectl(['why', ...at(await createNode(), origin), ...project])
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      {
        working: false,
        causes: [expect.objectContaining({ code: 'offline', message: expect.stringContaining(message) })],
      },
    ])
  })

  test('takes the slug of the project', async () => {
    const project = `0x${'ab'.repeat(32)}`
    const answer = answers((response) => sendJson(response, { working: true, causes: [] }))
    const { origin, requests } = await startLyingHub((request, response) =>
      request.url?.startsWith('/v1/projects/')
        ? request.url === '/v1/projects/hello'
          ? sendJson(response, { project_id: project })
          : sendJson(response, { error: 'not_found', message: 'There is no project other.' }, 404)
        : answer(request, response),
    )
    const node = await createNode()
    const { code } = await nodectl(['why', ...at(node, origin), '--project', 'hello'])
    expect(code).toBe(0)
    const id = deriveSubscriptionId(project, online.owner, node.publicKey)
    expect(requests).toContain(`GET /v1/subscriptions/${id}/diagnosis`)
    expect(await nodectl(['why', ...at(node, origin), '--project', 'other'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no project other.'),
    })
  })

  test('says that nothing is in the way', async () => {
    const { origin } = await startLyingHub(
      answers((response) => sendJson(response, { working: true, causes: [] })),
    )
    expect(await nodectl(['why', ...at(await createNode(), origin), subscription])).toEqual({
      code: 0,
      stdout: 'Nothing is in the way.\n',
      stderr: '',
    })
    expect(await nodectl(['why', ...at(await createNode(), origin)])).toEqual({
      code: 0,
      stdout:
        'Nothing is in the way of the device itself. Ask about its work for a project with --project PROJECT\n',
      stderr: '',
    })
  })

  test('says what the subscription is where the hub gives no diagnoses', async () => {
    const { origin } = await startLyingHub(
      answers((response) => sendJson(response, { error: 'not_found', message: 'No such path.' }, 404)),
    )
    expect(await nodectl(['why', ...at(await createNode(), origin), subscription])).toEqual({
      code: 0,
      stdout:
        'Nothing is in the way.\ninfo: The subscription is active. The hub says no more: it gives no diagnoses.\n',
      stderr: '',
    })
  })
})

describe('a hub that lies gets no signature', () => {
  const isSigned = ({ headers }: LyingHub) =>
    [...headers.values()].some((sent) => Object.keys(sent).some((name) => name.startsWith('x-hub-')))

  test.each<[string, Answerer, string]>([
    [
      'another network',
      (_, response) => sendJson(response, descriptorOf(hub.origin, { network: 'other' })),
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
      (_, response) => void response.writeHead(307, { Location: hub.origin }).end(),
      'sends callers on to',
    ],
  ])('%s', async (_, answer, message) => {
    const lying = await startLyingHub(answer)
    const node = await createNode()
    for (const [command, ...more] of [
      ['register'],
      ['bind', '--owner-key-file', wallet.keyFile],
      ['unbind'],
    ] as const) {
      const { code, stderr } = await nodectl([command, ...at(node, lying.origin), ...more])
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
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
        const lying = await startLyingHub((request, response) => {
          if (request.url === '/') return sendJson(response, descriptorOf(`http://${request.headers.host}`))
          const now = Math.floor(Date.now() / 1000)
          if (request.url === '/v1/status') return sendJson(response, { time: now })
          const message = formatBindingMessage(profile, { issued_at: now, nonce: '1'.repeat(32), ...fields })
          return sendJson(response, { message, binding_hash: '' })
        })
        for (const signer of [
          ['--owner', wallet.owner],
          ['--owner-key-file', wallet.keyFile],
        ]) {
          const { code, stdout, stderr } = await nodectl(['bind', ...at(node, lying.origin), ...signer])
          expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('nothing is signed')])
        }
        expect(lying.requests).not.toContain('POST /v1/devices/bind')
      }
      expect(readdirSync(node.dataDir)).toEqual(['node.key', 'nodectl.lock'])
    },
  )
})

test('settings come from config.json of the data directory too', async () => {
  const node = await createNode()
  mkdirSync(node.dataDir, { recursive: true })
  writeFileSync(path.join(node.dataDir, 'config.json'), JSON.stringify({ hub_url: hub.origin }))
  const { code } = await nodectl(['register', '--data-dir', node.dataDir])
  expect(code).toBe(0)
  expect(readFileSync(path.join(node.dataDir, 'config.json'), 'utf8')).toContain(hub.origin)
})
