/**
 * Replaces wrangler: calls with a local mode run in wrangler itself, in the folder of the run, and calls that need an account
 * get a recorded answer. The process of `up` starts a stand-in for each call, which asks here what to print.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { WranglerError } from '../wrangler-error.ts'
import { callWrangler } from './call-wrangler.ts'
import { RecordedAccount } from './recorded-account.ts'

/** The state of an account, and the calls of wrangler that still end the process that makes them. */
export interface KeptAccount
  extends Pick<
    RecordedAccount,
    | 'databases'
    | 'buckets'
    | 'queues'
    | 'rules'
    | 'vars'
    | 'secrets'
    | 'deployments'
    | 'latest'
    | 'uploads'
    | 'isMigrated'
  > {
  /** The beginning of each such call. It has its effect first, and ends one process. */
  killsAfter: string[]
}

/** The output of `wrangler tail`, a line for each invocation of the Worker. */
export const tailFile = 'tail.jsonl'
/** The configuration of the environment without its build command, which one call runs for all. */
export const localConfig = 'dist/deploy/local.json'
export const persisted = ['--persist-to', 'state']
/** The modules that wrangler would have uploaded. */
export const uploadFolder = 'dist/dry'

/** Answers of wrangler in the folder since the last change there, by call. */
const answersFile = 'answers.json'

/** There once the folder has had migrations applied. */
const appliedFile = 'applied'

/** Calls that wrangler answers from a folder as it does from an account. */
const localCalls = ['d1 migrations', 'd1 execute', 'd1 export', 'r2 object']
const attemptsMax = 20
/** Errors of calls that had no effect, or whose repetition does the rest. */
const undone = /SQLITE_BUSY|database is locked|other side closed/

/** One call of a stand-in of wrangler. */
export interface StandInCall {
  readonly args: readonly string[]
  readonly input: string
  /** `recorded`, or the address of a loaded wrangler for calls that have a local mode. */
  readonly mode: string
  /**
   * The folder that the desks of a test share: the first migrations of each are the same, and take longer than all else. Empty if they
   * share nothing.
   */
  readonly shared: string
}

/** How it ends, as its process shows it. */
export interface StandInAnswer {
  /** Its output, or its errors if it fails. */
  readonly said: string
  readonly code: number
  /** Whether it ends the process that called it. */
  readonly kills: boolean
}

/** Answers calls of wrangler in a folder, one at a time, and keeps the account from one to the next. */
export function localWrangler(folder: string) {
  let kept: KeptAccount | undefined
  const keep = (account: KeptAccount) => {
    kept = JSON.parse(JSON.stringify(account))
  }
  const held = (): KeptAccount => {
    if (kept === undefined) throw new Error('Nobody gave this desk an account.')
    return structuredClone(kept)
  }
  const answer = async (call: StandInCall): Promise<StandInAnswer> => {
    const account = new RecordedAccount(folder)
    const { killsAfter, ...had } = held()
    Object.assign(account, had)
    let said: string
    try {
      said = (await ownAnswer(folder, call)) ?? (await account.wrangler(call.args, call.input))
    } catch (error) {
      if (!(error instanceof WranglerError)) throw error
      return { said: error.output, code: 1, kills: false }
    }
    const killing = killsAfter.find((words) => call.args.join(' ').startsWith(`${words} `))
    const { databases, buckets, queues, rules, secrets, deployments, latest, uploads, isMigrated, vars } =
      account
    const made = {
      databases,
      buckets,
      queues,
      rules,
      secrets,
      deployments,
      latest,
      uploads,
      isMigrated,
      vars,
    }
    keep({ ...made, killsAfter: killsAfter.filter((words) => words !== killing) })
    return { said, code: 0, kills: killing !== undefined }
  }
  return { keep, held, answer }
}

async function ownAnswer(folder: string, call: StandInCall): Promise<string | null> {
  if (call.args[0] === 'tail') return tailed(folder, call.args)
  return call.mode === 'recorded' ? null : locally(folder, call)
}

/**
 * Hub and wrangler are two processes that write one file here, which D1 never has: the one that comes second is refused. And a
 * runtime that is used again may have closed its idle connection just as a call was sent, which it then did not read.
 */
