import path from 'node:path'
import { isatty } from 'node:tty'
import { defineNodectlCommand } from '../cli/command.ts'
import { UsageError } from '../cli/errors.ts'
import { printJson, tellJson } from '../cli/output.ts'
import { isStandardOutput, outputFile } from '../cli/output-file.ts'
import { writeOutput } from '../cli/standard-streams.ts'
import { compileModule } from '../compiler/compile-module.ts'

export default defineNodectlCommand({
  args: {
    source: { type: 'positional', required: true, description: 'The module, a .ts file' },
    out: {
      type: 'string',
      alias: 'o',
      valueHint: 'OUT',
      description: 'File for the artifact; - is standard output (default: beside the source)',
    },
    name: {
      type: 'string',
      valueHint: 'NAME',
      description: 'Name of the module (default: the file name without .ts)',
    },
    'module-version': { type: 'string', valueHint: 'VERSION', description: 'Version the manifest states' },
  },
  async run({ args }) {
    const { source, out: asked } = args
    if (!source.endsWith('.ts')) throw new UsageError(`SOURCE must be a .ts file, not ${source}`)
    const toStdout = asked !== undefined && isStandardOutput(asked)
    if (toStdout && isatty(1))
      throw new UsageError('an artifact is not for a terminal; send it to a file or a pipe')
    const stem = path.basename(source, '.ts')
    const out = asked ?? path.join(path.dirname(source), `${stem}.hbc`)
    const version = args['module-version']
    const write = toStdout ? writeOutput : await outputFile(out, source)
    const { bytes, manifestAddress, functions, wasmBytes } = await compileModule({
      source,
      name: args.name ?? stem,
      ...(version !== undefined && { version }),
    })
    await write(bytes)
    const summary = {
      out,
      manifest_address: manifestAddress,
      functions,
      wasm_bytes: wasmBytes,
      hbc_bytes: bytes.length,
    }
    if (toStdout) tellJson(summary)
    else printJson(summary)
  },
  environment: [['NODE_ASC_HOME', 'Folder of the compiler (default: one in your cache folder)']],
  examples: [
    ['compile hello.ts', 'Write hello.hbc beside the source'],
    [
      'compile hello.ts -o build/hello.hbc --name greeter --module-version 1.2.0',
      'Choose file, name and version',
    ],
    ['compile hello.ts --out - | nodectl inspect -', 'Inspect the artifact without storing it'],
  ],
})
