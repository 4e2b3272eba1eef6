import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Wrangler } from '../wrangler.ts'
import { WranglerError } from '../wrangler-error.ts'

interface Deployed {
  created_on: string
  annotations: Record<string, string>
  versions: { version_id: string; percentage: number }[]
}

/** An account of Cloudflare, which answers the calls of wrangler in the words of its version 4. */
export class RecordedAccount {
  readonly #folder: string
  readonly calls: string[] = []
  readonly databases: { name: string; uuid: string }[] = []
  readonly buckets: string[] = []
  readonly queues: string[] = []
  /** Rules of buckets, each as `BUCKET/NAME`. */
  readonly rules: string[] = []
  /** Null while there is no Worker. */
  secrets: Record<string, string> | null = null
  readonly deployments: Deployed[] = []
  isMigrated = false
  /** The version that was made last; null if no call made it. */
  latest: string | null = null
  /** Buckets that have something. */
  readonly full = new Set<string>()
  uploads = 0
  /** The settings of each version, by its id. */
  vars: Record<string, Record<string, string>> = {}
  readonly #versions: object[] = []
  /** `before: CALL` or `after: CALL`: that call fails once. `killed: CALL`: it has its effect, and never returns to a caller that is dead. */
  fault: string | null = null
  /** Called once a caller is dead. */
  onKill = (): void => {}

  /** Rows that the schema of the database has. */
  tables: object[] = []
  /** Files of statements that the database was given. */
  readonly executed: string[] = []
  /** Files of buckets, by bucket and key. */
  readonly objects = new Map<string, Buffer>()

  /** @param folder - The folder in which wrangler is called. */
  constructor(folder = '.') {
    this.#folder = folder
  }

