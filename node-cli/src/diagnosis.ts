import { type Cause, type CauseCode, causes, describeCause } from '../../protocol/causes.ts'
import { isAddress, isUnsigned } from '../../protocol/encoding/index.ts'
import { ifFound, type NodeAtHub } from './cli/node-at-hub.ts'
import { shellWord } from './cli/shell-word.ts'
import { readSubscriptions } from './device-work.ts'
import { HubError } from './serve/hub/index.ts'
import { Members } from './serve/hub/members.ts'

export interface Diagnosis {
  readonly working: boolean
  readonly causes: readonly Cause[]
  /** Payout address of the subscription that was asked about; null for none. */
  readonly payout: string | null
  /** How many subscriptions it is about. */
  readonly subscriptions: number
}

const causesMax = 200
/** The newest of a device that are asked about. */
const subscriptionsMax = 10

/**
 * Asks the hub what keeps the node from work: about the device, and about one of its subscriptions, or all of them.
 *
 * @param subscriptionOf the subscription of the device of an owner; null when none was named.
 * @throws {@link HubError}
 */
export async function diagnose(
  at: NodeAtHub,
  subscriptionOf: (owner: string) => string | null,
): Promise<Diagnosis> {
  const { client, nodeId, dataDir } = at
  const inTheWay = inTheWayAt(client.origin)
  const device = await ifFound(
    client.call({ method: 'GET', target: `/v1/devices/${nodeId}` }, (answer) => {
      const device = new Members(answer)
      return {
        owner: device.get('owner', isAddress, 'an address'),
        status: device.text('status'),
        lastSeenAt: device.optional('last_seen_at', isUnsigned, 'Unix seconds'),
      }
    }),
  )
  if (device === null)
    return inTheWay({
      code: 'not_bound',
      message: `${nodeId} is bound to no wallet, so it gets no work.`,
      next_step: `nodectl bind --data-dir ${shellWord(dataDir)} --hub-url ${client.origin} --owner 0x…`,
    })
  const ofDevice =
    device.status === 'online' || device.status === 'idle'
      ? nothing
      : inTheWay({
          code: device.status,
          since: device.lastSeenAt,
          message: `The hub shows ${nodeId} as ${device.status}.`,
          ...(device.status === 'offline' && {
            next_step: `Is nodectl serve running? Check it with: nodectl doctor --data-dir ${shellWord(dataDir)}`,
          }),
        })
  const subscription = subscriptionOf(device.owner)
  if (subscription !== null) return joined(ofDevice, [await askAbout(at, subscription, ofDevice)])
  const work = (await readSubscriptions(client, nodeId)).slice(0, subscriptionsMax)
  const diagnoses = []
  for (const { subscription_id: id, slug } of work)
    diagnoses.push(labelled(await askAbout(at, id, ofDevice), work.length > 1 ? slug : null))
  return joined(ofDevice, diagnoses)
}

/** Names the project in each cause that is not about the device itself. */
const labelled = (diagnosis: Diagnosis, slug: string | null): Diagnosis => ({
  ...diagnosis,
  causes: diagnosis.causes.map((cause) =>
    slug === null || isOfDevice(cause) ? cause : { ...cause, message: `${slug}: ${cause.message}` },
  ),
})

const isOfDevice = ({ code }: Cause): boolean =>
  Object.hasOwn(causes, code) && causes[code as CauseCode].about === 'device' && code !== 'incompatible'

async function askAbout(at: NodeAtHub, id: string, ofDevice: Diagnosis): Promise<Diagnosis> {
  const { client, nodeId } = at
  const inTheWay = inTheWayAt(client.origin)
  const target = `/v1/subscriptions/${id}`
  const subscription = await ifFound(
    client.call({ method: 'GET', target }, (answer) => {
      const subscription = new Members(answer)
      const payout = subscription.optional('payout_address', isAddress, 'an address')
      return { status: subscription.text('status'), payout }
    }),
  )
  if (subscription === null)
    return inTheWay({
      code: 'no_subscription',
      message: `${nodeId} has no subscription ${id}.`,
    })
  const { status, payout } = subscription
  const diagnosis = await askSigned(at, `${target}/diagnosis`)
  if (diagnosis !== null) return { ...diagnosis, payout }
  // If the device itself has a problem, that is the one to fix first.
  if (!ofDevice.working) return nothing
  const isActive = status === 'active'
  const told = inTheWay({
    code: `subscription_${status}`,
    severity: isActive ? 'info' : 'error',
    message: `The subscription is ${status}. The hub gives no details, because it has no diagnoses.`,
  })
  return { ...told, working: isActive, payout }
}

/** The device itself sees details. A key that the hub does not take sees what everybody does. */
async function askSigned({ client, signer }: NodeAtHub, target: string): Promise<Diagnosis | null> {
  const ask = (request: object) => ifFound(client.call({ method: 'GET', target, ...request }, readDiagnosis))
  try {
    return await ask({ signer })
  } catch (error) {
    if (error instanceof HubError && error.status === 401) return ask({})
    throw error
  }
}

function readDiagnosis(answer: unknown): Diagnosis {
  const diagnosis = new Members(answer)
  const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
  const isText = (value: unknown): value is string => typeof value === 'string'
  return {
    ...nothing,
    working: diagnosis.get('working', isBoolean, 'true or false'),
    causes: diagnosis.objects('causes', causesMax).map((cause) => ({
      code: cause.text('code'),
      severity: cause.text('severity'),
      message: cause.text('message'),
      since: cause.optional('since', isUnsigned, 'Unix seconds'),
      next_step: cause.optional('next_step', isText, 'a text'),
      docs: cause.optional('docs', isText, 'a text'),
    })),
  }
}

const nothing: Diagnosis = { working: true, causes: [], payout: null, subscriptions: 0 }

/** A cause that several name is told once; what they say of the device is told in their words. */
function joined(ofDevice: Diagnosis, others: readonly Diagnosis[]): Diagnosis {
  const told = others.flatMap(({ causes }) => causes)
  const codes = new Set(told.map(({ code }) => code))
  const all = [...ofDevice.causes.filter(({ code }) => !codes.has(code)), ...told]
  return {
    working: ofDevice.working && others.every(({ working }) => working),
    causes: [...new Map(all.map((cause) => [`${cause.code} ${cause.message}`, cause])).values()],
    payout: others.length === 1 ? (others[0]?.payout ?? null) : null,
    subscriptions: others.length,
  }
}

type Told = Partial<Cause> & Pick<Cause, 'code' | 'message'>

/** One cause, with what the list of causes has of its code. */
const inTheWayAt =
  (origin: string) =>
  (cause: Told): Diagnosis => {
    const { code, message } = cause
    const known = Object.hasOwn(causes, code)
      ? describeCause({ code: code as CauseCode, message }, origin, true)
      : { severity: 'error', since: null, next_step: null, docs: null }
    return { working: false, causes: [{ ...known, ...cause }], payout: null, subscriptions: 0 }
  }
