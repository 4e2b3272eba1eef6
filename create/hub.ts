/** `npx @hub/create`: starts a project, and has the commands that the project is worked on with. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { callOf } from '../scripts/command/call.ts'
import { UsageError } from '../scripts/command/errors.ts'
import { runCommand } from '../scripts/command/run.ts'
import { scope } from '../scripts/packages/scope.ts'
import { exampleAmount } from '../tools/amounts.ts'
import { isInProject, layout, readProject } from './layout.ts'
import packageJson from './package.json' with { type: 'json' }
import { scaffold } from './scaffold.ts'

const me = `npx ${packageJson.name}`

const usage = `Usage: ${me} FOLDER
       ${me} COMMAND [ARGUMENTS]

Writes a new project into FOLDER: a module in AssemblyScript, samples that test it, a manifest, a workflow for GitHub. In the
folder of a project it runs one of these commands:

  dev       compile the module on every change, run the samples and show their gas; --once, --json
  test      the same once; exits with 1 if a sample fails
  publish   test, and submit the project or its next version; --fund AMOUNT, --as NAME, --key-env VARIABLE, --hub URL
  task      submit a task and show its progress to the final result; --help lists the options
  faucet    ask the faucet for test tokens; --help lists the options
  operator  call a hub as its operator, who reviews projects; --help lists the calls

The hub is that of --hub, else of HUB_URL, else http://localhost:8787. ${callOf('start')} starts one on this machine.

Examples:
  ${me} my-project
  ${me} publish --fund "${exampleAmount(500)}"
  ${me} task greet --input Ada`

type Command = (args: readonly string[]) => Promise<unknown>

const commands: Readonly<Record<string, Command>> = {
  dev: (args) => tryModule(args),
  test: (args) => tryModule(['--once', ...args]),
  publish: async (args) => {
    if (args.includes('--help')) return console.log(usage)
    if ((await tryModule(['--once'])) === 0)
      await runTool([layout.manifest, layout.artifact, ...args], () => import('../tools/submit.ts'))
  },
  task: (args) => {
    const isComplete = args.some((arg) => /^(--project\b|--help$|-h$)/.test(arg))
    const project = isComplete ? [] : ['--project', readProject().slug]
    return runTool([...args, ...project], () => import('../tools/task.ts'))
  },
  faucet: (args) => runTool(args, () => import('../tools/faucet.ts')),
  operator: (args) => runTool(args, () => import('../tools/operator.ts')),
}

/** Compiles the module of the project and runs its samples, with the gas that a task may have. @returns The exit code. */
async function tryModule(args: readonly string[]): Promise<number> {
  const { slug, gasLimit } = readProject()
  mkdirSync(path.dirname(layout.artifact), { recursive: true })
  const nodectl = fileURLToPath(import.meta.resolve(`${scope}/nodectl/dist/nodectl.mjs`))
  const flags = [
    '--samples',
    layout.samples,
    '--name',
    slug,
    '--gas',
    String(gasLimit),
    '--out',
    layout.artifact,
  ]
  const child = spawn(process.execPath, [nodectl, 'dev', layout.module, ...flags, ...args], {
    stdio: 'inherit',
  })
  // A terminal sends them to both; nodectl decides when it ends.
  const signals = ['SIGINT', 'SIGTERM'] as const
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of signals) process.on(signal, pass)
  const [code] = await once(child, 'close')
  for (const signal of signals) process.off(signal, pass)
  process.exitCode = code ?? 1
  return process.exitCode as number
}

/** The tools are programs, which read their arguments themselves and run when they are loaded. */
async function runTool(args: readonly string[], load: () => Promise<unknown>): Promise<void> {
  process.argv = [...process.argv.slice(0, 2), ...args]
  await load()
}

await runCommand(async () => {
  const [name, ...rest] = process.argv.slice(2)
  if (name === undefined || name === '--help' || name === '-h') return console.log(usage)
  if (name === '--version') return console.log(packageJson.version)
  if (Object.hasOwn(commands, name)) return void (await commands[name]!(rest))
  if (name.startsWith('-') || rest.length > 0)
    throw new UsageError(`Unknown command ${JSON.stringify(name)}.\n\n${usage}`)
  // Here a name that is no command is a mistyped one, not the folder of another project.
  if (isInProject(packageJson.name))
    throw new UsageError(
      `Unknown command ${JSON.stringify(name)}. The commands in the folder of a project are ${Object.keys(commands).join(', ')}.`,
    )
  scaffold(name)
  console.log(`The project is in ${name}/. Next:

  cd ${name}
  npm install
  npm run dev`)
})
