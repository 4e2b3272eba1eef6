import { defineNodectlCommand } from '../cli/command.ts'
import { CliError, exitCodes, UsageError } from '../cli/errors.ts'
import { checkStandardInput } from '../cli/input.ts'
import { printJson, tell } from '../cli/output.ts'
import {
  checkExported,
  engineEnvironment,
  engineOf,
  inputArguments,
  orFault,
  readArtifactFile,
  readRunInput,
} from '../cli/run-request.ts'
import { withoutCompilers } from '../compilers.ts'
import { limits } from '../engine/index.ts'
import { profileArgument, profileEnvironment, profileOf } from '../profile.ts'
import { shownResult } from '../receipts.ts'
import { runModule } from '../run-module.ts'

export default defineNodectlCommand({
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
    profile: profileArgument,
  },
  async run({ args }) {
    const engine = engineOf()
    const gasLimit = readGas(args.gas)
    checkStandardInput(args.hbc, args['input-file'])
    const input = await readRunInput(args)
    let compileAgain = (): void => {}
    const runOnce = async () => {
      const artifact = await readArtifactFile(args.hbc, (length) => {
        compileAgain = withoutCompilers(length + input.length)
      })
      checkExported(artifact, args.function)
      return runModule({
        artifact,
        functionName: args.function,
        input,
        gasLimit,
        engine,
        profile: profileOf(args, args['data-dir'] ?? null),
        dataDir: args['data-dir'],
        onLeft: compileAgain,
      })
    }
    const { result, envelope } = await orFault('there is no receipt', runOnce()).finally(() => compileAgain())
    for (const line of result.logs) tell(`log: ${line}`)
    const { gas_used, ...shown } = shownResult(result)
    printJson({ ...shown, gas_limit: gasLimit, gas_used, receipt: envelope })
    if (!result.success) process.exitCode = exitCodes.failed
  },
  environment: [engineEnvironment, profileEnvironment],
  exits: [
    'the function succeeded',
    'the function failed, and the JSON is printed all the same; or nothing was run, and a line that begins with Error: says why',
  ],
  examples: [
    ['run hello.hbc greet --input Ada', 'Run a function and forget everything but the output'],
    ['run counter.hbc increment --data-dir ./node', 'Keep the state of the module and the ledger'],
    ['run hello.hbc greet --input-file - --gas 5000000 < name.txt', 'Take the input from standard input'],
  ],
})

function readGas(text: string): number {
  const problem = `--gas must be a whole number from 1 to ${limits.gas}, not ${text}`
  // A number outside the limits is refused like an input that is too long; a text that is not a number is a usage error.
  if (!/^-?\d+$/.test(text)) throw new UsageError(problem)
  const gas = Number(text)
  if (gas < 1 || gas > limits.gas) throw new CliError('gas', problem)
  return gas
}
