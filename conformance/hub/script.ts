import { randomBytes } from 'node:crypto'
import { hashCanonicalJson } from '../../protocol/encoding/index.ts'
import { createBindingRecord, deriveNodeId, profileStrings } from '../../protocol/identity/index.ts'
import { pingText, pongText, subprotocolOf, subprotocolsOf } from '../../protocol/link/index.ts'
import { ed25519PublicKey, evmAddress } from '../../protocol/signatures/index.ts'
import type { Findings } from '../findings.ts'
import type { Answer, HubUnderTest, NodeLink } from './client.ts'

const freshSeed = (): string => `0x${randomBytes(32).toString('hex')}`
export const readyFrame = (holding: readonly string[] = [], slots = 1) =>
  ({ type: 'ready', slots, engine: 'native', nodectl_version: '1.0.0', holding }) as const
/** Of no offer that was ever made. */
export const noOffer = `${'5a'.repeat(32)}.0`

/** Descriptor, parameters, errors; and the time of the network. */
export async function playBasics(
  hub: HubUnderTest,
  findings: Findings,
): Promise<{ paramsHash: string; maxSkew: number }> {
  const { json: descriptor } = await hub.call('GET', '/')
  const names =
    descriptor?.protocol === profileStrings(hub.profile).descriptor_protocol &&
    descriptor.network === hub.profile.network &&
    descriptor.chain?.id === hub.profile.chain_id
  findings.require('H1.1', names, `the descriptor is ${JSON.stringify(descriptor)}`)
  const { json: shown } = await hub.call('GET', '/v1/network/params')
  const hash = hashCanonicalJson(shown?.params ?? null)
  findings.require(
    'H1.2',
    shown?.params_hash === hash,
    `params_hash is ${shown?.params_hash}, expected ${hash}`,
  )
  const { status, json: error } = await hub.call('GET', '/v1/conformance/no-such-path')
  const isError =
    status === 404 &&
    error?.error === 'not_found' &&
    typeof error.message === 'string' &&
    typeof error.details === 'object' &&
    typeof error.request_id === 'string'
  findings.require(
    'H1.3',
    isError,
    `the hub answered an unknown path with ${status} ${JSON.stringify(error)}`,
  )
  const { json: network } = await hub.call('GET', '/v1/status')
  hub.aheadSeconds = (network?.time ?? 0) - Math.floor(Date.now() / 1000)
  return { paramsHash: hash, maxSkew: shown?.params?.max_skew ?? 300 }
}

/** Binds a device of this run to a wallet of this run, and registers it. @returns The seed of its key. */
export async function bindDevice(hub: HubUnderTest): Promise<string> {
  const [seed, ownerKey] = [freshSeed(), freshSeed()]
  await registerDevice(hub, seed)
  const record = createBindingRecord(
    hub.profile,
    {
      action: 'bind',
      owner: evmAddress(ownerKey),
      public_key: ed25519PublicKey(seed),
      issued_at: hub.now(),
      nonce: randomBytes(16).toString('hex'),
    },
    { ownerKey, nodeKey: seed },
  )
  await hub.call('POST', '/v1/devices/bind', record)
  return seed
}

export const registerDevice = (hub: HubUnderTest, seed: string) =>
  hub.call(
    'POST',
    '/v1/nodes/register',
    {
      hub: hub.origin,
      network: hub.profile.network,
      role: 'miner',
      url: null,
      engine: 'native',
      nodectl_version: '1.0.0',
      capabilities: [],
    },
    seed,
  )

/** Upgrade requests that are not to become sockets. */
export async function playRefusals(
  hub: HubUnderTest,
  findings: Findings,
  seed: string,
  maxSkew: number,
): Promise<void> {
  const names = profileStrings(hub.profile)
  const own = (change = {}) => hub.headers(seed, 'GET', '/v1/relay', '', change)
  const expectStatus = async (
    number: string,
    what: string,
    headers: Record<string, string>,
    allowed: readonly number[],
    protocols?: readonly string[],
  ) => {
    const { status, link } = await hub.upgrade(headers, protocols)
    link?.close()
    findings.require(number, allowed.includes(status), `the hub answered ${what} with ${status}`)
  }
  for (const name of [
    names.node_header,
    names.public_key_header,
    names.timestamp_header,
    names.nonce_header,
    names.signature_header,
  ]) {
    const { [name]: _, ...others } = own()
    await expectStatus('H2.1', `a request without ${name}`, others, [401])
  }
  await expectStatus('H2.2', 'a signature over another method', own({ method: 'POST' }), [401])
  const stranger = freshSeed()
  const other = { ...own(), [names.node_header]: deriveNodeId(hub.profile, ed25519PublicKey(stranger)) }
  await expectStatus('H2.3', 'the id of another key', other, [401])
  await expectStatus('H2.4', 'an old timestamp', own({ aheadSeconds: -maxSkew - 60 }), [401])
  await expectStatus('H2.4', 'a timestamp in the future', own({ aheadSeconds: maxSkew + 60 }), [401])
  const once = own()
  const first = await hub.upgrade(once)
  first.link?.close()
  findings.require(
    'H2.5',
    first.status === 101,
    `the hub answered the first use of a nonce with ${first.status}`,
  )
  await expectStatus('H2.5', 'the second use of a nonce', once, [401])
  await expectStatus('H2.6', 'an unknown key', hub.headers(stranger, 'GET', '/v1/relay'), [401, 403])
  await expectStatus('H2.7', 'an unknown subprotocol', own(), [426], ['other-relay.v1'])
  const { status } = await hub.call('GET', '/v1/relay', undefined, seed)
  findings.require('H2.7', status === 426, `the hub answered a request without upgrade with ${status}`)
}

