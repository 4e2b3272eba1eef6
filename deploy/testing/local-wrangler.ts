/**
 * In the place of wrangler, for the process of `up`: what has a local mode wrangler itself does, in the folder of the run, and what needs
 * an account is a recorded answer. `account.json` keeps the account from one call to the next.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { WranglerError } from '../wrangler-error.ts'
import { callWrangler } from './call-wrangler.ts'
import { RecordedAccount } from './recorded-account.ts'

/** What is kept of an account, and the steps after which `up` was killed; null where nobody kills it. */
export interface KeptAccount
  extends Pick<
    RecordedAccount,
    'databases' | 'buckets' | 'queues' | 'rules' | 'secrets' | 'deployments' | 'uploads' | 'isMigrated'
  > {
  killed: string[] | null
}

export const accountFile = 'account.json'
/** What `wrangler tail` shows, a line for each invocation of the Worker. */
export const tailFile = 'tail.jsonl'
/** The configuration of the environment without its build command, which one call runs for all. */
export const localConfig = 'dist/deploy/local.json'
export const persisted = ['--persist-to', 'state']
/** What wrangler would have uploaded. */
export const uploadFolder = 'dist/dry'

/** What wrangler has answered in the folder since something there was changed, by call. */
const answersFile = 'answers.json'

/** What the desks of a test share: the first migrations of each are the same, and wrangler starts a runtime for each of them. */
const sharedFolder = process.env.LOCAL_WRANGLER_SHARED
/** There once the folder has had migrations applied. */
const appliedFile = 'applied'

/** Calls that wrangler answers from a folder as it does from an account. */
const localCalls = ['d1 migrations', 'd1 execute', 'd1 export', 'r2 object']
const attemptsMax = 20

/** Calls that change something. */
const changing = [
  ...['d1 create', 'r2 bucket create', 'r2 bucket lifecycle add', 'queues create', 'secret bulk'],
  ...['d1 migrations apply', 'deploy', 'versions upload', 'triggers deploy', 'versions deploy'],
  'r2 object put',
]

/** A call without the names of what it changes; null where it changes nothing. */
function stepOf(call: string): string | null {
  const step = changing.find((words) => call.startsWith(`${words} `))
  return step === undefined ? null : `${step} ${/@(\d+%)/.exec(call)?.[1] ?? ''}`.trim()
}

/** `recorded`, or the address of a loaded wrangler for what has a local mode. */
const mode = process.env.LOCAL_WRANGLER
if (mode !== undefined && process.argv[1]?.endsWith('wrangler.js')) await main(process.argv.slice(2), mode)

async function main(args: readonly string[], wrangler: string): Promise<void> {
  const account = new RecordedAccount()
  const kept = JSON.parse(readFileSync(accountFile, 'utf8')) as KeptAccount
  Object.assign(account, kept)
  const input = args[1] === 'bulk' ? readFileSync(0, 'utf8') : ''
  try {
    const own =
      args[0] === 'tail' ? tailed(args) : wrangler === 'recorded' ? null : await locally(args, wrangler)
    process.stdout.write(own ?? (await account.wrangler(args, input)))
  } catch (error) {
    if (!(error instanceof WranglerError)) throw error
    process.stderr.write(error.output)
    process.exitCode = 1
    return
  }
  const step = stepOf(args.join(' '))
  const isKilled = kept.killed !== null && step !== null && !kept.killed.includes(step)
  const { databases, buckets, queues, rules, secrets, deployments, uploads, isMigrated } = account
  const killed = isKilled ? [...kept.killed!, step] : kept.killed
  const made = { databases, buckets, queues, rules, secrets, deployments, uploads, isMigrated }
  const next: KeptAccount = { ...made, killed }
  writeFileSync(`${accountFile}.new`, JSON.stringify(next))
  renameSync(`${accountFile}.new`, accountFile)
  if (isKilled) process.kill(process.ppid, 'SIGKILL')
}

