import { JsonRpc, RpcError, RpcUnreachable } from '../chain/json-rpc.ts'
import { RelayerChain } from './chain.ts'
import type { RelayLedger } from './ledger.ts'
import { Publisher } from './publisher.ts'
import { Reconciler } from './reconciler.ts'
import { Refusals } from './refusals.ts'
import { TransactionSigner } from './signer.ts'
import type { RelayerConfig } from './types.ts'

/** The parts that work on the chain; the object of a key or a chain that is not configured has none. */
export interface Parts {
  config: RelayerConfig
  signer: TransactionSigner
  chain: RelayerChain
  reconciler: Reconciler
  publisher: Publisher
}

export function partsOf(config: RelayerConfig, ledger: RelayLedger, storage: DurableObjectStorage): Parts {
  const { rpcUrl, timeoutMs, chainId, privateKey, errors } = config
  const signer = new TransactionSigner(privateKey, chainId)
  const refusals = new Refusals(storage, config.stuckMs)
  const rpc = new JsonRpc(rpcUrl, timeoutMs, chainId, { memory: storage.kv })
  const chain = new RelayerChain(rpc, signer.address, chainId, errors)
  return {
    config,
    signer,
    chain,
    reconciler: new Reconciler(ledger, refusals, chain, signer, config),
    publisher: new Publisher(ledger, config),
  }
}

/** Whether the chain failed or refused, and not this code. */
export const isRpcFault = (error: unknown): boolean =>
  error instanceof RpcUnreachable || error instanceof RpcError

/** Throws an error again unless it is a fault of the chain. */
export function requireRpcFault(error: unknown): void {
  if (!isRpcFault(error)) throw error
}
