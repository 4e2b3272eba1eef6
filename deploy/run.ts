/** `npm run -s deploy`: a hub on Cloudflare, from the file of its environment; see {@link help}. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { callNode } from '../contracts/json-rpc.ts'
import { readArguments } from '../scripts/command/arguments.ts'
import { CommandError, UsageError } from '../scripts/command/errors.ts'
import { runCommand } from '../scripts/command/run.ts'
import { typed } from '../scripts/command/typed.ts'
import { readAccount, readDatabaseId, readSecretNames, readVars } from './account.ts'
import { backUp, backupId } from './backup/backup.ts'
import { getBackup, putBackup } from './backup/bucket.ts'
import type { BackedDatabase } from './backup/database.ts'
import { noteBackup } from './backup/objects.ts'
import { repair } from './backup/repair.ts'
import { restore } from './backup/restore.ts'
import { signInOperator } from './backup/sign-in.ts'
import { chainProblems } from './chain-problems.ts'
import { checkConnected, checkHub, requireNone } from './check.ts'
import { type Environment, missingMembers, readEnvironment } from './environment.ts'
import { MissingError } from './missing-error.ts'
import { planOf, planText } from './plan.ts'
import { removeAll } from './remove.ts'
import { rollBack } from './rollback.ts'
import { readKept, runSecrets } from './secrets-command.ts'
import { settingsPage } from './settings-page.ts'
import { bringUp, type UpOptions } from './up.ts'
import { wranglerOf } from './wrangler.ts'
import { resourcesOf, writeWranglerConfig } from './wrangler-config.ts'

const help = `Usage: npm run -s deploy -- COMMAND --env NAME [OPTIONS]

Deploys the hub of an environment, which deploy/NAME.toml describes. Copy deploy/example.toml to begin.

Commands:
  plan      Show what there is, what would be created and set, and what is missing; change nothing
  secrets   Make the secrets that can be made, take the others from environment variables of their names, and set them
  up        Do what plan shows. It may be interrupted, and repeated
  check     Check the running hub once, and compare the chain with the environment; \`npm run -s operator -- watch\` keeps checking
  rollback  Give all traffic to the version before, or to that of --version
  backup    Copy the database, the data that only Durable Objects have, and the settings into a folder, and into the bucket of rounds
  restore   Make the network again from a backup, in a fresh environment whose buckets have the files of the lost one
  repair    Show which records a database lost when Time Travel set it back, and with --yes restore them
  remove    Delete the Worker, its objects, the database, buckets and queues, after the name was typed
  settings  Print the page docs/settings.md; needs no --env

Options:
  --env NAME         The environment: deploy/NAME.toml
  --offline          Of plan: ask neither Cloudflare nor the chain
  --rotate SECRET    Of secrets: replace this one
  --save FILE        Of secrets: store new secrets in a file that only you can read, and reuse those in it; only with this option a key of the relayer is made.
                     Of restore: take the secrets from it
  --contracts        Of check: compare only the contracts, roles and gas on the chain, also before there is a hub
  --url URL          Of check: an address of the hub other than that of its domain
  --version ID       Of rollback: a version that has had all traffic; \`npx wrangler deployments list --name NAME\` shows them
  --to FOLDER        Of backup: the folder, backups/ID when left out
  --from PLACE       Of restore: a folder, or r2:BUCKET/ID
  --since TIME       Of repair: the moment that the database was set back to, as 2026-11-26T10:00:00Z
  --key-env NAME     Of backup, restore and repair: the environment variable that has the key of an operator
  --yes              Of up, rollback, restore and repair: do not ask before a step that cannot be undone
  --json             Print plan and check as JSON
  -h, --help         Show this help

wrangler acts for you: log in with \`npx wrangler login\`, or set CLOUDFLARE_API_TOKEN.
Exit codes: 0 done, 1 refused or failed, 2 something is missing or wrong usage.

Examples:
  npm run -s deploy -- plan --env example --offline
  npm run -s deploy -- secrets --env testnet --save testnet-secrets.json
  npm run -s deploy -- up --env testnet
  npm run -s deploy -- check --env testnet --json
  npm run -s deploy -- rollback --env testnet
  npm run -s deploy -- backup --env testnet --key-env OPERATOR_KEY`

const commands = [
  'plan',
  'secrets',
  'up',
  'check',
  'rollback',
  'backup',
  'restore',
  'repair',
  'remove',
] as const
type Command = (typeof commands)[number]

interface Options {
  to?: string
  from?: string
  since?: string
  'key-env'?: string
  env?: string
  offline?: boolean
  contracts?: boolean
  rotate?: string
  save?: string
  url?: string
  version?: string
  yes?: boolean
  json?: boolean
}

const say = (line: string): void => console.error(line)

const run: Record<Command, (environment: Environment, options: Options) => Promise<void>> = {
  async plan(environment, { offline, json }) {
    const isAsked = !offline && environment.account_id !== ''
    const wrangler = wranglerOf(environment.account_id)
    const resources = resourcesOf(environment)
    const account = isAsked ? await readAccount(wrangler, resources) : null
    // Secrets make a Worker without settings, before the first version.
    const running =
      account?.objectsTag && account.version ? await readVars(wrangler, resources, account.version) : null
    const plan = planOf(environment, account, running)
    const isComplete = plan.missing.length === 0 && plan.problems.length === 0
    const onChain = isAsked && isComplete ? await chainProblems(environment, rpcUrlsOf(environment)) : []
    const whole = { ...plan, problems: [...plan.problems, ...onChain] }
    console.log(json ? JSON.stringify(whole, null, 2) : planText(whole))
    if (!isComplete || onChain.length > 0) process.exitCode = 2
  },

  async secrets(environment, { rotate, save }) {
    requireAccount(environment)
    await runSecrets({
      ...{ environment, rotate, save, say },
      wrangler: wranglerOf(environment.account_id),
      given: process.env,
    })
  },

  async up(environment, { yes }) {
    const missing = missingMembers(environment)
    if (missing.length > 0)
      throw new MissingError(
        `Fill in:\n${missing.map(([member, source]) => `  ${member}: ${source}`).join('\n')}`,
      )
    const onChain = await chainProblems(environment, rpcUrlsOf(environment))
    if (onChain.length > 0) throw new MissingError(onChain.join('\n'))
    await bringUp(upOptions(environment, yes))
  },

  async check(environment, { url, json, contracts }) {
    const findings = contracts ? [] : await checkHub(environment, url ?? `https://${environment.domain}`)
    const onChain = await chainProblems(environment, rpcUrlsOf(environment))
    const all = [
      ...findings,
      ...(onChain.length > 0 ? onChain : [null]).map((problem) => ({ what: 'contracts', problem })),
    ]
    if (json) console.log(JSON.stringify(all, null, 2))
    else
      for (const { what, problem } of all)
        console.log(`${problem === null ? 'ok   ' : 'FAIL '} ${what}${problem === null ? '' : ` ${problem}`}`)
    if (all.some(({ problem }) => problem !== null)) process.exitCode = 1
  },

  async rollback(environment, { version, yes }) {
    requireAccount(environment)
    await rollBack({
      ...{ environment, version, say },
      wrangler: wranglerOf(environment.account_id),
      confirm: async (question) => yes === true || (await ask(question)),
      check: async (url) => requireNone(await checkHub(environment, url)),
    })
  },

  async backup(environment, { to, 'key-env': keyEnv }) {
    requireAccount(environment)
    const wrangler = wranglerOf(environment.account_id)
    const { worker, payloadBucket } = resourcesOf(environment)
    const now = new Date()
    const post = await signInOperator(`https://${environment.domain}`, environment.domain, keyEnv)
    const folder = to ?? path.join('backups', backupId(environment, now))
    const manifest = await backUp({
      ...{ environment, folder, now, say, post },
      database: await databaseOf(environment),
      blockNumber: async () => Number((await callNode(rpcUrlOf(environment), [['eth_blockNumber']]))[0]),
      secrets: [...(await readSecretNames(wrangler, worker))],
    })
    await putBackup(wrangler, payloadBucket, manifest.id, folder)
    await noteBackup(post, manifest.id)
    say(`The backup is in ${folder}, and in r2:${payloadBucket}/${manifest.id}.`)
  },

  async restore(environment, { from, save, yes, 'key-env': keyEnv }) {
    if (from === undefined) throw new UsageError('Name the backup: --from FOLDER, or --from r2:BUCKET/ID.')
    const [, bucket, id] = /^r2:([^/]+)\/([\w.-]+)$/.exec(from) ?? []
    const folder = id === undefined ? from : path.join('backups', id)
    if (bucket !== undefined && id !== undefined)
      await getBackup(wranglerOf(environment.account_id), bucket, id, folder)
    await restore({
      up: { ...upOptions(environment, yes), given: { ...requireKept(save), ...process.env } },
      folder,
      signIn: (url) => signInOperator(url, environment.domain, keyEnv),
      rpcUrls: [rpcUrlOf(environment), ...rpcUrlsOf(environment).slice(1)],
      isAnswering: (url) =>
        fetch(`${url}/v1/status`).then(
          ({ ok }) => ok,
          () => false,
        ),
      nowMs: Date.now(),
    })
  },

  async repair(environment, { since, yes, 'key-env': keyEnv }) {
    requireAccount(environment)
    const ms = Date.parse(since ?? '')
    if (Number.isNaN(ms))
      throw new UsageError('Name the moment that the database was set back to: --since 2026-11-26T10:00:00Z.')
    const count = await repair({
      database: await databaseOf(environment),
      post: await signInOperator(`https://${environment.domain}`, environment.domain, keyEnv),
      since: Math.floor(ms / 1000),
      isRepaired: yes === true,
      folder: path.join('dist', 'deploy'),
      say,
    })
    if (count > 0 && !yes) say('Run it with --yes to change the database.')
  },

  async remove(environment) {
    requireAccount(environment)
    await removeAll({
      ...{ environment, say },
      wrangler: wranglerOf(environment.account_id),
      ask: async (question) => (process.stdin.isTTY ? typed(question) : null),
    })
  },
}

const upOptions = (environment: Environment, yes: boolean | undefined): UpOptions => ({
  environment,
  wrangler: wranglerOf(environment.account_id),
  say,
  confirm: async (question) => yes === true || (await ask(question)),
  commit: commitOf(),
  given: process.env,
  check: async (url, headers, isNew) => {
    const call = (address: string, own: object = {}) => fetch(address, { headers: { ...headers, ...own } })
    const wait = () => {
      say(`Waiting for ${url}: a new domain gets its certificate within minutes`)
      return setTimeout(10_000)
    }
    const look = () => checkHub(environment, url, call)
    return isNew ? checkConnected(look, wait) : look()
  },
})

async function databaseOf(environment: Environment): Promise<BackedDatabase> {
  const wrangler = wranglerOf(environment.account_id)
  const { database: name } = resourcesOf(environment)
  const id = await readDatabaseId(wrangler, name)
  if (id === null) throw new CommandError(`There is no database ${name}.`)
  return { wrangler, name, place: ['--remote', '--config', writeWranglerConfig(environment, id)] }
}

function rpcUrlOf(environment: Environment): string {
  const [url] = rpcUrlsOf(environment)
  if (url === undefined)
    throw new MissingError('chain.rpc_urls: name nodes, or give CHAIN_RPC_URL in the environment.')
  return url
}

function requireAccount({ account_id }: Environment): void {
  if (account_id === '') throw new MissingError('account_id is missing: `npx wrangler whoami` shows it.')
}

/** The secrets in the file of `--save`, which must exist if it is named. @throws {@link CommandError} */
function requireKept(file: string | undefined): Record<string, string> {
  if (file !== undefined && !existsSync(file))
    throw new CommandError(`There is no ${file}: name the file of --save.`)
  return file === undefined ? {} : readKept(file)
}