/** Sockets of a device that is offered nothing. */
export async function playLink(
  hub: HubUnderTest,
  findings: Findings,
  seed: string,
  paramsHash: string,
): Promise<void> {
  const { profile } = hub
  const open = async (ticket?: string, protocols?: readonly string[]): Promise<NodeLink | null> => {
    const { status, link } = await hub.connect(seed, ticket, protocols)
    if (link === null) findings.note('H3.2', `the hub answered an upgrade request with ${status}`)
    return link
  }
  const greeted = async (link: NodeLink): Promise<Answer> => {
    const hello = JSON.parse((await link.text()) ?? 'null')
    const isHello =
      hello?.type === 'hello' &&
      /^[0-9a-f]{32}$/.test(hello.session_id) &&
      hello.params_hash === paramsHash &&
      Math.abs(hello.time - hub.now()) <= 60
    findings.require('H3.2', isHello, `the first frame is ${JSON.stringify(hello)}`)
    return hello
  }
  const late = ['frames', 'nodectl_min', 'retry_after', 'ticket']

  const old = await open(undefined, [subprotocolOf(profile, 1)])
  if (old === null) return
  findings.require(
    'H3.1',
    old.protocol === subprotocolOf(profile, 1),
    `the hub selected ${old.protocol} when only version 1 was offered`,
  )
  const first = await greeted(old)
  const more = Object.keys(first ?? {}).filter((name) => late.includes(name))
  findings.require('H3.3', more.length === 0, `hello of version 1 has the later members ${more.join()}`)

  const link = await open()
  if (link === null) return
  const code = await old.closeCode()
  findings.require('H3.10', code === 4001, `the close code of the first socket is ${code}, expected 4001`)
  const hello = await greeted(link)
  const newest = subprotocolsOf(profile).find((name) => hello?.frames?.includes(Number(name.split('.v')[1])))
  findings.require(
    'H3.1',
    link.protocol === newest,
    `the hub selected ${link.protocol}, and its hello lists the versions ${hello?.frames}`,
  )
  findings.require(
    'H3.3',
    Array.isArray(hello?.frames) && typeof hello?.nodectl_min === 'string',
    'hello lacks frames or nodectl_min',
  )
  link.send(pingText)
  const pong = await link.text()
  findings.require('H3.4', pong === pongText, `the hub answered ping with ${pong}`)
  link.send(readyFrame())
  link.send({ type: 'accept', offer_id: noOffer })
  const refused = await link.next(['error', 'cancel'])
  findings.require(
    'H3.9',
    refused?.offer_id === noOffer,
    `the hub answered accept for an unknown offer with ${JSON.stringify(refused)}`,
  )

  const expectError = async (number: string, frame: object | string, wanted: string) => {
    link.send(frame)
    const error = await link.next(['error'])
    findings.require(number, error?.code === wanted, `the hub answered with ${JSON.stringify(error)}`)
  }
  await expectError('H3.5', 'this is not a frame', 'bad_request')
  await expectError('H3.6', { type: 'accept', offer_id: noOffer, at: 1 }, 'invalid_field')
  await expectError('H3.6', { type: 'hurray' }, 'invalid_field')
  const ended = await link.closeCode()
  findings.require(
    'H3.8',
    ended === 1008,
    `the close code after three invalid frames is ${ended}, expected 1008`,
  )

  const back = await open(hello?.ticket)
  if (back === null) return
  await greeted(back)
  back.send(readyFrame())
  back.send(`{"type":"accept",${' '.repeat(70_000)}"offer_id":"${noOffer}"}`)
  const error = await back.next(['error'])
  findings.require('H3.7', error?.code === 'too_large', `the hub answered with ${JSON.stringify(error)}`)
  back.close()
}
