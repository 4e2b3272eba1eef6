import type { NodeHealth, NodeStatus, Profile } from '../../../../protocol/identity/index.ts'
import { systemClock } from '../clock.ts'
import type { DeviceProfile } from './device-profile.ts'
import type { HubClient } from './hub-client.ts'
import { HubError } from './hub-error.ts'
import { readNetworkToServe } from './network.ts'
import { beat, isUnknownNode, type Registration, register, sendProfile } from './node-calls.ts'
import { backoffSeconds, repeat, type Wait, waitUnreferenced } from './repeat.ts'
import type { RequestSigner } from './request-signer.ts'

/**
 * How a node stands with its hub.
 *
 * | state        | meaning                                                                         |
 * | ------------ | ------------------------------------------------------------------------------- |
 * | `connecting` | the first try is under way                                                      |
 * | `registered` | the last heartbeat was heard                                                    |
 * | `pending`    | the same, of a validator that waits for an operator of the hub                  |
 * | `away`       | the hub does not answer; the node goes on, and tries again                       |
 * | `refused`    | the hub wants no such node, or is not the hub of this network: `problem` says why |
 * | `stopped`    | this node does not call the hub any more                                        |
 */
export type HubState = 'connecting' | 'registered' | 'pending' | 'away' | 'refused' | 'stopped'

export interface HubStanding {
  readonly state: HubState
  /** Why, and what mends it; null while nothing is wrong. */
  readonly problem: string | null
  /** Unix seconds of the last heartbeat that was heard. */
  readonly heardAt: number | null
  /** Whether the device is bound to a wallet; null until the hub has said. */
  readonly isBound: boolean | null
}

export interface RegistrationOptions {
  readonly client: HubClient
  readonly profile: Profile
  readonly nodeId: string
  readonly signer: RequestSigner
  readonly registration: Registration
  readonly health: () => NodeHealth
  /** Describes the device of a miner; null sends no description. */
  readonly deviceProfile: (() => DeviceProfile) | null
  /** When the benchmark was run that the profile has; null before the first run. The profile is sent again when it changes. */
  readonly benchmarkRanAt: () => number | null
  /** Called before anything is signed, to follow the time of the hub. @throws {@link HubError} */
  readonly beforeEach: () => Promise<void>
  /** Whether {@link beforeEach} follows the time of the hub: then a signature that a leap of time has made too old gets a new date. */
  readonly followsTime?: boolean
  /** Called after each heartbeat that was heard: the hub is there. It throws nothing. */
  readonly afterEach: () => Promise<void>
  /** Called after each heartbeat that the hub refused: it is there, and takes this node no more. It throws nothing. */
  readonly afterRefusal?: () => Promise<void>
  /** Asked for more about a signature that the hub does not take; null for nothing. It throws nothing. */
  readonly explain?: () => Promise<string | null>
  /** Told when the state or the problem changes, and not for each try. */
  readonly changed: (standing: HubStanding) => void
  readonly wait?: Wait
  readonly random?: () => number
}

/** After a refusal only a person can do something, so nobody is asked often. */
const refusedSeconds = 300

/** A device is bound and unbound at any time, and the hub does not say so by itself; a new owner's device has no profile. */
const beatsPerProfile = 10

export type RunningRegistration = ReturnType<typeof keepRegistered>

/**
 * Registers a node and says every 30 s that it is alive, for as long as the node runs and whatever the hub does. Its timers
 * keep no process alive.
 */
