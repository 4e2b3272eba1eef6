import { isObject } from '../protocol/encoding/index.ts'
import { CommandError } from '../scripts/command/errors.ts'
import { reasonOf } from '../sdk/client.ts'
import { settingFields } from '../workers/settings.ts'
import type { Environment } from './environment.ts'
import { chainIdOf, hubVars } from './hub-settings.ts'

export interface Finding {
  readonly what: string
  /** The problem and what to do about it; null if nothing is wrong. */
  readonly problem: string | null
}

/** Farther apart than this, signatures with times begin to fail. */
const clockSecsMax = 30

const statusCall = 'GET /v1/status'
/** The parts that all versions of a hub share. A new version can be what mends them. */
const sharedParts = new Set(['database', 'module_storage', 'queue', 'relayer', 'chain index', 'finality'])

/** The problems in findings, without those of shared parts that the version before has as well, or cannot tell. */
export function newProblems(findings: readonly Finding[], before: readonly Finding[] = []): Finding[] {
  const old = before.filter(({ problem }) => problem !== null)
  const isUntold = old.some(({ what }) => what === statusCall)
  const isKnown = ({ what, problem }: Finding) =>
    sharedParts.has(what) && (isUntold || old.some((one) => one.what === what && one.problem === problem))
  return findings.filter((finding) => finding.problem !== null && !isKnown(finding))
}

/** @throws {@link CommandError} with all new problems. */
export function requireNone(findings: readonly Finding[], before?: readonly Finding[]): void {
  const problems = newProblems(findings, before)
  if (problems.length > 0) throw new CommandError(`The hub has problems:\n${problemText(problems)}`)
}

export const problemText = (problems: readonly Finding[]): string =>
  problems.map(({ what, problem }) => `  ${what} ${problem}`).join('\n')

type Fetch = (url: string, headers?: Record<string, string>) => Promise<Response>

/** Compares the answers of a hub with its environment. */
export async function checkHub(
  environment: Environment,
  url: string,
  call: Fetch = (address, headers = {}) => fetch(address, { headers }),
): Promise<Finding[]> {
  const answers: Record<string, unknown> = {}
  const findings: Finding[] = []
  const ask = async (path: string, what: string, headers: Record<string, string> = {}) => {
    const answer = await call(`${url}${path}`, headers)
      .then(async (response) => ({ response, text: await response.text() }))
      .catch((error: Error) => error)
    const problem =
      answer instanceof Error
        ? `does not answer (${reasonOf(answer)}): check that the domain leads to the Worker`
        : answer.response.ok
          ? null
          : `answers ${answer.response.status}: ${answer.text.slice(0, 500)}`
    if (problem !== null) findings.push({ what, problem })
    return answer instanceof Error || problem !== null
      ? null
      : { type: typeOf(answer.response), text: answer.text }
  }
  for (const path of Object.keys(membersOf)) {
    const answer = await ask(path, `GET ${path}`)
    if (answer === null) continue
    const isJson = answer.type === 'application/json'
    const body = isJson ? parsed(answer.text) : null
    const isOfHub = body !== null && membersOf[path]!.every((name) => isObject(body[name]))
    if (isOfHub) answers[path] = body
    const problem = isOfHub
      ? null
      : `answers ${isJson ? 'JSON that is not of a hub' : answer.type}: the domain leads to something else than the Worker`
    findings.push({ what: `GET ${path}`, problem })
  }
  const page = await ask('/', 'GET / of a browser', { Accept: 'text/html,*/*;q=0.8' })
  if (page !== null) findings.push({ what: 'GET / of a browser', problem: pageProblem(environment, page) })
  return [
    ...findings,
    ...(answers['/'] === undefined ? [] : describedFindings(environment, answers['/'] as Descriptor)),
    ...(answers['/v1/status'] === undefined ? [] : statusFindings(answers['/v1/status'] as Status)),
  ]
}

/** The paths that are asked for, with the records that are read of their answers. */
const membersOf: Readonly<Record<string, readonly string[]>> = {
  '/': ['hosts'],
  '/v1/status': ['missing'],
  '/v1/openapi.json': [],
}

