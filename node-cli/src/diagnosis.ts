import { type Cause, type CauseCode, causes, describeCause } from '../../protocol/causes.ts'
import { isAddress, isUnsigned } from '../../protocol/encoding/index.ts'
import { ifFound, type NodeAtHub } from './cli/node-at-hub.ts'
import { HubError } from './serve/hub/index.ts'
import { Members } from './serve/hub/members.ts'

export interface Diagnosis {
  readonly working: boolean
  readonly causes: readonly Cause[]
  /** Where the subscription that was asked about is paid; null for none. */
  readonly payout: string | null
}

const causesMax = 200

/**
 * Asks the hub what keeps the node from work: about the device, and about one of its subscriptions.
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
      next_step: `nodectl bind --data-dir ${dataDir} --hub-url ${client.origin} --owner 0x…`,
    })
  const ofDevice =
    device.status === 'online' || device.status === 'idle'
      ? nothing
      : inTheWay({
          code: device.status,
          since: device.lastSeenAt,
          message: `The hub has ${nodeId} as ${device.status}.`,
          ...(device.status === 'offline' && {
            next_step: `Is nodectl serve running? Check it with: nodectl doctor --data-dir ${dataDir}`,
          }),
        })
  const subscription = subscriptionOf(device.owner)
  return subscription === null ? ofDevice : joined(ofDevice, await askAbout(at, subscription, ofDevice))
}

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
  // What is known of the device is enough to mend.
  if (!ofDevice.working) return nothing
  const isActive = status === 'active'
  const told = inTheWay({
    code: `subscription_${status}`,
    severity: isActive ? 'info' : 'error',
    message: `The subscription is ${status}. The hub says no more: it gives no diagnoses.`,
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
    payout: null,
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

const nothing: Diagnosis = { working: true, causes: [], payout: null }

/** A cause that both name is told once, in the words of the second. */
const joined = (first: Diagnosis, second: Diagnosis): Diagnosis => ({
  working: first.working && second.working,
  payout: second.payout,
  causes: [
    ...first.causes.filter(({ code }) => second.causes.every((cause) => cause.code !== code)),
    ...second.causes,
  ],
})

type Told = Partial<Cause> & Pick<Cause, 'code' | 'message'>

/** One cause, with what the list of causes has of its code. */
const inTheWayAt =
  (origin: string) =>
  (cause: Told): Diagnosis => {
    const { code, message } = cause
    const known = Object.hasOwn(causes, code)
      ? describeCause({ code: code as CauseCode, message }, origin, true)
      : { severity: 'error', since: null, next_step: null, docs: null }
    return { working: false, causes: [{ ...known, ...cause }], payout: null }
  }
