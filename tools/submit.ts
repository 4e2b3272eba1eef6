/** `npm run -s submit`: brings a project from its manifest to the review of an operator. */
import { readFileSync } from 'node:fs'
import { HubError } from './client/connect.ts'
import { completeManifest, type ManifestDraft } from './client/manifest.ts'
import { readNetwork } from './client/network.ts'
import { readArguments } from './command/arguments.ts'
import { UsageError } from './command/errors.ts'
import { runCommand } from './command/run.ts'
import { hubHelp, readHub } from './options/hub.ts'
import { keyHelp, keyOptions, readKey } from './options/key.ts'
import { printStep } from './print.ts'
import { printedFetch, printedSignIn } from './printed-calls.ts'
import { enroll, registerProject } from './project.ts'

const usage = `Usage: npm run -s submit -- MANIFEST WORKER [--as NAME | --key-env VARIABLE] [--hub URL]

Signs in, enrolls the wallet as a developer if it is none, fills in of the manifest what follows from wallet and network,
lets the hub check it, signs it, and registers the project by signature. Prints every request, and the project's id last.

  MANIFEST            a file such as examples/project/manifest.json
  WORKER              address of an uploaded module that has the manifest's functions
  ${keyHelp}
  --hub URL           ${hubHelp}`

await runCommand(async () => {
  const options = { ...keyOptions, hub: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
  const { values, positionals } = readArguments({ allowPositionals: true, options }, usage)
  if (values.help) return console.log(usage)
  const [file, worker] = positionals
  if (file === undefined || worker === undefined || positionals.length > 2)
    throw new UsageError(`Name a manifest and the address of its worker.\n\n${usage}`)
  const draft = readManifest(file)
  const hub = readHub(values.hub)
  const key = readKey(values, 'developer')

  printStep('Read what this network is, and sign in')
  const network = await readNetwork(hub, printedFetch)
  const { profile, contracts } = network
  if (contracts === null) throw new HubError(`the hub at ${hub} has no chain to register a project on`)
  const wallet = await printedSignIn(network, key)
  await enroll(wallet, 'A developer')
  const { token } = contracts
  // The vault is a guess: the hub says which one it has to be.
  const parts = { profile, developer: wallet.address, worker, token, vault: token }
  const projectId = await registerProject(network, wallet, completeManifest(draft, parts))
  console.log(`\nThe project waits for the review of an operator:\n${projectId}`)
})

/** Not checked further: the hub names everything that is wrong with a manifest. */
function readManifest(file: string): ManifestDraft {
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof manifest?.consensus !== 'object') throw new Error('it has no consensus')
    return manifest
  } catch (error) {
    throw new UsageError(`${file} is no manifest: ${(error as Error).message}`)
  }
}
