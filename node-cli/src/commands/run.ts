import { randomBytes } from 'node:crypto'
import { defineNodectlCommand } from '../cli/command.ts'
import { CliError, exitCodes, UsageError } from '../cli/errors.ts'
import { checkStandardInput } from '../cli/input.ts'
import { printable, printJson, progress } from '../cli/output.ts'
import {
  checkExported,
  engineOf,
  inputArguments,
  readArtifactFile,
  readRunInput,
} from '../cli/run-request.ts'
import { withDataDir } from '../data-dir/lock.ts'
import { createNodeKey } from '../data-dir/node-key.ts'
import { type ExecutionResult, execute, type ForegroundRequest, limits, NodeFault } from '../engine/index.ts'
import { type Ran, shownResult, signReceipt } from '../receipts.ts'

export default defineNodectlCommand({
  definition: {
    meta: { name: 'run', description: 'Run one function of an artifact and print the signed receipt' },
    args: {
      hbc: { type: 'positional', required: true, description: 'The artifact' },
      function: { type: 'positional', required: true, description: 'The function to run' },
      ...inputArguments,
      gas: {
        type: 'string',
        default: '1000000',
        valueHint: 'GAS',
        description: `Gas limit, 1 to ${limits.gas}`,
      },
      'data-dir': {
        type: 'string',
        valueHint: 'DIR',
        description: 'Keep key, module, state and ledger here (default: keep nothing)',
      },
    },
    async run({ args }) {
      const engine = engineOf()
      const gasLimit = readGas(args.gas)
      checkStandardInput(args.hbc, args['input-file'])
      const input = await readRunInput(args)
      const artifact = await readArtifactFile(args.hbc)
      checkExported(artifact, args.function)
      const { manifest, manifestAddress: address, wasm, bytes: hbc } = artifact
      const module = { wasm, functions: manifest.functions }
      const request = {
        engine,
        address,
        module,
        function: args.function,
        input,
        gasLimit,
        foreground: true,
      } as const
      const ran = (result: ExecutionResult): Ran => ({ address, functionName: args.function, input, result })

      const dataDir = args['data-dir']
      if (dataDir === undefined) {
        const result = await answer(request)
        return report(
          result,
          gasLimit,
          signReceipt(ran(result), `0x${randomBytes(32).toString('hex')}`, unixNow()),
        )
      }
      await withDataDir(dataDir, async () => {
        const seed = await createNodeKey(dataDir)
        const { openStore } = await import('../data-dir/store.ts')
        const store = openStore(dataDir)
        try {
          const result = await answer({ ...request, state: store.state() })
          const envelope = signReceipt(ran(result), seed, unixNow())
          store.record({
            address,
            hbc,
            functionName: args.function,
            writes: result.writes,
            receiptHash: envelope.receipt_hash,
            envelope: JSON.stringify(envelope),
            createdAt: envelope.timestamp,
          })
          report(result, gasLimit, envelope)
        } finally {
          store.close()
        }
      })
    },
  },
  examples: [
    ['run hello.hbc greet --input Ada', 'Run a function and forget everything but the output'],
    ['run counter.hbc increment --data-dir ./node', 'Keep the state of the module and the ledger'],
    ['run hello.hbc greet --input-file - --gas 5000000 < name.txt', 'Take the input from standard input'],
  ],
})

const unixNow = (): number => Math.floor(Date.now() / 1000)

function readGas(text: string): number {
  const problem = `--gas must be a whole number from 1 to ${limits.gas}, not ${text}`
  // A limit that no run may have is refused like an input that is too long; what is no number is a slip of the pen.
  if (!/^-?\d+$/.test(text)) throw new UsageError(problem)
  const gas = Number(text)
  if (gas < 1 || gas > limits.gas) throw new CliError('gas', problem)
  return gas
}

async function answer(request: ForegroundRequest): Promise<ExecutionResult> {
  try {
    const result = await execute(request)
    for (const line of result.logs) progress(`log: ${printable(line)}`)
    return result
  } catch (error) {
    if (error instanceof NodeFault) throw new CliError('node_fault', `${error.message}; there is no receipt`)
    throw error
  }
}

function report(result: ExecutionResult, gasLimit: number, receipt: object): void {
  const { gas_used, ...shown } = shownResult(result)
  printJson({ ...shown, gas_limit: gasLimit, gas_used, receipt })
  if (!result.success) process.exitCode = exitCodes.failed
}
