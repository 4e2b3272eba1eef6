import {
  createReceipt,
  type ExecutionEvent,
  type ExecutionReceipt,
  hashReceipt,
  receiptText,
} from '../../protocol/execution/index.ts'
import { deriveNodeId, type Profile } from '../../protocol/identity/index.ts'
import type { ExecutionResult } from './engine/index.ts'
import { nodeSigner } from './node-signer.ts'

/** The receipt of a node for a run. Its hash covers all members but `events`, `error` and the hash itself. */
export interface NodeReceipt extends ExecutionReceipt {
  events: readonly ExecutionEvent[]
  error: string | null
  receipt_hash: string
}

/** A receipt with the node's signature. The time is not signed. */
export interface ReceiptEnvelope {
  receipt: NodeReceipt
  node_id: string
  public_key: string
  signature: string
  timestamp: number
}

export interface Ran {
  address: string
  functionName: string
  input: Uint8Array
  result: ExecutionResult
}

/** The members that `run` shows beside the receipt. */
export const shownResult = ({ success, output, error, gasUsed }: ExecutionResult) => ({
  success,
  output: output === null ? null : asText.decode(output),
  error,
  gas_used: gasUsed,
})

/** A byte order mark is part of the output: its hash covers it. */
const asText = new TextDecoder('utf-8', { ignoreBOM: true })

export function nodeReceiptOf({ address, functionName, input, result }: Ran): NodeReceipt {
  const hashed = createReceipt({
    module_address: address,
    function: functionName,
    input,
    output: result.output ?? new Uint8Array(),
    events: result.events,
    gas_used: result.gasUsed,
    success: result.success,
  })
  return { ...hashed, events: result.events, error: result.error, receipt_hash: hashReceipt(hashed) }
}

export function signNodeReceipt(
  profile: Profile,
  receipt: NodeReceipt,
  seed: string,
  timestamp: number,
): ReceiptEnvelope {
  const signer = nodeSigner(seed)
  return {
    receipt,
    node_id: deriveNodeId(profile, signer.publicKey),
    public_key: signer.publicKey,
    signature: signer.sign(receiptText(profile, receipt.receipt_hash)),
    timestamp,
  }
}
