/** The command `secrets`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import * as z from 'zod'
import { CommandError } from '../scripts/command/errors.ts'
import { readSecretNames } from './account.ts'
import type { Environment } from './environment.ts'
import { MissingError } from './missing-error.ts'
import { isChangeIdle, planSecrets, putSecrets, replacedBy, savedSecrets, secretList } from './secrets.ts'
import type { Wrangler } from './wrangler.ts'
import { resourcesOf } from './wrangler-config.ts'

export interface SecretsOptions {
  readonly environment: Environment
  readonly wrangler: Wrangler
  readonly say: (line: string) => void
  /** The secret to replace. */
  readonly rotate: string | undefined
  /** The file that keeps secrets. */
  readonly save: string | undefined
  /** Values of secrets that an operator gives, by name. */
  readonly given: Readonly<Record<string, string | undefined>>
}

/** Makes or takes the secrets that are missing, and the one that is replaced, and sets them. @throws {@link CommandError} */
export async function runSecrets({
  environment,
  wrangler,
  say,
  rotate,
  save,
  given,
}: SecretsOptions): Promise<void> {
  const { worker } = resourcesOf(environment)
  const present = await readSecretNames(wrangler, worker)
  const kept = save === undefined ? {} : readKept(save)
  // The file has their old values.
  const replaced = replacedBy(rotate ?? null).map((name) => [name, undefined])
  const { values, notes, missing } = planSecrets(environment, {
    present,
    rotate: rotate ?? null,
    given: { ...kept, ...Object.fromEntries(replaced), ...given },
    isKept: save !== undefined,
  })
  if (save !== undefined && notes.length > 0)
    writeFileSync(save, `${JSON.stringify(savedSecrets(kept, values, new Date()), null, 2)}\n`, {
      mode: 0o600,
    })
  const isRunning =
    notes.length === 0 ? !(await isChangeIdle(wrangler, worker)) : await putSecrets(wrangler, worker, values)
  for (const note of notes) say(note)
  const problems = [
    ...(missing.length > 0
      ? [`Give each of these in an environment variable of its name:\n${secretList(missing)}`]
      : []),
    ...(isRunning
      ? []
      : [
          `The running Worker does not have ${notes.length > 0 ? 'them' : 'the last change of secrets'} yet: its newest version has no traffic, as after a rollback, and Cloudflare sets secrets only there. Check out the commit that you want to run, and run \`up\`: the version that it deploys has them.`,
        ]),
  ]
  if (problems.length > 0) throw new MissingError(problems.join('\n'))
  say(notes.length === 0 ? 'Every secret is set.' : 'Set.')
}

const Kept = z.record(z.string(), z.string())

/** The secrets that an earlier call kept in its file; empty if the file does not exist. @throws {@link CommandError} */
export function readKept(file: string): Record<string, string> {
  if (!existsSync(file)) return {}
  try {
    return Kept.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    throw new CommandError(`${file} exists, and --save did not write it: name another file.`)
  }
}
