import type { ProjectCommitteesObject } from '../../durable-objects/project/object.ts'
import type { Env, Settings } from '../env.ts'
import { objectClient } from '../object-client.ts'
import type { PublishedRound } from '../stores/rounds.ts'

const methods = [
  'wake',
  'lookAgain',
  'nudge',
  'refusal',
  'submit',
  'openRounds',
  'waitForRound',
  'waitForEnd',
] as const

/** The objects of projects, by project id; null while the hub has no chain or no contracts. Methods throw 503 `unavailable`. */
export const createCommitteesClient = (env: Env, settings: Settings) =>
  settings.CHAIN_RPC_URL && settings.CHAIN_CONTRACTS
    ? (projectId: string) =>
        objectClient<Pick<ProjectCommitteesObject<Env, PublishedRound>, (typeof methods)[number]>>(
          'The object of the project',
          () => env.PROJECT_COMMITTEES.getByName(projectId),
          methods,
        )
    : null