  readonly wrangler: Wrangler = async (args, input = '') => {
    const call = args.join(' ')
    this.calls.push(call)
    const command = Object.keys(this.#commands)
      .filter((words) => call.startsWith(words))
      .sort((a, b) => b.length - a.length)[0]
    if (command === undefined) throw new WranglerError(args, `Unknown arguments: ${call}`)
    const fault = this.fault?.endsWith(`: ${call}`) ? this.fault : null
    if (fault !== null) this.fault = null
    if (fault?.startsWith('before')) throw new WranglerError(args, 'A request to the Cloudflare API failed.')
    const answer = this.#commands[command]!(args, input)
    if (answer instanceof Error) throw new WranglerError(args, answer.message)
    if (fault?.startsWith('killed')) {
      this.onKill()
      return new Promise(() => {})
    }
    if (fault !== null) throw new WranglerError(args, 'The connection was lost.')
    return typeof answer === 'string' ? answer : ''
  }

  readonly #noWorker = new Error('This Worker does not exist on your account. [code: 10007]')

  readonly #commands: Record<string, (args: readonly string[], input: string) => unknown> = {
    'd1 list': () => JSON.stringify(this.databases),
    'd1 create': ([, , name]) => this.databases.push({ name: name!, uuid: `uuid-${this.databases.length}` }),
    'd1 migrations list': () =>
      this.isMigrated
        ? '✅ No migrations to apply!'
        : '│ 0001_accounts.sql │\n│ 0002_modules_and_images.sql │',
    'd1 migrations apply': () => {
      this.isMigrated = true
    },
    'd1 time-travel info': () => JSON.stringify({ bookmark: '00000085-0000024c-00004c6d-8e61117bf38d7adb' }),
    'r2 bucket list': () =>
      this.buckets.map((name) => `name:           ${name}\ncreation_date:  2026-10-01\n`).join('\n'),
    'r2 bucket create': ([, , , name]) => this.buckets.push(name!),
    'r2 bucket delete': ([, , , name]) =>
      this.full.has(name!)
        ? new Error('The bucket you tried to delete is not empty. [code: 10008]')
        : this.#drop(this.buckets, name!),
    'r2 bucket lifecycle list': ([, , , , bucket]) =>
      this.rules
        .filter((rule) => rule.startsWith(`${bucket}/`))
        .map((rule) => `name:     ${rule.slice(`${bucket}/`.length)}\nenabled:  Yes`)
        .join('\n'),
    'r2 bucket lifecycle add': ([, , , , bucket, name]) => this.rules.push(`${bucket}/${name}`),
    'r2 bucket lifecycle remove': ([, , , , bucket, , name]) => this.#drop(this.rules, `${bucket}/${name}`),
    'queues list': ([, , , page]) => tableOf(this.queues.slice((Number(page) - 1) * 20, Number(page) * 20)),
    'queues create': ([, , name]) => this.queues.push(name!),
    'queues delete': ([, , name]) => this.#drop(this.queues, name!),
    'd1 delete': () => void this.databases.splice(0),
    delete: () => {
      this.secrets = null
      this.latest = null
      this.deployments.length = 0
    },
    'secret list': () =>
      this.secrets === null
        ? this.#noWorker
        : JSON.stringify(Object.keys(this.secrets).map((name) => ({ name, type: 'secret_text' }))),
    'secret bulk': (_, input) => {
      const running = this.deployments.at(-1)?.versions ?? []
      if (this.latest !== null && !running.some(({ version_id }) => version_id === this.latest))
        return new Error(
          "Script edit failed. You attempted to deploy the latest version with modified settings, but the latest version isn't currently deployed. [code: 10214]",
        )
      this.#setSecrets(input)
      // A Worker that runs gets them by a version of its own, which has no message.
      if (this.deployments.length > 0)
        this.#deployed([], [{ version_id: this.#made('secrets'), percentage: 100 }])
    },
    'versions secret bulk': (args, input) => {
      this.#setSecrets(input)
      this.#made('secrets', args)
    },
    'deployments list': () =>
      this.deployments.length === 0 ? this.#noWorker : JSON.stringify(this.deployments),
    'deployments status': () => JSON.stringify(this.deployments.at(-1)),
    deploy: (args) => {
      const { name, workers_dev, vars } = this.#config(args)
      this.latest = `${name}-${this.deployments.length}`
      this.vars[this.latest] = vars
      this.#deployed(args, [{ version_id: this.latest, percentage: 100 }])
      if (workers_dev) return `Deployed ${name} triggers\n  https://${name}.account.workers.dev`
    },
    'd1 execute': (args) => {
      if (args.includes('--file')) this.executed.push(readFileSync(this.#file(args, '--file'), 'utf8'))
      return JSON.stringify([{ results: this.tables }])
    },
    'r2 object put': (args) => void this.objects.set(args[3]!, readFileSync(this.#file(args, '--file'))),
    'r2 object get': (args) => {
      const bytes = this.objects.get(args[3]!)
      if (bytes === undefined) return new Error('The specified key does not exist.')
      writeFileSync(this.#file(args, '--file'), bytes)
    },
    'triggers deploy': () => undefined,
    'versions upload': (args) => {
      const id = this.#made('upload', args)
      if (args.includes('--config')) this.vars[id] = this.#config(args).vars
      return `Worker Version ID: ${id}`
    },
    'versions view': ([, , id]) => {
      const settings = Object.entries(this.vars[id!] ?? {}).map(([name, text]) => ({
        type: 'plain_text',
        name,
        text,
      }))
      return JSON.stringify({
        id,
        resources: { bindings: [{ type: 'd1', name: 'DB', id: 'uuid' }, ...settings] },
      })
    },
    'versions list': () => JSON.stringify(this.#versions.slice(-10)),
    'versions deploy': (args) =>
      this.#deployed(
        args,
        args.flatMap((arg) => {
          const [, version, share] = /^(.+)@(\d+)%$/.exec(arg) ?? []
          return version === undefined ? [] : [{ version_id: version, percentage: Number(share) }]
        }),
      ),
  }

  #file(args: readonly string[], option: string): string {
    return path.resolve(this.#folder, after(args, option)!)
  }

  #config(args: readonly string[]) {
    return JSON.parse(readFileSync(this.#file(args, '--config'), 'utf8')) as {
      name: string
      workers_dev: boolean
      vars: Record<string, string>
    }
  }

  #setSecrets(input: string): void {
    this.secrets = { ...this.secrets, ...JSON.parse(input) }
  }

  /** The id of a new version. */
  #made(what: string, args: readonly string[] = []): string {
    this.latest = `${what}-${++this.uploads}`
    const created_on = this.#now().replace('Z', `${String(this.uploads).padStart(3, '0')}Z`)
    this.#versions.push({ id: this.latest, annotations: annotationsOf(args), metadata: { created_on } })
    return this.latest
  }

  #drop(names: string[], name: string): void {
    names.splice(names.indexOf(name), 1)
  }

  #deployed(args: readonly string[], versions: Deployed['versions']): void {
    this.deployments.push({ created_on: this.#now(), annotations: annotationsOf(args), versions })
  }

  #now(): string {
    return new Date(1_800_000_000_000 + this.deployments.length).toISOString()
  }
}

/** As wrangler prints queues; nothing at all where no queue exists. */
const tableOf = (names: readonly string[]): string =>
  ['name', ...names]
    .map((name, i) => `│ ${(i === 0 ? 'id' : 'f0'.repeat(16)).padEnd(32)} │ ${name.padEnd(60)} │ … │`)
    .slice(names.length === 0 ? 1 : 0)
    .join('\n')

const annotationsOf = (args: readonly string[]): Record<string, string> => {
  const message = after(args, '--message')
  return message === undefined ? {} : { 'workers/message': message }
}

const after = (args: readonly string[], name: string): string | undefined =>
  args.includes(name) ? args[args.indexOf(name) + 1] : undefined