/** Hub and wrangler are two processes that write one file here, which D1 never has: the one that comes second is refused. */
async function patiently(run: () => Promise<string>): Promise<string> {
  for (let attempt = 1; ; attempt++)
    try {
      return await run()
    } catch (error) {
      const isLocked = error instanceof WranglerError && /SQLITE_BUSY|database is locked/.test(error.output)
      if (!isLocked || attempt === attemptsMax) throw error
    }
}

/** Applies the migrations, or takes the database that the first desk has got from them. */
async function applyOnce(run: () => Promise<string>): Promise<string> {
  const own = path.join(persisted[1]!, 'v3', 'd1')
  if (sharedFolder === undefined || existsSync(appliedFile)) return run()
  const [shared, answer] = ['d1', 'said'].map((name) => path.join(sharedFolder, name)) as [string, string]
  if (existsSync(answer)) {
    rmSync(own, { recursive: true, force: true })
    cpSync(shared, own, { recursive: true })
  } else {
    const said = await run()
    cpSync(own, shared, { recursive: true, filter: (name) => !name.endsWith('-shm') })
    writeFileSync(answer, said)
  }
  writeFileSync(appliedFile, '')
  return readFileSync(answer, 'utf8')
}

function linkState(folder: string): void {
  const place = path.join(folder, '.wrangler')
  if (existsSync(place)) return
  mkdirSync(place)
  symlinkSync(path.resolve(persisted[1]!), path.join(place, 'state'))
}

/** What wrangler prints in its local mode; null for a call that has none. An upload is tried, and recorded as well. */
async function locally(args: readonly string[], wrangler: string): Promise<string | null> {
  const config = args[args.indexOf('--config') + 1]!
  const run = (call: readonly string[]) => callWrangler(wrangler, call)
  /** An `up` that is run again asks what the one before has asked, and each answer takes seconds. */
  const runOnce = async (call: readonly string[], input: string): Promise<string> => {
    const question = `${call.join(' ')}\n${input}`
    const answers = keptAnswers()
    answers[question] ??= await run(call)
    writeFileSync(answersFile, JSON.stringify(answers))
    return answers[question]
  }
  const isLocal = localCalls.some((words) => args.join(' ').startsWith(`${words} `))
  if (isLocal) {
    const own = args.map((arg) => (arg === '--remote' ? '--local' : arg))
    // An export has no option for the folder: it looks beside the configuration.
    if (args[1] === 'export') linkState(path.dirname(config))
    const call = args[1] === 'export' ? own : [...own, ...persisted]
    if (args.join(' ').startsWith('d1 migrations list ')) return patiently(() => runOnce(call, ''))
    if (args[0] === 'd1' && args[1] !== 'export') rmSync(answersFile, { force: true })
    if (args.join(' ').startsWith('d1 migrations apply ')) return applyOnce(() => run(call))
    return patiently(() => run(call))
  }
  const upload = args[0] === 'deploy' ? ['deploy'] : args[1] === 'upload' ? ['versions', 'upload'] : null
  if (upload === null) return null
  const isBuilt = existsSync(localConfig)
  const used = isBuilt ? localConfig : config
  const call = [...upload, '--dry-run', '--outdir', uploadFolder, '--config', used]
  await runOnce(call, readFileSync(used, 'utf8'))
  if (!isBuilt) {
    const { build: _, ...rest } = JSON.parse(readFileSync(config, 'utf8'))
    writeFileSync(localConfig, JSON.stringify(rest))
  }
  return null
}

function keptAnswers(): Record<string, string> {
  return existsSync(answersFile) ? JSON.parse(readFileSync(answersFile, 'utf8')) : {}
}

interface Invocation {
  outcome: string
  logs: { message: string[] }[]
}

/** The invocations that pass the filters, as Cloudflare applies them: a status is that of the invocation, not of its answer. */
function tailed(args: readonly string[]): string {
  const after = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1]! : null)
  const [status, search] = [after('--status'), after('--search')]
  return readFileSync(tailFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Invocation)
    .filter(({ outcome }) => status === null || (status === 'ok') === (outcome === 'ok'))
    .filter(({ logs }) => search === null || logs.some(({ message }) => message.join(' ').includes(search)))
    .map((invocation) => `${JSON.stringify(invocation, null, 2)}\n`)
    .join('')
}
