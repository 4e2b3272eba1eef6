import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { sendJson, startLyingHub } from '../node-cli/src/serve/hub/testing/lying-hub.ts'
import { deriveSubscriptionId } from '../protocol/identity/index.ts'
import { nodectl } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { at, createNode, createWallet, expectRefused, honestBeside, useHub } from './command-node.ts'

const hub = useHub()
const wallet = createWallet()

describe('register', () => {
  test('a miner needs no address', async () => {
    const node = await createNode()
    const { code, stdout, stderr } = await hub.run('register', node)
    expect([code, stderr, JSON.parse(stdout)]).toEqual([
      0,
      '',
      {
        node_id: node.nodeId,
        role: 'miner',
        status: 'approved',
        url: null,
        hub: hub.origin(),
        network: 'hub-testnet',
      },
    ])
  })

  test('a validator waits for an operator', async () => {
    const validator = ['--role', 'validator', '--node-url', 'https://node.example']
    const { code, stdout, stderr } = await hub.run('register', await createNode(), ...validator)
    expect([code, JSON.parse(stdout).status]).toEqual([0, 'pending'])
    expect(stderr).toBe('An operator of the hub has to approve this validator before it counts.\n')
  })

  test.each([
    [['--role', 'validator'], 2, 'a validator needs --node-url'],
    [['--role', 'king'], 2, '--role must be miner or validator, not king'],
    [['--network', 'other'], 1, 'is the hub of hub-testnet, not of other'],
  ])('%j is refused', async (args, code, message) => {
    expectRefused(await hub.run('register', await createNode(), ...args), code, message)
  })
})

