import type { RelayerHealth, RelayRequest, RelayResult, RelayView } from '../../durable-objects/relayer.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import type { Env, Settings } from '../env.ts'
import { unavailable } from '../errors.ts'

export interface RelayerClient {
  readonly signer: string
  /** Accepts an action for the queue to have it submitted. */
  accept(request: RelayRequest): Promise<RelayResult>
  /** Submits what was accepted. */
  submit(ids: readonly string[]): Promise<void>
  /** Accepts an action and submits it at once. */
  relay(request: RelayRequest): Promise<RelayResult>
  find(id: string): Promise<RelayView | null>
  health(): Promise<RelayerHealth>
  wake(): Promise<void>
}

/** The owner of the hub's nonces, or null while the hub has no chain or no key. Methods throw 503 `unavailable`. */
export function createRelayerClient(env: Env, settings: Settings): RelayerClient | null {
  const { CHAIN_RPC_URL, RELAYER_PRIVATE_KEY, PROFILE } = settings
  if (!CHAIN_RPC_URL || !RELAYER_PRIVATE_KEY) return null
  const signer = evmAddress(RELAYER_PRIVATE_KEY)
  const object = () => env.RELAYER.getByName(`${PROFILE.chain_id}:${signer}`)
  const reach = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer
    } catch (error) {
      throw unavailable('The relayer', error)
    }
  }
  return {
    signer,
    accept: (request) => reach<RelayResult>(object().accept(request) as Promise<RelayResult>),
    submit: (ids) => reach(object().submit(ids)),
    relay: (request) => reach<RelayResult>(object().relay(request) as Promise<RelayResult>),
    find: (id) => reach(object().find(id)),
    health: () => reach(object().health()),
    wake: () => reach(object().wake()),
  }
}
