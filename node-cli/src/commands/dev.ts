import { existsSync } from 'node:fs'
import path from 'node:path'
import { defineNodectlCommand } from '../cli/command.ts'
import { CliError, exitCodes, UsageError } from '../cli/errors.ts'
import { printJsonLine, tell, tellLines } from '../cli/output.ts'
import { outputFile } from '../cli/output-file.ts'
import { engineEnvironment, engineOf } from '../cli/run-request.ts'
import { compileModule } from '../compiler/compile-module.ts'
import { type Look, lookOf, printLook } from '../dev/report.ts'
import { readSamples } from '../dev/samples.ts'
import { tryModule } from '../dev/try-module.ts'
import { WatchedFiles } from '../dev/watch-files.ts'
import { limits } from '../engine/index.ts'

export default defineNodectlCommand({
  args: {
    source: { type: 'positional', required: true, description: 'The module, a .ts file' },
    samples: {
      type: 'string',
      valueHint: 'FILE',
      description: 'The samples, a JSON file (default STEM.samples.json beside the source, if there is one)',
    },
    once: { type: 'boolean', description: 'Compile and test once, and exit with 1 if a sample fails' },
    out: {
      type: 'string',
      alias: 'o',
      valueHint: 'OUT',
      description: 'Write the artifact too (default: keep nothing)',
    },
    name: {
      type: 'string',
      valueHint: 'NAME',
      description: 'Name of the module (default: the file name without .ts)',
    },
    gas: {
      type: 'string',
      default: '1000000',
      valueHint: 'GAS',
      description: `Gas limit of samples without one of their own, 1 to ${limits.gas}`,
    },
    json: { type: 'boolean', description: 'Print one line of JSON for each test run' },
  },
  async run({ args }) {
    const { source, once, out, json } = args
    if (!source.endsWith('.ts')) throw new UsageError(`SOURCE must be a .ts file, not ${source}`)
    const gas = Number(args.gas)
    if (!/^\d+$/.test(args.gas) || gas < 1 || gas > limits.gas)
      throw new UsageError(`--gas must be a whole number from 1 to ${limits.gas}, not ${args.gas}`)
    const engine = engineOf()
    const stem = path.basename(source, '.ts')
    const usual = path.join(path.dirname(source), `${stem}.samples.json`)
    const watched = once ? null : new WatchedFiles()
    const look = async (): Promise<Look> => {
      const write = out === undefined ? null : await outputFile(out, source)
      const onRead = (file: string) => watched?.add(file)
      const compiled = await compileModule({ source, name: args.name ?? stem, onRead })
      const samples = args.samples ?? (existsSync(usual) ? usual : null)
      const tried = await tryModule(
        compiled.bytes,
        samples === null ? null : await readSamples(samples),
        engine,
        gas,
      )
      await write?.(compiled.bytes)
      return lookOf(compiled, tried)
    }
    const print = json ? printJsonLine : printLook
    if (watched === null) {
      const found = await look()
      print(found)
      if (!found.ok) process.exitCode = exitCodes.failed
      return
    }
    const interrupted = new Promise<'interrupted'>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('interrupted'))
    })
    try {
      do {
        for (const file of [source, args.samples ?? usual]) watched.add(file)
        await look().then(print, (error) => report(error, json))
        tell('Waiting for a change; Ctrl-C ends.')
      } while ((await Promise.race([interrupted, watched.changed()])) !== 'interrupted')
    } finally {
      watched.close()
    }
  },
  environment: [
    engineEnvironment,
    ['NODE_ASC_HOME', 'Folder of the compiler (default: one in your cache folder)'],
  ],
  exits: [
    'interrupted; with --once: every sample is ok',
    'with --once: the module does not compile, or a sample failed',
  ],
  examples: [
    ['dev hello.ts', 'Compile hello.ts whenever it changes, and call each function'],
    ['dev hello.ts --samples samples.json --once', 'Test the module in a script'],
    ['dev hello.ts --once --json | jq .samples[].gas_used', 'Show the gas of each sample'],
  ],
})

/** Reports a failure of the module, which does not end the session. @throws Every other error. */
function report(error: unknown, json: boolean | undefined): void {
  // A thread may be busy for ever after it.
  if (!(error instanceof CliError) || error.code === 'node_fault') throw error
  const { code, message, hint, output } = error
  if (json) return printJsonLine({ ok: false, error: { code, message, hint: hint ?? output ?? null } })
  tell(`Error: ${message}`)
  if (output) tellLines(output)
  if (hint !== undefined) tell(hint)
}