function rpcUrlsOf({ chain }: Environment): string[] {
  const urls = chain.rpc_urls ?? (process.env.CHAIN_RPC_URL ?? '').split(',').filter((url) => url !== '')
  // Its value may have a key in it, and is not printed.
  if (!urls.every((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? '')))
    throw new MissingError(
      'CHAIN_RPC_URL: must be addresses that begin with https:// or http://, separated by commas.',
    )
  return urls
}

async function ask(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new CommandError(`${question} This is not a terminal, so nobody can answer: add --yes.`)
  return /^y(es)?$/i.test(await typed(`${question} (y/N) `))
}

const commitOf = (): string => {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'no commit'
  }
}

await runCommand(async () => {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const config = {
    allowPositionals: true,
    options: {
      ...{
        env: text,
        rotate: text,
        save: text,
        to: text,
        from: text,
        since: text,
        'key-env': text,
        url: text,
        version: text,
        offline: flag,
        contracts: flag,
        yes: flag,
        json: flag,
      },
      help: { type: 'boolean', short: 'h' },
    },
  } as const
  const { values, positionals } = readArguments(config, help)
  if (values.help) return console.log(help)
  if (positionals[0] === 'settings' && positionals.length === 1) {
    process.stdout.write(settingsPage())
    return
  }
  const command = commands.find((name) => name === positionals[0])
  if (command === undefined || positionals.length > 1)
    throw new UsageError(`Name one of the commands: ${[...commands, 'settings'].join(', ')}.\n\n${help}`)
  if (values.env === undefined || !/^[\w-]+$/.test(values.env))
    throw new UsageError('Name the environment: --env NAME stands for deploy/NAME.toml.')
  await run[command](readEnvironment(path.join('deploy', `${values.env}.toml`)), values)
})