describe('why', () => {
  test('names what the device lacks, and how to fix it', async () => {
    const node = await createNode()
    const unbound = await hub.run('why', node)
    expect(unbound.code).toBe(1)
    expect(unbound.stdout).toContain(`error: ${node.nodeId} is bound to no wallet, so it gets no work.`)
    expect(unbound.stdout).toContain(`  → nodectl bind --data-dir ${node.dataDir}`)

    await hub.run('bind', node, '--owner-key-file', wallet.keyFile)
    const offline = await hub.run('why', node, '--json')
    expect(offline.code).toBe(1)
    const causes = [expect.objectContaining({ code: 'offline', severity: 'error', since: null })]
    expect(JSON.parse(offline.stdout)).toEqual({ working: false, causes })

    const unsubscribed = await hub.run('why', node, '--project', `0x${'ab'.repeat(32)}`, '--json')
    expect(JSON.parse(unsubscribed.stdout)).toMatchObject({
      causes: [{ code: 'offline' }, { code: 'no_subscription' }],
    })
  })

  const online = { owner: wallet.owner, status: 'online', last_seen_at: 1 }
  const answers = (diagnosis: object, status = 200, device: object = online) =>
    honestBeside((url, response) => {
      if (url.endsWith('/diagnosis')) return sendJson(response, diagnosis, status)
      if (url.endsWith('/work')) return sendJson(response, { subscriptions: [] })
      return sendJson(response, url.startsWith('/v1/devices/') ? device : { status: 'active' })
    })
  const unknown = { error: 'not_found', message: 'No such path.' }
  /** Asks a hub that answers so why a device of its own gets no work. */
  const askOf = async (origin: string, ...args: string[]) =>
    nodectlHere(['why', ...at(await createNode(), origin), ...args])
  const subscription = `0x${'cd'.repeat(32)}`

  test('prints the diagnosis of the hub without control characters for a terminal', async () => {
    const { origin, requests } = await startLyingHub(
      answers({
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
    )
    expect(await askOf(origin, subscription)).toEqual({
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
    ['that finds nothing else', { working: true, causes: [] }, 200, 'The hub shows'],
    ['that the hub does not give', unknown, 404, 'The hub shows'],
    [
      'that reports it itself',
      { working: false, causes: [{ code: 'offline', severity: 'error', message: 'It sleeps.' }] },
      200,
      'It sleeps.',
    ],
  ])('reports a node that is offline beside a diagnosis %s', async (_, diagnosis, status, message) => {
    const { origin } = await startLyingHub(answers(diagnosis, status, { ...online, status: 'offline' }))
    const { code, stdout } = await askOf(origin, '--project', `0x${'ab'.repeat(32)}`, '--json')
    expect(code).toBe(1)
    const causes = [expect.objectContaining({ code: 'offline', message: expect.stringContaining(message) })]
    expect(JSON.parse(stdout)).toEqual({ working: false, causes })
  })

  test('takes the slug of the project', async () => {
    const project = `0x${'ab'.repeat(32)}`
    const answer = answers({ working: true, causes: [] })
    const { origin, requests } = await startLyingHub((request, response) =>
      request.url?.startsWith('/v1/projects/')
        ? request.url === '/v1/projects/hello/manifest'
          ? sendJson(response, { project_id: project })
          : sendJson(response, { error: 'not_found', message: 'There is no project other.' }, 404)
        : answer(request, response),
    )
    const node = await createNode()
    const { code } = await nodectl(['why', ...at(node, origin), '--project', 'hello'])
    expect(code).toBe(0)
    const id = deriveSubscriptionId(project, online.owner, node.publicKey)
    expect(requests).toContain(`GET /v1/subscriptions/${id}/diagnosis`)
    expectRefused(await askOf(origin, '--project', 'other'), 1, 'There is no project other.')
  })

  test('says that nothing prevents work', async () => {
    const { origin } = await startLyingHub(answers({ working: true, causes: [] }))
    const device =
      'Nothing is in the way of the device itself. Ask about its work for a project with --project PROJECT\n'
    const said = { code: 0, stderr: '' }
    expect(await askOf(origin, subscription)).toEqual({ ...said, stdout: 'Nothing is in the way.\n' })
    expect(await askOf(origin)).toEqual({ ...said, stdout: device })
  })

  test('asks about all projects of the device, and reports each problem of the device once', async () => {
    const token = { address: `0x${'c0'.repeat(20)}`, symbol: 'HUB', decimals: 18 }
    const work = ['hello', 'other'].map((slug, i) => ({
      ...{
        subscription_id: `0x${`c${i}`.repeat(32)}`,
        project_id: subscription,
        slug,
        owner: wallet.owner,
        token,
      },
      ...{ status: 'active', collateral: '7', pending_slashes: 0, slashed_total: '0', earned: '0' },
    }))
    const cause = (code: string, message: string) => ({ code, severity: 'error', message })
    const offline = cause('offline', 'It sleeps.')
    const answer = answers({ working: false, causes: [offline, cause('paused', 'It rests.')] })
    const { origin, headers } = await startLyingHub((request, response) =>
      request.url?.endsWith('/work')
        ? sendJson(response, { subscriptions: work })
        : answer(request, response),
    )
    const { code, stdout } = await askOf(origin, '--json')
    const told = ['It sleeps.', 'hello: It rests.', 'other: It rests.']
    expect([code, JSON.parse(stdout).causes.map(({ message }: { message: string }) => message)]).toEqual([
      1,
      told,
    ])
    // The key of the node sees the details.
    const asked = headers.get(`GET /v1/subscriptions/${work[0]?.subscription_id}/diagnosis`)
    expect(Object.keys(asked ?? {}).filter((name) => name.endsWith('-signature'))).toHaveLength(1)
  })

  test('asks without the key of the node if the hub does not accept it', async () => {
    const causes = [{ code: 'paused', severity: 'error', message: 'It rests.' }]
    const answer = answers({ working: false, causes })
    const refused = { error: 'unauthorized', message: 'This key is unknown.' }
    const { origin } = await startLyingHub((request, response) =>
      Object.keys(request.headers).some((name) => name.endsWith('-signature'))
        ? sendJson(response, refused, 401)
        : answer(request, response),
    )
    expect((await askOf(origin, subscription)).stdout).toContain('error: It rests.')
  })

  test('shows the state of the subscription if the hub gives no diagnoses', async () => {
    const { origin } = await startLyingHub(answers(unknown, 404))
    expect(await askOf(origin, subscription)).toEqual({
      code: 0,
      stdout:
        'Nothing is in the way.\ninfo: The subscription is active. The hub gives no details, because it has no diagnoses.\n',
      stderr: '',
    })
  })
})

test('settings are also read from config.json of the data directory', async () => {
  const node = await createNode()
  mkdirSync(node.dataDir, { recursive: true })
  writeFileSync(path.join(node.dataDir, 'config.json'), JSON.stringify({ hub_url: hub.origin() }))
  const { code } = await nodectl(['register', '--data-dir', node.dataDir])
  expect(code).toBe(0)
  expect(readFileSync(path.join(node.dataDir, 'config.json'), 'utf8')).toContain(hub.origin())
})
