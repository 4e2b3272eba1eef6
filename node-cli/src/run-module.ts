import { randomBytes } from 'node:crypto'
import type { Artifact } from '../../protocol/hbc/artifact.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import { type EngineChoice, type ExecutionResult, execute } from './engine/index.ts'
import { nodeReceiptOf, type ReceiptEnvelope, signNodeReceipt } from './receipts.ts'

export interface ModuleRun {
  artifact: Artifact & { readonly bytes: Uint8Array }
  functionName: string
  input: Uint8Array
  gasLimit: number
  engine: EngineChoice
  /** The names of the network that the receipt is for. */
  profile: Profile
  /** Folder of key, modules, storage and ledger; nothing is kept when left out. */
  dataDir: string | undefined
  /** Called when nothing more of the run happens in the calling thread. */
  onLeft?: (() => void) | undefined
}

export interface FinishedRun {
  result: ExecutionResult
  envelope: ReceiptEnvelope
}

/**
 * Runs one function and signs its receipt: with the key of the data directory, in which the run is then kept, or with a
 * key that is thrown away.
 *
 * @throws {@link NodeFault} for a run without an answer of the guest, {@link CliError} for a data directory of no use.
 */
export async function runModule(run: ModuleRun): Promise<FinishedRun> {
  const { artifact, functionName, input, gasLimit, engine, profile, dataDir, onLeft } = run
  const address = artifact.manifestAddress
  const module = { wasm: artifact.wasm, functions: artifact.manifest.functions }
  const request = {
    engine,
    address,
    module,
    function: functionName,
    input,
    gasLimit,
    foreground: true,
    onLeft,
  } as const
  const finish = (result: ExecutionResult, seed: string): FinishedRun => ({
    result,
    envelope: signNodeReceipt(
      profile,
      nodeReceiptOf({ address, functionName, input, result }),
      seed,
      unixNow(),
    ),
  })
  if (dataDir === undefined) return finish(await execute(request), throwAwaySeed())
  const { createNodeKey, openStore, withDataDir } = await import('./data-dir/index.ts')
  return withDataDir(dataDir, async () => {
    const seed = await createNodeKey(dataDir)
    const store = openStore(dataDir)
    try {
      const finished = finish(await execute({ ...request, state: store.state() }), seed)
      store.record({
        address,
        hbc: artifact.bytes,
        functionName,
        writes: finished.result.writes,
        receiptHash: finished.envelope.receipt.receipt_hash,
        envelope: JSON.stringify(finished.envelope),
        createdAt: finished.envelope.timestamp,
      })
      return finished
    } finally {
      store.close()
    }
  })
}

const throwAwaySeed = (): string => `0x${randomBytes(32).toString('hex')}`

const unixNow = (): number => Math.floor(Date.now() / 1000)