async function patiently(run: () => Promise<string>): Promise<string> {
  for (let attempt = 1; ; attempt++)
    try {
      return await run()
    } catch (error) {
      const isUndone = error instanceof WranglerError && undone.test(error.output)
      if (!isUndone || attempt === attemptsMax) throw error
    }
}

/** Applies the migrations, or takes the database that the first desk has got from them. */
async function applyOnce(folder: string, sharedFolder: string, run: () => Promise<string>): Promise<string> {
  const own = path.join(folder, persisted[1]!, 'v3', 'd1')
  const applied = path.join(folder, appliedFile)
  if (sharedFolder === '' || existsSync(applied)) return run()
  const [shared, answer] = ['d1', 'said'].map((name) => path.join(sharedFolder, name)) as [string, string]
  if (existsSync(answer)) {
    rmSync(own, { recursive: true, force: true })
    cpSync(shared, own, { recursive: true })
  } else {
    const said = await run()
    cpSync(own, shared, { recursive: true, filter: (name) => !name.endsWith('-shm') })
    writeFileSync(answer, said)
  }
  writeFileSync(applied, '')
  return readFileSync(answer, 'utf8')
}

function linkState(folder: string, beside: string): void {
  const place = path.join(folder, beside, '.wrangler')
  if (existsSync(place)) return
  mkdirSync(place)
  symlinkSync(path.join(folder, persisted[1]!), path.join(place, 'state'))
}

/** The output of wrangler in its local mode; null for a call that is only recorded. An upload is also tried, as a dry run. */
async function locally(folder: string, { args, mode, shared }: StandInCall): Promise<string | null> {
  const config = args[args.indexOf('--config') + 1]!
  const inFolder = (name: string) => path.join(folder, name)
  const answersPath = inFolder(answersFile)
  const run = (call: readonly string[]) => patiently(() => callWrangler(mode, call, folder))
  /** An `up` that is run again asks what the one before has asked, and each answer takes seconds. */
  const runOnce = async (call: readonly string[], input: string): Promise<string> => {
    const question = `${call.join(' ')}\n${input}`
    const answers = keptAnswers(answersPath)
    answers[question] ??= await run(call)
    writeFileSync(answersPath, JSON.stringify(answers))
    return answers[question]
  }
  const isLocal = localCalls.some((words) => args.join(' ').startsWith(`${words} `))
  if (isLocal) {
    const own = args.map((arg) => (arg === '--remote' ? '--local' : arg))
    // An export has no option for the folder: it looks beside the configuration.
    if (args[1] === 'export') linkState(folder, path.dirname(config))
    const call = args[1] === 'export' ? own : [...own, ...persisted]
    if (args.join(' ').startsWith('d1 migrations list ')) return runOnce(call, '')
    if (args[0] === 'd1' && args[1] !== 'export') rmSync(answersPath, { force: true })
    if (args.join(' ').startsWith('d1 migrations apply ')) return applyOnce(folder, shared, () => run(call))
    return run(call)
  }
  const upload = args[0] === 'deploy' ? ['deploy'] : args[1] === 'upload' ? ['versions', 'upload'] : null
  if (upload === null) return null
  const isBuilt = existsSync(inFolder(localConfig))
  const used = isBuilt ? localConfig : config
  const call = [...upload, '--dry-run', '--outdir', uploadFolder, '--config', used]
  await runOnce(call, readFileSync(inFolder(used), 'utf8'))
  if (!isBuilt) {
    const { build: _, ...rest } = JSON.parse(readFileSync(inFolder(config), 'utf8'))
    writeFileSync(inFolder(localConfig), JSON.stringify(rest))
  }
  return null
}

function keptAnswers(file: string): Record<string, string> {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

interface Invocation {
  outcome: string
  logs: { message: string[] }[]
}

/** The invocations that pass the filters, as Cloudflare applies them: a status is that of the invocation, not of its answer. */
function tailed(folder: string, args: readonly string[]): string {
  const after = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1]! : null)
  const [status, search] = [after('--status'), after('--search')]
  return readFileSync(path.join(folder, tailFile), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Invocation)
    .filter(({ outcome }) => status === null || (status === 'ok') === (outcome === 'ok'))
    .filter(({ logs }) => search === null || logs.some(({ message }) => message.join(' ').includes(search)))
    .map((invocation) => `${JSON.stringify(invocation, null, 2)}\n`)
    .join('')
}