export function keepRegistered(options: RegistrationOptions) {
  const {
    beforeEach,
    afterEach,
    afterRefusal,
    explain,
    followsTime = false,
    changed,
    wait = waitUnreferenced,
    random = Math.random,
  } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let standing: HubStanding = { state: 'connecting', problem: null, heardAt: null, isBound: null }

  const update = (change: Partial<HubStanding>): void => {
    const before = standing
    standing = { ...before, ...change }
    const { state, problem, isBound } = standing
    if (state !== before.state || problem !== before.problem || isBound !== before.isBound) changed(standing)
  }

  let session: Awaited<ReturnType<typeof openSession>> | null = null
  let isOurs = false
  let failures = 0
  const callOnce = async (): Promise<number> => {
    try {
      await beforeEach()
      // A server that answers after a silence may be another one.
      if (!isOurs) await readNetworkToServe(options.client, options.profile)
      isOurs = true
      session ??= await openSession(options)
      const heard = await session.beat()
      failures = 0
      update(heard.standing)
      await afterEach()
      // Never later than the hub expects, and nodes that started together do not stay together.
      return heard.nextInSeconds * (0.9 + 0.1 * random())
    } catch (error) {
      if (signal.aborted) return 0
      isOurs = false
      if (isUnknownNode(error)) session = null
      const isAway = isPassing(error)
      const isUnauthorized = error instanceof HubError && error.status === 401
      const more = isUnauthorized ? await explain?.() : null
      if (signal.aborted) return 0
      if (!isAway && error instanceof HubError && error.failure === 'refused') await afterRefusal?.()
      const problem = problemOf(error)
      update({ state: isAway ? 'away' : 'refused', problem: more ? `${problem} ${more}` : problem })
      failures += 1
      return waitAfter(error, isAway || (isUnauthorized && followsTime), failures - 1, random())
    }
  }

  const first = Promise.withResolvers<void>()
  const running = repeat(() => callOnce().finally(first.resolve), signal, wait)
  return {
    standing: () => standing,
    /** Settles once the hub was asked for the first time, whatever came of it. */
    first: first.promise,
    /** Ends the heartbeats; a call under way is ended by the signal of the client. */
    stop: async (): Promise<void> => {
      stopping.abort()
      await running
      update({ state: 'stopped', problem: null })
    },
  }
}

/** Registers the node. @returns The sender of its heartbeats and profile. @throws {@link HubError} */
async function openSession(options: RegistrationOptions) {
  const { client, profile, nodeId, signer, registration, deviceProfile, benchmarkRanAt, health } = options
  await register(client, signer, profile.network, registration)
  let beats = 0
  let isBound: boolean | null = null
  let refusal: string | null = null
  let toldBenchmark: number | null = null
  const describe = async (profile: DeviceProfile): Promise<void> => {
    try {
      isBound = await sendProfile(client, signer, nodeId, profile)
      refusal = null
    } catch (error) {
      // A node is alive even if the hub does not take its profile.
      if (!(error instanceof HubError)) throw error
      if (error.failure === 'refused')
        refusal = `the hub refuses the profile of this device: ${error.message}`
      else if (isBound !== true) throw error
    }
  }
  return {
    beat: async (): Promise<{ nextInSeconds: number; standing: Partial<HubStanding> }> => {
      const { status, nextInSeconds } = await beat(client, signer, health())
      const benchmark = benchmarkRanAt()
      const isDue = beats % beatsPerProfile === 0 || benchmark !== toldBenchmark
      if (deviceProfile !== null && isDue) await describe(deviceProfile())
      toldBenchmark = benchmark
      beats += 1
      const { state, problem } = standingOf[status]
      return {
        nextInSeconds,
        standing: { state, problem: problem ?? refusal, isBound, heardAt: systemClock.now() },
      }
    },
  }
}

/** State and problem by the status of the node's record. */
const standingOf: Readonly<Record<NodeStatus, Pick<HubStanding, 'state' | 'problem'>>> = {
  approved: { state: 'registered', problem: null },
  pending: { state: 'pending', problem: null },
  revoked: { state: 'refused', problem: 'an operator of the hub revoked this node' },
}

const isPassing = (error: unknown): boolean =>
  error instanceof HubError ? error.isPassing || isUnknownNode(error) : false

function waitAfter(error: unknown, passes: boolean, failures: number, random: number): number {
  if (!passes) return refusedSeconds * (0.9 + 0.2 * random)
  const asked = (error as HubError).retryAfterSeconds ?? 0
  return Math.max(asked, backoffSeconds(failures, random))
}

function problemOf(error: unknown): string {
  const { message } = error as Error
  const hint = error instanceof HubError ? error.hint : undefined
  return hint === undefined ? message : `${message}. ${hint}`
}
