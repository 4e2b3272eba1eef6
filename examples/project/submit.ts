/** `npm run -s submit`: brings a project from its manifest to the review of an operator. */
import { readFileSync } from 'node:fs'
import { readArguments } from '../../localnet/arguments.ts'
import { enroll, registerProject } from '../../localnet/demo/developer.ts'
import { readNetwork } from '../../localnet/demo/network.ts'
import { step } from '../../localnet/demo/show.ts'
import { signIn } from '../../localnet/demo/wallet.ts'
import { hubHelp, readHub } from '../../localnet/hub-option.ts'
import { accountNames, readKey } from '../../localnet/key-option.ts'
import { UsageError } from '../../localnet/state.ts'

const usage = `Usage: npm run -s submit -- MANIFEST WORKER [--as NAME | --key-env VARIABLE] [--hub URL]

Signs in, enrolls the wallet as a developer if it is none, fills in of the manifest what follows from wallet and network,
lets the hub check it, signs it, and registers the project by signature. Prints every request, and the project's id last.

  MANIFEST            a file such as examples/project/manifest.json
  WORKER              address of an uploaded module that has the manifest's functions
  --as NAME           an account of the local network: ${accountNames} (default developer)
  --key-env VARIABLE  the environment variable that holds the private key of another wallet, 0x and 64 hex digits
  --hub URL           ${hubHelp}`

async function main(): Promise<void> {
  const options = {
    as: { type: 'string' },
    'key-env': { type: 'string' },
    hub: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values, positionals } = readArguments({ allowPositionals: true, options }, usage)
  if (values.help) return console.log(usage)
  const [file, worker] = positionals
  if (file === undefined || worker === undefined || positionals.length > 2)
    throw new UsageError(`Name a manifest and the address of its worker.\n\n${usage}`)
  const written = readManifest(file)
  const hub = readHub(values.hub)
  const key = readKey(values, 'developer')

  step('Read what this network is, and sign in')
  const network = await readNetwork(hub, null)
  const { profile, contracts } = network
  if (contracts === null) throw new Error(`the hub at ${hub} has no chain to register a project on`)
  const wallet = await signIn(network, key)
  await enroll(wallet, 'A developer')
  const projectId = await registerProject(network, wallet, {
    ...written,
    network: profile.network,
    chain_id: profile.chain_id,
    developer: wallet.address,
    consensus: {
      ...written.consensus,
      modules: { ...written.consensus.modules, worker },
      // The vault is a guess: the hub says which one it has to be.
      economics: { ...written.consensus.economics, reward_token: contracts.token, vault: contracts.token },
    },
  })
  console.log(`\nThe project waits for the review of an operator:\n${projectId}`)
}

/** The hub checks everything of a manifest but that it is one. */
function readManifest(file: string) {
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof manifest?.consensus !== 'object') throw new Error('it has no consensus')
    return manifest
  } catch (error) {
    throw new UsageError(`${file} is no manifest: ${(error as Error).message}`)
  }
}

try {
  await main()
} catch (error) {
  console.error(`Error: ${(error as Error).message}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