/** The record in a text of JSON; null if the text is anything else. */
function parsed(text: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : null
  } catch {
    return null
  }
}

const typeOf = ({ headers }: Response): string => (headers.get('Content-Type') ?? 'none').split(';')[0]!

/** People get the console, unless it is off. */
function pageProblem(
  { settings }: Environment,
  { type, text }: { type: string; text: string },
): string | null {
  const isOn = settingFields.CONSOLE.safeParse(settings.CONSOLE).data ?? true
  const [wanted, name] = isOn ? ['text/html', 'the page of the console'] : ['application/json', 'JSON']
  if (type === wanted && (!isOn || text.includes('/_app/'))) return null
  return `answers ${type}, and not ${name}: run \`up\` again, and see CONSOLE under [settings]`
}

/** The hub cannot be reached yet: no connection, or no certificate or Worker for the domain at the edge of Cloudflare. */
const isAway = (findings: readonly Finding[]): boolean =>
  findings.some(({ problem }) => /^(does not answer|answers 5(2\d|30):)/.test(problem ?? ''))

/** A new domain gets its certificate within minutes. */
const waits = 60

/** The findings of {@link checkHub} once the domain leads to the hub. @param wait - Called between two tries. */
export async function checkConnected(
  check: () => Promise<Finding[]>,
  wait: () => Promise<unknown>,
): Promise<Finding[]> {
  for (let waited = 0; ; waited++) {
    const findings = await check()
    if (!isAway(findings) || waited === waits) return findings
    await wait()
  }
}

interface Descriptor {
  network: string
  chain: { id: number } | null
  hosts: { api: string }
}

function describedFindings(environment: Environment, descriptor: Descriptor): Finding[] {
  const { BASE_URL, PROFILE } = hubVars(environment)
  const expected = JSON.parse(PROFILE!) as { network?: string }
  const differs = (what: string, is: unknown, wanted: unknown): Finding => ({
    what,
    problem: is === wanted ? null : `is ${is}, and the environment says ${wanted}: run \`up\` again`,
  })
  return [
    differs('address', descriptor.hosts.api, new URL(BASE_URL!).origin),
    differs('chain id', descriptor.chain?.id, chainIdOf(environment)),
    ...(expected.network === undefined ? [] : [differs('network', descriptor.network, expected.network)]),
  ]
}

interface Status {
  status: string
  database: string
  module_storage: string
  queue: string
  relayer: string
  chain: { halted: unknown; finalizing: boolean | null } | null
  missing: Record<string, string[]>
  time: number
}

function statusFindings(status: Status): Finding[] {
  const isOk = (what: 'database' | 'module_storage' | 'queue' | 'relayer'): Finding => ({
    what,
    problem: status[what] === 'ok' ? null : `is ${status[what]}: docs/operate-a-hub.md says what to do`,
  })
  const { database = [], ...parts } = status.missing
  const lacking = Object.entries(parts).map(([part, names]) => `${part} lacks ${names.join(', ')}`)
  const offSecs = Math.round(status.time - Date.now() / 1000)
  return [
    ...(['database', 'module_storage', 'queue', 'relayer'] as const).map(isOk),
    {
      what: 'migrations',
      problem: database.length === 0 ? null : 'of this version are missing in the database: run `up` again',
    },
    {
      what: 'settings',
      problem:
        lacking.length === 0
          ? null
          : `are incomplete: ${lacking.join('; ')}: set them in the file or with \`secrets\`, and run \`up\``,
    },
    {
      what: 'chain index',
      problem: status.chain?.halted ? `has stopped: ${JSON.stringify(status.chain.halted)}` : null,
    },
    {
      what: 'finality',
      problem:
        status.chain?.finalizing === false
          ? 'of the chain has stopped: see docs/runbooks/chain-does-not-finalise.md'
          : null,
    },
    {
      what: 'clock',
      problem:
        Math.abs(offSecs) <= clockSecsMax
          ? null
          : `is ${Math.abs(offSecs)} s ${offSecs < 0 ? 'behind' : 'ahead of'} this machine: set the clock of this machine, or CLOCK of the hub`,
    },
  ]
}
