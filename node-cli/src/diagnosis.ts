import { isAddress, isUnsigned } from '../../protocol/encoding/index.ts'
import { ifFound, type NodeAtHub } from './cli/node-at-hub.ts'
import { Members } from './serve/hub/members.ts'

/** One thing that keeps a device from work or reward. */
export interface Cause {
  readonly code: string
  readonly severity: string
  readonly message: string
  /** Unix seconds. */
  readonly since: number | null
  readonly next_step: string | null
  readonly docs: string | null
}

export interface Diagnosis {
  readonly working: boolean
  readonly causes: readonly Cause[]
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
          next_step: `Is nodectl serve running? Check it with: nodectl doctor --data-dir ${dataDir}`,
        })
  const subscription = subscriptionOf(device.owner)
  return subscription === null ? ofDevice : joined(ofDevice, await askAbout(at, subscription, ofDevice))
}

async function askAbout({ client, nodeId }: NodeAtHub, id: string, ofDevice: Diagnosis): Promise<Diagnosis> {
  const target = `/v1/subscriptions/${id}`
  const status = await ifFound(
    client.call({ method: 'GET', target }, (answer) => new Members(answer).text('status')),
  )
  if (status === null)
    return inTheWay({
      code: 'no_subscription',
      message: `${nodeId} has no subscription ${id}.`,
      next_step:
        'Subscribe the device to the project: on the website of the network, by POST /v1/subscriptions, or on a local network with npm run -s subscribe in its checkout.',
    })
  const diagnosis = await ifFound(
    client.call({ method: 'GET', target: `${target}/diagnosis` }, readDiagnosis),
  )
  if (diagnosis !== null) return diagnosis
  // What is known of the device is enough to mend.
  if (!ofDevice.working) return nothing
  const isActive = status === 'active'
  const told = inTheWay({
    code: `subscription_${status}`,
    severity: isActive ? 'info' : 'error',
    message: `The subscription is ${status}. The hub says no more: it gives no diagnoses.`,
  })
  return { ...told, working: isActive }
}

function readDiagnosis(answer: unknown): Diagnosis {
  const diagnosis = new Members(answer)
  const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
  const isText = (value: unknown): value is string => typeof value === 'string'
  return {
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

const nothing: Diagnosis = { working: true, causes: [] }

/** A cause that both name is told once, in the words of the second. */
const joined = (first: Diagnosis, second: Diagnosis): Diagnosis => ({
  working: first.working && second.working,
  causes: [
    ...first.causes.filter(({ code }) => second.causes.every((cause) => cause.code !== code)),
    ...second.causes,
  ],
})

const inTheWay = (cause: Partial<Cause> & Pick<Cause, 'code' | 'message'>): Diagnosis => ({
  working: false,
  causes: [{ severity: 'error', since: null, next_step: null, docs: null, ...cause }],
})
